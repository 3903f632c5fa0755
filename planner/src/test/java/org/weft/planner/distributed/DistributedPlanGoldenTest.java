package org.weft.planner.distributed;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.TensorCompiler;
import org.weft.compiler.eval.LabelledStatement;
import org.weft.compiler.eval.OperandOutline;
import org.weft.compiler.eval.StatementAlgebra;
import org.weft.compiler.lang.Diagnostics;
import org.weft.compiler.lang.Parser;
import org.weft.compiler.lang.SourceText;
import org.weft.planner.machine.MachineParameters;
import org.weft.planner.machine.Resources;
import org.weft.statistics.ModeHistogram;
import org.weft.statistics.TensorStatistics;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * How well-known kernels are planned for two executors of one core and for a thousand of eight. The
 * plans are in {@code src/test/resources/golden}; {@code -Dweft.golden.regenerate=true} rewrites
 * them.
 *
 * <p>Operands: a sparse matrix A (1,000,000 x 1,000,000, 20 entries a row), B and M like it, sparse
 * tensors T, U and V of orders 3 to 5 with 100,000,000 entries, a sparse vector f with 1,000;
 * others are dense, and r and s have 16 values.
 */
class DistributedPlanGoldenTest {
  private static final Path FOLDER = Path.of("src", "test", "resources", "golden", "plans");
  private static final Map<String, TensorStatistics> KNOWN = new HashMap<>();

  private static TensorCompiler compiler;

  @BeforeAll
  static void open() {
    int optimisation = Boolean.getBoolean("weft.long") ? 3 : 1;
    compiler = TensorCompiler.create(CompilerOptions.forThisHost().withOptimisation(optimisation));
  }

