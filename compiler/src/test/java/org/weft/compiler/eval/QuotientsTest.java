package org.weft.compiler.eval;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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

/** A quotient has entries where the dividend has; the divisor is 0 where it is not stored. */
class QuotientsTest {
  @AutoClose
  private static final TensorCompiler COMPILER =
      TensorCompiler.create(CompilerOptions.forThisHost().withOptimisation(1));

  private final MemoryScope scope = MemoryScope.root("quotients", MemorySource.system());

  @AfterEach
  void close() {
    scope.close();
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "C(i,j) = A(i,j) / sum(k, A(i,k))       | 0,0=0.4 0,2=0.6 1,0=1.0 2,1=1.0",
        "C(i,j) = A(i,j) / (sum(k, A(k,j)) * 2) | 0,0=0.2 0,2=0.5 1,0=0.3 2,1=0.5",
        "C(i,j) = A(i,j) / v(i)                 | 0,0=1.0 0,2=1.5 1,0=Infinity 2,1=2.0",
        "C(i,j) = A(i,j) / A(j,i)               | 0,0=1.0 0,2=Infinity 1,0=Infinity 2,1=Infinity",
        "C(i,j) = -A(i,j) / (v(i) * v(j))       | 0,0=-0.5 0,2=-0.75 1,0=-Infinity 2,1=-Infinity",
        "C(i,j) = A(i,j) / sum(k, n(k)) | 0,0=Infinity 0,2=Infinity 1,0=Infinity 2,1=Infinity",
        "c(i) = v(i) / sum(k, A(i,k))           | 0=0.4 2=0.5",
        "c(i) = sum(j, A(i,j) / sum(k, A(k,j))) | 0=1.4 1=0.6 2=1.0",
        "c(j) = v(j) * (1 / sum(k, A(k,j)))     | 0=0.4 2=0.6666666666666666"
      })
  void divisorsThatAreNotStoredAreZero(String expression, String expected) {
    for (String levels : List.of("CU", "H", "B", "CN")) {
      boolean chained = levels.equals("CN");
      String matrix = chained ? "{CN,S}" : "{" + levels + "," + levels + "}";
      TensorStorage a =
          packed(
              matrix, new long[] {3, 3}, new long[][] {{0, 0}, {0, 2}, {1, 0}, {2, 1}}, 2, 3, 3, 4);
      TensorStorage v = packed("{" + levels + "}", new long[] {3}, new long[][] {{0}, {2}}, 2, 2);
      TensorStorage n = TensorStorage.dense(scope, TensorShape.of(0), ValueType.DOUBLE);
      boolean vector = expression.startsWith("c");
      TensorFormat result =
          TensorFormat.parse(vector ? "{CU}" : "CSR", vector ? 1 : 2, ValueType.DOUBLE);
      TensorStorage found =
          new Evaluator(COMPILER, 2)
              .evaluate(
                  scope, StatementInput.of(expression, Map.of("A", a, "v", v, "n", n), result));
      Map<String, Double> entries = new TreeMap<>();
      found.forEachEntry(
          (at, value) -> entries.put(at[0] + (vector ? "" : "," + at[1]), rounded(value)));
      assertThat(entries).as(levels).isEqualTo(parsed(expected));
    }
  }

  private static Map<String, Double> parsed(String expected) {
    Map<String, Double> entries = new TreeMap<>();
    for (String entry : expected.split(" ")) {
      String[] parts = entry.split("=");
      entries.put(parts[0], rounded(Double.parseDouble(parts[1])));
    }
    return entries;
  }

  private static double rounded(double value) {
    return Double.isInfinite(value) ? value : Math.round(value * 1e12) / 1e12;
  }

  private TensorStorage packed(String format, long[] sizes, long[][] places, double... values) {
    CooBlock.Builder entries = new CooBlock.Builder(sizes.length, places.length);
    for (int n = 0; n < places.length; n++) {
      entries.add(places[n], values[n]);
    }
    return Packing.pack(
        scope,
        TensorShape.of(sizes),
        TensorFormat.parse(format, sizes.length, ValueType.DOUBLE),
        List.of(entries.build()));
  }
}
