package org.weft.planner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.compiler.KernelRequest;
import org.weft.compiler.Schedule;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.planner.job.FiberStatement;
import org.weft.planner.job.Job;
import org.weft.planner.job.RowStatement;
import org.weft.planner.kernel.CostModel;
import org.weft.planner.kernel.KernelPlan;
import org.weft.planner.kernel.Merge;
import org.weft.planner.machine.MachineConstant;
import org.weft.planner.machine.MachineParameters;
import org.weft.planner.machine.Resources;
import org.weft.planner.partition.Grid;
import org.weft.planner.partition.ModePartitioning;
import org.weft.runtime.KernelImage;
import org.weft.statistics.TensorStatistics;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

class PlannerTest {
  private static final PlannerOptions DEFAULTS =
      PlannerOptions.defaults().withMachine(MachineParameters.defaults());
  private static final Resources LAPTOP = new Resources(1, 2, 1, 4L << 30);

  private static KernelImage noCode(List<KernelRequest> requests) {
    return KernelImage.of(new byte[100], "0123456789abcdef", "x86-64-v3", List.of());
  }

  private static Planner planner(PlannerOptions options) {
    return new Planner(PlannerTest::noCode, options);
  }

  private static Planner planner() {
    return planner(DEFAULTS);
  }

  static TensorStatistics uniform(int entries, long... sizes) {
    SplittableRandom random = new SplittableRandom(entries);
    CooBlock.Builder block = new CooBlock.Builder(sizes.length, entries);
    long[] c = new long[sizes.length];
    for (int e = 0; e < entries; e++) {
      for (int m = 0; m < sizes.length; m++) {
        c[m] = random.nextLong(sizes[m]);
      }
      block.add(c, random.nextDouble());
    }
    return TensorStatistics.builder(sizes.length).add(block.build()).build(TensorShape.of(sizes));
  }

  private static ModePlan only(Job job, TensorStatistics s) {
    return planner().plan(job, s, LAPTOP).only();
  }

  /** Entries that crowd where a mode begins, and a task that cannot hold the rows of the rest. */
  @ParameterizedTest
  @CsvSource({"256, true", "4, false"})
  void noTaskMakesMoreRowsThanItHasMemoryFor(int gibibytes, boolean fits) {
    CooBlock.Builder block = new CooBlock.Builder(2, 4_001);
    for (int e = 0; e < 4_000; e++) {
      block.add(new long[] {e % 2_000, e % 50}, 1);
    }
    block.add(new long[] {19_999_999, 0}, 1);
    TensorStatistics tail =
        TensorStatistics.builder(2).add(block.build()).build(TensorShape.of(20_000_000, 50));
    Job job = Job.mttkrps("cpd", 2, 16, List.of(), 1, ValueType.DOUBLE);
    Resources cluster = new Resources(2, 2, 1, (long) gibibytes << 30);
    ModePlan pass = planner(DEFAULTS.withPartitions(3)).plan(job, tail, cluster).modes().get(0);
    double room = (double) gibibytes * (1L << 30) / 16 / 2;
    assertThat(pass.partitions()).allMatch(costs -> costs.resultBytes() <= room);
    assertThat(pass.partitions().size() == 3).isEqualTo(fits);
    assertThat(pass.partitions()).hasSizeLessThan(40);
  }

  @Test
  void aResultOfMoreRowsThanAnyTasksCanMakeIsRefused() {
    TensorStatistics far = uniform(10, 1L << 62, 3);
    Job job = Job.mttkrps("cpd", 2, 16, List.of(), 1, ValueType.DOUBLE);
    Resources cluster = new Resources(2, 2, 1, 4L << 30);
    assertThatThrownBy(() -> planner().plan(job, far, cluster))
        .isInstanceOf(WeftException.class)
        .hasMessageContaining("a row for each of the 4611686018427387904 slices of mode 0");
  }

  @Test
  void valuesThatAreFarAwayAreAskedForAhead() {
    TensorStatistics far = uniform(300_000, 500, 400, 1_000_000);
    Job ttv = Job.of(FiberStatement.ttv(2), ValueType.DOUBLE);
    assertThat(schedule(planner(), ttv, far)).isEqualTo("parallel prefetch(k:64)");
    assertThat(planner().explain(planner().plan(ttv, far, LAPTOP))).contains("prefetch(k:64)");
    assertThat(schedule(planner(), Job.of(FiberStatement.ttv(0), ValueType.DOUBLE), far))
        .isEqualTo("parallel");
    assertThat(schedule(planner(), ttv, uniform(1_000, 500, 400, 1_000_000)))
        .as("few entries")
        .isEqualTo("parallel");
    assertThat(schedule(planner(), ttv, uniform(300_000, 1, 1, 1_000_000)))
        .as("one fiber, whose entries are neighbours")
        .isEqualTo("parallel");
    PlannerOptions given = DEFAULTS.withSchedule(Optional.of(Schedule.sequential()));
    assertThat(schedule(planner(given), ttv, far)).isEqualTo("sequential");
  }

