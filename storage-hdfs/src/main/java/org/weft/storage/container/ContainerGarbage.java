package org.weft.storage.container;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.FileAccess;

/**
 * Removes what nobody can reach: old versions if asked, data files that no version names, and
 * unfinished outputs. Files younger than a grace period stay, because their writer may still be at
 * work. The newest version always stays. If a manifest cannot be read, nothing is removed.
 */
public final class ContainerGarbage {
  private static final String UNFINISHED = ".weft-tmp";

  private final FileAccess access;
  private final String uri;
  private final long nowMillis;
  private final boolean dryRun;
  private final List<Removed> removed = new ArrayList<>();

  /**
   * A file that was removed, or would be.
   *
   * @param why {@code expired version}, {@code data of no version}, {@code unfinished output}
   */
  public record Removed(String path, long bytes, String why) {}

  private ContainerGarbage(FileAccess access, String uri, long nowMillis, boolean dryRun) {
    this.access = access;
    this.uri = uri;
    this.nowMillis = nowMillis;
    this.dryRun = dryRun;
  }

  /**
   * Collects the garbage of a folder: a container, or one that holds outputs of any format.
   *
   * @param expire removes versions that were replaced longer ago than this; null keeps them
   * @param grace files younger than this stay
   * @param dryRun only says what would be removed
   * @return what was removed
   * @throws WeftException {@code INPUT_NOT_FOUND}, {@code STORAGE_UNAVAILABLE}, or kind DATA for a
   *     manifest that cannot be believed
   */
  public static List<Removed> collect(
      FileAccess access,
      String uri,
      @org.jspecify.annotations.Nullable Duration expire,
      Duration grace,
      boolean dryRun) {
    ContainerGarbage garbage =
        new ContainerGarbage(access, uri, System.currentTimeMillis(), dryRun);
    try {
      garbage.collect(expire, grace);
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
    return List.copyOf(garbage.removed);
  }

  private void collect(@org.jspecify.annotations.Nullable Duration expire, Duration grace)
      throws IOException {
    Versions versions = new Versions(access, uri);
    FileSystem fs = versions.fileSystem();
    List<FileStatus> children = children(fs, versions.folder());
    List<Versions.Version> present = versions.list();
    List<Versions.Version> expired = expire == null ? List.of() : expired(present, expire);
    Set<String> named = named(versions, present, expired);
    for (Versions.Version version : expired) {
      Path manifest = versions.resolve(ManifestFile.name(version.number()));
      remove(fs, fs.getFileStatus(manifest), "expired version");
    }
    for (FileStatus child : children) {
      String name = child.getPath().getName();
      if (name.startsWith(".") && name.endsWith(UNFINISHED) && isOld(child, grace)) {
        remove(fs, child, "unfinished output");
      }
    }
    Path data = versions.resolve(ContainerTransaction.DATA);
    if (fs.exists(data) && (!present.isEmpty() || uri.replaceAll("/+$", "").endsWith(".weft"))) {
      for (FileStatus folder : fs.listStatus(data)) {
        if (folder.isDirectory()) {
          dataFolder(fs, folder.getPath(), named, grace);
        }
      }
      removeIfEmpty(fs, data);
      removeIfEmpty(fs, versions.folder());
    }
  }

  private List<FileStatus> children(FileSystem fs, Path folder) throws IOException {
    try {
      if (fs.getFileStatus(folder).isDirectory()) {
        return List.of(fs.listStatus(folder));
      }
    } catch (FileNotFoundException e) {
      throw notFound(folder, e);
    }
    throw notFound(folder, null);
  }

  private WeftException notFound(Path folder, @org.jspecify.annotations.Nullable Throwable cause) {
    return new WeftException(
        ErrorCode.INPUT_NOT_FOUND, uri + ": expected a folder, found none at " + folder, cause);
  }

  /** A version is replaced when the next one is committed. */
  private List<Versions.Version> expired(List<Versions.Version> present, Duration expire) {
    List<Versions.Version> expired = new ArrayList<>();
    for (int v = 0; v + 1 < present.size(); v++) {
      if (nowMillis - present.get(v + 1).committedMillis() >= expire.toMillis()) {
        expired.add(present.get(v));
      }
    }
    return expired;
  }

  /** The files of all versions that stay. */
  private static Set<String> named(
      Versions versions, List<Versions.Version> present, List<Versions.Version> expired) {
    Set<String> named = new HashSet<>();
    for (Versions.Version version : present) {
      if (!expired.contains(version)) {
        for (Manifest.DataFile file : versions.read(version.number()).files()) {
          named.add(file.path());
        }
      }
    }
    return named;
  }

  /** A claim stays as long as its folder has a file of some version. */
  private void dataFolder(FileSystem fs, Path folder, Set<String> named, Duration grace)
      throws IOException {
    boolean used = false;
    FileStatus claim = null;
    for (FileStatus file : fs.listStatus(folder)) {
      if (named.contains(relative(folder, file))) {
        used = true;
      } else if (file.getPath().getName().equals(ContainerTransaction.CLAIM)) {
        claim = file;
      } else if (isOld(file, grace)) {
        remove(fs, file, "data of no version");
      } else {
        used = true;
      }
    }
    if (claim != null && !used && isOld(claim, grace)) {
      remove(fs, claim, "unfinished output");
    }
    removeIfEmpty(fs, folder);
  }

  private boolean isOld(FileStatus file, Duration grace) {
    return nowMillis - file.getModificationTime() >= grace.toMillis();
  }

  private static String relative(Path folder, FileStatus file) {
    return ContainerTransaction.DATA + "/" + folder.getName() + "/" + file.getPath().getName();
  }

  private void remove(FileSystem fs, FileStatus file, String why) throws IOException {
    long bytes = bytes(fs, file);
    if (!dryRun) {
      fs.delete(file.getPath(), true);
    }
    removed.add(new Removed(file.getPath().toString(), bytes, why));
  }

  private static long bytes(FileSystem fs, FileStatus file) throws IOException {
    long bytes = file.isDirectory() ? 0 : file.getLen();
    for (FileStatus child :
        file.isDirectory() ? fs.listStatus(file.getPath()) : new FileStatus[0]) {
      bytes += bytes(fs, child);
    }
    return bytes;
  }

  private void removeIfEmpty(FileSystem fs, Path folder) throws IOException {
    if (!dryRun && fs.listStatus(folder).length == 0) {
      fs.delete(folder, false);
    }
  }
}
