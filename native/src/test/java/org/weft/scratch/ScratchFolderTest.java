package org.weft.scratch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScratchFolderTest {
  private static final long MOST_NANOS = 100_000_000;

  @TempDir Path parent;

  @RepeatedTest(5)
  void goesAlthoughThreadsStillMakeFiles() throws IOException, InterruptedException {
    Path folder = Files.createDirectory(parent.resolve("weft-run-1-2"));
    CountDownLatch began = new CountDownLatch(1);
    Thread other = new Thread(() -> makeFiles(folder, began));
    other.start();
    began.await();
    ScratchFolder.delete(folder);
    other.join();
    assertThat(folder).doesNotExist();
  }

  @Test
  void whatIsWrongWithTheFolderIsSaid() {
    String usual = System.getProperty("java.io.tmpdir");
    IOException full = new IOException("No space left on device");
    try {
      System.setProperty("java.io.tmpdir", parent.toString());
      assertThat(ScratchFolder.unavailable(full))
          .hasMessageContaining(parent + ": expected room for temporary files")
          .hasMessageContaining("found No space left on device; free space there, or name another");
      System.setProperty("java.io.tmpdir", parent.resolve("none").toString());
      assertThat(ScratchFolder.unavailable(full))
          .hasMessageContaining(
              "none: expected a folder for temporary files, found none; make it,");
    } finally {
      System.setProperty("java.io.tmpdir", usual);
    }
  }

  private static void makeFiles(Path folder, CountDownLatch began) {
    long start = System.nanoTime();
    try {
      while (System.nanoTime() - start < MOST_NANOS) {
        Files.createTempFile(folder, "entries-", ".tmp");
        began.countDown();
      }
    } catch (NoSuchFileException e) {
      began.countDown(); // the folder is gone
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
