package org.weft.scratch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What goes, and above all what stays. */
class AbandonedFoldersTest {
  @TempDir Path parent;

  private Path abandoned(String name) throws IOException {
    Path folder = Files.createDirectories(parent.resolve(name));
    Files.writeString(folder.resolve(ScratchFolder.LOCK), "");
    Files.writeString(Files.createDirectory(folder.resolve("inner")).resolve("run"), "entries");
    return folder;
  }

  @Test
  void removesTheFoldersOfProcessesThatAreGone() throws IOException {
    Path gone = abandoned("weft-run-1-42");
    AbandonedFolders.remove(parent);
    assertThat(gone).doesNotExist();
  }

  @Test
  void leavesWhatIsLockedYoungOursOrOfAnotherName() throws IOException {
    Path locked = abandoned("weft-run-1-1");
    Path young = Files.createDirectory(parent.resolve("weft-run-1-2"));
    Path own = abandoned("weft-run-" + ProcessHandle.current().pid() + "-3");
    Path other = abandoned("weft-run-mine");
    Path file = Files.writeString(parent.resolve("weft-run-1-4"), "no folder");
    try (FileChannel channel =
        FileChannel.open(locked.resolve(ScratchFolder.LOCK), StandardOpenOption.WRITE)) {
      channel.lock();
      AbandonedFolders.remove(parent);
      assertThat(locked.resolve("inner/run")).exists();
    }
    assertThat(young).exists();
    assertThat(own).exists();
    assertThat(other).exists();
    assertThat(file).exists();
  }

  @Test
  void removesAFolderWithoutALockWhenItIsOld() throws IOException {
    Path old = Files.createDirectory(parent.resolve("weft-run-1-2"));
    Files.setLastModifiedTime(old, FileTime.from(Instant.now().minusSeconds(7200)));
    AbandonedFolders.remove(parent);
    assertThat(old).doesNotExist();
  }

  @Test
  void followsNoLinks() throws IOException {
    Path elsewhere = abandoned("elsewhere");
    Files.createSymbolicLink(parent.resolve("weft-run-1-5"), elsewhere);
    Path gone = abandoned("weft-run-1-6");
    Files.createSymbolicLink(gone.resolve("inner/link"), elsewhere);
    Path linkedLock = Files.createDirectory(parent.resolve("weft-run-1-7"));
    Files.createSymbolicLink(
        linkedLock.resolve(ScratchFolder.LOCK), elsewhere.resolve(ScratchFolder.LOCK));
    AbandonedFolders.remove(parent);
    assertThat(gone).doesNotExist();
    assertThat(elsewhere.resolve("inner/run")).exists();
    assertThat(linkedLock).exists();
  }

  @Test
  void aScratchFileIsInALockedFolderForThisUserAlone() throws IOException {
    Path file = ScratchFolder.newFile("run-", ".tmp");
    Path folder = file.getParent();
    assertThat(folder.getFileName().toString())
        .startsWith("weft-run-" + ProcessHandle.current().pid() + "-");
    assertThat(Files.getPosixFilePermissions(folder)).hasSize(3);
    assertThat(folder.resolve(ScratchFolder.LOCK)).exists();
    Files.delete(file);
  }
}
