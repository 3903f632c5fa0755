package org.weft.storage.codec;

import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.text.Counts;

/** Errors of a compressed file. */
final class CodecErrors {
  private CodecErrors() {}

  /** The file ends too early. */
  static WeftException truncated(String name, String codec, long bytes, String where) {
    return new WeftException(
        ErrorCode.TRUNCATED_INPUT,
        name
            + ": expected more "
            + codec
            + " data, found the end of the file after "
            + Counts.plain(bytes, "byte")
            + ", "
            + where
            + "; the file is truncated: copy it again");
  }

  /** The file holds what the codec does not write. */
  static WeftException corrupt(
      String name, String codec, String found, String where, @Nullable Throwable cause) {
    return new WeftException(
        ErrorCode.CORRUPT_INPUT,
        name
            + ": expected "
            + codec
            + " data, found "
            + found
            + " "
            + where
            + "; the file is corrupt: copy it again, or rename it if it is not "
            + codec,
        cause);
  }
}
