package org.weft.storage;

import java.io.Serializable;

/**
 * A byte range of one input file that one task reads. In text an entry belongs to the split that
 * holds the first byte of its line. A bzip2 block belongs to the split that holds its first bit,
 * and a line in it to the split of the byte before the line; other compressed files are one split
 * of all their bytes.
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
