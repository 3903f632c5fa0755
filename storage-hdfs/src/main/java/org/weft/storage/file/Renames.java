package org.weft.storage.file;

import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;

/** The renames of one file system, as atomic as it can. */
interface Renames {
  /**
   * Renames {@code from} to {@code to}, which does not exist. False: nothing happened, as far as
   * the file system says, usually because {@code to} exists after all.
   */
  boolean move(Path from, Path to) throws IOException;

  /** Whether {@link #replaceFile} exists. */
  boolean replacesFiles();

  /** Renames the file {@code from} over the file {@code to} in one step. */
  void replaceFile(Path from, Path to) throws IOException;

  /**
   * Brings the names in {@code folder} to disk, where that is a thing of its own. What is in it can
   * be read anyhow, so that a folder that cannot be synchronised is no error.
   */
  default void syncFolder(Path folder) {}

  /**
   * Fails if {@code target} has a name that the file system cannot store.
   *
   * @throws IOException "File name too long"
   */
  default void requireName(Path target) throws IOException {}

  static Renames of(FileSystem fs) {
    if (fs instanceof RawLocalFileSystem) {
      return new Local();
    }
    return fs instanceof DistributedFileSystem hdfs ? new Hdfs(hdfs) : new Generic(fs);
  }

  /** POSIX: rename(2) replaces a file in one step; link(2) makes one only where none is. */
  final class Local implements Renames {
    @Override
    public boolean move(Path from, Path to) throws IOException {
      java.nio.file.Path source = file(from);
      java.nio.file.Path target = file(to);
      try {
        if (Files.isDirectory(source)) {
          if (Files.exists(target)) {
            return false;
          }
          Files.move(source, target, StandardCopyOption.ATOMIC_MOVE);
        } else if (!link(source, target)) {
          Files.move(source, target);
        }
        dropChecksum(target);
        syncFolder(to.getParent());
        return true;
      } catch (FileAlreadyExistsException e) {
        return false;
      }
    }

    /** Moves by a hard link, which fails where the target exists; false if links do not work. */
    private static boolean link(java.nio.file.Path source, java.nio.file.Path target)
        throws IOException {
      try {
        Files.createLink(target, source);
      } catch (FileAlreadyExistsException e) {
        throw e;
      } catch (UnsupportedOperationException | java.nio.file.FileSystemException e) {
        return false;
      }
      Files.delete(source);
      return true;
    }

    @Override
    public boolean replacesFiles() {
      return true;
    }

    @Override
    public void replaceFile(Path from, Path to) throws IOException {
      Files.move(file(from), file(to), StandardCopyOption.ATOMIC_MOVE);
      dropChecksum(file(to));
      syncFolder(to.getParent());
    }

    @Override
    public void syncFolder(Path folder) {
      try (FileChannel entries = FileChannel.open(file(folder), StandardOpenOption.READ)) {
        entries.force(true);
      } catch (IOException e) {
        System.getLogger(Renames.class.getName())
            .log(System.Logger.Level.DEBUG, "folder " + folder + " cannot be synchronised", e);
      }
    }

    /** A check sum that Hadoop's checked local file system left there is of the old contents. */
    private static void dropChecksum(java.nio.file.Path target) throws IOException {
      java.nio.file.Path checksum = target.resolveSibling("." + target.getFileName() + ".crc");
      if (Files.exists(checksum, LinkOption.NOFOLLOW_LINKS)) { // its name may be too long to ask
        Files.deleteIfExists(checksum);
      }
    }

    @Override
    public void requireName(Path target) throws IOException {
      try {
        Files.readAttributes(file(target), BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      } catch (NoSuchFileException isNew) {
        return;
      }
    }

    private static java.nio.file.Path file(Path path) {
      return new File(path.toUri().getPath()).toPath();
    }
  }

  /** HDFS: one name-node operation, which refuses or replaces an existing target as told. */
  final class Hdfs implements Renames {
    /** HDFS's own setting, and what it is where nobody sets it. */
    private static final String LONGEST_NAME = "dfs.namenode.fs-limits.max-component-length";

    private static final int USUAL_LONGEST_NAME = 255;

    private final DistributedFileSystem fs;

    Hdfs(DistributedFileSystem fs) {
      this.fs = fs;
    }

    @Override
    public boolean move(Path from, Path to) throws IOException {
      try {
        fs.rename(from, to, Options.Rename.NONE);
        return true;
      } catch (org.apache.hadoop.fs.FileAlreadyExistsException e) {
        return false;
      }
    }

    @Override
    public boolean replacesFiles() {
      return true;
    }

    @Override
    public void replaceFile(Path from, Path to) throws IOException {
      fs.rename(from, to, Options.Rename.OVERWRITE);
    }

    @Override
    public void requireName(Path target) throws IOException {
      int longest = fs.getConf().getInt(LONGEST_NAME, USUAL_LONGEST_NAME);
      if (longest > 0 && target.getName().getBytes(StandardCharsets.UTF_8).length > longest) {
        throw new IOException(target + ": File name too long");
      }
    }
  }

  /** Any other file system: its plain rename, which may move into an existing directory. */
  final class Generic implements Renames {
    private final FileSystem fs;

    Generic(FileSystem fs) {
      this.fs = fs;
    }

    @Override
    public boolean move(Path from, Path to) throws IOException {
      if (!fs.rename(from, to)) {
        return false;
      }
      if (fs.getFileStatus(to).isDirectory()) {
        Path nested = new Path(to, from.getName());
        if (fs.exists(nested)) {
          fs.rename(nested, from);
          return false;
        }
      }
      return true;
    }

    @Override
    public boolean replacesFiles() {
      return false;
    }

    @Override
    public void replaceFile(Path from, Path to) {
      throw new UnsupportedOperationException("no atomic replacement on " + fs.getUri());
    }
  }
}
