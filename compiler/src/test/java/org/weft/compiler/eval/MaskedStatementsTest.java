package org.weft.compiler.eval;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.TensorCompiler;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/** Masks and accumulation as the evaluator runs them: conversions, previous values, strategies. */
class MaskedStatementsTest {
  private static final int SIZE = 40;

  @AutoClose
  private static final TensorCompiler COMPILER =
      TensorCompiler.create(
          CompilerOptions.forThisHost().withOptimisation(Boolean.getBoolean("weft.long") ? 3 : 1));

  private static double[][] sample(Random random, double density) {
    double[][] cells = new double[SIZE][SIZE];
    for (double[] row : cells) {
      for (int j = 0; j < SIZE; j++) {
        row[j] = random.nextDouble() < density ? 1 + random.nextInt(9) : 0;
      }
    }
    return cells;
  }

  private static TensorStorage pack(MemoryScope scope, String format, double[][] cells) {
    CooBlock.Builder block = new CooBlock.Builder(2, 64);
    for (int i = 0; i < SIZE; i++) {
      for (int j = 0; j < SIZE; j++) {
        if (cells[i][j] != 0) {
          block.add(new long[] {i, j}, cells[i][j]);
        }
      }
    }
    return Packing.pack(
        scope,
        TensorShape.of(SIZE, SIZE),
        TensorFormat.parse(format, 2, ValueType.DOUBLE),
        List.of(block.build()));
  }

  private static Map<String, Double> entries(TensorStorage storage) {
    Map<String, Double> entries = new TreeMap<>();
    storage.forEachEntry((at, value) -> entries.put(at[0] + "," + at[1], value));
    return entries;
  }

  private static Map<String, Double> expected(
      double[][] a, double[][] b, double[][] mask, double[][] old) {
    Map<String, Double> entries = new TreeMap<>();
    for (int i = 0; i < SIZE; i++) {
      for (int k = 0; k < SIZE; k++) {
        double sum = old[i][k];
        boolean present = sum != 0;
        for (int j = 0; j < SIZE && mask[i][k] != 0; j++) {
          present |= a[i][j] != 0 && b[j][k] != 0;
          sum += a[i][j] * b[j][k];
        }
        if (present) {
          entries.put(i + "," + k, sum);
        }
      }
    }
    return entries;
  }

  @Test
  void everyStrategyInEveryFormatGivesTheSame() {
    Random random = new Random(3);
    double[][] a = sample(random, 0.1);
    double[][] b = sample(random, 0.1);
    double[][] m = sample(random, 0.2);
    double[][] none = new double[SIZE][SIZE];
    double[][] old = sample(random, 0.1);
    for (String strategy : List.of("push", "pull", "auto")) {
      for (String formats :
          List.of(
              "CSR CSR CSR CSR",
              "CSR CSC CSR Dense",
              "CSC CSR COO CSR",
              "COO DCSR CSC COO",
              "Dense CSR CSR CSC",
              "CSR Dense DCSR CSR")) {
        for (String assign : List.of("=", "+=")) {
          String text = "C(i,k)<M, " + strategy + "> " + assign + " A(i,j) * B(j,k)";
          String[] f = formats.split(" ");
          MemoryScope scope = MemoryScope.root("masks", MemorySource.system());
          try {
            Map<String, TensorStorage> operands =
                Map.of(
                    "A",
                    pack(scope, f[0], a),
                    "B",
                    pack(scope, f[1], b),
                    "M",
                    pack(scope, f[2], m));
            TensorFormat format = TensorFormat.parse(f[3], 2, ValueType.DOUBLE);
            StatementInput input = StatementInput.of(text, operands, format);
            boolean adds = assign.equals("+=");
            input = adds ? input.withPrevious(pack(scope, f[3], old)) : input;
            Map<String, Double> result = entries(new Evaluator(COMPILER, 2).evaluate(scope, input));
            if (formats.contains("Dense")) {
              result.values().removeIf(value -> value == 0);
            }
            assertThat(result)
                .as(text + " in " + formats)
                .isEqualTo(expected(a, b, m, adds ? old : none));
          } finally {
            scope.close();
          }
        }
      }
    }
  }

