package org.weft.engine.distributed;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.weft.memory.MemoryScope;
import org.weft.planner.distributed.Measured;

/**
 * Measures the steps of a statement: bytes and entries of the pieces that they make, and the time
 * of what they do before they hand on the first one. A step that runs again counts again.
 */
public final class Meter {
  private final Supplier<Counter> counters;
  private final Map<String, Counts> counts = new LinkedHashMap<>();

  /**
   * @param counters makes a new one
   */
  public Meter(Supplier<Counter> counters) {
    this.counters = counters;
  }

  private record Counts(Counter bytes, Counter entries, Counter nanos)
      implements java.io.Serializable {}

  /** {@code step}, measured as {@code node}; several steps of a node add up. */
  Parts.Step measured(String node, Parts.Step step) {
    return new MeasuredStep(
        counts.computeIfAbsent(
            node, key -> new Counts(counters.get(), counters.get(), counters.get())),
        step);
  }

  private record MeasuredStep(Counts counts, Parts.Step step) implements Parts.Step {
    @Override
    public Iterator<Piece> run(int part, Iterator<Piece> pieces, MemoryScope scope) {
      long start = System.nanoTime();
      Iterator<Piece> made = step.run(part, pieces, scope);
      counts.nanos().add(System.nanoTime() - start);
      return new MappedPieces(
          made,
          block -> {
            counts.bytes().add(block.byteSize());
            counts.entries().add(block.size());
            return block;
          });
    }
  }

  /** What the steps took so far, by node. */
  public Map<String, Measured> read() {
    Map<String, Measured> read = new LinkedHashMap<>();
    counts.forEach(
        (node, found) ->
            read.put(
                node,
                new Measured(moved(node), found.entries().sum(), found.nanos().sum() * 1e-9)));
    return read;
  }

  /** Bytes that a node sent to other parts; a kernel sends nothing, a merge what it merges. */
  private long moved(String node) {
    if (node.equals(Measured.KERNEL)) {
      return 0;
    }
    Counts sent = counts.get(node.equals(Measured.MERGE) ? Measured.RESULTS : node);
    return sent == null ? 0 : sent.bytes().sum();
  }
}
