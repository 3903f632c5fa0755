package org.weft.compiler.eval;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
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

/** Statements over formats that need conversions before or after: never refused, never wrong. */
class StructuredOperandsTest {
  private static final List<String> FORMATS =
      List.of(
          "CSR",
          "CSC",
          "COO",
          "ELL",
          "DIA",
          "BCSR(2,3)",
          "BCSR(2,2)@1,0",
          "CSB(2,2)",
          "HashMatrix",
          "{D, B}",
          "{CU, CU?o}",
          "ModeGeneric(1)",
          "Dense");

  private final MemoryScope scope = MemoryScope.root("test", MemorySource.system());
  private final TensorCompiler compiler =
      TensorCompiler.create(CompilerOptions.forThisHost().withOptimisation(0));

  @AfterEach
  void close() {
    scope.close();
    compiler.close();
  }

  private static Map<List<Long>, Double> cells(TensorStorage storage) {
    Map<List<Long>, Double> cells = new HashMap<>();
    storage.forEachEntry(
        (at, value) -> {
          if (value != 0) {
            cells.put(List.of(at[0], at[1]), value);
          }
        });
    return cells;
  }

  private TensorStorage matrix(Random random, TensorShape shape, String format) {
    CooBlock.Builder block = new CooBlock.Builder(2, 16);
    for (long i = 0; i < shape.size(0); i++) {
      for (long j = 0; j < shape.size(1); j++) {
        if (random.nextInt(3) == 0) {
          block.add(new long[] {i, j}, 1 + random.nextInt(9));
        }
      }
    }
    TensorFormat parsed = TensorFormat.parse(format, 2, ValueType.DOUBLE);
    return Packing.pack(scope, shape, parsed, List.of(block.build()));
  }

  /** The value of cell (i, j) of {@code expression} by hand. */
  private static double expected(
      String expression, Map<List<Long>, Double> a, Map<List<Long>, Double> b, long i, long j) {
    double left = a.getOrDefault(List.of(i, j), 0.0);
    double right = b.getOrDefault(List.of(i, j), 0.0);
    if (expression.contains("+")) {
      return left + right;
    } else if (expression.contains("B(i,j)")) {
      return left * right;
    }
    double sum = 0;
    for (long k = 0; k < 7; k++) {
      sum += a.getOrDefault(List.of(i, k), 0.0) * b.getOrDefault(List.of(k, j), 0.0);
    }
    return sum;
  }

  @Test
  void anyPairOfFormatsIntoAnyFormat() {
    Random random = new Random(17);
    TensorShape shape = TensorShape.of(7, 7);
    Evaluator evaluator = new Evaluator(compiler, 1);
    List<String> errors = new ArrayList<>();
    int cases = Integer.getInteger("weft.cases", 80);
    for (int number = 0; number < cases; number++) {
      String expression =
          List.of(
                  "C(i,j) = A(i,j) + B(i,j)",
                  "C(i,j) = A(i,j) .* B(i,j)",
                  "C(i,j) = A(i,k) * B(k,j)")
              .get(number % 3);
      String left = FORMATS.get(random.nextInt(FORMATS.size()));
      String right = FORMATS.get(random.nextInt(FORMATS.size()));
      String result = FORMATS.get(random.nextInt(FORMATS.size()));
      String what = expression + " of " + left + " and " + right + " into " + result;
      try (TensorStorage a = matrix(random, shape, left);
          TensorStorage b = matrix(random, shape, right);
          TensorStorage c =
              evaluator.evaluate(
                  scope,
                  StatementInput.of(
                      expression,
                      Map.of("A", a, "B", b),
                      TensorFormat.parse(result, 2, ValueType.DOUBLE)))) {
        Map<List<Long>, Double> wanted = new TreeMap<>(StructuredOperandsTest::compare);
        Map<List<Long>, Double> found = new TreeMap<>(StructuredOperandsTest::compare);
        found.putAll(cells(c));
        for (long i = 0; i < 7; i++) {
          for (long j = 0; j < 7; j++) {
            double value = expected(expression, cells(a), cells(b), i, j);
            if (value != 0) {
              wanted.put(List.of(i, j), value);
            }
          }
        }
        if (!found.equals(wanted)) {
          errors.add(what + ": expected " + wanted + ", found " + found);
        }
      } catch (RuntimeException e) {
        StackTraceElement[] at = e.getStackTrace();
        errors.add(what + ": " + e + " at " + at[0] + " " + at[1] + " " + at[2]);
      }
    }
    assertThat(errors).isEmpty();
  }

  private static int compare(List<Long> a, List<Long> b) {
    int first = Long.compare(a.get(0), b.get(0));
    return first != 0 ? first : Long.compare(a.get(1), b.get(1));
  }
}
