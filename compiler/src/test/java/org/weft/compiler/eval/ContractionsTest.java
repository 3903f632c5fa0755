package org.weft.compiler.eval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.compiler.CompilerCase;
import org.weft.compiler.Schedule;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

class ContractionsTest extends CompilerCase {
  private final Evaluator evaluator = new Evaluator(compiler, 1);
  private final Map<String, TensorStorage> operands = new HashMap<>();
  private final Random random = new Random(7);

  ContractionsTest() {
    super(1);
  }

  private void tensor(String name, String format, double density, long... sizes) {
    TensorShape shape = TensorShape.of(sizes);
    CooBlock.Builder block = new CooBlock.Builder(sizes.length, 16);
    long cells = (long) shape.cells();
    for (long cell = absent(density); cell < cells; cell += 1 + absent(density)) {
      long rest = cell;
      long[] at = new long[sizes.length];
      for (int mode = sizes.length - 1; mode >= 0; mode--) {
        at[mode] = rest % sizes[mode];
        rest /= sizes[mode];
      }
      block.add(at, 1 + random.nextInt(4));
    }
    TensorFormat stored = TensorFormat.parse(format, sizes.length, ValueType.DOUBLE);
    operands.put(name, Packing.pack(scope, shape, stored, List.of(block.build())));
  }

  /** Cells without an entry before the next one. */
  private long absent(double density) {
    return density == 1 ? 0 : (long) (Math.log1p(-random.nextDouble()) / Math.log1p(-density));
  }

  private EvaluationPlan plan(String expression, String format, int order) {
    TensorFormat result = TensorFormat.parse(format, order, ValueType.DOUBLE);
    StatementInput input = StatementInput.of(expression, operands, result);
    EvaluationPlan plan = evaluator.plan(input);
    TensorStorage fast = evaluator.evaluate(scope, input);
    TensorStorage nest =
        evaluator.evaluate(
            scope,
            StatementInput.of(expression, dense(), TensorFormat.dense(order, ValueType.DOUBLE)));
    Map<String, Double> values = new HashMap<>();
    nest.forEachEntry((at, value) -> values.put(Arrays.toString(at), value));
    fast.forEachEntry(
        (at, value) -> assertThat(value).isEqualTo(values.remove(Arrays.toString(at))));
    assertThat(values.values()).allMatch(value -> value == 0);
    return plan;
  }

  private Map<String, TensorStorage> dense() {
    Map<String, TensorStorage> dense = new HashMap<>();
    operands.forEach(
        (name, storage) ->
            dense.put(
                name,
                evaluator.convert(
                    scope,
                    storage,
                    TensorFormat.dense(storage.shape().order(), ValueType.DOUBLE))));
    return dense;
  }

  /** A sum that has combined no entries is no number, which would store zeros in its places. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Y(k) = A(i,j) * B(j,l) * D(l,i) * c(k)   | {CU} | 1",
        "Y(k) = A(i,j) * D(j,i) * c(k)            | {CU} | 1",
        "Y(k,m) = A(i,j) * D(j,i) * C(k,m)        | CSR  | 2",
        "Y(k,m) = -2 * A(i,j) * D(j,i) * C(k,m)   | COO  | 2",
        "Y(k) = A(i,j) * D(j,i) * c(k) + c(k)     | {CU} | 1",
        "Y(k) = A(i,j) * D(j,i) * c(k) + d(k)     | {CU} | 1",
      })
  void sumsOfNothingStoreNothing(String expression, String format, int order) {
    tensor("B", "CSR", 0.1, 300, 300);
    tensor("C", "CSR", 0.1, 300, 300);
    tensor("c", "{CU}", 0.4, 9000);
    tensor("d", "{CU}", 0.001, 9000);
    for (boolean meet : new boolean[] {false, true}) {
      half("A", 0, meet ? 300 : 150, 300);
      half("D", 150, 300, 300);
      TensorFormat result = TensorFormat.parse(format, order, ValueType.DOUBLE);
      StatementInput input = StatementInput.of(expression, operands, result);
      EvaluationPlan plan = plan(expression, format, order);
      assertThat(plan.notes()).anyMatch(note -> note.contains("contraction order"));
      String last = expression.contains("+ d") ? "d" : expression.contains("C(k,m)") ? "C" : "c";
      boolean adds = expression.contains("+");
      long all =
          Objects.requireNonNull(operands.get(adds && last.equals("d") ? "d" : last))
              .storedEntries();
      long stored = evaluator.evaluate(scope, input).storedEntries();
      if (meet) {
        assertThat(stored).isGreaterThanOrEqualTo(all);
      } else {
        assertThat(stored).isEqualTo(adds ? all : 0);
      }
    }
  }

  /** A square matrix with entries in some rows, and as a second one in the columns of them. */
  private void half(String name, int from, int to, int size) {
    CooBlock.Builder block = new CooBlock.Builder(2, 16);
    for (int row = from; row < to; row++) {
      for (int n = 0; n < 30; n++) {
        int column = random.nextInt(size);
        block.add(
            name.equals("A") ? new long[] {row, column} : new long[] {column, row},
            1 + random.nextInt(4));
      }
    }
    TensorFormat csr = TensorFormat.parse("CSR", 2, ValueType.DOUBLE);
    operands.put(
        name, Packing.pack(scope, TensorShape.of(size, size), csr, List.of(block.build())));
  }

