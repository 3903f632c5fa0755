package org.weft.planner;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.weft.compiler.KernelRequest;
import org.weft.planner.job.Job;
import org.weft.planner.machine.MachineParameters;
import org.weft.planner.machine.Resources;
import org.weft.runtime.KernelImage;
import org.weft.statistics.TensorStatistics;
import org.weft.tensor.ValueType;

class TreeSearchTest {
  private static final PlannerOptions DEFAULTS =
      PlannerOptions.defaults().withMachine(MachineParameters.defaults());
  private static final Resources LAPTOP = new Resources(1, 2, 1, 4L << 30).withKernelsInTurn();
  private static final Path GOLDEN =
      Path.of("src", "test", "resources", "golden", "plans", "cpd-tree.txt");

  private static Job cpd(int order) {
    return Job.mttkrps("cpd", order, 16, List.of(), 50, ValueType.DOUBLE).withSharing(true);
  }

  private static KernelImage noCode(List<KernelRequest> requests) {
    return new KernelImage(new byte[100], "0123456789abcdef", 0, "x86-64-v3", List.of());
  }

  private static Planner planner(PlannerOptions options) {
    return new Planner(TreeSearchTest::noCode, options);
  }

  private static JobPlan plan(PlannerOptions options, TensorStatistics s, Resources resources) {
    return planner(options).plan(cpd(s.shape().order()), s, resources);
  }

  private static TreeChoice choice(JobPlan plan) {
    return Objects.requireNonNull(plan.tree());
  }

  @Test
  void modesWithFewCombinationsShareProducts() throws IOException {
    TensorStatistics s = PlannerTest.uniform(1_000_000, 24, 180, 1_100, 1_700);
    JobPlan plan = plan(DEFAULTS, s, LAPTOP);
    assertThat(plan.groups()).hasToString("[0+1, 2, 3]");
    assertThat(plan.groups().get(0).root()).isEqualTo(1);
    assertThat(plan.modes()).hasSize(3);
    assertThat(plan.algebra())
        .extracting(KernelRequest::expression)
        .containsExactly("M(i,r) = P(j,i,r) * F1(j,r)", "M(j,r) = P(j,i,r) * F0(i,r)");
    String found = planner(DEFAULTS).explain(plan);
    if (Boolean.getBoolean("weft.golden.regenerate")) {
      Files.writeString(GOLDEN, found);
    }
    assertThat(found).isEqualTo(Files.readString(GOLDEN));
  }

  @Test
  void treesAreNotTakenWhereTheySaveLittle() {
    TensorStatistics many = PlannerTest.uniform(300_000, 300, 400, 500, 600);
    assertThat(choice(plan(DEFAULTS, many, LAPTOP)).reason())
        .isEqualTo("predicted to save little time or none");
    TensorStatistics sparse = PlannerTest.uniform(30_000, 300, 400, 500, 600);
    JobPlan plan = plan(DEFAULTS.withTree(DimensionTree.ON), sparse, LAPTOP);
    assertThat(plan.groups()).isEmpty();
    assertThat(planner(DEFAULTS).explain(plan))
        .contains("tree        no products shared: no products are few beside the entries");
    TensorStatistics few = PlannerTest.uniform(500_000, 24, 180, 1_100, 1_700);
    assertThat(plan(DEFAULTS.withTree(DimensionTree.OFF), few, LAPTOP).groups()).isEmpty();
    assertThat(plan(DEFAULTS.withForms(Forms.ONE), few, LAPTOP).groups()).isEmpty();
    JobPlan other = planner(DEFAULTS).plan(cpd(4).withSharing(false), few, LAPTOP);
    assertThat(other.tree()).isNull();
  }

  /** The plan says why, and keeps what fits. */
  @Test
  void productsThatDoNotFitTheMemoryAreNotKept() {
    TensorStatistics s = PlannerTest.uniform(400_000, 600, 600, 5_000, 7_000);
    Planner on = planner(DEFAULTS.withTree(DimensionTree.ON));
    Job job = Job.mttkrps("cpd", 4, 256, List.of(), 50, ValueType.DOUBLE).withSharing(true);
    JobPlan free = on.plan(job, s, LAPTOP);
    assertThat(free.groups()).hasToString("[0+1, 2, 3]");
    double products = 600.0 * 600 * 256 * Double.BYTES;
    assertThat(free.predicted().kernelBytesBesideTensor()).isGreaterThan(products);
    JobPlan plan = on.plan(job, s, new Resources(1, 2, 1, 1L << 30).withKernelsInTurn());
    assertThat(plan.groups()).isEmpty();
    assertThat(on.explain(plan))
        .contains("tree        no products shared: no products are few beside the entries and fit");
  }

  /** Sums in another order have other bits: no choice may depend on the cores. */
  @Test
  void reproducibleTreesDependOnEntriesAlone() {
    PlannerOptions options = DEFAULTS.withReproducible(true);
    for (long[] sizes : new long[][] {{24, 180, 1_100, 1_700}, {300, 400, 500, 600}, {9, 8, 900}}) {
      TensorStatistics s = PlannerTest.uniform(200_000, sizes);
      List<Object> expected = null;
      for (int cores : new int[] {1, 2, 3, 8, 64}) {
        JobPlan plan = plan(options, s, new Resources(1, cores, 1, 4L << 30).withKernelsInTurn());
        List<Object> found =
            List.of(plan.groups(), plan.modes().stream().map(ModePlan::kernel).toList());
        expected = expected == null ? found : expected;
        assertThat(found).as("%d cores", cores).isEqualTo(expected);
      }
    }
  }
}
