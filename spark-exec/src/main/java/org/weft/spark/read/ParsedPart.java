package org.weft.spark.read;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.weft.spark.resident.OriginBlock;

/** An element of a parsed split: its blocks in file order, then its statistics. */
public final class ParsedPart {
  private final @Nullable OriginBlock block;
  private final @Nullable SplitStatistics statistics;

  private ParsedPart(@Nullable OriginBlock block, @Nullable SplitStatistics statistics) {
    this.block = block;
    this.statistics = statistics;
  }

  static ParsedPart of(OriginBlock block) {
    return new ParsedPart(block, null);
  }

  static ParsedPart of(SplitStatistics statistics) {
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

  public void writeTo(DataOutput out) throws IOException {
    out.writeBoolean(block != null);
    if (block != null) {
      block.writeTo(out);
    } else if (statistics != null) {
      statistics.writeTo(out);
    }
  }

  public static ParsedPart readFrom(DataInput in) throws IOException {
    return in.readBoolean() ? of(OriginBlock.readFrom(in)) : of(SplitStatistics.readFrom(in));
  }
}
