package org.weft.engine;

import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.weft.engine.distributed.Meter;
import org.weft.engine.distributed.Parts;
import org.weft.engine.distributed.Piece;
import org.weft.engine.distributed.StatementRunner;
import org.weft.engine.distributed.Steps;
import org.weft.planner.distributed.DistributedPlan;
import org.weft.planner.distributed.Measured;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/** The value of a statement, in parts. Computed when it is written or read. */
public final class StatementResult implements AutoCloseable {
  private final DistributedPlan plan;
  private final StatementRunner.Result result;
  private final Backend backend;
  private final String name;
  private final @Nullable Meter meter;

  /**
   * @param name of the result
   */
  StatementResult(
      String name,
      DistributedPlan plan,
      StatementRunner.Result result,
      Backend backend,
      @Nullable Meter meter) {
    this.meter = meter;
    this.name = name;
    this.plan = plan;
    this.result = result;
    this.backend = backend;
  }

  /** The value without zeros, for a result in a format whose zeros are no entries. */
  public StatementResult nonzeros() {
    StatementRunner.Result kept =
        new StatementRunner.Result(
            result.parts().map(Steps.nonzeros()),
            result.modeOrder(),
            result.ranges(),
            result.owned());
    return new StatementResult(name, plan, kept, backend, meter);
  }

  /** How it is computed. */
  public DistributedPlan plan() {
    return plan;
  }

  /** The plan, with what its nodes took so far if they are measured. */
  public String analysis() {
    return plan.tree(measured());
  }

  /** What the nodes of the plan took so far, by the names that {@link Measured} gives them. */
  public Map<String, Measured> measured() {
    return meter == null ? Map.of() : meter.read();
  }

  /**
   * Computes and writes it, by many tasks where the format allows.
   *
   * @throws org.weft.error.WeftException {@code OUTPUT_EXISTS}, {@code STORAGE_UNAVAILABLE}, ...
   */
  public void write(OutputTarget out) {
    try {
      result.parts().write(out, plan.shape(), result.modeOrder(), result.ranges());
    } catch (Exception e) {
      throw backend.failure(e);
    }
  }

  /** Computes it and calls {@code reader} with its blocks, in the order of its first mode. */
  public void read(BlockReader reader) {
    try {
      for (Iterator<Piece> pieces = result.parts().pieces(); pieces.hasNext(); ) {
        reader.read(pieces.next().entries());
      }
    } catch (Exception e) {
      throw backend.failure(e);
    }
  }

  /** Computes it and keeps it in parts, for statements that read it. Owns this from now on. */
  public PlacedTensor kept() {
    Parts kept = result.parts().kept();
    try {
      TensorShape shape = plan.shape();
      return new PlacedTensor(
          name,
          kept,
          kept.count(shape.order()).build(shape),
          Optional.of(new PlacedTensor.Sorted(result.modeOrder(), result.ranges())),
          this);
    } catch (Exception e) {
      kept.release();
      close();
      throw backend.failure(e);
    }
  }

  /** Reads blocks of entries. */
  @FunctionalInterface
  public interface BlockReader {
    void read(CooBlock entries);
  }

  @Override
  public void close() {
    for (AutoCloseable owned : result.owned()) {
      try {
        owned.close();
      } catch (Exception e) {
        throw backend.failure(e);
      }
    }
  }
}
