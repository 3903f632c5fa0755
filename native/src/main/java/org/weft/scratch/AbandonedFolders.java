package org.weft.scratch;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Removes {@linkplain ScratchFolder scratch folders} of killed processes: folders, not links, named
 * as ours are, owned by this user, whose lock nobody holds. A folder without a lock may be one that
 * is being made, and goes after an hour. No link is followed.
 */
public final class AbandonedFolders {
  private static final Pattern NAME =
      Pattern.compile(Pattern.quote(ScratchFolder.PREFIX) + "([0-9]+)-[0-9]+");
  private static final Duration BEING_MADE = Duration.ofHours(1);

  private AbandonedFolders() {}

  /** Starts looking through {@code java.io.tmpdir}, beside what this process does. */
  public static void startRemoving() {
    Thread cleaner =
        new Thread(
            () -> {
              try {
                remove(Path.of(System.getProperty("java.io.tmpdir")));
              } catch (IOException e) {
                logger().log(System.Logger.Level.DEBUG, "looking for abandoned folders", e);
              }
            },
            "weft-abandoned-folders");
    cleaner.setDaemon(true);
    cleaner.start();
  }

  /** Removes what is abandoned in {@code parent}; what cannot be removed stays. */
  static void remove(Path parent) throws IOException {
    String self = String.valueOf(ProcessHandle.current().pid());
    String user = System.getProperty("user.name");
    try (DirectoryStream<Path> found =
        Files.newDirectoryStream(parent, ScratchFolder.PREFIX + "*")) {
      for (Path folder : found) {
        Matcher name = NAME.matcher(folder.getFileName().toString());
        // Closing a channel on our own lock would release it.
        if (name.matches() && !name.group(1).equals(self)) {
          try {
            removeIfAbandoned(folder, user);
          } catch (IOException e) {
            logger().log(System.Logger.Level.DEBUG, "could not remove " + folder, e);
          }
        }
      }
    }
  }

  private static void removeIfAbandoned(Path folder, @Nullable String user) throws IOException {
    if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
        || !Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS).getName().equals(user)) {
      return;
    }
    Path lockFile = folder.resolve(ScratchFolder.LOCK);
    if (!Files.exists(lockFile, LinkOption.NOFOLLOW_LINKS)) {
      Instant changed = Files.getLastModifiedTime(folder, LinkOption.NOFOLLOW_LINKS).toInstant();
      if (changed.isBefore(Instant.now().minus(BEING_MADE))) {
        delete(folder);
      }
      return;
    }
    try (FileChannel channel =
            FileChannel.open(lockFile, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
        FileLock lock = channel.tryLock()) {
      if (lock != null) {
        delete(folder);
      }
    } catch (OverlappingFileLockException e) {
      logger().log(System.Logger.Level.DEBUG, "{0} is in use by this process", folder);
    }
  }

  /** Removes a tree without following links. */
  static void delete(Path folder) throws IOException {
    Files.walkFileTree(
        folder,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
            if (e instanceof NoSuchFileException) {
              return FileVisitResult.CONTINUE;
            }
            throw e;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException e)
              throws IOException {
            if (e != null) {
              throw e;
            }
            Files.deleteIfExists(visited);
            return FileVisitResult.CONTINUE;
          }
        });
  }

  /** Found when there is something to say: a small job ends before loggers have started. */
  private static System.Logger logger() {
    return System.getLogger(AbandonedFolders.class.getName());
  }
}
