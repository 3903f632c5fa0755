package org.weft.compiler.eval;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
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

/** Element types: promotion, wrapping integers, conversion of results, identities of reducers. */
class OperatorTypesTest {
  private static TensorCompiler compiler;

  @BeforeAll
  static void open() {
    compiler = TensorCompiler.create(CompilerOptions.forThisHost());
  }

  @AfterAll
  static void close() {
    compiler.close();
  }

  private static TensorStorage vector(
      MemoryScope scope, ValueType type, String format, Number... cells) {
    CooBlock.Builder block = new CooBlock.Builder(1, 4, type == ValueType.LONG);
    for (int i = 0; i < cells.length; i++) {
      if (cells[i] != null && type == ValueType.LONG) {
        block.addLong(new long[] {i}, cells[i].longValue());
      } else if (cells[i] != null) {
        block.add(new long[] {i}, cells[i].doubleValue());
      }
    }
    return Packing.pack(
        scope,
        TensorShape.of(cells.length),
        TensorFormat.parse(format, 1, type),
        List.of(block.build()));
  }

  private static List<String> evaluate(
      String text, Map<String, TensorStorage> operands, MemoryScope scope, TensorFormat result) {
    TensorStorage value =
        new Evaluator(compiler, 1).evaluate(scope, StatementInput.of(text, operands, result));
    List<String> cells = new ArrayList<>();
    value.forEachPosition(
        (at, position) ->
            cells.add(
                switch (result.valueType()) {
                  case INT, LONG -> Long.toString(value.vals().getLong(position));
                  case FLOAT -> Float.toString((float) value.vals().getDouble(position));
                  case DOUBLE -> Double.toString(value.vals().getDouble(position));
                }));
    return cells;
  }

