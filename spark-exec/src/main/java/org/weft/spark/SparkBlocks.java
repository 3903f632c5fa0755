package org.weft.spark;

import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.jspecify.annotations.Nullable;
import org.weft.engine.entries.EntryBlocks;
import org.weft.engine.entries.OriginBlock;
import org.weft.engine.entries.Shared;
import org.weft.spark.read.ParsedPart;
import org.weft.spark.wire.Wire;

/** Parsed entries that lie on executors. */
final class SparkBlocks implements EntryBlocks {
  private final JavaSparkContext context;
  private final JavaRDD<ParsedPart> parts;

  SparkBlocks(JavaSparkContext context, JavaRDD<ParsedPart> parts) {
    this.context = context;
    this.parts = parts;
  }

  @Override
  public <R> List<R> collect(Step<R> step) {
    return Wire.collect(parts, some -> step.run(new Blocks(some)));
  }

  @Override
  public <R> R reduce(Step<R> step, Merge<R> merge) {
    return Wire.reduce(parts.mapPartitions(some -> step.run(new Blocks(some))), merge::of);
  }

  @Override
  public <T> Shared<T> share(T value) {
    return Wire.send(context, value);
  }

  /** The blocks among parsed parts. */
  static final class Blocks implements Iterator<OriginBlock> {
    private final Iterator<ParsedPart> parts;
    private @Nullable OriginBlock next;

    Blocks(Iterator<ParsedPart> parts) {
      this.parts = parts;
    }

    @Override
    public boolean hasNext() {
      while (next == null && parts.hasNext()) {
        next = parts.next().block();
      }
      return next != null;
    }

    @Override
    public OriginBlock next() {
      OriginBlock block = hasNext() ? next : null;
      if (block == null) {
        throw new NoSuchElementException();
      }
      next = null;
      return block;
    }
  }
}
