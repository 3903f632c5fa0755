package org.weft.spark.read;

import org.jspecify.annotations.Nullable;
import org.weft.engine.entries.OriginBlock;

/** An element of a parsed split: its blocks in file order, then its statistics. */
public final class ParsedPart {
  private final @Nullable OriginBlock block;
  private final @Nullable SplitStatistics statistics;

  private ParsedPart(@Nullable OriginBlock block, @Nullable SplitStatistics statistics) {
    this.block = block;
    this.statistics = statistics;
  }

  public static ParsedPart of(OriginBlock block) {
    return new ParsedPart(block, null);
  }

  public static ParsedPart of(SplitStatistics statistics) {
    return new ParsedPart(null, statistics);
  }

  /** The entries, or null if this element is the statistics. */
  public @Nullable OriginBlock block() {
    return block;
  }

  /** The statistics, or null if this element is a block. */
  public @Nullable SplitStatistics statistics() {
    return statistics;
  }
}