  @ParameterizedTest(name = "{0} into {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        // the extremes wrap, as in Java
        "a(i) + a(i)              | int    | -2,0,-2",
        "-a(i)                    | int    | -2147483647,-2147483648,1",
        "abs(a(i))                | int    | 2147483647,-2147483648,1",
        "a(i) * 3                 | int    | 2147483645,-2147483648,-3",
        "a(i) / 0                 | int    | 0,0,0",
        "a(i) / -1                | int    | -2147483647,-2147483648,1",
        "a(i) / 2                 | int    | 1073741823,-1073741824,0",
        "a(i) + 1                 | long   | 2147483648,-2147483647,0",
        "a(i) + 4294967296        | int    | 2147483647,-2147483648,-1",
        "a(i) * 4294967297        | long   | 9223372034707292159,9223372034707292160,-4294967297",
        "a(i) * l(i)              | long   | -2147483647,0,9007199254740993",
        "l(i) * l(i)              | long   | 1,0,18014398509481985",
        "l(i) / -1                | long   | 1,-9223372036854775808,9007199254740993",
        "l(i) + 0                 | int    | -1,0,-1",
        // fractions make doubles; into integers as by a cast
        "a(i) * 0.5               | double | 1.0737418235E9,-1.073741824E9,-0.5",
        "a(i) * 0.5               | int    | 1073741823,-1073741824,0",
        "a(i) * 1e300             | int    | 2147483647,-2147483648,-2147483648",
        "a(i) * 1e300             | long   | 9223372036854775807,-9223372036854775808,-9223372036854775808",
        "log(a(i) * 0.0 - 1.0)    | int    | 0,0,0",
        "sqrt(b(i))               | int    | 2,1,3",
        "f(i) * b(i)              | float  | 0.8,0.2,0.90000004",
        "b(i) / f(i)              | int    | 20,5,90",
        "a(i) @(min) b(i)         | int    | 4,-2147483648,-1",
        "a(i) @(max) b(i)         | long   | 2147483647,1,9"
      })
  void elementwise(String expression, String type, String expected) {
    MemoryScope scope = MemoryScope.root("types", MemorySource.system());
    try {
      Map<String, TensorStorage> operands = new TreeMap<>();
      operands.put(
          "a", vector(scope, ValueType.INT, "Dense", Integer.MAX_VALUE, Integer.MIN_VALUE, -1));
      operands.put(
          "l", vector(scope, ValueType.LONG, "Dense", -1L, Long.MIN_VALUE, -9007199254740993L));
      operands.put("b", vector(scope, ValueType.INT, "Dense", 4, 1, 9));
      operands.put("f", vector(scope, ValueType.FLOAT, "Dense", 0.2f, 0.2f, 0.1f));
      operands.keySet().removeIf(name -> !expression.contains(name + "(i)"));
      TensorFormat result =
          TensorFormat.parse("Dense", 1, ValueType.valueOf(type.strip().toUpperCase(Locale.ROOT)));
      assertThat(evaluate("y(i) = " + expression, operands, scope, result))
          .containsExactly(expected.split(","));
    } finally {
      scope.close();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "y(i) = M(i,i) + M(i,i)          | -18014398509481986,-2,10",
        "y(i) = M(i,i) / 2 * 2           | -9007199254740992,9223372036854775806,4",
        "y(i) = max(M(i,j), M(i,i)) / 0  | 0,0,0",
        "Y(i,i) = M(i,j)                 | -9007199254740993,0,0,0,9223372036854775807,0,0,0,5"
      })
  void repeatedLabelsAreOfTheTypeOfTheirTensor(String statement, String expected) {
    MemoryScope scope = MemoryScope.root("types", MemorySource.system());
    try {
      CooBlock.Builder block = new CooBlock.Builder(2, 4, true);
      block.addLong(new long[] {0, 0}, -9007199254740993L);
      block.addLong(new long[] {1, 1}, Long.MAX_VALUE);
      block.addLong(new long[] {2, 2}, 5);
      List<CooBlock> entries = List.of(block.build());
      int order = statement.startsWith("y") ? 1 : 2;
      TensorFormat result = TensorFormat.parse("Dense", order, ValueType.LONG);
      for (String format : List.of("CSR", "COO", "Dense", "CSC")) {
        TensorFormat stored = TensorFormat.parse(format, 2, ValueType.LONG);
        TensorStorage matrix = Packing.pack(scope, TensorShape.of(3, 3), stored, entries);
        assertThat(evaluate(statement, Map.of("M", matrix), scope, result))
            .as(format)
            .containsExactly(expected.split(","));
      }
    } finally {
      scope.close();
    }
  }

  @Test
  void reducersStartFromTheirIdentityInEveryType() {
    for (ValueType type : ValueType.values()) {
      MemoryScope scope = MemoryScope.root("types", MemorySource.system());
      try {
        Map<String, TensorStorage> operands =
            Map.of("a", vector(scope, type, "{CU}", null, -7, null, -3, -5));
        TensorFormat scalar = TensorFormat.parse("Dense", 0, type);
        boolean integer = type == ValueType.INT || type == ValueType.LONG;
        Map<String, String> expected =
            Map.of("min", "-7", "max", "-3", "any", "-7", "+", "-15", "or", "1");
        expected.forEach(
            (add, value) ->
                assertThat(evaluate("s = a(i) @(" + add + ",first) a(i)", operands, scope, scalar))
                    .as(type + " " + add)
                    .containsExactly(integer ? value : value + ".0"));
        Map<String, TensorStorage> none =
            Map.of("a", vector(scope, type, "{CU}", null, null, null, null, null));
        expected.forEach(
            (add, value) ->
                assertThat(evaluate("s = a(i) @(" + add + ",first) a(i)", none, scope, scalar))
                    .as("none " + type + " " + add)
                    .containsExactly(integer ? "0" : "0.0"));
      } finally {
        scope.close();
      }
    }
  }

  @Test
  void integerSemiringProductsAreExact() {
    Random random = new Random(7);
    MemoryScope scope = MemoryScope.root("types", MemorySource.system());
    try {
      long[][] a = new long[6][5];
      long[][] b = new long[5][4];
      Map<String, TensorStorage> operands =
          Map.of("A", matrix(scope, random, a), "B", matrix(scope, random, b));
      for (String semiring : List.of("min,+", "max,+", "+,*", "min,*", "max,-")) {
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
          for (int k = 0; k < 4; k++) {
            expected.add(Long.toString(product(semiring, a[i], b, k)));
          }
        }
        TensorFormat result = TensorFormat.parse("Dense", 2, ValueType.LONG);
        assertThat(evaluate("C(i,k) = A(i,j) @(" + semiring + ") B(j,k)", operands, scope, result))
            .as(semiring)
            .isEqualTo(expected);
      }
    } finally {
      scope.close();
    }
  }

  private static long product(String semiring, long[] row, long[][] b, int k) {
    return Stream.iterate(0, j -> j < row.length, j -> j + 1)
        .filter(j -> row[j] != 0 && b[j][k] != 0)
        .map(
            j ->
                semiring.endsWith("+")
                    ? row[j] + b[j][k]
                    : semiring.endsWith("-") ? row[j] - b[j][k] : row[j] * b[j][k])
        .reduce(
            (x, y) ->
                semiring.startsWith("min")
                    ? Math.min(x, y)
                    : semiring.startsWith("max") ? Math.max(x, y) : x + y)
        .orElse(0L);
  }

  private static TensorStorage matrix(MemoryScope scope, Random random, long[][] cells) {
    CooBlock.Builder block = new CooBlock.Builder(2, 16, true);
    for (int i = 0; i < cells.length; i++) {
      for (int j = 0; j < cells[i].length; j++) {
        if (random.nextInt(3) > 0) {
          cells[i][j] = random.nextLong();
          block.addLong(new long[] {i, j}, cells[i][j]);
        }
      }
    }
    return Packing.pack(
        scope,
        TensorShape.of(cells.length, cells[0].length),
        TensorFormat.parse("CSR", 2, ValueType.LONG),
        List.of(block.build()));
  }
}
