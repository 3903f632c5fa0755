package org.weft.storage.file;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.UUID;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LeaseRecoverable;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;

/**
 * Gives unfinished outputs hidden names, by which it removes those of killed processes. Those of a
 * target are abandoned when nothing in them was written to for a day and, where the file system
 * knows, nobody holds the lease of a file: the driver of a slow job may still be at work, which
 * writes nothing while its tasks sort. Those of an owner are abandoned when the owner says so:
 * hidden names of a process have the owner that the property {@value #OWNER} names. An old version
 * that a killed process had moved aside goes too, once there is a newer one. No link is followed;
 * what cannot be removed stays.
 */
public final class AbandonedOutputs {
  /** The property with the {@link #owner} for whom this process works, if there is one. */
  public static final String OWNER = "weft.outputs";

  static final String STAGING_SUFFIX = ".weft-tmp";
  static final String ASIDE_SUFFIX = ".weft-old";
  private static final int NAME_BYTES = 100;
  private static final int OWNER_DIGITS = 8;
  private static final String REST_OF_ID = "(-[0-9a-f]{4}){3}-[0-9a-f]{12}";
  private static final String ID = "\\.[0-9a-f]{8}" + REST_OF_ID;
  private static final String SUFFIX = Pattern.quote(STAGING_SUFFIX);
  private static final String ASIDE = Pattern.quote(ASIDE_SUFFIX);
  private static final Pattern ANY = Pattern.compile("\\..+" + ID + SUFFIX);
  private static final Duration IN_USE = Duration.ofDays(1);

  private AbandonedOutputs() {}

  /** An owner of outputs: a hash of what it is known by. */
  public static String owner(String name) {
    return Fingerprints.sha256(name).substring(0, OWNER_DIGITS);
  }

  /** A hidden name for {@code target} that no other output has. */
  static String newName(Path target, String suffix) {
    String id = UUID.randomUUID().toString();
    String owner = System.getProperty(OWNER, "");
    String own = owner.matches("[0-9a-f]{8}") ? owner + id.substring(OWNER_DIGITS) : id;
    return "." + shownName(target) + "." + own + suffix;
  }

  /** What hidden names have of a target's name. */
  private static String shownName(Path target) {
    String name = target.getName();
    int end = 0;
    int bytes = 0;
    while (end < name.length()) {
      int next = name.offsetByCodePoints(end, 1);
      bytes += name.substring(end, next).getBytes(StandardCharsets.UTF_8).length;
      if (bytes > NAME_BYTES) {
        break;
      }
      end = next;
    }
    return name.substring(0, end);
  }

  /**
   * Removes what processes of an owner left beside a target and, if that is a folder, in it. All of
   * these processes must have ended. An old version that one of them had moved aside comes back if
   * no newer one took its place.
   */
  public static void removeOf(FileAccess access, String target, String owner) {
    Path path = access.path(target);
    FileSystem fs = access.fileSystem(path);
    bringBack(fs, path, owner);
    Pattern name = Pattern.compile("\\..+\\." + owner + REST_OF_ID + SUFFIX);
    for (Path folder : new Path[] {path.getParent(), path}) {
      remove(fs, folder, name, Long.MAX_VALUE);
    }
  }

  private static void bringBack(FileSystem fs, Path target, String owner) {
    String shown = Pattern.quote("." + shownName(target) + "." + owner);
    Pattern name = Pattern.compile(shown + REST_OF_ID + ASIDE);
    try {
      for (FileStatus found : fs.listStatus(target.getParent())) {
        if (name.matcher(found.getPath().getName()).matches() && !isLink(fs, found)) {
          if (fs.exists(target)) {
            fs.delete(found.getPath(), true);
          } else {
            Renames.of(fs).move(found.getPath(), target);
          }
        }
      }
    } catch (IOException e) {
      logger().log(System.Logger.Level.DEBUG, "looking for the old version of " + target, e);
    }
  }

  /** Removes what is abandoned of earlier outputs to {@code target}. */
  static void removeOf(FileSystem fs, Path target) {
    long before = System.currentTimeMillis() - IN_USE.toMillis();
    String shown = Pattern.quote("." + shownName(target));
    Pattern name = Pattern.compile(shown + ID + "(" + SUFFIX + "|" + ASIDE + ")");
    remove(fs, target.getParent(), name, before);
  }

  /**
   * Removes what killed tasks left in the folder of an output that is about to be published, and
   * that no task writes to any more.
   */
  static void removeFrom(FileSystem fs, Path folder) {
    remove(fs, folder, ANY, Long.MAX_VALUE);
  }

  private static void remove(FileSystem fs, Path folder, Pattern name, long beforeMillis) {
    try {
      for (FileStatus found : fs.listStatus(folder)) {
        if (name.matcher(found.getPath().getName()).matches()
            && !isLink(fs, found)
            && (beforeMillis == Long.MAX_VALUE || isAbandoned(fs, found, beforeMillis))) {
          fs.delete(found.getPath(), true);
        }
      }
    } catch (IOException e) {
      logger().log(System.Logger.Level.DEBUG, "looking for abandoned outputs in " + folder, e);
    }
  }

  private static boolean isLink(FileSystem fs, FileStatus file) {
    return file.isSymlink()
        || (fs instanceof RawLocalFileSystem
            && Files.isSymbolicLink(java.nio.file.Path.of(file.getPath().toUri().getPath())));
  }

  private static boolean isAbandoned(FileSystem fs, FileStatus file, long beforeMillis)
      throws IOException {
    if (file.getModificationTime() >= beforeMillis) {
      return false;
    }
    if (file.isFile()) {
      return !(fs instanceof LeaseRecoverable leases) || leases.isFileClosed(file.getPath());
    }
    for (FileStatus child : fs.listStatus(file.getPath())) {
      if (isLink(fs, child) || !isAbandoned(fs, child, beforeMillis)) {
        return false;
      }
    }
    return true;
  }

  /** Found when there is something to say: a small job ends before loggers have started. */
  private static System.Logger logger() {
    return System.getLogger(AbandonedOutputs.class.getName());
  }
}
