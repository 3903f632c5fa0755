package org.weft.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.weft.engine.distributed.Box;
import org.weft.engine.distributed.Parts;
import org.weft.engine.distributed.Piece;
import org.weft.engine.distributed.Steps;
import org.weft.planner.distributed.Ranges;
import org.weft.statistics.TensorStatistics;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/** Puts tensors in parts where statements can read them, without computing anything with them. */
public final class Placement {
  private final Backend backend;
  private final int partitions;

  /**
   * @param partitions of tensors that are made; 0 for as many as kernels run at a time
   */
  Placement(Backend backend, int partitions) {
    this.backend = backend;
    this.partitions = partitions;
  }

  /** A tensor that the engine has read; the engine owns it as before. */
  public PlacedTensor of(EngineTensor tensor) {
    return new PlacedTensor(
        tensor.uri(), tensor.parts(), tensor.originalStatistics(), Optional.empty(), () -> {});
  }

  /** Entries of this process. */
  public PlacedTensor of(String name, TensorShape shape, List<CooBlock> blocks) {
    List<Piece> pieces = new ArrayList<>();
    TensorStatistics.Builder counts = TensorStatistics.builder(shape.order());
    for (CooBlock block : blocks) {
      counts.add(block);
      pieces.add(new Piece(0, 0, pieces.size(), block));
    }
    return new PlacedTensor(
        name, backend.parts(pieces), counts.build(shape), Optional.empty(), () -> {});
  }

  /** A number, as a tensor without modes: a 64-bit integer in statements of {@code LONG}. */
  public PlacedTensor number(String name, Number value, ValueType type) {
    boolean longs = type == ValueType.LONG;
    CooBlock.Builder block = new CooBlock.Builder(0, 1, longs);
    if (longs) {
      block.addLong(new long[0], value.longValue());
    } else {
      block.add(new long[0], value.doubleValue());
    }
    return of(name, TensorShape.of(), List.of(block.build()));
  }

  /** A tensor that has {@code value} in every cell. */
  public PlacedTensor filled(String name, TensorShape shape, Number value) {
    Ranges ranges = ranges(shape);
    return made(name, shape, ranges, Box.filled(shape, ranges, value));
  }

  /** A tensor that has a value in [0, 1) in every cell, of a series that {@code seed} begins. */
  public PlacedTensor random(String name, TensorShape shape, long seed) {
    Ranges ranges = ranges(shape);
    return made(name, shape, ranges, Box.random(shape, ranges, seed));
  }

  private PlacedTensor made(String name, TensorShape shape, Ranges ranges, Parts.Step step) {
    Parts seeds = backend.parts(Piece.seeds(ranges.parts()));
    return kept(name, shape, seeds.exchange(List.of(), ranges.parts()).map(step));
  }

  /** Partitions of tensors that are made. */
  public int partitions() {
    return partitions > 0 ? partitions : backend.resources().slots();
  }

  /** The entries of {@code tensor} after {@code step}, which go with it. */
  public PlacedTensor mapped(PlacedTensor tensor, TensorShape shape, Parts.Step step) {
    return kept(tensor.uri(), shape, tensor.parts().map(step));
  }

  /** {@code whole} with the cells of {@code box} replaced by {@code part}. */
  public PlacedTensor replaced(PlacedTensor whole, PlacedTensor part, Box box) {
    TensorShape shape = whole.shape();
    Ranges ranges = ranges(shape);
    Parts outside = whole.parts().map(box.outside()).map(Steps.cut(0, 0, ranges));
    Parts placed = part.parts().map(box.placed()).map(Steps.cut(0, 0, ranges));
    return kept(whole.uri(), shape, outside.exchange(List.of(placed), ranges.parts()));
  }

  /** Writes a tensor whose parts are sorted. */
  public void write(PlacedTensor tensor, OutputTarget out) {
    PlacedTensor.Sorted sorted = tensor.sorted().orElseThrow();
    try {
      tensor.parts().write(out, tensor.shape(), sorted.modeOrder(), sorted.ranges());
    } catch (Exception e) {
      throw backend.failure(e);
    }
  }

  private Ranges ranges(TensorShape shape) {
    return Ranges.equal(shape.order() == 0 ? 1 : shape.size(0), partitions());
  }

  private PlacedTensor kept(String name, TensorShape shape, Parts parts) {
    Parts kept = parts.kept();
    try {
      return new PlacedTensor(
          name, kept, kept.count(shape.order()).build(shape), Optional.empty(), () -> {});
    } catch (Exception e) {
      kept.release();
      throw backend.failure(e);
    }
  }
}
