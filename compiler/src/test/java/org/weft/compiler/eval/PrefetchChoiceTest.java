package org.weft.compiler.eval;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;
import org.weft.compiler.CompilerCase;
import org.weft.compiler.Schedule;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/** Which statements ask for rows before they need them: where the rows are far and scattered. */
class PrefetchChoiceTest extends CompilerCase {
  private static final String SPMV = "y(i) = A(i,j) * x(j)";
  private static final int ENTRIES = 300_000;
  private static final int LONG = 700_000;

  private final Evaluator evaluator = new Evaluator(compiler, 2);
  private final Random random = new Random(7);

  /** Three entries a row, whose columns {@code column} chooses by row. */
  private TensorStorage matrix(String format, long columns, LongUnaryOperator column) {
    CooBlock.Builder block = new CooBlock.Builder(2, ENTRIES);
    for (int entry = 0; entry < ENTRIES; entry++) {
      long row = entry / 3;
      block.add(new long[] {row, Math.min(columns - 1, column.applyAsLong(row))}, 1);
    }
    TensorShape shape = TensorShape.of(ENTRIES / 3, columns);
    TensorFormat stored =
        format.startsWith("{")
            ? TensorFormat.parse(format, 2, ValueType.DOUBLE)
            : TensorFormat.parse(format, shape, ENTRIES, ValueType.DOUBLE);
    return Packing.pack(scope, shape, stored, List.of(block.build()));
  }

  private TensorStorage ones(long... sizes) {
    TensorStorage ones = TensorStorage.dense(scope, TensorShape.of(sizes), ValueType.DOUBLE);
    for (long p = 0; p < ones.vals().length(); p++) {
      ones.vals().setDouble(p, 1);
    }
    return ones;
  }

  private static StatementInput spmv(TensorStorage a, TensorStorage x) {
    return StatementInput.of(SPMV, Map.of("A", a, "x", x), TensorFormat.dense(1, ValueType.DOUBLE));
  }

  private TensorStorage scattered(String format) {
    return matrix(format, LONG, row -> random.nextLong(LONG));
  }

  @Test
  void scatteredColumnsOfALongVector() {
    StatementInput input = spmv(scattered("CSR"), ones(LONG));
    EvaluationPlan plan = evaluator.plan(input);
    assertThat(plan.toString())
        .containsPattern(
            "prefetch\\(j:64\\): \\d\\d % of the coordinates of A ask for rows of x, 5 MiB, that are"
                + " not near");
    assertThat(((EvaluationStep.Compute) plan.steps().get(0)).schedule())
        .isEqualTo(Schedule.parse("parallel prefetch(j:64)"));
    TensorStorage result = evaluator.evaluate(scope, input);
    TensorStorage without =
        evaluator.evaluate(scope, input.withSchedule(Schedule.parse("order(i,j)")));
    for (long i = 0; i < without.vals().length(); i++) {
      assertThat(result.vals().getDouble(i)).isEqualTo(without.vals().getDouble(i));
    }
  }

  @Test
  void scatteredEntriesOfAList() {
    assertThat(evaluator.plan(spmv(scattered("COO"), ones(LONG))).toString())
        .contains("prefetch(j:64)");
  }

  @Test
  void longRowsAreAskedForLessFarAhead() {
    TensorStorage a = matrix("CSR", 50_000, row -> random.nextLong(50_000));
    StatementInput input =
        StatementInput.of(
            "Y(i,k) = A(i,j) * X(j,k)",
            Map.of("A", a, "X", ones(50_000, 32)),
            TensorFormat.dense(2, ValueType.DOUBLE));
    assertThat(evaluator.plan(input).toString()).contains("prefetch(j:8)");
  }

  @Test
  void fibersOfALargeStoredMatrix() {
    TensorStorage a = matrix("CSR", ENTRIES / 3, row -> random.nextLong(ENTRIES / 3));
    TensorStorage b = matrix("{D, CU[64,64]}", LONG, row -> random.nextLong(LONG));
    StatementInput input =
        StatementInput.of(
            "C(i,j) = A(i,k) * B(k,j)",
            Map.of("A", a, "B", b),
            TensorFormat.parse("{D, CU[64,32]}", 2, ValueType.DOUBLE));
    assertThat(evaluator.plan(input).toString())
        .containsPattern("prefetch\\(k:10\\): .* of A ask for rows of B, 5 MiB");
    assertThat(evaluator.plan(input.withResultFormat(TensorFormat.dense(2, ValueType.DOUBLE))))
        .asString()
        .contains("prefetch(k:10)");
    TensorStorage near = matrix("CSR", ENTRIES / 3, row -> row);
    StatementInput banded =
        StatementInput.of(
            "C(i,j) = A(i,k) * B(k,j)", Map.of("A", near, "B", b), input.resultFormat());
    assertThat(evaluator.plan(banded).toString()).doesNotContain("prefetch");
  }

  @Test
  void notForColumnsNearTheDiagonal() {
    long apart = LONG / (ENTRIES / 3);
    TensorStorage banded = matrix("CSR", LONG, row -> row * apart + random.nextLong(100));
    assertThat(evaluator.plan(spmv(banded, ones(LONG))).toString()).doesNotContain("prefetch");
  }

  @Test
  void notForAShortVector() {
    TensorStorage a = matrix("CSR", 100_000, row -> random.nextLong(100_000));
    assertThat(evaluator.plan(spmv(a, ones(100_000))).toString()).doesNotContain("prefetch");
  }

  @Test
  void notWhereTheScheduleIsGiven() {
    StatementInput given =
        spmv(scattered("CSR"), ones(LONG)).withSchedule(Schedule.parse("order(i,j) parallel"));
    assertThat(evaluator.plan(given).toString()).doesNotContain("prefetch");
  }
}
