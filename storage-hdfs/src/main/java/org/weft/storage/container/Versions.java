package org.weft.storage.container;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.file.FileAccess;

/** The versions of the tensor in one folder: its manifests, named by number. */
final class Versions {
  private static final int TRIES = 5;

  private final FileAccess access;
  private final String uri;
  private final Path folder;
  private final FileSystem fs;

  Versions(FileAccess access, String uri) {
    this.access = access;
    this.uri = uri;
    this.folder = access.path(uri);
    this.fs = access.fileSystem(folder);
  }

  /** One version, when its manifest was written, in ms since 1970, and whether that is a link. */
  record Version(long number, long committedMillis, boolean isLink) {}

  Path folder() {
    return folder;
  }

  FileSystem fileSystem() {
    return fs;
  }

  /** The versions that can be read, ascending; none if there is no such folder. */
  List<Version> list() {
    List<Version> versions = new ArrayList<>();
    OwnFiles own = new OwnFiles(fs);
    try {
      for (FileStatus file : fs.listStatus(folder)) {
        long number = ManifestFile.version(file.getPath().getName());
        if (number > 0 && file.isFile()) {
          versions.add(new Version(number, file.getModificationTime(), own.isLink(file)));
        }
      }
    } catch (FileNotFoundException e) {
      return List.of();
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
    versions.sort(java.util.Comparator.comparingLong(Version::number));
    return versions;
  }

  /** The newest version's number; 0 if there is none. */
  long newest() {
    List<Version> versions = list();
    return versions.isEmpty() ? 0 : versions.get(versions.size() - 1).number();
  }

  /** The number of the first version after {@code version}; 0 if there is none. */
  long after(long version) {
    return list().stream()
        .mapToLong(Version::number)
        .filter(n -> n > version)
        .findFirst()
        .orElse(0);
  }

  private void requireFolder() {
    try {
      if (fs.exists(folder) && !fs.getFileStatus(folder).isDirectory()) {
        throw new WeftException(
            ErrorCode.INPUT_NOT_FOUND,
            uri
                + ": expected a tensor folder, found a file; rename it if it is a tensor of another"
                + " format");
      }
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
  }

  private boolean hasData() {
    try {
      return fs.exists(new Path(folder, ContainerTransaction.DATA));
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
  }

  /**
   * The newest version's manifest.
   *
   * @throws WeftException {@code INPUT_NOT_FOUND} if there is no version
   */
  Manifest readNewest() {
    for (int attempt = 1; ; attempt++) {
      long newest = newest();
      if (newest == 0) {
        requireFolder();
        throw new WeftException(
            ErrorCode.INPUT_NOT_FOUND,
            uri
                + ": expected a tensor folder with manifest-N.json, found none"
                + FileAccess.place(uri, folder)
                + (hasData()
                    ? ", only data of a writer that is at work or was killed: write the tensor again"
                    : "; check the path"));
      }
      try {
        return read(newest);
      } catch (WeftException e) {
        // Replaced and expired between the listing and the reading: look again.
        if (e.code() != ErrorCode.INPUT_NOT_FOUND || attempt == TRIES) {
          throw e;
        }
      }
    }
  }

  /** The manifest of one version. */
  Manifest read(long version) {
    Path path = resolve(ManifestFile.name(version));
    String named = uri + "/" + path.getName();
    try (FSDataInputStream in = fs.open(path)) {
      return ManifestFile.decode(in.readAllBytes(), named, version);
    } catch (FileNotFoundException e) {
      String there = list().stream().map(v -> "@" + v.number()).collect(Collectors.joining(", "));
      throw new WeftException(
          ErrorCode.INPUT_NOT_FOUND,
          uri
              + ": expected version "
              + version
              + (there.isEmpty() ? ", found none at " + named : ", found " + there)
              + "; weft gc removes old versions: without @"
              + version
              + " the newest one is read",
          e);
    } catch (IOException e) {
      throw FileAccess.unavailable(named, e);
    }
  }

  /** A path given relative to the folder. */
  Path resolve(String relative) {
    return new Path(folder, relative);
  }

  FileAccess access() {
    return access;
  }
}
