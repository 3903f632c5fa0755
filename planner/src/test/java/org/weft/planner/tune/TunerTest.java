package org.weft.planner.tune;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.Schedule;
import org.weft.compiler.TensorCompiler;
import org.weft.compiler.eval.Evaluator;
import org.weft.compiler.eval.StatementInput;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.planner.machine.MachineParameters;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

class TunerTest {
  private final MemoryScope scope = MemoryScope.root("tune", MemorySource.system());
  private final TensorCompiler compiler = TensorCompiler.create(CompilerOptions.forThisHost());
  @TempDir Path folder;

  @AfterEach
  void close() {
    compiler.close();
    scope.close();
  }

  private TensorStorage random(String format, int entries, long... sizes) {
    Random random = new Random(7);
    CooBlock.Builder builder = new CooBlock.Builder(sizes.length, entries);
    long[] at = new long[sizes.length];
    for (int e = 0; e < entries; e++) {
      for (int mode = 0; mode < at.length; mode++) {
        at[mode] = random.nextInt((int) sizes[mode]);
      }
      builder.add(at, random.nextDouble());
    }
    TensorShape shape = TensorShape.of(sizes);
    TensorFormat parsed = TensorFormat.parse(format, sizes.length, ValueType.DOUBLE);
    return Packing.pack(scope, shape, parsed, List.of(builder.build()));
  }

  private TuningTask spmv(String matrix, String vector, Set<String> fixed) {
    return new TuningTask(
        "y(i) = " + matrix + "(i,j) * " + vector + "(j)",
        Map.of(matrix, random("CSR", 2000, 300, 200), vector, random("Dense", 200, 200)),
        fixed,
        TensorFormat.dense(1, ValueType.DOUBLE),
        Map.of(),
        2);
  }

  private TuningResult tune(TuningTask task, int trials) {
    return new Tuner(compiler, MachineParameters.defaults(), line -> {}).tune(scope, task, trials);
  }

  @Test
  void variantsAreVerifiedTimedAndListed() {
    TuningResult result = tune(spmv("A", "x", Set.of()), 12);
    assertThat(result.trials()).hasSizeBetween(5, 12);
    assertThat(result.trials().stream().filter(TuningResult.Trial::untuned)).hasSize(1);
    assertThat(result.untuned().variant().schedule()).isEqualTo(Schedule.parallel());
    assertThat(result.enumerated())
        .isEqualTo(result.illegal() + result.pruned() + result.trials().size());
    assertThat(result.winner().medianSeconds())
        .isLessThanOrEqualTo(result.untuned().medianSeconds());
    assertThat(result.untuned().timings().runs()).isEqualTo(14);
    assertThat(result.trials().stream().map(t -> t.variant().formats().get("A")).distinct())
        .hasSizeGreaterThan(2);
    assertThat(result.table())
        .contains("median ms", "quartiles ms", "model ms", "(without tuning)")
        .hasLineCount(result.trials().size() + 2);
  }

  /** Rows of X for all columns are more than the cache of this machine, those of a tile half. */
  @Test
  void tilesAreExpectedToPayWhereRowsOfADenseOperandExceedTheCache() {
    TuningTask task =
        new TuningTask(
            "Y(i,r) = A(i,k) * X(k,r)",
            Map.of(
                "A", random("CSR", 60_000, 900, 2000),
                "X", random("Dense", 16 * 2000, 2000, 16)),
            Set.of(),
            TensorFormat.dense(2, ValueType.DOUBLE),
            Map.of(),
            1);
    MachineParameters machine = MachineParameters.defaults().withCore(512, 1 << 17, 1 << 20);
    TuningResult result = new Tuner(compiler, machine, line -> {}).tune(scope, task, 12);
    TensorFormat tiles =
        TensorFormat.parse("{D:0/512, D:1/512, D:0%512, CU[16,16]:1%512}", 2, ValueType.DOUBLE);
    double best =
        result.trials().stream()
            .mapToDouble(TuningResult.Trial::predictedSeconds)
            .min()
            .orElseThrow();
    assertThat(result.trials())
        .filteredOn(trial -> trial.variant().formats().get("A").equals(tiles))
        .anySatisfy(trial -> assertThat(trial.predictedSeconds()).isEqualTo(best));
  }

