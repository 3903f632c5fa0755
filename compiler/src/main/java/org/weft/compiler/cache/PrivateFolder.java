package org.weft.compiler.cache;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A folder that is read only where nobody but this process's user can have put something: it and
 * the file belong to that user, neither is a link, and group and others may write to neither. The
 * folder is opened once and asked what it is while it is open, so that it cannot be exchanged
 * between the question and the reading.
 */
final class PrivateFolder {
  private static final Path PROCESS = Path.of("/proc/self");

  private final Path path;
  private final @Nullable UserPrincipal user;

  /** Of this process's user. */
  PrivateFolder(Path path) {
    this(path, null);
  }

  /**
   * @param user whose the folder is to be; null: this process's
   */
  PrivateFolder(Path path, @Nullable UserPrincipal user) {
    this.path = path;
    this.user = user;
  }

  /** Somebody else may have written what is there; the message says why. */
  static final class UntrustedException extends IOException {
    private static final long serialVersionUID = 1L;

    UntrustedException(String reason) {
      super(reason);
    }
  }

  /**
   * The bytes of the file {@code name}.
   *
   * @throws UntrustedException if they may be somebody else's
   * @throws java.nio.file.NoSuchFileException if there is no such folder or file
   */
  byte[] read(String name) throws IOException {
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(path)) {
      SecureDirectoryStream<Path> folder = requireOwn(stream);
      Path file = Path.of(name);
      PosixFileAttributes attributes =
          folder
              .getFileAttributeView(file, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
              .readAttributes();
      require(attributes, path.resolve(name), attributes.isRegularFile(), "a regular file");
      try (SeekableByteChannel channel =
          folder.newByteChannel(file, Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS))) {
        ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(channel.size()));
        while (bytes.hasRemaining() && channel.read(bytes) >= 0) {
          continue;
        }
        return bytes.array();
      }
    }
  }

  /**
   * Makes the folder, for this user alone, unless it is there.
   *
   * @throws UntrustedException if the one that is there is not to be read
   */
  void create() throws IOException {
    if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      Files.createDirectories(
          path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(path)) {
      requireOwn(stream);
    }
  }

  private SecureDirectoryStream<Path> requireOwn(DirectoryStream<Path> stream) throws IOException {
    if (!(stream instanceof SecureDirectoryStream<Path> folder)) {
      throw new UntrustedException(path + " is on a file system without owners");
    }
    PosixFileAttributes attributes =
        folder.getFileAttributeView(PosixFileAttributeView.class).readAttributes();
    require(attributes, path, !Files.isSymbolicLink(path), "a folder");
    return folder;
  }

  private void require(PosixFileAttributes attributes, Path of, boolean plain, String expected)
      throws IOException {
    if (!plain) {
      throw new UntrustedException(of + " is not " + expected + " but a link or worse");
    }
    if (!attributes.owner().equals(user == null ? Files.getOwner(PROCESS) : user)) {
      throw new UntrustedException(
          of + " belongs to " + attributes.owner().getName() + ", not to this process's user");
    }
    Set<PosixFilePermission> permissions = attributes.permissions();
    if (permissions.contains(PosixFilePermission.GROUP_WRITE)
        || permissions.contains(PosixFilePermission.OTHERS_WRITE)) {
      throw new UntrustedException(of + " can be written to by others; chmod go-w it");
    }
  }
}
