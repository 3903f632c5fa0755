package org.weft.storage.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Folders into which somebody still writes while they are removed. */
final class UnfinishedTreeTest {
  @TempDir java.nio.file.Path folder;

  private final AtomicInteger deletions = new AtomicInteger();

  /** Refuses or fails the first deletions, as a folder does that gets new files meanwhile. */
  private FileSystem reluctant(int times, boolean throwing) throws IOException {
    RawLocalFileSystem fs =
        new RawLocalFileSystem() {
          @Override
          public boolean delete(Path path, boolean recursive) throws IOException {
            if (deletions.incrementAndGet() > times) {
              return super.delete(path, recursive);
            }
            if (throwing) {
              throw new IOException("a file came in between");
            }
            return false;
          }
        };
    fs.initialize(java.net.URI.create("file:///"), new Configuration(false));
    return fs;
  }

  private java.nio.file.Path tree = java.nio.file.Path.of("");

  @BeforeEach
  void make() throws IOException {
    tree = Files.createDirectories(folder.resolve("tree"));
    Files.writeString(tree.resolve("part"), "x");
  }

  @Test
  void goesWhenItsWritersHaveStopped() throws IOException {
    try (FileSystem fs = reluctant(25, false)) {
      UnfinishedTree.remove(fs, new Path(tree.toUri()));
    }
    assertThat(tree).doesNotExist();
    assertThat(deletions).hasValue(26);
  }

  @Test
  void goesAfterFailuresToo() throws IOException {
    try (FileSystem fs = reluctant(3, true)) {
      UnfinishedTree.remove(fs, new Path(tree.toUri()));
    }
    assertThat(tree).doesNotExist();
  }

  @Test
  void whatNeverGoesIsAnError() throws IOException {
    try (FileSystem fs = reluctant(Integer.MAX_VALUE, true)) {
      assertThatThrownBy(() -> UnfinishedTree.remove(fs, new Path(tree.toUri()), 200_000_000))
          .isInstanceOf(IOException.class)
          .hasMessage("a file came in between");
    }
    assertThat(tree).exists();
    assertThat(deletions).hasValueGreaterThan(1);
  }

  @Test
  void aFileSystemThatAnswersNothingIsAskedOnce() throws IOException {
    try (FileSystem fs =
        new FilterFileSystem(reluctant(Integer.MAX_VALUE, true)) {
          @Override
          public FileStatus getFileStatus(Path path) throws IOException {
            throw new IOException("no answer");
          }
        }) {
      assertThatThrownBy(() -> UnfinishedTree.remove(fs, new Path(tree.toUri())))
          .hasMessage("no answer");
    }
    assertThat(deletions).hasValue(1);
  }
}
