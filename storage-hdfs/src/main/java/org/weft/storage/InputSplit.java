package org.weft.storage;

import java.io.Serializable;

/**
 * A byte range of one input file that one task reads. In text an entry belongs to the split that
 * holds the first byte of its line; a compressed file is one split of all its bytes.
 *
 * @param start first byte
 * @param length bytes; what the split weighs
 * @param fileLength bytes of the whole file when it was planned
 */
public record InputSplit(String uri, long start, long length, long fileLength)
    implements Serializable {
  /** First byte after the split. */
  public long end() {
    return start + length;
  }
}