  /** A row merged with all of a sparse vector, in every row; columns take one pass over it. */
  @Test
  void mergesOfARowWithALongVectorArePredictedToBeBad() {
    TuningTask task =
        new TuningTask(
            "y(i) = A(i,j) * x(j)",
            Map.of("A", random("CSR", 9000, 3000, 3000), "x", random("{CU}", 3000, 3000)),
            Set.of(),
            TensorFormat.dense(1, ValueType.DOUBLE),
            Map.of(),
            1);
    TuningResult result = tune(task, 8);
    double best =
        result.trials().stream()
            .mapToDouble(TuningResult.Trial::predictedSeconds)
            .min()
            .orElseThrow();
    assertThat(result.untuned().predictedSeconds()).isGreaterThan(20 * best);
    assertThat(result.trials())
        .filteredOn(trial -> trial.predictedSeconds() < 2 * best)
        .isNotEmpty()
        .allSatisfy(
            trial ->
                assertThat(trial.variant().formats().get("A").modeOrder())
                    .as("mode order of %s", trial.variant())
                    .isEqualTo(new int[] {1, 0}));
  }

  /** Formats whose roots count slots or diagonals, how many nobody knows before packing. */
  @ParameterizedTest
  @ValueSource(strings = {"ELL", "DIA", "BCSR(2,2)", "CSB(4,4)"})
  void structuredOperandsAreTuned(String format) {
    TuningTask task =
        new TuningTask(
            "y(i) = A(i,j) * x(j)",
            Map.of("A", random(format, 500, 60, 60), "x", random("Dense", 60, 60)),
            Set.of("A"),
            TensorFormat.dense(1, ValueType.DOUBLE),
            Map.of(),
            2);
    TuningResult result = tune(task, 4);
    assertThat(result.trials())
        .allSatisfy(trial -> assertThat(trial.predictedSeconds()).isFinite().isPositive());
  }

  @Test
  void winnersServeTheWholeClass() throws IOException {
    TuningTask task = spmv("A", "x", Set.of());
    TuningResult result = faster(task, Schedule.sequential());
    TunedStore store = new TunedStore(folder);
    assertThat(store.find(task)).isEmpty();
    assertThat(store.store(task, result).orElseThrow()).exists();

    TunedStore.Tuned tuned = store.find(spmv("Matrix", "v", Set.of())).orElseThrow();
    assertThat(tuned.schedule()).isEqualTo(result.winner().variant().schedule());
    assertThat(tuned.formats().get("Matrix"))
        .isEqualTo(result.winner().variant().formats().get("A"));
    assertThat(store.find(spmv("A", "x", Set.of("A")))).isEmpty();
  }

  /** A result whose variant with {@code schedule} is clearly faster. */
  private static TuningResult faster(TuningTask task, Schedule schedule) {
    Map<String, TensorFormat> formats = new HashMap<>();
    task.operands().forEach((name, operand) -> formats.put(name, operand.format()));
    return result(
        task,
        trial(new Variant(formats, schedule), false, 1.0, 1.1, 1.2, 1.1, 1.0),
        trial(new Variant(formats, Schedule.parallel()), true, 2.0, 2.1, 2.0, 3.0, 2.0));
  }

  private static TuningResult.Trial trial(Variant variant, boolean untuned, Double... seconds) {
    return new TuningResult.Trial(variant, untuned, 1, new Timings(List.of(seconds)));
  }

  private static TuningResult result(TuningTask task, TuningResult.Trial... trials) {
    return new TuningResult(task.expression(), List.of(trials), trials.length, 0, 0);
  }

  /** What an earlier search kept must not outlive one that found nothing. */
  @Test
  void whatIsNotClearlyFasterIsNotKept() throws IOException {
    TuningTask task = spmv("A", "x", Set.of());
    TunedStore store = new TunedStore(folder);
    store.store(task, faster(task, Schedule.sequential()));
    Variant untuned = faster(task, Schedule.sequential()).untuned().variant();
    Variant other = faster(task, Schedule.sequential()).winner().variant();
    TuningResult noise =
        result(
            task,
            trial(other, false, 1.0, 1.0, 1.0, 1.0, 1.0),
            trial(untuned, true, 2.0, 2.0, 0.9, 2.0, 2.0));
    assertThat(noise.winner()).isEqualTo(noise.untuned());
    assertThat(noise.verdict()).contains("no variant is clearly faster");
    assertThat(store.store(task, noise)).isEmpty();
    assertThat(store.find(task)).isEmpty();
  }

