package org.weft.scratch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.RepeatedTest;
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