  @AfterAll
  static void close() {
    compiler.close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "spmv             | y(i) = A(i,j) * x(j)",
        "spmm             | D(i,r) = A(i,j) * Q(j,r)",
        "gemm             | G(f,h) = P(f,g) * Q(g,h)",
        "spgemm           | C(i,k) = A(i,j) * B(j,k)",
        "sddmm            | C(i,j) = M(i,j) * P(i,r) * Q(j,r)",
        "add              | C(i,j) = A(i,j) + B(i,j)",
        "add-to           | C(i,j) += A(i,j)",
        "transpose        | C(j,i) = A(i,j)",
        "triangles        | C(i,k) <M(i,k)> = A(i,j) @(+,pair) B(j,k)",
        "frontier         | g(j) = f(i) @(any,pair) A(i,j)",
        "shortest-paths   | g(j) = f(i) @(min,+) A(i,j)",
        "inner-product    | s() = A(i,j) * B(i,j)",
        "ttv              | C(a,b) = T(a,b,c) * z(c)",
        "ttmc             | Y(a,r,s) = T(a,b,c) * P(b,r) * Z(c,s)",
        "mttkrp-3         | D(a,r) = T(a,b,c) * P(b,r) * Q(c,r)",
        "mttkrp-3-last    | D(c,r) = T(a,b,c) * P(a,r) * Q(b,r)",
        "mttkrp-4         | D(a,r) = U(a,b,c,d) * P(b,r) * Q(c,r) * R(d,r)",
        "mttkrp-5         | D(a,r) = V(a,b,c,d,e) * P(b,r) * Q(c,r) * R(d,r) * S(e,r)"
      })
  void plansAreThose(String name, String statement) throws IOException {
    Resources two = new Resources(2, 1, 1, 2L << 30);
    Resources thousand = new Resources(1_000, 8, 1, 32L << 30);
    check(
        name,
        statement
            + "\n\n2 executors of 1 core and 2 GiB\n"
            + plan(statement, two)
            + "\n1,000 executors of 8 cores and 32 GiB\n"
            + plan(statement, thousand));
  }

  private static void check(String name, String actual) throws IOException {
    Path file = FOLDER.resolve(name + ".txt");
    if (Boolean.getBoolean("weft.golden.regenerate") && System.getenv("CI") == null) {
      Files.createDirectories(FOLDER);
      Files.writeString(file, actual);
    }
    assertThat(actual)
        .as("%s; to accept: -Dweft.test.jvm=-Dweft.golden.regenerate=true", file)
        .isEqualTo(Files.readString(file));
  }

  private static DistributedPlan plan(String text, Resources resources) {
    Diagnostics diagnostics = new Diagnostics();
    LabelledStatement statement =
        new LabelledStatement(
            Parser.statement(SourceText.expression(text), diagnostics).orElseThrow());
    diagnostics.throwIfErrors();
    Map<String, TensorStatistics> statistics = new LinkedHashMap<>();
    Map<String, OperandOutline> operands = new LinkedHashMap<>();
    Map<String, Long> sizes = new HashMap<>();
    statement
        .operands()
        .forEach(
            (name, labels) -> {
              TensorStatistics known = statistics(name, labels);
              statistics.put(name, known);
              operands.put(
                  name, new OperandOutline(format(known), known.shape(), (double) known.entries()));
            });
    statement.resultLabels().forEach(label -> sizes.put(label, size(label)));
    Optional<TensorStatistics> previous =
        text.contains("+=")
            ? Optional.of(statistics("A", statement.resultLabels()))
            : Optional.empty();
    int order = statement.resultLabels().size();
    TensorFormat inferred =
        statement
            .algebra(operands, TensorFormat.dense(order, ValueType.DOUBLE), sizes)
            .inferredFormat(ValueType.DOUBLE);
    TensorFormat result = inferred.isDense() ? inferred : TensorFormat.csf(order, ValueType.DOUBLE);
    StatementAlgebra algebra = statement.algebra(operands, result, sizes);
    return new DistributedPlanner(compiler, MachineParameters.defaults())
        .plan(
            new DistributedPlanner.Request(
                algebra, statistics, previous, resources, 0, "", Optional.empty()));
  }

  private static long size(String label) {
    return switch (label) {
      case "i", "j", "k" -> 1_000_000;
      case "a" -> 500_000;
      case "b" -> 200_000;
      case "c" -> 20_000;
      case "d" -> 5_000;
      case "e" -> 300;
      case "f", "g", "h" -> 2_000;
      default -> 16;
    };
  }

  private static TensorFormat format(TensorStatistics known) {
    int order = known.shape().order();
    return known.entries() == known.shape().cells()
        ? TensorFormat.dense(order, ValueType.DOUBLE)
        : TensorFormat.csf(order, ValueType.DOUBLE).narrowedFor(known.shape(), known.entries());
  }

  /** Evenly spread entries, their number by the name of the operand. */
  private static TensorStatistics statistics(String name, List<String> labels) {
    return KNOWN.computeIfAbsent(name + labels, key -> counted(name, labels));
  }

  private static TensorStatistics counted(String name, List<String> labels) {
    TensorShape shape =
        TensorShape.of(labels.stream().mapToLong(DistributedPlanGoldenTest::size).toArray());
    long entries =
        switch (name) {
          case "A", "B", "M" -> 20_000_000;
          case "T", "U", "V" -> 100_000_000;
          case "f" -> 1_000;
          default -> Math.round(shape.cells());
        };
    List<ModeHistogram> histograms = new ArrayList<>();
    for (int mode = 0; mode < shape.order(); mode++) {
      ModeHistogram histogram = new ModeHistogram();
      long slices = Math.min(shape.size(mode), entries);
      for (long slice = 0; slice < slices; slice++) {
        long count = entries * (slice + 1) / slices - entries * slice / slices;
        histogram.add(slice * shape.size(mode) / slices, count);
      }
      histograms.add(histogram);
    }
    return new TensorStatistics(shape, entries, histograms, 0, 1, entries, 0);
  }
}