  /** In one nest, each of these would reduce a whole matrix for every row of another. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "D(i,j) = A(i,j) * (sum(k, A(i,k)) + sum(k, A(k,j)))",
        "D(i,j) = A(i,j) * abs(sum(k, C(k,j)))",
        "D(i,j) = max(A(i,j), sum(k, C(k,j)))",
      })
  void reductionsThatALoopDoesNotChangeAreComputedOnce(String expression) {
    tensor("A", "CSR", 0.2, 500, 500);
    tensor("C", "CSR", 0.2, 500, 500);
    tensor("v", "{CU}", 0.9, 500);
    assertThat(plan(expression, "CSR", 2).notes()).anyMatch(note -> note.contains(" on its own: "));
  }

  /** A column without entries has no least value: nothing is stored there. */
  @Test
  void leastValuesThatALoopDoesNotChangeAreComputedOnce() {
    tensor("A", "CSR", 0.2, 500, 500);
    tensor("v", "Dense", 1, 500);
    CooBlock.Builder evenColumns = new CooBlock.Builder(2, 16);
    for (int cell = 0; cell < 500 * 500; cell += 2 * (1 + random.nextInt(4))) {
      evenColumns.add(new long[] {cell / 500, cell % 500}, 1 + random.nextInt(4));
    }
    TensorFormat csr = TensorFormat.parse("CSR", 2, ValueType.DOUBLE);
    List<CooBlock> blocks = List.of(evenColumns.build());
    operands.put("C", Packing.pack(scope, TensorShape.of(500, 500), csr, blocks));
    StatementInput input =
        StatementInput.of("D(i,j) = A(i,j) * (v(k) @(min,first) C(k,j))", operands, csr);
    assertThat(evaluator.plan(input).notes()).anyMatch(note -> note.contains(" on its own: "));
    TensorStorage once = evaluator.evaluate(scope, input);
    TensorStorage nest =
        evaluator.evaluate(
            scope, input.withSchedule(Schedule.parallel().withLoopOrder("i", "k", "j")));
    assertThat(entries(once)).isEqualTo(entries(nest)).isNotEmpty();
  }

  /** Coordinates and values; a zero has no sign, which depends on the order of loops. */
  private static List<String> entries(TensorStorage tensor) {
    List<String> entries = new ArrayList<>();
    tensor.forEachEntry((at, value) -> entries.add(Arrays.toString(at) + (value + 0.0)));
    return entries;
  }