  private static String schedule(Planner planner, Job job, TensorStatistics statistics) {
    JobPlan plan = planner.plan(job, statistics, LAPTOP);
    return plan.only().kernel().request().schedule().toString();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "300|0|M(i,r) = T(i)",
        "300,200|0|M(i,r) = T(i,j) * F1(j,r)",
        "300,200|1|M(j,r) = T(i,j) * F0(i,r)",
        "300,200,100|1|M(j,r) = T(i,j,k) * F0(i,r) * F2(k,r)",
        "9,8,7,6|3|M(l,r) = T(i,j,k,l) * F0(i,r) * F1(j,r) * F2(k,r)",
        "3,3,3,3,3,3,3,3,3|8|M(i8,r) = T(i,j,k,l,m,n,o,p,i8) * F0(i,r) * F1(j,r) * F2(k,r)"
            + " * F3(l,r) * F4(m,r) * F5(n,r) * F6(o,r) * F7(p,r)",
      })
  void mttkrpExpression(String sizes, int mode, String expression) {
    ModePlan plan =
        only(
            Job.of(RowStatement.mttkrp(sizes(sizes).length, mode, 16), ValueType.DOUBLE),
            uniform(500, sizes(sizes)));
    assertThat(plan.kernel().request().expression()).isEqualTo(expression);
    assertThat(plan.kernel().request().sizes()).containsEntry("r", 16L);
    assertThat(plan.kernel().tensorFormat().modeOf(0)).isEqualTo(mode);
    assertThat(plan.kernel().partitionedMode()).isEqualTo(mode);
    assertThat(plan.kernel().merge()).isEqualTo(Merge.ROWS);
    assertThat(plan.resultShape()).isEqualTo(TensorShape.of(sizes(sizes)[mode], 16));
  }

  @Test
  void mttkrpOrdersTheOtherModesBySize() {
    TensorStatistics s = uniform(500, 400, 50, 300, 10);
    ModePlan plan = only(Job.of(RowStatement.mttkrp(4, 0, 4), ValueType.FLOAT), s);
    assertThat(plan.kernel().tensorFormat())
        .isEqualTo(
            TensorFormat.csf(4, ValueType.FLOAT)
                .withModeOrder(0, 3, 1, 2)
                .narrowedFor(s.shape(), 500));
    assertThat(plan.kernel().request().formats())
        .containsOnlyKeys("T", "M", "F1", "F2", "F3")
        .containsEntry("M", TensorFormat.dense(2, ValueType.FLOAT));
  }

  @Test
  void mttkrpPartitionsMakeTheirOwnRowsOnly() {
    TensorStatistics s = uniform(100_000, 5000, 40, 30);
    ModePlan plan = only(Job.of(RowStatement.mttkrp(3, 0, 8), ValueType.DOUBLE), s);
    assertThat(plan.partitioning().partitions()).isEqualTo(2);
    long rows = 0;
    for (int p = 0; p < 2; p++) {
      assertThat(plan.form().offset(plan.range(p))).isEqualTo(rows);
      long slices = plan.range(p).slices();
      assertThat(plan.form().shape(s.shape(), plan.range(p)))
          .isEqualTo(TensorShape.of(slices, 40, 30));
      assertThat(plan.partitions().get(p).resultBytes()).isEqualTo(slices * 64);
      rows += slices;
    }
    assertThat(rows).isEqualTo(5000);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "300|0|Y = T(i) * v(i)|0|SUM",
        "300,200|0|Y(j) = T(i,j) * v(i)|1,0|ENTRIES",
        "300,200,100|1|Y(i,k) = T(i,j,k) * v(j)|0,2,1|ENTRIES",
        "300,200,100|2|Y(i,j) = T(i,j,k) * v(k)|0,1,2|ENTRIES",
      })
  void ttvContractsTheLastLevel(
      String sizes, int mode, String expression, String modeOrder, Merge merge) {
    TensorStatistics s = uniform(1000, sizes(sizes));
    ModePlan plan = only(Job.of(FiberStatement.ttv(mode), ValueType.DOUBLE), s);
    assertThat(plan.kernel().request().expression()).isEqualTo(expression);
    assertThat(plan.kernel().tensorFormat().modeOrder()).isEqualTo(ints(modeOrder));
    assertThat(plan.kernel().partitionedMode()).isEqualTo(ints(modeOrder)[0]);
    assertThat(plan.kernel().merge()).isEqualTo(merge);
    assertThat(plan.resultShape()).isEqualTo(s.shape().without(mode));
    assertThat(plan.kernel().resultFormat().order()).isEqualTo(s.shape().order() - 1);
    assertThat(plan.form().offset(plan.range(plan.partitioning().partitions() - 1))).isZero();
    assertThat(plan.form().shape(s.shape(), plan.range(0))).isEqualTo(s.shape());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "300|0|Y(r) = T(i) * U(i,r)|{D}|0|SUM",
        "300,200|1|Y(i,r) = T(i,j) * U(j,r)|{CU[16,16], D}|0,1|ENTRIES",
        "300,200,100|1|Y(i,k,r) = T(i,j,k) * U(j,r)|{CU[16,16], CU[16,8], D}|0,2,1|ENTRIES",
      })
  void ttmResultIsSemiSparse(
      String sizes, int mode, String expression, String format, String written, Merge merge) {
    TensorStatistics s = uniform(1000, sizes(sizes));
    ModePlan plan = only(Job.of(FiberStatement.ttm(mode, 5), ValueType.DOUBLE), s);
    assertThat(plan.kernel().request().expression()).isEqualTo(expression);
    assertThat(plan.kernel().resultFormat().toString()).isEqualTo(format);
    assertThat(plan.kernel().writtenModes().stream().mapToInt(m -> m).toArray())
        .isEqualTo(ints(written));
    assertThat(plan.kernel().merge()).isEqualTo(merge);
    assertThat(plan.resultShape().size(s.shape().order() - 1)).isEqualTo(5);
  }

  @Test
  void cpdHasOnePassPerModeAndStatesTheirMemory() {
    TensorStatistics s = uniform(200_000, 600, 500, 400);
    JobPlan plan = planner().plan(CPD, s, LAPTOP);
    assertThat(plan.modes()).extracting(ModePlan::mode).containsExactly(0, 1, 2);
    assertThat(plan.modes()).extracting(m -> m.kernel().request().symbol()).doesNotHaveDuplicates();
    double sum = plan.modes().stream().mapToDouble(ModePlan::storageBytes).sum();
    assertThat(plan.predicted().storageBytes()).isCloseTo(sum, Offset.offset(1.0));
    assertThat(plan.predicted().iterations()).isEqualTo(50);
    // 8 value bytes and 2 coordinate bytes are the least an entry takes in each of three forms.
    assertThat(sum).isBetween(3 * 10.0 * s.entries(), 3 * 24.0 * s.entries());
    assertThat(plan.predicted().peakMemoryBytesPerExecutor()).isGreaterThan(sum);
  }

  /** MTTKRPs that run again and again take other storages here. Once they are not worth them. */
  @Test
  void statementsThatRunOnceReadTheFormsOfTheOthers() {
    TensorStatistics s = uniform(2_000_000, 12_000, 9_000, 28_000);
    List<RowStatement> products =
        IntStream.range(0, 3).mapToObj(mode -> RowStatement.ttmc(mode, 10, 10, 10)).toList();
    List<RowStatement> start =
        IntStream.range(0, 3).mapToObj(mode -> RowStatement.mttkrp(3, mode, 28)).toList();
    List<RowStatement> all = Stream.concat(products.stream(), start.stream()).toList();
    Job job = new Job("tucker", products, List.of(), 50, ValueType.DOUBLE);
    Job whole = new Job("tucker", all, List.of(), 50, ValueType.DOUBLE);
    Resources resources = LAPTOP.withKernelsInTurn();
    JobPlan alone = planner().plan(job, s, resources);
    JobPlan plan = planner().plan(job.beginning(start), s, resources);
    assertThat(planner().plan(whole, s, resources).packedForms()).hasSizeGreaterThan(3);
    assertThat(plan.packedForms()).hasSize(3).isEqualTo(alone.packedForms());
    assertThat(plan.modes()).hasSize(6);
    assertThat(plan.predicted().iterationSeconds()).isEqualTo(alone.predicted().iterationSeconds());
    assertThat(plan.predicted().step("start").orElseThrow().seconds()).isPositive();
    assertThat(alone.predicted().step("start")).isEmpty();
  }

  private static final Job CPD = cpd(3, 16, 50, ValueType.DOUBLE);

  private static Job cpd(int order, int rank, int iterations, ValueType type) {
    return Job.mttkrps("cpd", order, rank, List.of(), iterations, type);
  }

  private static JobPlan cpd(Forms forms, TensorStatistics s, Resources r) {
    return planner(DEFAULTS.withPartitions(4).withForms(forms)).plan(CPD, s, r);
  }

  @Test
  void oneFormServesAllModes() {
    TensorStatistics s = uniform(30_000, 60, 50, 40);
    JobPlan plan = cpd(Forms.ONE, s, LAPTOP);
    assertThat(plan.packedForms()).hasSize(1);
    assertThat(cpd(Forms.ALL, s, LAPTOP).packedForms()).hasSize(3);
    int root = plan.modes().get(0).kernel().partitionedMode();
    for (ModePlan pass : plan.modes()) {
      assertThat(pass.kernel().partitionedMode()).isEqualTo(root);
      assertThat(pass.kernel().merge()).isEqualTo(pass.mode() == root ? Merge.ROWS : Merge.SUM);
      assertThat(pass.resultShape()).isEqualTo(TensorShape.of(s.shape().size(pass.mode()), 16));
      assertThat(pass.form().shape(s.shape(), pass.range(1)).size(root))
          .isEqualTo(pass.range(1).slices());
      assertThat(pass.kernel().operands())
          .allMatch(operand -> pass.kernel().isSliced(operand) == (operand.mode() == root));
    }
    assertThat(plan.predicted().storageBytes())
        .isCloseTo(plan.modes().get(0).storageBytes(), Offset.offset(1.0));
    List<Integer> levels = new java.util.ArrayList<>();
    for (int level = 0; level < 3; level++) {
      levels.add(plan.modes().get(0).kernel().tensorFormat().modeOf(level));
    }
    String[] names = {"i", "j", "k"};
    String above =
        levels.subList(0, 2).stream()
            .map(m -> "F" + m + "(" + names[m] + ",r)")
            .collect(java.util.stream.Collectors.joining(" * "));
    assertThat(plan.modes().get(levels.get(2)).kernel().request().expression())
        .endsWith("= " + above + " * T(i,j,k)");
  }

  @Test
  void allFormsAreKeptWhereTheyFit() {
    TensorStatistics s = uniform(200_000, 600, 500, 400);
    JobPlan plan = cpd(Forms.AUTO, s, LAPTOP);
    FormsChoice choice = java.util.Objects.requireNonNull(plan.forms());
    assertThat(choice.chosen()).isEqualTo(Forms.ALL);
    assertThat(choice.one().storageBytes()).isLessThan(0.5 * choice.all().storageBytes());
    double most = choice.all().peakMemoryBytesPerExecutor();
    double least = choice.one().peakMemoryBytesPerExecutor();
    assertThat(least).isLessThan(most);
    JobPlan tight = cpd(Forms.AUTO, s, new Resources(1, 2, 1, (long) ((least + most) / 2)));
    assertThat(tight.packedForms()).hasSize(1);
    assertThat(planner().explain(tight))
        .contains("forms       one, rooted at mode")
        .contains("a form for each mode does not fit the memory")
        .contains("results of all partitions are added")
        .contains("storage of 1 packed form ");
    assertThat(planner().explain(plan)).contains("forms       one for each mode: they fit");
  }

  /** One form saves packing, and forms for all modes save time of each iteration. */
  @Test
  void oneFormIsKeptForFewIterations() {
    TensorStatistics s = uniform(8_000_000, 12_000, 9_000, 29_000);
    for (int iterations : new int[] {1, 1000}) {
      JobPlan plan = planner().plan(cpd(3, 4, iterations, ValueType.DOUBLE), s, LAPTOP);
      FormsChoice choice = java.util.Objects.requireNonNull(plan.forms());
      assertThat(choice.chosen()).isEqualTo(iterations == 1 ? Forms.ONE : Forms.ALL);
    }
  }

  /** Cut in another way for its long mode, a form would be shuffled and packed twice. */
  @ParameterizedTest
  @CsvSource({"2, 1024, 1", "2, 2048, 1", "3, 1024, 1", "8, 512, 1", "2, 256, 2", "8, 64, 2"})
  void oneFormOfALongModeIsPackedOnceWhereItFits(int executors, long mebibytes, int forms) {
    TensorStatistics s = uniform(800_000, 3_000, 2_000, 2_500_000);
    Resources cluster = new Resources(executors, 1, 1, mebibytes << 20);
    JobPlan plan = planner(DEFAULTS.withForms(Forms.ONE)).plan(CPD, s, cluster);
    assertThat(plan.packedForms()).hasSize(forms);
    double memory = cluster.memoryBytesPerExecutor();
    if (forms == 1) {
      assertThat(plan.predicted().peakMemoryBytesPerExecutor()).isLessThan(memory);
    } else {
      assertThat(plan.modes().stream().filter(pass -> pass.kernel().merge() == Merge.ROWS))
          .flatExtracting(ModePlan::partitions)
          .allMatch(costs -> costs.resultBytes() <= memory / 16);
    }
  }

  /** Passes of one form read the same partitions, also where one process runs them in turn. */
  @Test
  void oneFormIsOneInOneProcess() {
    TensorStatistics s = uniform(200_000, 600, 500, 400);
    Resources process = LAPTOP.withKernelsInTurn();
    JobPlan plan = planner(DEFAULTS.withForms(Forms.ONE)).plan(CPD, s, process);
    assertThat(plan.packedForms()).hasSize(1);
  }

  /** Figures stand below the reason, on whatever cluster. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 8, 64, 500})
  void reasonsOfFormsAgreeWithTheFigures(int executors) {
    TensorStatistics s = uniform(200_000, 6_000, 5_000, 40);
    Resources cluster = new Resources(executors, 1, 1, 4L << 30);
    for (double shuffled : new double[] {1e5, 1e7, 1e9}) {
      MachineParameters machine =
          MachineParameters.defaults().with(MachineConstant.SHUFFLED, shuffled);
      JobPlan plan = planner(DEFAULTS.withMachine(machine)).plan(CPD, s, cluster);
      FormsChoice choice = java.util.Objects.requireNonNull(plan.forms());
      double chosen = choice.costs().seconds();
      assertThat(choice.reason().contains("than without tiles"))
          .isEqualTo(choice.chosen() == Forms.GRID)
          .isEqualTo(chosen < choice.all().seconds() && choice.chosen() != Forms.ONE);
      assertThat(choice.reason().contains("one takes hardly less time"))
          .isEqualTo(choice.one().seconds() < chosen);
      assertThat(choice.reason().equals("predicted to take less time"))
          .isEqualTo(choice.chosen() == Forms.ONE);
    }
  }

  /** All forms are of the same tiles; they are taken where executors are many and rows long. */
  @Test
  void tilesSaveBytesBetweenExecutors() {
    TensorStatistics s = uniform(200_000, 6_000, 5_000, 40);
    Resources many = new Resources(64, 1, 1, 4L << 30);
    PlannerOptions options = DEFAULTS.withPartitions(64);
    JobPlan plan = planner(options.withForms(Forms.GRID)).plan(CPD, s, many);
    FormsChoice choice = java.util.Objects.requireNonNull(plan.forms());
    assertThat(choice.chosen()).isEqualTo(Forms.GRID);
    for (ModePlan pass : plan.modes()) {
      assertThat(pass.kernel().merge()).isEqualTo(Merge.ROWS);
      assertThat(pass.partitioning().grid()).isEqualTo(plan.modes().get(0).partitioning().grid());
      assertThat(pass.partitions()).hasSize(64);
    }
    double tiles = bytes(plan.predicted());
    assertThat(tiles).isLessThan(0.7 * bytes(choice.all()));
    assertThat(planner().explain(plan))
        .contains("forms       one for each mode, of tiles: as asked for")
        .contains("into 64 partitions, tiles of 8 x 8 x 1");
    MachineParameters slow = MachineParameters.defaults().with(MachineConstant.SHUFFLED, 1e5);
    assertThat(chosen(options.withMachine(slow), s, many)).isEqualTo(Forms.GRID);
    assertThat(chosen(options.withMachine(slow).withReproducible(true), s, many))
        .isEqualTo(Forms.ALL);
    assertThat(chosen(options, s, new Resources(2, 1, 1, 4L << 30))).isEqualTo(Forms.ALL);
  }

  /** On any machine; a process that has all tiles, too, if it is asked. */
  @Test
  void reproducibleTilesDependOnEntriesAlone() {
    TensorStatistics s = uniform(200_000, 6_000, 5_000, 40);
    PlannerOptions options = DEFAULTS.withForms(Forms.GRID).withReproducible(true);
    MachineParameters slow = MachineParameters.defaults().with(MachineConstant.SHUFFLED, 1e5);
    ModePartitioning found = planner(options).plan(CPD, s, LAPTOP).modes().get(1).partitioning();
    assertThat(String.valueOf(found.grid())).isEqualTo("5 x 2 x 1");
    Resources many = new Resources(64, 8, 2, 4L << 30);
    assertThat(planner(options.withMachine(slow)).plan(CPD, s, many).modes().get(1).partitioning())
        .isEqualTo(found);
    JobPlan one = planner(options.withReproducible(false).withPartitions(1)).plan(CPD, s, LAPTOP);
    assertThat(planner().explain(one)).contains("one for each mode: there are no tiles to share");
  }

  /** Sums in another order have other bits: no choice may depend on the cores. */
  @Test
  void reproducibleLoopsDependOnEntriesAlone() {
    dependOnEntriesAlone(5);
  }

  @Tag("long")
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 16})
  void reproducibleLoopsOfOtherRanksDependOnEntriesAlone(int rank) {
    dependOnEntriesAlone(rank);
  }

  private static void dependOnEntriesAlone(int rank) {
    Job job = cpd(3, rank, 50, ValueType.DOUBLE);
    for (Forms forms : Forms.values()) {
      PlannerOptions options = DEFAULTS.withForms(forms).withReproducible(true);
      for (long[] sizes :
          new long[][] {{8, 7, 6}, {6, 8, 7}, {7, 6, 8}, {60, 50, 40}, {900, 4, 700}}) {
        for (int entries : new int[] {69, 3_000, 120_000}) {
          TensorStatistics s = uniform(entries, sizes);
          List<ModePlan> expected = null;
          for (int cores : new int[] {1, 2, 3, 8, 64}) {
            Resources resources = new Resources(1, cores, 1, 4L << 30).withKernelsInTurn();
            List<ModePlan> found = planner(options).plan(job, s, resources).modes();
            expected = expected == null ? found : expected;
            for (int mode = 0; mode < 3; mode++) {
              ModePlan one = expected.get(mode);
              assertThat(List.of(found.get(mode).kernel(), found.get(mode).partitioning()))
                  .as("%s, %d entries, mode %d, %d cores", forms, entries, mode, cores)
                  .isEqualTo(List.of(one.kernel(), one.partitioning()));
            }
          }
        }
      }
    }
  }

  /** Layers of a long mode fit the memory of a task. */
  @Test
  void tilesHaveNoMoreRowsThanATaskHasMemoryFor() {
    TensorStatistics s = uniform(20_000, 1_000_000, 50, 40);
    PlannerOptions options = DEFAULTS.withPartitions(16).withForms(Forms.GRID);
    Resources little = new Resources(16, 1, 1, 256L << 20);
    Grid grid =
        java.util.Objects.requireNonNull(
            planner(options).plan(CPD, s, little).modes().get(0).partitioning().grid());
    assertThat(grid.longestLayer() * 16 * Double.BYTES).isLessThanOrEqualTo(16L << 20);
    Resources none = new Resources(16, 1, 1, 16L << 20);
    assertThat(planner(options).plan(CPD, s, none).modes().get(0).partitioning().grid()).isNull();
  }

  /** A sixteenth of the memory bounds layers only where all of it is needed. */
  @Test
  void tilesMayHaveLongLayersThatFitTheMemory() {
    TensorStatistics s = uniform(200_000, 3_000, 2_000, 2_500_000);
    Resources two = new Resources(2, 1, 1, 2L << 30);
    JobPlan plan = planner(DEFAULTS.withForms(Forms.GRID)).plan(CPD, s, two);
    assertThat(planner().explain(plan)).contains("into 2 partitions, tiles of 1 x 1 x 2");
    assertThat(plan.predicted().peakMemoryBytesPerExecutor()).isLessThan(2L << 30);
  }

  private static double bytes(PlanCosts costs) {
    return costs.step("merge").orElseThrow().bytesMoved();
  }

  private static Forms chosen(PlannerOptions options, TensorStatistics s, Resources r) {
    return java.util.Objects.requireNonNull(planner(options).plan(CPD, s, r).forms()).chosen();
  }

  /** Packing that takes longer than all iterations is done once. */
  @Test
  void oneFormIsKeptWhereItTakesLessTimeAltogether() {
    TensorStatistics s = uniform(200_000, 60, 50, 40);
    MachineParameters slow = MachineParameters.defaults().with(MachineConstant.PACKED, 1000);
    PlannerOptions options = DEFAULTS.withMachine(slow);
    assertThat(planner(options).plan(CPD, s, LAPTOP).packedForms()).hasSize(1);
    assertThat(planner(options.withReproducible(true)).plan(CPD, s, LAPTOP).packedForms())
        .hasSize(3);
    assertThat(planner().plan(CPD, s, LAPTOP).packedForms()).hasSize(3);
  }

  /** Results of their own cost memory and sums: as many as there are cores where they are small. */
  @Test
  void largeResultsHaveFewGroups() {
    Resources cores = new Resources(1, 4, 1, 64L << 30).withKernelsInTurn();
    for (ModePlan pass : cpd(Forms.ONE, uniform(200_000, 60, 50, 40), cores).modes()) {
      assertThat(pass.groups()).isEqualTo(4);
    }
    TensorStatistics sparse = uniform(2_000, 4_000_000, 3_000_000, 2_000_000);
    List<ModePlan> scattered =
        cpd(Forms.ONE, sparse, cores).modes().stream()
            .filter(pass -> pass.kernel().merge() == Merge.SUM)
            .toList();
    assertThat(scattered).hasSize(2).allMatch(pass -> pass.groups() == 1);
  }

  /** Threads of a task have rows of their own, unless clearing and adding them takes longer. */
  @Test
  void tasksOfSeveralThreadsHavePrivateRowsWherePredictedFaster() {
    Resources threads = new Resources(1, 4, 4, 64L << 30);
    assertThat(scatters(uniform(200_000, 60, 50, 40), threads)).containsOnly(16);
    assertThat(scatters(uniform(2_000, 400_000, 300_000, 200_000), threads)).containsOnly(0);
    assertThat(scatters(uniform(200_000, 60, 50, 40), LAPTOP)).containsOnly(0);
  }

  private static List<Integer> scatters(TensorStatistics s, Resources r) {
    return cpd(Forms.ONE, s, r).modes().stream()
        .filter(pass -> pass.kernel().merge() == Merge.SUM)
        .map(pass -> pass.kernel().privateResults())
        .toList();
  }

  @Test
  void predictedPositionsAreExactWhereUniformIs() {
    TensorStatistics s = uniform(300_000, 1000, 50, 80);
    CostModel model = new CostModel(s, MachineParameters.defaults(), 1, 1);
    SplittableRandom random = new SplittableRandom(300_000);
    java.util.Set<Long> fibers = new java.util.HashSet<>();
    for (int e = 0; e < 300_000; e++) {
      long i = random.nextLong(1000);
      long j = random.nextLong(50);
      random.nextLong(80);
      random.nextDouble();
      fibers.add(i * 50 + j);
    }
    double[] positions = model.positions(TensorFormat.csf(3, ValueType.DOUBLE), 300_000, 1000);
    assertThat(positions[0]).isEqualTo(1000);
    assertThat(positions[1]).isCloseTo(fibers.size(), Offset.offset(0.01 * fibers.size()));
    assertThat(positions[2]).isEqualTo(300_000);
  }

  /** Half of the entries in one slice of each mode, as far as modes are independent. */
  @Test
  void predictedPositionsFollowTheSkewOfModes() {
    TensorStatistics.Builder builder = TensorStatistics.builder(3);
    SplittableRandom random = new SplittableRandom(7);
    java.util.Set<Long> fibers = new java.util.HashSet<>();
    java.util.Set<Long> tiles = new java.util.HashSet<>();
    for (int e = 0; e < 100_000; e++) {
      long i = random.nextBoolean() ? 0 : random.nextLong(1000);
      long j = random.nextBoolean() ? 0 : random.nextLong(1000);
      long k = random.nextLong(64);
      fibers.add(i * 1000 + j);
      tiles.add((k / 16 * 1000 + i) * 1000 + j);
      CooBlock.Builder one = new CooBlock.Builder(3, 1);
      one.add(new long[] {i, j, k}, 1);
      builder.add(one.build());
    }
    TensorStatistics s = builder.build(TensorShape.of(1000, 1000, 64));
    CostModel model = new CostModel(s, MachineParameters.defaults(), 1, 1);
    double[] plain = model.positions(TensorFormat.csf(3, ValueType.DOUBLE), 100_000, 1000);
    assertThat(plain[1]).isCloseTo(fibers.size(), Offset.offset(0.02 * fibers.size()));
    TensorFormat tiled = TensorFormat.parse("{D:2/16, CU:0, CU:1, CU:2%16}", 3, ValueType.DOUBLE);
    double[] parts = model.positions(tiled, 100_000, 1000);
    assertThat(parts[0]).isEqualTo(4);
    assertThat(parts[1]).isCloseTo(4000, Offset.offset(40.0));
    assertThat(parts[2]).isCloseTo(tiles.size(), Offset.offset(0.02 * tiles.size()));
  }

  @Test
  void flopsOfMttkrpAreThoseOfTheFactoredLoops() {
    TensorStatistics s = uniform(10_000, 20, 1, 4000);
    JobPlan plan =
        planner().plan(Job.of(RowStatement.mttkrp(3, 0, 16), ValueType.DOUBLE), s, LAPTOP);
    // One fiber per slice: 2 R for each entry, 2 R for each of 20 fibers.
    assertThat(plan.predicted().step("kernel").orElseThrow().flops())
        .isCloseTo(2 * 16 * (10_000 + 20), Offset.offset(1000.0));
  }

  @Test
  void biggerWorkCostsMore() {
    PlanCosts small =
        planner()
            .plan(
                Job.of(FiberStatement.ttv(0), ValueType.DOUBLE),
                uniform(10_000, 99, 99, 99),
                LAPTOP)
            .predicted();
    PlanCosts big =
        planner()
            .plan(
                Job.of(FiberStatement.ttv(0), ValueType.DOUBLE),
                uniform(90_000, 99, 99, 99),
                LAPTOP)
            .predicted();
    for (String step : List.of("read", "shuffle", "pack", "kernel", "merge", "write")) {
      assertThat(big.step(step).orElseThrow().seconds())
          .as(step)
          .isGreaterThan(small.step(step).orElseThrow().seconds());
    }
    assertThat(big.seconds()).isGreaterThan(small.seconds());
  }

  @Test
  void partitionCountFollowsCoresWorkAndMemory() {
    TensorStatistics s = uniform(200_000, 100, 100, 100);
    assertThat(planner().partitionCount(s, LAPTOP)).isEqualTo(2);
    assertThat(planner().partitionCount(s, new Resources(8, 4, 2, 4L << 30))).isEqualTo(10);
    assertThat(planner().partitionCount(s, new Resources(1, 2, 1, 1 << 20))).isEqualTo(46);
    assertThat(planner().partitionCount(s, new Resources(8, 4, 2, 4L << 30).withKernelsInTurn()))
        .isEqualTo(10);
    assertThat(planner().partitionCount(s, LAPTOP.withKernelsInTurn())).isEqualTo(2);
    assertThat(planner().partitionCount(uniform(100, 10, 10), LAPTOP)).isEqualTo(1);
    assertThat(planner().partitionCount(TensorStatistics.builder(2).build(), LAPTOP)).isEqualTo(1);
    Planner fixed = planner(DEFAULTS.withPartitions(7));
    assertThat(fixed.partitionCount(s, LAPTOP)).isEqualTo(7);
  }

  @Test
  void whatCannotBeSplitIsReadByOneTask() {
    TensorStatistics statistics = uniform(100_000, 300, 200, 100);
    Job job = new Job("j", List.of(RowStatement.mttkrp(3, 0, 4)), List.of(), 1, ValueType.DOUBLE);
    Resources cluster = new Resources(4, 2, 1, 4L << 30);
    double[] seconds = new double[9];
    for (int readers : new int[] {1, 2, 8}) {
      JobPlan plan =
          planner()
              .plan(
                  job,
                  statistics,
                  cluster,
                  null,
                  new InputReading(readers, "a reason", true, null));
      assertThat(planner().explain(plan).contains("reading     one task: a reason\n"))
          .isEqualTo(readers < 8);
      seconds[readers] = plan.predicted().step("read").orElseThrow().seconds();
    }
    double many =
        planner().plan(job, statistics, cluster).predicted().step("read").orElseThrow().seconds();
    assertThat(many).isEqualTo(seconds[8]).isPositive();
    assertThat(seconds[2]).isCloseTo(4 * many, Offset.offset(many * 1e-9));
    assertThat(seconds[1]).isCloseTo(8 * many, Offset.offset(many * 1e-9));
    InputReading container = new InputReading(8, "", false, null);
    JobPlan decoded = planner().plan(job, statistics, cluster, null, container);
    assertThat(decoded.predicted().step("read").orElseThrow().seconds()).isZero();
  }

  @Test
  void kernelsUseTheTasksThreads() {
    TensorStatistics s = uniform(1000, 30, 30);
    Resources threads = new Resources(1, 2, 2, 1 << 30);
    assertThat(parallel(Job.of(RowStatement.mttkrp(2, 0, 2), ValueType.DOUBLE), s, threads))
        .isTrue();
    assertThat(parallel(Job.of(RowStatement.mttkrp(2, 0, 2), ValueType.DOUBLE), s, LAPTOP))
        .isFalse();
    assertThat(parallel(Job.of(FiberStatement.ttv(0), ValueType.DOUBLE), s, threads)).isTrue();
  }

  private static boolean parallel(Job job, TensorStatistics s, Resources r) {
    return planner().plan(job, s, r).only().kernel().request().schedule().parallelOutermost();
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "0,0", "5,0,3", "1,1,1"})
  void emptyTensorsHavePlans(String sizes) {
    TensorStatistics s =
        TensorStatistics.builder(sizes(sizes).length).build(TensorShape.of(sizes(sizes)));
    for (Job job :
        List.of(
            Job.of(RowStatement.mttkrp(s.shape().order(), 0, 3), ValueType.DOUBLE),
            Job.of(FiberStatement.ttm(0, 3), ValueType.DOUBLE),
            Job.of(FiberStatement.ttv(0), ValueType.DOUBLE),
            cpd(s.shape().order(), 3, 1, ValueType.DOUBLE))) {
      JobPlan plan = planner().plan(job, s, LAPTOP);
      for (ModePlan mode : plan.modes()) {
        assertThat(mode.partitioning().partitions()).isOne();
      }
      assertThat(plan.predicted().seconds()).isFinite();
      assertThat(planner().explain(plan)).doesNotContain("NaN");
    }
  }

  @Test
  void explainShowsThePlan() {
    TensorStatistics s = uniform(100_000, 500, 40, 30);
    JobPlan plan =
        planner().plan(Job.of(RowStatement.mttkrp(3, 1, 16), ValueType.DOUBLE), s, LAPTOP);
    assertThat(planner().explain(plan))
        .contains("500 x 40 x 30, 100,000 entries")
        .contains("M(j,r) = T(i,j,k) * F0(i,r) * F2(k,r)")
        .contains("T {CU[32,8], CU[32,8], CU[32,16]}@1,2,0")
        .contains("dense     F0 500 x 16; F2 30 x 16")
        .contains("cut       mode 1 into 2 partitions")
        .contains("[0, 20)")
        .contains("kernel")
        .contains("per executor");
    JobPlan many =
        planner(DEFAULTS.withPartitions(100))
            .plan(Job.of(RowStatement.mttkrp(3, 0, 16), ValueType.DOUBLE), s, LAPTOP);
    assertThat(planner().explain(many)).contains("(97 more; the longest is)");
  }

  @Test
  void aPlanOfManyPassesFitsAScreen() {
    TensorStatistics s = uniform(100_000, 500, 40, 30);
    JobPlan plan =
        planner(DEFAULTS.withPartitions(100)).plan(cpd(3, 16, 10, ValueType.DOUBLE), s, LAPTOP);
    assertThat(planner().explain(plan)).contains("(100; the longest is)");
    assertThat(planner().explain(plan).lines().count()).isLessThanOrEqualTo(55);
  }

  /** 100,000 entries in 500 x 300 fibers: expected to have 1.4 entries each. */
  @Test
  void entriesOfShortFibersAreListed() {
    Job job = Job.of(RowStatement.mttkrp(3, 0, 16), ValueType.DOUBLE);
    TensorStatistics shortFibers = uniform(100_000, 500, 400, 300);
    assertThat(planner().explain(planner().plan(job, shortFibers, LAPTOP)))
        .contains("T {CU[32,16], CN[32,16], S[")
        .contains("@0,2,1");
    TensorStatistics longFibers = uniform(100_000, 500, 400, 20);
    assertThat(planner().explain(planner().plan(job, longFibers, LAPTOP)))
        .contains("T {CU[32,16], CU[32,8], CU[");
  }

  /** Fibers of 100 entries over an operand of 6.4 MB; a thread alone has no schedule. */
  @Test
  void rowsOfALargeOperandComeInTiles() {
    TensorStatistics s = uniform(400_000, 2000, 2, 50_000);
    Job job = Job.of(RowStatement.mttkrp(3, 0, 16), ValueType.DOUBLE);
    KernelPlan alone = planner().plan(job, s, LAPTOP).only().kernel();
    assertThat(alone.tensorFormat().withModeOrder(0, 1, 2))
        .isEqualTo(
            TensorFormat.parse(
                "{D:2/8192, CU:0, CU:1, CU:2%8192}", s.shape(), 400_000, ValueType.DOUBLE));
    assertThat(alone.partitionedMode()).isZero();
    KernelPlan together = planner().plan(job, s, new Resources(1, 2, 2, 1 << 30)).only().kernel();
    assertThat(together.request().schedule()).hasToString("parallel(i)");
    Planner scheduled = planner(DEFAULTS.withSchedule(Optional.of(Schedule.parse("unroll(r,2)"))));
    assertThat(scheduled.plan(job, s, LAPTOP).only().kernel().tensorFormat().isOrdinary()).isTrue();
  }

  /** A machine with 16 registers of 32 bytes, and 384 KB of cache. */
  private static MachineParameters narrowMachine() {
    return MachineParameters.defaults().withCore(512, 384 << 10, 2 << 20);
  }

  /** Sums over rows of 512 bytes take all registers; those over a quarter of the columns do not. */
  @Test
  void factorsOfManyColumnsComeInPanels() {
    TensorStatistics s = uniform(400_000, 300, 300, 8192);
    PlannerOptions options = DEFAULTS.withMachine(narrowMachine());
    Resources alone = new Resources(1, 1, 1, 1 << 30).withKernelsInTurn();
    Job job = Job.of(RowStatement.mttkrp(3, 0, 64), ValueType.DOUBLE);
    JobPlan plan = planner(options).plan(job, s, alone);
    KernelPlan kernel = plan.only().kernel();
    assertThat(kernel.panel()).isEqualTo(16);
    assertThat(kernel.panels()).isEqualTo(4);
    assertThat(kernel.resultFormat()).hasToString("{D:1/16, D:0, D:1%16}");
    assertThat(kernel.request().schedule().loopOrder()).first().isEqualTo("r/16");
    assertThat(kernel.isParallel()).isFalse();
    assertThat(kernel.copies())
        .extracting(KernelRequest::symbol)
        .containsExactly("copy_in16", "copy_out16");
    assertThat(planner(options).explain(plan)).contains("copied to panels of 16 columns");
    JobPlan together =
        planner(options).plan(job, s, new Resources(1, 2, 2, 1 << 30).withKernelsInTurn());
    assertThat(together.only().kernel().isParallel()).isTrue();
    Job odd = Job.of(RowStatement.mttkrp(3, 0, 62), ValueType.DOUBLE);
    assertThat(planner(options).plan(odd, s, alone).only().kernel().panels()).isEqualTo(4);
    Job narrow = Job.of(RowStatement.mttkrp(3, 0, 8), ValueType.DOUBLE);
    assertThat(planner(options).plan(narrow, s, alone).only().kernel().copies()).isEmpty();
    Planner scheduled = planner(options.withSchedule(Optional.of(Schedule.parallel())));
    assertThat(scheduled.plan(job, s, alone).only().kernel().copies()).isEmpty();
  }

  /** Copies of 50 MB for 400,000 entries would take longer than they save. */
  @Test
  void panelsAreNoLargerThanTheTensor() {
    TensorStatistics s = uniform(400_000, 300, 300, 100_000);
    Job job = Job.of(RowStatement.mttkrp(3, 0, 64), ValueType.DOUBLE);
    assertThat(
            planner(DEFAULTS.withMachine(narrowMachine()))
                .plan(job, s, LAPTOP)
                .only()
                .kernel()
                .copies())
        .isEmpty();
  }

  /**
   * 60 thousand reads of a large operand beside 500 thousand of a small one, not the reverse; two
   * slices that threads share have no tiles.
   */
  @Test
  void theModeOfASmallOperandIsInnermostWhereFibersAllowIt() {
    TensorStatistics s = uniform(500_000, 2, 1000, 24_000);
    KernelPlan kernel =
        planner()
            .plan(
                Job.of(RowStatement.mttkrp(3, 0, 64), ValueType.DOUBLE),
                s,
                new Resources(1, 2, 2, 1L << 30))
            .only()
            .kernel();
    assertThat(kernel.tensorFormat().modeOrder()).containsExactly(0, 2, 1);
  }

  @Test
  void plansAreValues() throws Exception {
    TensorStatistics s = uniform(50_000, 500, 40, 30);
    Job job = cpd(3, 4, 3, ValueType.FLOAT);
    JobPlan plan = planner().plan(job, s, LAPTOP);
    assertThat(planner().plan(job, s, LAPTOP).modes()).isEqualTo(plan.modes());
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(plan);
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      JobPlan copy = (JobPlan) in.readObject();
      assertThat(copy.modes()).isEqualTo(plan.modes());
      assertThat(copy.predicted()).isEqualTo(plan.predicted());
      assertThat(copy.statistics()).isEqualTo(s);
    }
  }

  @Test
  void refusesJobsThatDoNotFit() {
    TensorStatistics s = uniform(10, 5, 5);
    assertThatThrownBy(() -> only(Job.of(FiberStatement.ttv(2), ValueType.DOUBLE), s))
        .isInstanceOfSatisfying(
            WeftException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.USAGE))
        .hasMessageContaining("mode 2 does not exist in a tensor of order 2 (5 x 5)");
    assertThatThrownBy(() -> Job.of(FiberStatement.ttm(-1, 3), ValueType.DOUBLE))
        .hasMessageContaining("mode -1");
    assertThatThrownBy(() -> Job.of(RowStatement.mttkrp(2, 0, 0), ValueType.DOUBLE))
        .hasMessageContaining("rank");
    assertThatThrownBy(() -> Job.of(FiberStatement.ttv(0), ValueType.INT))
        .hasMessageContaining("double or float");
  }

  @Test
  void thisMachineIsPlausible() {
    MachineParameters machine = MachineParameters.ofThisMachine();
    assertThat(machine.registerBytes()).isBetween(256.0, 2048.0);
    assertThat(machine.cacheBytes()).isBetween(1e5, 1e8);
    assertThat(machine.sharedCacheBytes()).isBetween(0.0, 8.0 * (1 << 20));
  }

  private static long[] sizes(String text) {
    return java.util.Arrays.stream(text.split(",")).mapToLong(Long::parseLong).toArray();
  }

  private static int[] ints(String text) {
    return java.util.Arrays.stream(text.split(",")).mapToInt(Integer::parseInt).toArray();
  }
}
