package org.weft.storage;

import java.io.Closeable;
import java.util.Iterator;
import org.weft.tensor.CooBlock;

/**
 * The entries of one split, in file order, in blocks of 0-based coordinates. Memory is bounded by
 * the block size. Duplicates and explicit zeros pass through. Not thread-safe; close it.
 *
 * <p>{@code hasNext} and {@code next} throw {@link org.weft.error.WeftException} of kind DATA for a
 * malformed file, naming file and line.
 */
public interface BlockReader extends Iterator<CooBlock>, Closeable {
  /** What has been read so far; complete once {@code hasNext} is false. */
  ReadSummary summary();
}
