package org.weft.engine.distributed;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.weft.engine.entries.Shared;
import org.weft.engine.local.LocalParts;
import org.weft.planner.distributed.DistributedPlan;
import org.weft.statistics.TensorStatistics;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/** Runs plans of statements in this process, one part after the other, on entries of a test. */
final class PlannedRuns {
  private static final FileAccess FILES = FileAccess.local();

  private PlannedRuns() {}

  /** A tensor: its entries as they were read, each block a part. */
  record Tensor(TensorShape shape, List<CooBlock> blocks) {
    long entries() {
      return blocks.stream().mapToLong(CooBlock::size).sum();
    }

    TensorStatistics statistics() {
      TensorStatistics.Builder counts = TensorStatistics.builder(shape.order());
      blocks.forEach(counts::add);
      return counts.build(shape);
    }

    private Parts parts() {
      List<List<Piece>> parts = new ArrayList<>();
      for (int block = 0; block < blocks.size(); block++) {
        parts.add(List.of(new Piece(0, 0, block, blocks.get(block))));
      }
      return LocalParts.of(FILES, parts);
    }
  }

  /** The value itself: everything is in this process. */
  private record Here<T>(T value) implements Shared<T> {
    private static final long serialVersionUID = 1L;

    @Override
    public void close() {}
  }

  private static final class Site implements StatementRunner.Site {
    @Override
    public <T> Shared<T> share(T value) {
      return new Here<>(value);
    }

    @Override
    public Parts parts(List<Piece> pieces) {
      return LocalParts.of(FILES, List.of(pieces));
    }

    @Override
    public Counter counter() {
      throw new AssertionError("nothing is measured");
    }
  }

  /** The entries of the result. */
  static List<CooBlock> run(
      DistributedPlan plan, Map<String, Tensor> tensors, Optional<Tensor> previous) {
    Map<String, Parts> operands = new HashMap<>();
    tensors.forEach((name, tensor) -> operands.put(name, tensor.parts()));
    StatementRunner runner = new StatementRunner(new Site(), 1, true, null);
    StatementRunner.Result result =
        runner.run(plan, operands, previous.map(Tensor::parts).orElse(null));
    List<CooBlock> blocks = new ArrayList<>();
    result.parts().pieces().forEachRemaining(piece -> blocks.add(piece.entries()));
    return blocks;
  }
}
