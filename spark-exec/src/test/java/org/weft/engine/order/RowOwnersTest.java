package org.weft.engine.order;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.engine.EngineTensor;
import org.weft.engine.local.LocalBackend;
import org.weft.planner.Forms;
import org.weft.planner.JobPlan;
import org.weft.planner.ModePlan;
import org.weft.planner.job.Job;
import org.weft.planner.partition.ModePartitioning;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

class RowOwnersTest {
  private static CooBlock entries(long seed, int count, long[] sizes) {
    Random random = new Random(seed);
    CooBlock.Builder block = new CooBlock.Builder(sizes.length, count);
    for (int e = 0; e < count; e++) {
      long[] entry = new long[sizes.length];
      for (int mode = 0; mode < sizes.length; mode++) {
        double skewed = random.nextDouble() * random.nextDouble();
        entry[mode] = (long) (skewed * sizes[mode]);
      }
      block.add(entry, 1);
    }
    return block.build();
  }

  private static Engine engine(Forms forms, int partitions) {
    return LocalBackend.engine(
        FileAccess.local(),
        EngineOptions.defaults().planning(p -> p.withPartitions(partitions).withForms(forms)));
  }

  private static Job job(int order) {
    return Job.mttkrps("cpd", order, 4, List.of(), 3, ValueType.DOUBLE);
  }

  /** Entries stay in their tiles, and a tile that has entries of a row has the row. */
  @ParameterizedTest
  @CsvSource({"1, 8, 300", "2, 12, 300", "3, 64, 40", "4, 7, 2000"})
  void rowsAreWhereTheirEntriesAre(long seed, int tiles, int count) {
    long[] sizes = {90, 40, 7};
    CooBlock entries = entries(seed, count, sizes);
    try (Engine engine = engine(Forms.GRID, tiles)) {
      TensorShape shape = TensorShape.of(sizes);
      EngineTensor tensor = engine.of("x", shape, List.of(entries), ValueType.DOUBLE);
      JobPlan plan = engine.plan(tensor, job(3));
      RowOwners owners = RowOwners.of(plan, tensor::entries, null).orElseThrow();
      CooBlock numbered = owners.relabelling().apply(entries);
      for (ModePlan pass : plan.modes()) {
        ModePartitioning cut = owners.partitionings().get(pass.mode());
        int[] before = new int[count];
        int[] after = new int[count];
        pass.partitioning().partitionsOf(entries, before);
        cut.partitionsOf(numbered, after);
        assertThat(after).isEqualTo(before);
        Set<Long> found = new HashSet<>();
        Set<Long> rows = new HashSet<>();
        for (int e = 0; e < count; e++) {
          long row = numbered.coordinate(pass.mode(), e);
          rows.add(row);
          if (has(cut, after[e], row)) {
            found.add(row);
          }
        }
        assertThat(found).isEqualTo(rows);
      }
    }
  }

  private static boolean has(ModePartitioning cut, int partition, long row) {
    long end = partition + 1 < cut.partitions() ? cut.firstRow(partition + 1) : cut.modeSize();
    return cut.firstRow(partition) <= row && row < end;
  }

  @Test
  void rangesOfOneModeHaveTheirRows() {
    long[] sizes = {90, 40, 7};
    try (Engine engine = engine(Forms.ALL, 8)) {
      EngineTensor tensor =
          engine.of("x", TensorShape.of(sizes), List.of(entries(1, 300, sizes)), ValueType.DOUBLE);
      assertThat(RowOwners.of(engine.plan(tensor, job(3)), tensor::entries, null)).isEmpty();
    }
  }
}
