package org.weft.storage.container;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.file.FileAccess;

/**
 * Removes what nobody can reach: old versions if asked, data files that no version names, and
 * unfinished outputs. A writer's folder, empty or not, stays as it is if it or anything in it was
 * written to within a grace period, because its writer may still be at work. The newest version
 * always stays. If a manifest cannot be read, no data are removed. Only what has a name of our own
 * making is removed, and links are neither removed nor followed, so that nothing outside of the
 * folder is ever touched.
 */
public final class ContainerGarbage {
  private final FileAccess access;
  private final String uri;
  private final Versions versions;
  private final FileSystem fs;
  private final OwnFiles own;
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
    this.versions = new Versions(access, uri);
    this.fs = versions.fileSystem();
    this.own = new OwnFiles(fs);
    this.nowMillis = nowMillis;
    this.dryRun = dryRun;
  }

  /**
   * Collects the garbage of a folder: a container, or one that holds outputs of any format,
   * containers among them.
   *
   * @param expire removes versions that were replaced longer ago than this; null keeps them, and so
   *     do containers in a folder
   * @param grace files younger than this stay
   * @param dryRun only says what would be removed
   * @return what was removed
   * @throws WeftException {@code INPUT_NOT_FOUND}, {@code STORAGE_UNAVAILABLE}, or kind DATA for a
   *     manifest that cannot be believed
   */
  public static List<Removed> collect(
      FileAccess access, String uri, @Nullable Duration expire, Duration grace, boolean dryRun) {
    ContainerGarbage garbage =
        new ContainerGarbage(access, uri, System.currentTimeMillis(), dryRun);
    try {
      garbage.collect(expire, grace);
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
    return List.copyOf(garbage.removed);
  }

  /** A folder below {@code data} as it was found before the versions were looked at. */
  private record Found(FileStatus folder, FileStatus[] files) {
    boolean isOld(long beforeMillis) {
      return folder.getModificationTime() <= beforeMillis
          && Arrays.stream(files).allMatch(f -> f.getModificationTime() <= beforeMillis);
    }

    String relative(FileStatus file) {
      String name = folder.getPath().getName();
      return ContainerTransaction.DATA + "/" + name + "/" + file.getPath().getName();
    }
  }

  private void collect(@Nullable Duration expire, Duration grace) throws IOException {
    long before = nowMillis - grace.toMillis();
    FileStatus root = status(versions.folder());
    if (root == null || !root.isDirectory()) {
      throw new WeftException(
          ErrorCode.INPUT_NOT_FOUND,
          uri
              + ": expected a folder .weft, found "
              + (root == null
                  ? "nothing" + FileAccess.place(uri, versions.folder())
                  : "a file, which has no versions"));
    }
    // Before the versions: what is committed between the two looks is named by the second.
    FileStatus data = status(versions.resolve(ContainerTransaction.DATA));
    List<Found> folders = data == null || !own.isFolder(data) ? List.of() : folders(data, before);
    List<Versions.Version> present = versions.list();
    List<Versions.Version> expired = expire == null ? List.of() : expired(present, expire);
    Set<String> named = new HashSet<>();
    present.stream().filter(version -> !expired.contains(version)).forEach(v -> name(v, named));
    for (Versions.Version version : expired) {
      FileStatus manifest = status(versions.resolve(ManifestFile.name(version.number())));
      if (manifest != null) {
        remove(manifest, "expired version");
      }
    }
    for (FileStatus child : own.list(versions.folder())) {
      if (OwnFiles.isUnfinished(child.getPath().getName()) && youngestMillis(child) <= before) {
        remove(child, "unfinished output");
      }
    }
    boolean container = uri.replaceAll("/+$", "").endsWith(".weft");
    if (present.isEmpty() && !container) {
      collectTensors(grace);
    }
    if (data != null && (!present.isEmpty() || container)) {
      collect(folders, present, named);
      removeIfOld(data, before);
      removeIfOld(root, before);
    }
  }

  /** Looks into the containers of a folder of outputs, of which all versions stay. */
  private void collectTensors(Duration grace) throws IOException {
    for (FileStatus child : own.list(versions.folder())) {
      String name = child.getPath().getName();
      if (name.endsWith(".weft") && own.isFolder(child)) {
        String tensor = uri.replaceAll("/+$", "") + "/" + name;
        ContainerGarbage inside = new ContainerGarbage(access, tensor, nowMillis, dryRun);
        inside.collect(null, grace);
        removed.addAll(inside.removed);
      }
    }
  }

  /**
   * Removes what no version names. Claims go first, then comes another look at the versions: a
   * writer that is slower than the grace period either commits before that look, and keeps its
   * files, or misses its claim afterwards, and withdraws.
   */
  private void collect(List<Found> folders, List<Versions.Version> present, Set<String> named)
      throws IOException {
    for (Found found : folders) {
      boolean used = Arrays.stream(found.files()).map(found::relative).anyMatch(named::contains);
      for (FileStatus file : found.files()) {
        if (!used && file.getPath().getName().equals(ContainerTransaction.CLAIM)) {
          remove(file, "unfinished output");
        }
      }
    }
    Set<Long> seen = new HashSet<>(present.stream().map(Versions.Version::number).toList());
    versions.list().stream()
        .filter(version -> !seen.contains(version.number()))
        .forEach(version -> name(version, named));
    for (Found found : folders) {
      for (FileStatus file : found.files()) {
        if (OwnFiles.isDataFile(file.getPath().getName())
            && !named.contains(found.relative(file))) {
          remove(file, "data of no version");
        }
      }
      if (!dryRun) {
        own.removeIfEmpty(found.folder().getPath());
      }
    }
  }

  private @Nullable FileStatus status(Path path) throws IOException {
    try {
      return fs.getFileStatus(path);
    } catch (FileNotFoundException e) {
      return null;
    }
  }

  /** Writers' folders that nobody wrote to lately; none behind a link. */
  private List<Found> folders(FileStatus data, long before) throws IOException {
    List<Found> folders = new ArrayList<>();
    for (FileStatus folder : own.list(data.getPath())) {
      if (OwnFiles.isDataFolder(folder.getPath().getName()) && own.isFolder(folder)) {
        Found found = new Found(folder, own.list(folder.getPath()));
        if (found.isOld(before)) {
          folders.add(found);
        }
      }
    }
    return folders;
  }

  /** A version is replaced when the next one is committed; a link to a manifest is not ours. */
  private List<Versions.Version> expired(List<Versions.Version> present, Duration expire) {
    List<Versions.Version> expired = new ArrayList<>();
    for (int v = 0; v + 1 < present.size(); v++) {
      if (nowMillis - present.get(v + 1).committedMillis() >= expire.toMillis()
          && !present.get(v).isLink()) {
        expired.add(present.get(v));
      }
    }
    return expired;
  }

  /** Adds the files of a version that stays, unless somebody else has just removed it. */
  private void name(Versions.Version version, Set<String> named) {
    try {
      versions.read(version.number()).files().forEach(file -> named.add(file.path()));
    } catch (WeftException e) {
      if (e.code() != ErrorCode.INPUT_NOT_FOUND) {
        throw e;
      }
    }
  }

  /** When an output was written to last, in ms since 1970. */
  private long youngestMillis(FileStatus file) throws IOException {
    long youngest = file.getModificationTime();
    for (FileStatus child : own.isFolder(file) ? own.list(file.getPath()) : new FileStatus[0]) {
      youngest = Math.max(youngest, youngestMillis(child));
    }
    return youngest;
  }

  /** Removes a file or folder; a link that stands in its place stays, with what it leads to. */
  private void remove(FileStatus file, String why) throws IOException {
    if (own.isLink(file)) {
      return;
    }
    long bytes = bytes(file);
    if (!dryRun) {
      own.removeTree(file);
    }
    removed.add(new Removed(file.getPath().toString(), bytes, why));
  }

  private long bytes(FileStatus file) throws IOException {
    long bytes = own.isFile(file) ? file.getLen() : 0;
    for (FileStatus child : own.isFolder(file) ? own.list(file.getPath()) : new FileStatus[0]) {
      bytes += bytes(child);
    }
    return bytes;
  }

  /** Removes a folder if it is empty and was old before anything in it was removed. */
  private void removeIfOld(FileStatus folder, long before) throws IOException {
    if (!dryRun && folder.getModificationTime() <= before && !own.isLink(folder)) {
      own.removeIfEmpty(folder.getPath());
    }
  }
}
