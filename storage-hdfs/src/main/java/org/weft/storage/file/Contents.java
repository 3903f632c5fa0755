package org.weft.storage.file;

import org.weft.text.Counts;

/**
 * What tells contents from others: their length and a check sum, whose kind stands before the
 * colon.
 *
 * @param bytes of all files
 */
public record Contents(long bytes, String sum) {
  @Override
  public String toString() {
    return sum + " of " + Counts.plain(bytes, "byte");
  }
}