  /** As they are stored, loops would compare all pairs of rows, or of slices. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "C(i,k) = A(i,j) * A(k,j)       | 2 | CSR   | A_10(k,j)",
        "C(i,k) = A(i,j) * A(k,j) / 2   | 2 | CSR   | A_10(k,j)",
        "C(i,k) = B(i,j) @(min,+) B(k,j) | 2 | CSR  | B_10(k,j)",
        "C(i,k) = A(i,k) - A(i,j) * A(k,j) | 2 | CSR | A_10(k,j)",
        "C(i,j,l) = T(i,j,k) * T(l,j,k) | 3 | CSF   | T_120(",
        "C(i,l) = T(i,j,k) * T(l,j,k)   | 2 | CSR   | T_120(",
        "C(i,k) = (A(i,j) + A(j,i)) * A(k,j) | 2 | CSR | A_10(k,j)",
        "C(i,k) = (A(j,i) - A(i,j)) * A(k,j) | 2 | CSR | A_10(i,j)",
        "C(i,k) = (A(i,j) - A(j,i)) * (A(k,j) - A(j,k)) | 2 | CSR | A_10(k,j)"
      })
  void operandsOfWhichFewEntriesMeetAreTransposed(
      String expression, int order, String format, String operand) {
    tensor("A", "CSR", 0.001, 4000, 4000);
    tensor("B", "CSR", 0.1, 600, 600);
    CooBlock.Builder entries = new CooBlock.Builder(3, 16);
    for (int n = 0; n < 20_000; n++) {
      entries.add(new long[] {random.nextInt(1500), random.nextInt(300), random.nextInt(50)}, 1);
    }
    TensorFormat csf = TensorFormat.csf(3, ValueType.DOUBLE);
    List<CooBlock> blocks = List.of(entries.build());
    operands.put("T", Packing.pack(scope, TensorShape.of(1500, 300, 50), csf, blocks));
    StatementInput input =
        StatementInput.of(
            expression, operands, TensorFormat.parse(format, order, ValueType.DOUBLE));
    assertThat(evaluator.plan(input).toString()).contains(operand);
    TensorStorage fast = evaluator.evaluate(scope, input);
    String loops = expression.contains("T") ? "i,l,j,k" : "i,k,j";
    Schedule stored = Schedule.parallel().withLoopOrder(loops.split(","));
    TensorStorage slow = evaluator.evaluate(scope, input.withSchedule(stored));
    assertThat(entries(fast)).isEqualTo(entries(slow)).isNotEmpty();
  }

  /** Dense operands have a value in every cell; a sum over no cells has none. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "Y(k,j,l) = sum(j, T(j,i))",
        "Y(k,j,l) = U(k,j,l) * sum(m, T(m,i))",
        "Y(k,j,l) = U(k,j,l) * sum(i, abs(T(j,i)))",
        "Y(k,j,l) = T(j,i) * V(i,k) * W(k,l)"
      })
  void sumsOverNoCellsHaveNoValue(String expression) {
    tensor("T", "Dense", 1, 60, 0);
    tensor("U", "CSF", 0.5, 50, 60, 70);
    tensor("V", "Dense", 1, 0, 50);
    tensor("W", "Dense", 1, 50, 70);
    StatementInput input =
        StatementInput.of(expression, operands, TensorFormat.parse("CSF", 3, ValueType.DOUBLE))
            .withSizes(Map.of("k", 50L, "j", 60L, "l", 70L));
    assertThat(entries(evaluator.evaluate(scope, input))).isEmpty();
    assertThat(entries(evaluator.eager().evaluate(scope, input))).isEmpty();
  }

  @Test
  void chainsOfMatricesGoThroughTheSmallestIntermediate() {
    tensor("A", "Dense", 1, 40, 30);
    tensor("B", "Dense", 1, 30, 40);
    tensor("C", "Dense", 1, 40, 2);
    EvaluationPlan plan = plan("D(i,l) = A(i,j) * B(j,k) * C(k,l)", "Dense", 2);
    assertThat(plan.toString()).contains("(A * (B * C))");
    assertThat(plan.steps()).hasSize(2);
  }

  @Test
  void sparseChainsTakeTheSparserPairFirst() {
    tensor("A", "CSR", 0.3, 50, 50);
    tensor("B", "CSR", 0.02, 50, 50);
    tensor("C", "CSR", 0.02, 50, 50);
    EvaluationPlan plan = plan("D(i,l) = A(i,j) * B(j,k) * C(k,l)", "CSR", 2);
    assertThat(plan.toString()).contains("(A * (B * C))");
  }

  /** A and B have entries in the same two slices of j, so that their product is the large one. */
  @Test
  void slicesThatAreInUseDecideTheOrder() {
    CooBlock.Builder a = new CooBlock.Builder(2, 16);
    CooBlock.Builder b = new CooBlock.Builder(2, 16);
    for (int n = 0; n < 150; n++) {
      a.add(new long[] {n, n % 2}, 1);
      b.add(new long[] {n % 2, n}, 1);
    }
    TensorFormat format = TensorFormat.parse("CSR", 2, ValueType.DOUBLE);
    operands.put("A", Packing.pack(scope, TensorShape.of(200, 200), format, List.of(a.build())));
    operands.put("B", Packing.pack(scope, TensorShape.of(200, 200), format, List.of(b.build())));
    tensor("C", "CSR", 0.005, 200, 200);
    EvaluationPlan plan = plan("D(i,l) = A(i,j) * B(j,k) * C(k,l)", "CSR", 2);
    assertThat(plan.toString())
        .contains("(A * (B * C))")
        .contains("A(i,j) has entries in 2 of 200 slices of j\n");
  }

  /** The dense result of a sparse product that is multiplied further is packed into panels. */
  @Test
  void denseTailsOfSparseProductsArePacked() {
    tensor("S", "CSR", 0.1, 90, 80);
    tensor("A", "Dense", 1, 80, 70);
    tensor("B", "Dense", 1, 70, 60);
    EvaluationPlan plan = plan("D(i,l) = S(i,j) * A(j,k) * B(k,l)", "Dense", 2);
    assertThat(plan.steps()).hasSize(2);
    assertThat(plan.toString()).contains("in packed panels by gemm(");
  }

