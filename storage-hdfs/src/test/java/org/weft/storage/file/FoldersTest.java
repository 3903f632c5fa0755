package org.weft.storage.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FoldersTest {
  @TempDir Path folder;

  private static FileSystem local() {
    return FileAccess.of(new Configuration()).fileSystem(new org.apache.hadoop.fs.Path("file:///"));
  }

  private static void make(FileSystem fs, Path path) throws IOException {
    Folders.make(fs, new org.apache.hadoop.fs.Path(path.toUri()));
  }

  @Test
  void makesAllFoldersOfAPathOnce() throws Exception {
    Path deep = folder.resolve("a/b c/d");
    for (int time = 0; time < 2; time++) {
      make(local(), deep);
      assertThat(deep).isDirectory();
    }
  }

  @Test
  void followsLinksToFolders() throws Exception {
    Path link = Files.createSymbolicLink(folder.resolve("link"), folder);
    make(local(), link);
    make(local(), link.resolve("below"));
    assertThat(folder.resolve("below")).isDirectory();
  }

  @Test
  void permissionsAreThoseOfAFolderOfTheSystem() throws Exception {
    Path expected = Files.createDirectory(folder.resolve("expected"));
    make(local(), folder.resolve("made"));
    assertThat(Files.getPosixFilePermissions(folder.resolve("made")))
        .isEqualTo(Files.getPosixFilePermissions(expected));
  }

  @Test
  void aFileInTheWayIsAnError() throws Exception {
    Path file = Files.writeString(folder.resolve("file"), "text");
    assertThatThrownBy(() -> make(local(), file)).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> make(local(), file.resolve("below"))).isInstanceOf(IOException.class);
    assertThat(file).hasContent("text");
  }

  @Test
  void anotherFileSystemIsAskedForIt() throws Exception {
    Refusing refusing = new Refusing(local());
    assertThatThrownBy(() -> make(refusing, folder.resolve("made")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("could not create folder");
    assertThat(folder.resolve("made")).doesNotExist();
  }

  /** Makes no folder. */
  private static final class Refusing extends FilterFileSystem {
    Refusing(FileSystem fs) {
      super(fs);
    }

    @Override
    public boolean mkdirs(org.apache.hadoop.fs.Path path) {
      return false;
    }
  }
}
