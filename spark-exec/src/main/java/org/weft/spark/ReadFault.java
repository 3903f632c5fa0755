package org.weft.spark;

import java.io.EOFException;
import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.file.FileAccess;

/** What Spark says of a file of a table that a task could not read. */
final class ReadFault {
  private static final Pattern FILE =
      Pattern.compile("(?s).*\\[FAILED_READ_FILE\\.\\w+\\] [^\\n]*? file (\\S+?)\\.?\\s.*");

  private ReadFault() {}

  /**
   * The error of a file that is damaged, or whose storage fails; null for other faults.
   *
   * @param message of {@code cause}
   */
  static @Nullable WeftException of(String message, Throwable cause) {
    Matcher file = FILE.matcher(message);
    if (!file.matches()) {
      return null;
    }
    String name = file.group(1).replaceFirst("^file:/+", "/");
    Throwable first = cause;
    while (first.getCause() != null) {
      first = first.getCause();
    }
    // Readers of formats say what they find as plain exceptions; file systems have types of theirs.
    boolean ofStorage =
        first instanceof IOException
            && first.getClass() != IOException.class
            && !(first instanceof EOFException);
    if (ofStorage) {
      return FileAccess.unavailable(name, (IOException) first);
    }
    String said = first == cause ? "" : " (" + Failures.firstLine(first) + ")";
    return new WeftException(
        ErrorCode.CORRUPT_INPUT,
        name
            + ": expected a whole file of its format, found damage"
            + said
            + "; write or copy the file again",
        cause);
  }
}