  @Test
  void winnersOfAnotherMachineAreMarkedAndMeasuredAgain() throws IOException {
    TuningTask task = spmv("A", "x", Set.of());
    new TunedStore(folder, "a faster machine").store(task, faster(task, Schedule.sequential()));
    TunedStore.Tuned tuned = new TunedStore(folder).find(task).orElseThrow();
    assertThat(tuned.measuredHere()).isFalse();
    assertThat(tuned.machine()).isEqualTo("a faster machine");
    assertThat(new TunedStore(folder, "a faster machine").find(task).orElseThrow().measuredHere())
        .isTrue();
    Variant variant = new Variant(tuned.formats(), tuned.schedule());
    TuningResult again =
        new Tuner(compiler, MachineParameters.defaults(), line -> {})
            .compare(scope, task, variant)
            .orElseThrow();
    assertThat(again.trials()).hasSize(2);
    assertThat(again.trials()).extracting(t -> t.variant().schedule()).contains(tuned.schedule());
  }

  @Test
  void linesOfProgressAndTheTableCountAlike() {
    List<String> lines = new ArrayList<>();
    TuningResult result =
        new Tuner(compiler, MachineParameters.defaults(), lines::add)
            .tune(scope, spmv("A", "x", Set.of("A")), 4);
    String counts = result.table().lines().findFirst().orElseThrow();
    assertThat(counts).endsWith(", 4 timed and verified");
    assertThat(lines.get(1)).isEqualTo(counts.replace(", 4 timed and verified", ", timing 4"));
    assertThat(lines).filteredOn(line -> line.startsWith("variant ")).hasSize(4);
  }

  @Test
  void labelsOfASchedulesAreTranslated() throws IOException {
    TuningTask task = spmv("A", "x", Set.of("A"));
    TuningResult result =
        faster(task, Schedule.parse("order(i,j) split(i:position:64) parallel(i) unroll(j,4)"));
    TunedStore store = new TunedStore(folder);
    store.store(task, result);
    TuningTask other =
        new TuningTask(
            "z(row) = A(row,c) * x(c)",
            task.operands(),
            Set.of("A"),
            task.resultFormat(),
            Map.of(),
            2);
    assertThat(store.find(other).orElseThrow().schedule())
        .hasToString("order(row,c) split(row:position:64) parallel(row) unroll(c,4)");
  }

  @Test
  void tunedAnswersEqualUntunedOnes() {
    TuningTask task =
        new TuningTask(
            "M(i,r) = T(i,j,k) * C(j,r) * D(k,r)",
            Map.of(
                "T", random("CSF", 3000, 40, 30, 20),
                "C", random("Dense", 30 * 4, 30, 4),
                "D", random("Dense", 20 * 4, 20, 4)),
            Set.of(),
            TensorFormat.dense(2, ValueType.DOUBLE),
            Map.of(),
            2);
    Variant winner = tune(task, 8).winner().variant();
    Evaluator evaluator = new Evaluator(compiler, 2);
    StatementInput input =
        StatementInput.of(task.expression(), task.operands(), task.resultFormat());
    TensorStorage plain = evaluator.evaluate(scope, input);
    TensorStorage tuned =
        evaluator.evaluate(
            scope,
            StatementInput.of(
                    task.expression(),
                    Map.of(
                        "T",
                        evaluator.convert(
                            scope, task.operands().get("T"), winner.formats().get("T")),
                        "C",
                        task.operands().get("C"),
                        "D",
                        task.operands().get("D")),
                    task.resultFormat())
                .withSchedule(winner.schedule()));
    CooBlock expected = Packing.unpack(plain);
    CooBlock found = Packing.unpack(tuned);
    for (int e = 0; e < expected.size(); e++) {
      assertThat(found.value(e))
          .isCloseTo(expected.value(e), org.assertj.core.data.Offset.offset(1e-9));
    }
  }

  /** A sparse result would store the zeros that fill up blocks, diagonals and fibers. */
  @ParameterizedTest
  @ValueSource(strings = {"BCSR(2,2)", "DIA"})
  void operandsWhoseZerosWouldShowNeedAConversion(String format) {
    TensorFormat csr = TensorFormat.parse("CSR", 2, ValueType.DOUBLE);
    TuningTask task =
        new TuningTask(
            "C(i,k) = A(i,j) * B(j,k)",
            Map.of("A", random(format, 30, 16, 16), "B", random("CSR", 30, 16, 16)),
            Set.of("A"),
            csr,
            Map.of(),
            1);
    assertThatExceptionOfType(WeftException.class)
        .isThrownBy(() -> tune(task, 4))
        .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED_OPERATION))
        .withMessageContaining("needs conversions first");
  }

  @Test
  void accumulationsAreRefused() {
    TuningTask task = spmv("A", "x", Set.of());
    TuningTask adds =
        new TuningTask(
            "y(i) += A(i,j) * x(j)", task.operands(), Set.of(), task.resultFormat(), Map.of(), 1);
    assertThatExceptionOfType(WeftException.class)
        .isThrownBy(() -> tune(adds, 4))
        .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED_OPERATION));
  }
}
