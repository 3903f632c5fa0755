package org.weft.engine.local;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.weft.engine.entries.EntryBlocks;
import org.weft.engine.entries.OriginBlock;
import org.weft.engine.entries.Shared;
import org.weft.tensor.CooBlock;

/** Parsed entries in this process: one part for each split of the file. */
final class LocalBlocks implements EntryBlocks {
  private final List<List<CooBlock>> parts;
  private final Workers workers;

  LocalBlocks(List<List<CooBlock>> parts, Workers workers) {
    this.parts = parts;
    this.workers = workers;
  }

  /** All blocks, in the order of the file. */
  List<CooBlock> blocks() {
    return parts.stream().flatMap(List::stream).toList();
  }

  @Override
  public <R> List<R> collect(Step<R> step) {
    List<R> all = new ArrayList<>();
    for (List<R> part : workers.each(parts.size(), part -> run(step, part))) {
      all.addAll(part);
    }
    return all;
  }

  private <R> List<R> run(Step<R> step, int part) {
    List<R> made = new ArrayList<>();
    List<OriginBlock> numbered = new ArrayList<>();
    for (CooBlock block : parts.get(part)) {
      numbered.add(new OriginBlock((long) part << 32 | numbered.size(), block));
    }
    Iterator<R> results = step.run(numbered.iterator());
    results.forEachRemaining(made::add);
    return made;
  }

  @Override
  public <R> R reduce(Step<R> step, Merge<R> merge) {
    Optional<R> merged = collect(step).stream().reduce(merge::of);
    return merged.orElseThrow();
  }

  @Override
  public <T> Shared<T> share(T value) {
    return new Held<>(value);
  }

  /** A value of this process. */
  private record Held<T>(T value) implements Shared<T> {
    private static final long serialVersionUID = 1L;

    @Override
    public void close() {}
  }
}
