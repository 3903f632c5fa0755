package org.weft.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.decomposition.cp.Cpd;
import org.weft.engine.CpdResult;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.engine.EngineTensor;
import org.weft.engine.JobReport;
import org.weft.engine.ProgressListener;
import org.weft.engine.local.LocalBackend;
import org.weft.planner.Forms;
import org.weft.planner.JobPlan;
import org.weft.planner.PlanCosts;
import org.weft.planner.StepCosts;
import org.weft.storage.ReadOptions;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.ValueType;

/**
 * What choices of forms are predicted to take, beside what they take: prints the ratios, for people
 * to read on quiet machines; what it requires holds on any.
 */
class FormsPredictionTest {
  private static final int ENTRIES =
      Integer.getInteger("weft.entries", Boolean.getBoolean("weft.long") ? 4_000_000 : 100_000);

  @TempDir Path folder;

  @Test
  void predictedAgainstMeasured() throws IOException {
    Path file = SparseEntries.random(71, ENTRIES, 4000, 300, 2000).write(folder.resolve("in.tns"));
    for (int rank : new int[] {8, 32}) {
      Cpd job = new Cpd(rank, 10, 0, false, 9, ValueType.DOUBLE);
      for (Forms forms : List.of(Forms.ALL, Forms.ONE)) {
        try (Engine engine =
            LocalBackend.engine(
                FileAccess.local(), EngineOptions.defaults().planning(p -> p.withForms(forms)))) {
          EngineTensor tensor =
              engine.read(
                  file.toString(),
                  ReadOptions.defaults().withHeader(ReadOptions.Header.EXTENDED),
                  ValueType.DOUBLE);
          JobPlan plan = engine.plan(tensor, job.job(tensor.statistics().shape()));
          CpdResult result = engine.cpd(tensor, job, ProgressListener.NONE);
          print(forms, rank, plan.predicted(), result.report());
        }
      }
    }
  }

  private static void print(Forms forms, int rank, PlanCosts predicted, JobReport measured) {
    assertThat(seconds(predicted, "shuffle")).as("one process shares its entries").isZero();
    double pack = seconds(predicted, "pack");
    double packed = measured.seconds("shuffle") + measured.seconds("pack");
    double sweeps = predicted.iterationSeconds() * predicted.iterations();
    double swept = measured.seconds("kernel") + measured.seconds("merge");
    assertThat(pack).isPositive();
    assertThat(sweeps).isPositive();
    System.out.printf(
        Locale.ROOT,
        "%s, rank %d: predicted/measured pack %.3f/%.3f s = %.2f, iterations %.3f/%.3f s = %.2f%n",
        forms,
        rank,
        pack,
        packed,
        pack / packed,
        sweeps,
        swept,
        sweeps / swept);
  }

  private static double seconds(PlanCosts costs, String step) {
    return costs.step(step).map(StepCosts::seconds).orElse(0.0);
  }
}
