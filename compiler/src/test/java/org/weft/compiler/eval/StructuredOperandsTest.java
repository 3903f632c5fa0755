package org.weft.compiler.eval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.weft.compiler.CompilerCase;
import org.weft.compiler.KernelRequest;
import org.weft.compiler.Schedule;
import org.weft.compiler.lang.Statement;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/** Statements over formats that need conversions before or after: never refused, never wrong. */
class StructuredOperandsTest extends CompilerCase {
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
          "{D:0/2, D:1/3, D:0%2, D:1%3}",
          "Dense");

  StructuredOperandsTest() {
    super(0);
  }

  /** The formats that a format is tried with: a third of them, other ones for each. */
  private static List<String> partners(String format) {
    int at = FORMATS.indexOf(format);
    return IntStream.range(0, FORMATS.size())
        .filter(other -> Boolean.getBoolean("weft.long") || (at + other) % 3 == 0)
        .mapToObj(FORMATS::get)
        .toList();
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

  /** Blocks of 2 x 3 in 7 x 7 cells: loops run over whole blocks, and leave 1 in their padding. */
  @Test
  void paddingOfWholeBlocksIsNoValue() {
    TensorShape shape = TensorShape.of(7, 7);
    TensorFormat blocks = TensorFormat.parse("{D:0/2, D:1/3, D:0%2, D:1%3}", 2, ValueType.DOUBLE);
    Evaluator evaluator = new Evaluator(compiler, 2);
    TensorStorage b = matrix(new Random(3), shape, blocks.toString());
    TensorStorage a = evaluator.evaluate(scope, input("A(i,j) = exp(B(i,j))", blocks, "B", b));
    Map<List<Long>, Double> wanted = new HashMap<>();
    double[] sums = new double[7];
    for (long i = 0; i < 7; i++) {
      for (long j = 0; j < 7; j++) {
        double value = Math.exp(cells(b).getOrDefault(List.of(i, j), 0.0));
        wanted.put(List.of(i, j), value);
        sums[(int) i] += value;
      }
    }
    assertThat(cells(a).keySet()).isEqualTo(wanted.keySet());
    TensorStorage y =
        evaluator.evaluate(
            scope, input("y(i) = A(i,j)", TensorFormat.dense(1, ValueType.DOUBLE), "A", a));
    for (int i = 0; i < 7; i++) {
      assertThat(y.vals().getDouble(i)).isCloseTo(sums[i], within(1e-9));
    }
    for (String format : FORMATS) {
      TensorFormat other = TensorFormat.parse(format, 2, ValueType.DOUBLE);
      TensorStorage same = evaluator.evaluate(scope, input("C(i,j) = A(i,j)", other, "A", a));
      assertThat(cells(same)).as(format).isEqualTo(cells(a));
      TensorStorage doubled =
          evaluator.evaluate(
              scope,
              StatementInput.of("C(i,j) = A(i,j) + D(i,j)", Map.of("A", a, "D", same), blocks));
      cells(doubled)
          .forEach((at, value) -> assertThat(value).isEqualTo(2 * cells(a).get(at), within(1e-9)));
    }
  }

  /** Three blocks of 16 hold 42 columns; the tensor's own blocks do not matter. */
  @Test
  void loopsOverBlocksThatAllTensorsHaveAreConstant() {
    Map<String, TensorFormat> formats = new HashMap<>();
    formats.put("T", TensorFormat.parse("{D:2/8, CU:0, CU:1, CU:2%8}", 3, ValueType.DOUBLE));
    TensorFormat panels = TensorFormat.parse("{D:1/16, D:0, D:1%16}", 2, ValueType.DOUBLE);
    List.of("M", "B", "C").forEach(name -> formats.put(name, panels));
    assertThat(loops(formats)).contains("r_in < 16;").doesNotContain("42");
    formats.put("C", TensorFormat.dense(2, ValueType.DOUBLE));
    assertThat(loops(formats)).contains("min(16, 42 - r_block * 16)").doesNotContain("r_in < 16;");
  }

  private String loops(Map<String, TensorFormat> formats) {
    String mttkrp = "M(i,r) = T(i,j,k) * B(j,r) * C(k,r)";
    Schedule order = Schedule.parse("order(r/16,k/8,i,j,k%8)");
    return compiler
        .explain(new KernelRequest("m", mttkrp, formats, Map.of("r", 42L), order))
        .loops();
  }

  private static StatementInput input(
      String expression, TensorFormat result, String name, TensorStorage operand) {
    return StatementInput.of(expression, Map.of(name, operand), result);
  }

  /** A value in any format is added to a result in any format. */
  @Test
  void anyFormatIsAddedToAnyFormatWhereALabelRepeats() {
    anyFormatIsAddedToAnyFormat("C(i,j) += A(i,i) * A(i,j)");
  }

  @Tag("long")
  @Test
  void anyFormatIsAddedToAnyFormat() {
    anyFormatIsAddedToAnyFormat("C(i,j) += A(i,j)");
  }

  private void anyFormatIsAddedToAnyFormat(String expression) {
    Random random = new Random(5);
    TensorShape shape = TensorShape.of(7, 7);
    Evaluator evaluator = new Evaluator(compiler, 1);
    Statement statement = LabelledStatement.parse(expression).statement();
    for (String before : FORMATS) {
      for (String added : partners(before)) {
        TensorStorage a = matrix(random, shape, added);
        TensorStorage c = matrix(random, shape, before);
        StatementInput input =
            new StatementInput(
                statement,
                Map.of("A", a),
                c.format(),
                Map.of(),
                Optional.of(c),
                Schedule.parallel());
        Map<List<Long>, Double> wanted = cells(c);
        Map<List<Long>, Double> values = cells(a);
        values.forEach(
            (at, value) -> {
              double diagonal = values.getOrDefault(List.of(at.get(0), at.get(0)), 0.0);
              double factor = expression.contains("*") ? diagonal : 1;
              if (factor != 0) {
                wanted.merge(at, factor * value, Double::sum);
              }
            });
        assertThat(cells(evaluator.evaluate(scope, input)))
            .as("%s added to %s", added, before)
            .isEqualTo(wanted);
      }
    }
  }

  @Test
  void anyPairOfFormatsIntoAnyFormat() {
    Random random = new Random(17);
    TensorShape shape = TensorShape.of(7, 7);
    Evaluator evaluator = new Evaluator(compiler, 1);
    List<String> errors = new ArrayList<>();
    int cases = Integer.getInteger("weft.cases", 50);
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
