package org.weft.compiler.eval;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
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

/** Formats that pad give what CSR gives: the zeros that fill them up are no entries. */
class PaddingTest {
  private static final int SIZE = 7;
  private static final List<String> FORMATS =
      List.of("BCSR(2,2)", "BCSR(3,2)", "DIA", "CDR", "{CU,D}@1,0", "ModeGeneric(1)");
  private static final List<String> STATEMENTS =
      List.of(
          "y(i) = A(i,j) @(min,first) A(i,j)",
          "y(i) = A(i,j) @(max,second) A(i,j)",
          "y(i) = A(i,j) @(+,pair) B(i,j)",
          "y(i) = A(i,j) @(min,+) x(j)",
          "y(i) = A(i,j) @(+,second) x(j)",
          "y(i) = A(i,j) * x(j)",
          "y(i) = x(i) + sum(j, A(i,j) / x(j))",
          "s = A(i,j) @(max,-) B(j,i)",
          "C(i,j) = A(i,j) @(min) B(i,j)",
          "C(i,j) = A(i,j) @(max) x(j)",
          "C(i,j) = min(A(i,j), B(j,i))",
          "C(i,j) = 2 * A(i,j) - B(j,i)",
          "C(i,j) = A(i,j) / 2",
          "C(i,k) = A(i,j) * B(j,k)",
          "C(i,j)<A(i,j)> = x(i) * x(j)",
          "C(i,j)<A(j,i)> = 3 * B(i,j)");

  /** One for all formats: what CSR gives is compiled once. */
  private static final TensorCompiler COMPILER =
      TensorCompiler.create(CompilerOptions.forThisHost().withOptimisation(1));

  private static final Map<String, Map<String, Double>> OF_CSR = new HashMap<>();

  private final MemoryScope scope = MemoryScope.root("test", MemorySource.system());
  private final Evaluator evaluator = new Evaluator(COMPILER, 2);

  @AfterEach
  void close() {
    scope.close();
  }

  @AfterAll
  static void closeCompiler() {
    COMPILER.close();
  }

  /** Square blocks are a case of others. */
  static Stream<String> formats() {
    return FORMATS.stream().skip(Boolean.getBoolean("weft.long") ? 0 : 1);
  }

  @ParameterizedTest
  @MethodSource("formats")
  void giveWhatCsrGives(String format) {
    for (String statement : STATEMENTS) {
      for (String result : results(statement, format)) {
        assertThat(value(statement, format, result))
            .as(statement + " into " + result)
            .isEqualTo(
                OF_CSR.computeIfAbsent(statement + result, key -> value(statement, "CSR", result)));
      }
    }
  }

  private static List<String> results(String statement, String format) {
    if (!statement.startsWith("C")) {
      return List.of("Dense");
    }
    boolean isLong = Boolean.getBoolean("weft.long");
    return isLong ? List.of("CSR", "Dense", format) : List.of("CSR", format);
  }

  /** A zero that was written is lost among those that fill up; CSR keeps it. */
  @Test
  void writtenZerosAreNoEntries() {
    for (String format : FORMATS) {
      TensorStorage a = matrix(format, new long[][] {{0, 0, 3}, {0, 1, 0}, {5, 5, 0}});
      assertThat(entries(run("C(i,j) = A(i,j)", Map.of("A", a), "CSR")))
          .hasToString("{[0, 0]=3.0}");
    }
    TensorStorage a = matrix("CSR", new long[][] {{0, 0, 3}, {0, 1, 0}});
    assertThat(entries(run("C(i,j) = A(i,j)", Map.of("A", a), "CSR"))).hasSize(2);
  }

  /** A sum into a full result reads the blocks as they are. */
  @Test
  void sumsIntoFullResultsConvertNothing() {
    TensorStorage a = matrix("BCSR(2,2)", new long[][] {{0, 0, 3}, {5, 5, 2}});
    StatementInput input =
        StatementInput.of("y(i) = A(i,j) * A(i,j)", Map.of("A", a), format("Dense", 1));
    assertThat(evaluator.plan(input).steps())
        .singleElement()
        .isInstanceOf(EvaluationStep.Compute.class);
  }

  private Map<String, Double> value(String statement, String format, String result) {
    Random random = new Random(7);
    Map<String, TensorStorage> operands = new TreeMap<>();
    TensorStorage a = matrix(format, entries(random));
    TensorStorage b = matrix(format, entries(random));
    TensorStorage x = TensorStorage.dense(scope, TensorShape.of(SIZE), ValueType.DOUBLE);
    for (int i = 0; i < SIZE; i++) {
      x.vals().setDouble(i, i - 2.5);
    }
    operands.put("A", a);
    if (statement.contains("B(")) {
      operands.put("B", b);
    }
    if (statement.contains("x(")) {
      operands.put("x", x);
    }
    return entries(run(statement, operands, result));
  }

  private static long[][] entries(Random random) {
    List<long[]> entries = new ArrayList<>();
    for (int i = 0; i < SIZE; i++) {
      for (int j = 0; j < SIZE; j++) {
        if (i != 3 && random.nextInt(4) == 0) {
          entries.add(new long[] {i, j, 1 + random.nextInt(9)});
        }
      }
    }
    return entries.toArray(long[][]::new);
  }

  private TensorStorage run(String statement, Map<String, TensorStorage> operands, String result) {
    int order = statement.startsWith("C") ? 2 : statement.startsWith("y") ? 1 : 0;
    TensorStorage value =
        evaluator.evaluate(scope, StatementInput.of(statement, operands, format(result, order)));
    return evaluator.inModeOrder(scope, value);
  }

  private TensorStorage matrix(String format, long[][] entries) {
    CooBlock.Builder block = new CooBlock.Builder(2, 4);
    for (long[] entry : entries) {
      block.add(new long[] {entry[0], entry[1]}, entry[2]);
    }
    return Packing.pack(
        scope, TensorShape.of(SIZE, SIZE), format(format, 2), List.of(block.build()));
  }

  private static TensorFormat format(String text, int order) {
    return TensorFormat.parse(text, order, ValueType.DOUBLE);
  }

  private static Map<String, Double> entries(TensorStorage storage) {
    Map<String, Double> entries = new TreeMap<>();
    storage.forEachEntry((at, value) -> entries.put(Arrays.toString(at), value + 0.0));
    return entries;
  }
}