  /** Sums that loops do not change are computed outside these loops, or by a step of their own. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "C(i,j) = A(i,j) / sum(k, A(i,k))                     | 1",
        "C(i,j) = A(i,j) - sum(k, A(k,j))                     | 2",
        "C(i,j) = A(i,j) * (A(j,i) + SUM(A(i,j)))             | 1",
        "C(i,j) = S(i,j) * abs(sum(k, A(i,k)))                | 2",
        "C(i,j) = abs(A(i,j) - abs(sum(k, A(i,k) - SUM(A(i,j))))) | 1",
        "C(i,j) = A(i,j) / sum(k, A(i,k)) - sum(k, A(k,j))    | 2",
        "C(i,j) = S(i,j) - abs(sum(k, S(i,k)))                | 1",
        "C(i,j) = A(i,j) - abs(sum(k, A(i,k) * A(k,j)))       | 1"
      })
  void sumsThatLoopsDoNotChangeAreComputedOnce(String expression, int steps) {
    tensor("A", "Dense", 1, 60, 60);
    tensor("S", "CSR", 0.2, 60, 60);
    StatementInput input =
        StatementInput.of(expression, operands, TensorFormat.dense(2, ValueType.DOUBLE));
    assertThat(evaluator.plan(input).steps()).hasSize(steps);
    String order = expression.contains("k)") ? "order(i,j,k)" : "order(i,j)";
    StatementInput nest =
        new StatementInput(
            input.statement(),
            operands,
            input.resultFormat(),
            Map.of(),
            Optional.empty(),
            Schedule.parse(order));
    assertThat(evaluator.plan(nest).steps()).hasSize(1);
    Map<String, Double> values = new HashMap<>();
    evaluator
        .evaluate(scope, nest)
        .forEachEntry((at, value) -> values.put(Arrays.toString(at), value));
    evaluator
        .evaluate(scope, input)
        .forEachEntry(
            (at, value) ->
                assertThat(value).isCloseTo(values.remove(Arrays.toString(at)), within(1e-6)));
    assertThat(values).isEmpty();
  }

  /** The modes of a Tucker step after the first: what they contract has no absent cells. */
  @Test
  void tailsOfTuckerStepsArePacked() {
    tensor("X", "CSF", 0.02, 40, 50, 60);
    tensor("U", "Dense", 1, 60, 16);
    tensor("V", "Dense", 1, 50, 16);
    EvaluationPlan plan = plan("Y(i,r,s) = X(i,j,k) * V(j,r) * U(k,s)", "Dense", 3);
    assertThat(plan.toString()).contains("in packed panels by gemm(");
  }

  @Test
  void sampledProductsStayOneNest() {
    tensor("S", "CSR", 0.05, 40, 50);
    tensor("A", "Dense", 1, 40, 16);
    tensor("B", "Dense", 1, 16, 50);
    EvaluationPlan plan = plan("D(i,j) = S(i,j) * A(i,k) * B(k,j)", "CSR", 2);
    assertThat(plan.steps()).hasSize(1);
    assertThat(plan.notes().get(0)).startsWith("one loop nest");
  }

  @Test
  void mttkrpStaysOneNest() {
    tensor("T", "CSF", 0.05, 20, 30, 40);
    tensor("A", "Dense", 1, 30, 8);
    tensor("B", "Dense", 1, 40, 8);
    EvaluationPlan plan = plan("M(i,r) = T(i,j,k) * A(j,r) * B(k,r)", "Dense", 2);
    assertThat(plan.steps()).hasSize(1);
  }

  @Test
  void coupledClusterTermsAreFactored() {
    tensor("v", "Dense", 1, 8, 7, 6, 5);
    tensor("t2", "Dense", 1, 6, 5, 9, 7);
    tensor("t1", "Dense", 1, 6, 8);
    EvaluationPlan plan = plan("r(i,a) = v(c,d,m,n) * t2(i,n,a,d) * t1(m,c)", "Dense", 2);
    assertThat(plan.steps()).hasSizeGreaterThan(1);
    assertThat(plan.toString()).contains("(v * t1)");
  }

  @Test
  void everyTermOfASumIsPlannedAlone() {
    tensor("A", "Dense", 1, 30, 30);
    tensor("B", "CSR", 0.1, 30, 30);
    tensor("x", "Dense", 1, 30);
    EvaluationPlan plan =
        plan("y(i) = 2 * A(i,j) * B(j,k) * x(k) - B(i,j) * A(j,k) * x(k)", "Dense", 1);
    assertThat(plan.notes()).hasSize(2);
    assertThat(plan.steps()).hasSize(2);
  }
}
