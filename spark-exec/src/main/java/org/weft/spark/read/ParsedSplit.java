package org.weft.spark.read;

import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import org.weft.engine.ProcessMemory;
import org.weft.engine.entries.OriginBlock;
import org.weft.statistics.TensorStatistics;
import org.weft.storage.BlockReader;
import org.weft.tensor.CooBlock;

/** The blocks of a reader, counted as they pass, and the statistics at the end. */
final class ParsedSplit implements Iterator<ParsedPart> {
  private final BlockReader reader;
  private final int split;
  private final TensorStatistics.Builder values;
  private long blocks;
  private long nanos;
  private boolean done;

  ParsedSplit(BlockReader reader, int split, int order) {
    this.reader = reader;
    this.split = split;
    this.values = TensorStatistics.builder(order).sampling();
  }

  /** The origin of the first block of a split. */
  static long firstOrigin(int split) {
    return (long) split << 32;
  }

  @Override
  public boolean hasNext() {
    return !done;
  }

  @Override
  public ParsedPart next() {
    if (done) {
      throw new NoSuchElementException();
    }
    long start = System.nanoTime();
    if (!reader.hasNext()) {
      done = true;
      nanos += System.nanoTime() - start;
      return ParsedPart.of(
          new SplitStatistics(
              values,
              reader.summary(),
              Map.of(split, blocks),
              nanos,
              ProcessMemory.peakResidentBytes()));
    }
    CooBlock block = reader.next();
    values.add(block);
    nanos += System.nanoTime() - start;
    return ParsedPart.of(new OriginBlock(firstOrigin(split) + blocks++, block));
  }
}
