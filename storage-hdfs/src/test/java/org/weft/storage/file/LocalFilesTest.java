package org.weft.storage.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalFilesTest {
  private static final int ROUNDS = 4_000;

  @TempDir private java.nio.file.Path folder;

  private interface Call {
    void on(FileSystem fs, Path path) throws IOException;
  }

  /** Hadoop's callers catch {@code FileNotFoundException} alone for a file that has gone. */
  @Test
  void whatGoesDuringACallIsMissing() throws Exception {
    Map<String, Call> calls =
        Map.of(
            "open", (fs, path) -> fs.open(path).close(),
            "status", FileSystem::getFileStatus,
            "list", FileSystem::listStatus,
            "exists", FileSystem::exists,
            "locations", (fs, path) -> fs.getFileBlockLocations(path, 0, 1));
    Map<String, String> wrong = new TreeMap<>();
    for (Map.Entry<String, Call> call : calls.entrySet()) {
      for (boolean isFolder : new boolean[] {false, true}) {
        String found = wrongErrorOf(call.getValue(), isFolder);
        if (found != null) {
          wrong.put(call.getKey() + (isFolder ? " of a folder" : ""), found);
        }
      }
    }
    assertThat(wrong).isEmpty();
  }

  /** The first error other than that of a missing file, while the file comes and goes. */
  private @org.jspecify.annotations.Nullable String wrongErrorOf(Call call, boolean isFolder)
      throws Exception {
    java.nio.file.Path file = folder.resolve(isFolder ? "folder" : "file");
    Path path = new Path(file.toUri());
    FileSystem fs = FileAccess.plain().fileSystem(path);
    AtomicBoolean done = new AtomicBoolean();
    ExecutorService pool = Executors.newSingleThreadExecutor();
    try {
      Future<?> churn =
          pool.submit(
              () -> {
                while (!done.get()) {
                  if (isFolder) {
                    Files.createDirectory(file);
                  } else {
                    Files.createFile(file);
                  }
                  Files.delete(file);
                }
                return null;
              });
      String wrong = null;
      for (int n = 0; n < ROUNDS && wrong == null; n++) {
        try {
          call.on(fs, path);
        } catch (FileNotFoundException e) {
          continue;
        } catch (IOException e) {
          wrong = e.toString();
        }
      }
      done.set(true);
      churn.get(1, TimeUnit.MINUTES);
      return wrong;
    } finally {
      done.set(true);
      pool.shutdown();
    }
  }
}