  @Test
  void theStrategyFollowsTheNumberOfEntries() {
    Random random = new Random(5);
    MemoryScope scope = MemoryScope.root("masks", MemorySource.system());
    try {
      TensorStorage dense = scattered(scope, "CSR", 400, 200, random);
      TensorStorage half = scattered(scope, "CSR", 400, 100, random);
      TensorStorage thin = scattered(scope, "CSR", 400, 1, random);
      TensorFormat format = TensorFormat.parse("CSR", 2, ValueType.DOUBLE);
      String text = "C(i,k)<M> = A(i,j) * B(j,k)";
      String few =
          new Evaluator(COMPILER, 1)
              .plan(StatementInput.of(text, Map.of("A", dense, "B", dense, "M", thin), format))
              .toString();
      assertThat(few).as("a thin mask pulls, although B is transposed for it").contains("B_10");
      String many =
          new Evaluator(COMPILER, 1)
              .plan(StatementInput.of(text, Map.of("A", half, "B", half, "M", dense), format))
              .toString();
      assertThat(many).as("a thick mask pushes").doesNotContain("B_10");
    } finally {
      scope.close();
    }
  }

  /** All rows of A meet the one long row of B: to push would compute a full matrix. */
  @Test
  void theStrategyKnowsLongSlices() {
    int size = 1000;
    Random random = new Random(11);
    MemoryScope scope = MemoryScope.root("masks", MemorySource.system());
    try {
      CooBlock.Builder a = new CooBlock.Builder(2, 64);
      CooBlock.Builder b = new CooBlock.Builder(2, 64);
      for (int i = 0; i < size; i++) {
        a.add(new long[] {i, 0}, 1);
        a.add(new long[] {i, 1 + random.nextInt(size - 1)}, 1);
        b.add(new long[] {0, i}, 1);
        b.add(new long[] {i, random.nextInt(size)}, 1);
      }
      TensorShape shape = TensorShape.of(size, size);
      TensorFormat csr = TensorFormat.parse("CSR", 2, ValueType.DOUBLE);
      Map<String, TensorStorage> operands =
          Map.of(
              "A", Packing.pack(scope, shape, csr, List.of(a.build())),
              "B", Packing.pack(scope, shape, csr, List.of(b.build())),
              "M", scattered(scope, "CSR", size, 20, random));
      String plan =
          new Evaluator(COMPILER, 1)
              .plan(StatementInput.of("C(i,k)<M> = A(i,j) * B(j,k)", operands, csr))
              .toString();
      assertThat(plan).contains("B_10");
    } finally {
      scope.close();
    }
  }

  /**
   * However the operands are stored, the outermost loop is over a label of the mask: no workspace
   * collects the whole product first.
   */
  @ParameterizedTest
  @ValueSource(strings = {"CSR CSR CSR", "CSR CSC CSR", "CSC CSR CSC", "DCSR DCSC CSR"})
  void productsOutsideTheMaskAreNotCollected(String formats) {
    int size = 1500;
    Random random = new Random(7);
    MemoryScope scope = MemoryScope.root("masks", MemorySource.system());
    try {
      String[] f = formats.split(" ");
      Map<String, TensorStorage> operands =
          Map.of(
              "A", scattered(scope, f[0], size, 20, random),
              "B", scattered(scope, f[1], size, 20, random),
              "M", scattered(scope, f[2], size, 20, random));
      TensorFormat format = TensorFormat.parse("CSR", 2, ValueType.DOUBLE);
      for (String mask : List.of("M(i,k)", "M(k,i)")) {
        for (String left : List.of("A(i,j)", "A(j,i)")) {
          for (String right : List.of("B(j,k)", "B(k,j)")) {
            String text = "C(i,k)<" + mask + "> = " + left + " * " + right;
            StatementInput input = StatementInput.of(text, operands, format);
            for (EvaluationStep step : new Evaluator(COMPILER, 1).plan(input).steps()) {
              if (step instanceof EvaluationStep.Compute compute) {
                assertThat(compute.kernel().stages().get("iterationGraph"))
                    .as("%s in %s", text, formats)
                    .containsPattern("loops: [ik], ");
              }
            }
          }
        }
      }
    } finally {
      scope.close();
    }
  }

  private static TensorStorage scattered(
      MemoryScope scope, String format, int size, int ofRow, Random random) {
    CooBlock.Builder block = new CooBlock.Builder(2, 64);
    int apart = size / ofRow;
    for (int i = 0; i < size; i++) {
      for (int n = 0; n < ofRow; n++) {
        block.add(new long[] {i, n * apart + random.nextInt(apart)}, 1 + n);
      }
    }
    return Packing.pack(
        scope,
        TensorShape.of(size, size),
        TensorFormat.parse(format, 2, ValueType.DOUBLE),
        List.of(block.build()));
  }
}
