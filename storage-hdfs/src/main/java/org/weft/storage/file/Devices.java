package org.weft.storage.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import org.apache.hadoop.fs.FileSystem;

/**
 * Devices and pipes, such as {@code /dev/null}: places that take bytes as they come. Nothing is
 * published there by a rename, which would put a file in the place of the device.
 */
public final class Devices {
  private static final Path FOLDER = Path.of("/dev");
  private static final Path MEMORY = Path.of("/dev/shm");

  private Devices() {}

  /** Whether what is at {@code uri} takes bytes as they come. */
  public static boolean isDevice(FileAccess access, String uri) {
    org.apache.hadoop.fs.Path path = access.path(uri);
    return isDevice(access.fileSystem(path), path);
  }

  static boolean isDevice(FileSystem fs, org.apache.hadoop.fs.Path path) {
    return FileAccess.onDisk(fs, path).filter(Devices::takesBytes).isPresent();
  }

  private static boolean takesBytes(Path file) {
    try {
      BasicFileAttributes found = Files.readAttributes(file, BasicFileAttributes.class);
      boolean isOfSystem = file.startsWith(FOLDER) && !file.startsWith(MEMORY);
      return found.isOther() || (isOfSystem && !found.isDirectory());
    } catch (IOException e) {
      return false; // there is nothing, or nothing that can be seen
    }
  }
}
