package org.weft.storage.model;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.file.FileAccess;
import org.weft.storage.file.OutputCommit;

/**
 * A file that names the folder of a model, so that what is published changes in one step: {@code
 * weft-model 1}, a line end, and the folder, relative to the file if it lies beside it.
 */
public final class ModelPointer {
  private static final String HEAD = "weft-model 1\n";
  private static final int MOST_BYTES = 1 << 16;

  private ModelPointer() {}

  /** The folder that {@code uri} names, if it is a pointer; otherwise {@code uri}. */
  public static String resolve(FileAccess files, String uri) {
    Path path = files.path(uri);
    FileSystem system = files.fileSystem(path);
    try {
      FileStatus status = system.getFileStatus(path);
      if (status.isDirectory()) {
        return uri;
      }
      String text = "";
      if (status.getLen() <= MOST_BYTES) {
        try (InputStream in = system.open(path)) {
          text = new String(in.readNBytes(MOST_BYTES), StandardCharsets.UTF_8);
        }
      }
      if (!text.startsWith(HEAD)) {
        throw new WeftException(
            ErrorCode.MALFORMED_INPUT,
            uri
                + ": expected the folder of a decomposition, or a pointer that weft publish wrote,"
                + " found another file");
      }
      String target = text.substring(HEAD.length()).strip();
      return target.contains("/") ? target : beside(uri, target);
    } catch (FileNotFoundException e) {
      return uri;
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
  }

  private static String beside(String uri, String name) {
    return uri.substring(0, uri.lastIndexOf('/') + 1) + name;
  }

  /** Points {@code uri} at the model in {@code folder}, in place of another. */
  public static void write(FileAccess files, String uri, String folder) throws IOException {
    Path to = files.path(folder);
    Path at = files.path(uri);
    boolean together = to.getParent() != null && to.getParent().equals(at.getParent());
    String target = together ? to.getName() : to.toString();
    try (OutputCommit commit = OutputCommit.begin(files, uri, true)) {
      try (OutputStream out = commit.create()) {
        out.write((HEAD + target + "\n").getBytes(StandardCharsets.UTF_8));
      }
      commit.commit();
    }
  }
}
