package org.weft.spark;

import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.jspecify.annotations.Nullable;
import org.weft.engine.entries.EntryBlocks;
import org.weft.engine.entries.OriginBlock;
import org.weft.engine.entries.Shared;
import org.weft.spark.read.ParsedPart;

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
    return parts.mapPartitions(some -> step.run(new Blocks(some))).collect();
  }

  @Override
  public <R> R reduce(Step<R> step, Merge<R> merge) {
    return parts.mapPartitions(some -> step.run(new Blocks(some))).treeReduce(merge::of);
  }

  @Override
  public <T> Shared<T> share(T value) {
    return share(context, value);
  }

  static <T> Shared<T> share(JavaSparkContext context, T value) {
    return new Sent<>(context.broadcast(value));
  }

  /** A broadcast value. */
  private record Sent<T>(Broadcast<T> broadcast) implements Shared<T> {
    private static final long serialVersionUID = 1L;

    @Override
    public T value() {
      return broadcast.value();
    }

    @Override
    public void close() {
      broadcast.unpersist();
    }
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
