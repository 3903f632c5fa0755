package org.weft.compiler.lower;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.KernelRequest;
import org.weft.compiler.Schedule;
import org.weft.compiler.TensorCompiler;
import org.weft.compiler.differential.ArrayCheck;
import org.weft.compiler.lang.Diagnostics;
import org.weft.compiler.lang.Parser;
import org.weft.compiler.lang.SourceText;
import org.weft.compiler.lang.Statement;
import org.weft.compiler.lang.Syntax;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.runtime.Kernel;
import org.weft.runtime.KernelImage;
import org.weft.runtime.KernelLibrary;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;

/** An expression with formats and sizes: random operands, a run, and the check of its result. */
record KernelCase(
    String expression,
    Map<String, TensorFormat> formats,
    Map<String, Long> sizes,
    Set<String> constants,
    Schedule schedule) {

  Statement statement() {
    Diagnostics diagnostics = new Diagnostics();
    Statement statement =
        Parser.statement(SourceText.expression(expression), diagnostics).orElse(null);
    diagnostics.throwIfErrors();
    return statement;
  }

  KernelRequest request(String symbol) {
    Map<String, Long> known = new HashMap<>(sizes);
    known.keySet().retainAll(constants);
    return new KernelRequest(symbol, expression, formats, known, schedule);
  }

  private TensorShape shape(Syntax.Access access) {
    return TensorShape.of(
        access.labels().stream().mapToLong(label -> sizes.get(label.name())).toArray());
  }

  private static void accesses(Syntax node, Map<String, Syntax.Access> into) {
    if (node instanceof Syntax.Access access) {
      into.put(access.tensor(), access);
    }
    node.children().forEach(child -> accesses(child, into));
  }

  /** Compiles the cases together, runs each on {@code runs} draws of operands, and checks it. */
  static void checkAll(CompilerOptions options, List<KernelCase> cases, int runs, long seed) {
    try (TensorCompiler compiler = TensorCompiler.create(options)) {
      List<KernelRequest> requests =
          IntStream.range(0, cases.size()).mapToObj(n -> cases.get(n).request("k" + n)).toList();
      KernelImage image = compiler.compile(requests);
      try (KernelLibrary library = KernelLibrary.open(image)) {
        for (int number = 0; number < cases.size(); number++) {
          Kernel kernel = Kernel.of(library, image.kernels().get(number));
          KernelCase sample = cases.get(number);
          for (int run = 0; run < runs; run++) {
            try {
              sample.check(kernel, new Random(seed + run));
            } catch (AssertionError e) {
              throw new AssertionError(sample + ": " + e.getMessage(), e);
            }
          }
        }
      }
    }
  }

  /** Runs {@code kernel} on random operands and compares values and storage. */
  void check(Kernel kernel, RandomGenerator random) {
    Statement statement = statement();
    Map<String, Syntax.Access> accesses = new LinkedHashMap<>();
    accesses(statement.value(), accesses);
    if (statement.mask() != null) {
      accesses(statement.mask().tensor(), accesses);
    }
    Map<String, SampleTensor> operands = new TreeMap<>();
    double[] densities = {0, 0.03, 0.15, 0.4, 1};
    accesses.forEach(
        (name, access) ->
            operands.put(
                name,
                SampleTensor.random(
                    random,
                    formats.get(name),
                    shape(access),
                    densities[random.nextInt(20) == 0 ? 0 : 1 + random.nextInt(4)])));
    MemoryScope scope = MemoryScope.root("case", MemorySource.system());
    try {
      Map<String, TensorStorage> bound = new HashMap<>();
      operands.forEach((name, tensor) -> bound.put(name, tensor.pack(scope)));
      String result = statement.target().tensor();
      TensorShape shape = shape(statement.target());
      TensorFormat format = formats.get(result);
      boolean accumulates = statement.assignment() != Statement.Assignment.ASSIGN;
      SampleTensor before = SampleTensor.random(random, format, shape, accumulates ? 0.5 : 0);
      TensorStorage output = null;
      if (format.isInsertable()) {
        output = before.pack(scope);
        bound.put(result, output);
      }
      Map<String, TensorStorage> made =
          kernel.run(bound, Map.of(result, shape), scope, 1 + random.nextInt(3));
      compare(statement, operands, before, output == null ? made.get(result) : output);
    } finally {
      scope.close();
    }
  }

  private void compare(
      Statement statement,
      Map<String, SampleTensor> operands,
      SampleTensor before,
      TensorStorage result) {
    assertThat(ArrayCheck.violation(result)).isEmpty();
    DenseEvaluator evaluator =
        new DenseEvaluator(statement, !result.format().isDense(), operands, sizes);
    TensorShape shape = result.shape();
    DenseEvaluator.Cell[] expected = new DenseEvaluator.Cell[SampleTensor.cells(shape)];
    BitSet present = new BitSet();
    for (int cell = 0; cell < expected.length; cell++) {
      long[] coordinates = SampleTensor.coordinates(shape, cell);
      Map<String, Long> at = new HashMap<>();
      boolean assigned = true;
      for (int mode = 0; mode < coordinates.length; mode++) {
        Long other = at.put(statement.target().labels().get(mode).name(), coordinates[mode]);
        assigned &= other == null || other == coordinates[mode];
      }
      double kept = before.values()[cell];
      expected[cell] =
          assigned
              ? evaluator.assigned(statement, kept, at)
              : new DenseEvaluator.Cell(kept, Math.abs(kept), false);
      present.set(cell, assigned && expected[cell].present());
    }
    List<long[]> order = new ArrayList<>();
    BitSet stored = new BitSet();
    double epsilon =
        SampleTensor.isFloat(result.format())
                || operands.values().stream().anyMatch(t -> SampleTensor.isFloat(t.format()))
            ? 1e-5
            : 1e-12;
    result.forEachEntry(
        (coordinates, value) -> {
          int cell = SampleTensor.cell(shape, coordinates);
          assertThat(cell).as("entry at %s", Arrays.toString(coordinates)).isNotNegative();
          DenseEvaluator.Cell wanted = expected[cell];
          boolean same =
              Double.compare(value, wanted.value()) == 0
                  || Math.abs(value - wanted.value()) <= epsilon * (wanted.magnitude() + 1e-30)
                  || value == wanted.value();
          if (!same) {
            fail("value at %s: %s, expected %s", Arrays.toString(coordinates), value, wanted);
          }
          order.add(coordinates.clone());
          stored.set(cell);
        });
    assertThat(order.size()).as("stored once each").isEqualTo(stored.cardinality());
    assertThat(stored)
        .as("stored cells of %s, in row-major order", shape)
        .isEqualTo(StoredStructure.of(result.format(), shape, present));
    assertThat(inLevelOrder(order, result.format())).as("in order").isTrue();
  }

  private static boolean inLevelOrder(List<long[]> cells, TensorFormat format) {
    for (int i = 1; i < cells.size(); i++) {
      if (compare(cells.get(i - 1), cells.get(i), format) >= 0) {
        return false;
      }
    }
    return true;
  }

  private static int compare(long[] one, long[] other, TensorFormat format) {
    int order = 0;
    for (int level = 0; level < format.order() && order == 0; level++) {
      int mode = format.modeOf(level);
      order = Long.compare(one[mode], other[mode]);
    }
    return order;
  }

  @Override
  public String toString() {
    Map<String, String> shown = new TreeMap<>();
    formats.forEach((name, f) -> shown.put(name, f + ":" + f.valueType().keyword()));
    return expression
        + " formats "
        + shown
        + " sizes "
        + new TreeMap<>(sizes)
        + " constant "
        + constants
        + ", "
        + schedule;
  }
}
