package org.weft.compiler.eval;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.Schedule;
import org.weft.compiler.TensorCompiler;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * Packed contractions of NaN, infinities and -0.0 against sums in the order of the labels. Whole
 * numbers are exact in any order, and what IEEE 754 says of the others does not depend on it.
 */
class SpecialNumbersTest {
  private static final long[] SIZES = {1, 2, 3, 5, 9, 13};

  @AutoClose
  private static final TensorCompiler COMPILER =
      TensorCompiler.create(CompilerOptions.forThisHost());

  private interface Combine {
    double of(double left, double right);
  }

  /**
   * @param start of a reduction
   * @param scale of the products
   */
  private record Meaning(Combine multiply, Combine reduce, double start, double scale) {}

  private static Meaning meaning(String name) {
    return switch (name) {
      case "min,+" -> new Meaning((a, b) -> a + b, Math::min, Double.POSITIVE_INFINITY, 1);
      case "max,*" -> new Meaning((a, b) -> a * b, Math::max, Double.NEGATIVE_INFINITY, 1);
      case "negated" -> new Meaning((a, b) -> a * b, Double::sum, 0, -1);
      case "twice" -> new Meaning((a, b) -> a * b, Double::sum, 0, 2);
      case "none" -> new Meaning((a, b) -> a * b, Double::sum, 0, 0);
      default -> new Meaning((a, b) -> a * b, Double::sum, 0, 1);
    };
  }

  private static double special(Random random) {
    double[] rare = {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY};
    int kind = random.nextInt(100);
    return kind < 3 ? rare[random.nextInt(3)] : kind < 25 ? -0.0 : random.nextInt(9) - 4;
  }

  private static long at(List<String> labels, Map<String, Long> sizes, Map<String, Long> place) {
    long at = 0;
    for (String label : labels) {
      at = at * sizes.get(label) + place.get(label);
    }
    return at;
  }

  private static List<Map<String, Long>> places(List<String> labels, Map<String, Long> sizes) {
    List<Map<String, Long>> places = new ArrayList<>(List.of(Map.of()));
    for (String label : labels) {
      List<Map<String, Long>> longer = new ArrayList<>();
      for (Map<String, Long> place : places) {
        for (long count = 0; count < sizes.get(label); count++) {
          Map<String, Long> more = new HashMap<>(place);
          more.put(label, count);
          longer.add(more);
        }
      }
      places = longer;
    }
    return places;
  }

  private static TensorStorage filled(
      MemoryScope scope, List<String> labels, Map<String, Long> sizes, ValueType type, Random r) {
    TensorShape shape = TensorShape.of(labels.stream().mapToLong(sizes::get).toArray());
    TensorStorage storage = TensorStorage.dense(scope, shape, type);
    for (long at = 0; at < storage.vals().length(); at++) {
      storage.vals().setDouble(at, special(r));
    }
    return storage;
  }

  @ParameterizedTest(name = "{0} {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "C(a,b) = A(a,k) * B(k,b)               | gemm(a:4:3:5:8:6)   | +,*",
        "C(b,a) = A(k,a) * B(b,k)               | gemm(b:8:2:4:8:4)   | +,*",
        "C(b,a) = A(k,a) * B(b,k)               | parallel            | +,*",
        "C(a) = A(a,k) * B(k)                   | gemm(a:4:3:5:8:6)   | +,*",
        "C(x,a,b) = A(a,x,k) * B(k,b,x)         | gemm(a:5:3:7:10:9)  | +,*",
        "C(a,b,c,d) = A(a,e,b,f) * B(d,f,c,e)   | gemm(a:16:4:3:32:8) | +,*",
        "C(a,b,c,d,e,f) = A(d,e,g,a) * B(g,f,b,c) | gemm(a:4:3:5:8:6) | +,*",
        "C(a,b) = -A(a,k) * B(k,b)              | gemm(b:4:3:5:8:6)   | negated",
        "C(a,b) = 2 * A(a,k) * B(k,b)           | gemm(b:4:3:5:8:6)   | twice",
        "C(a,b) = 0 * A(a,k) * B(k,b)           | gemm(b:4:3:5:8:6)   | none",
        "C(a,b) = 0 * A(a,k) * B(k,b)           | parallel            | none",
        "C(a,b) = A(a,k) @(min,+) B(k,b)        | gemm(a:4:3:5:8:6)   | min,+",
        "C(a,b) = A(a,k) @(max,*) B(k,b)        | gemm(b:8:2:4:8:4)   | max,*",
        "C = A(k,l) * B(l,k)                    | parallel            | +,*",
      })
  void followIeee(String text, String schedule, String operators) {
    Meaning meaning = meaning(operators);
    LabelledStatement statement = LabelledStatement.parse(text);
    List<String> left = statement.operands().get("A");
    List<String> right = statement.operands().get("B");
    Set<String> all = new LinkedHashSet<>(statement.resultLabels());
    all.addAll(left);
    all.addAll(right);
    List<String> summed = new ArrayList<>(all);
    summed.removeAll(statement.resultLabels());
    Random random = new Random(19);
    for (int run = 0; run < 4; run++) {
      ValueType type = run % 2 == 0 ? ValueType.DOUBLE : ValueType.FLOAT;
      Map<String, Long> sizes = new HashMap<>();
      int choices = all.size() > 5 ? 3 : SIZES.length;
      all.forEach(label -> sizes.put(label, SIZES[random.nextInt(choices)]));
      try (MemoryScope scope = MemoryScope.root("test", MemorySource.system())) {
        TensorStorage a = filled(scope, left, sizes, type, random);
        TensorStorage b = filled(scope, right, sizes, type, random);
        TensorFormat format = TensorFormat.dense(statement.resultLabels().size(), type);
        StatementInput input =
            StatementInput.of(text, Map.of("A", a, "B", b), format)
                .withSchedule(Schedule.parse(schedule));
        TensorStorage result = new Evaluator(COMPILER, 2).evaluate(scope, input);
        for (Map<String, Long> cell : places(statement.resultLabels(), sizes)) {
          double expected = meaning.start();
          for (Map<String, Long> term : places(summed, sizes)) {
            Map<String, Long> place = new HashMap<>(cell);
            place.putAll(term);
            double product =
                meaning
                    .multiply()
                    .of(
                        a.vals().getDouble(at(left, sizes, place)),
                        b.vals().getDouble(at(right, sizes, place)));
            expected = meaning.reduce().of(expected, meaning.scale() * product);
          }
          double found = result.vals().getDouble(at(statement.resultLabels(), sizes, cell));
          assertThat(Double.compare(found + 0.0, expected + 0.0))
              .as("%s of %s, sizes %s: %s, expected %s", cell, text, sizes, found, expected)
              .isZero();
        }
      }
    }
  }
}
