package org.weft.engine.distributed;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.compiler.eval.LabelledStatement;
import org.weft.compiler.lang.Diagnostics;
import org.weft.compiler.lang.Parser;
import org.weft.compiler.lang.SourceText;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.engine.EngineTensor;
import org.weft.engine.PlacedTensor;
import org.weft.engine.ProgressListener;
import org.weft.engine.StatementJob;
import org.weft.engine.StatementResult;
import org.weft.engine.local.LocalBackend;
import org.weft.planner.distributed.Measured;
import org.weft.storage.ReadOptions;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.ValueType;

/** The bytes that a plan predicts for its exchanges are those that its steps send. */
class ExchangedBytesTest {
  private static final Map<String, Long> SIZES =
      Map.of("h", 450L, "i", 600L, "j", 500L, "k", 400L, "l", 30L, "m", 20L, "q", 4L, "r", 8L);

  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "| y(i) = A(i,j) * X(j)",
        "j | y(i) = A(i,j) * X(j)",
        "| D(i,r) = A(i,j) * Q(j,r)",
        "j | D(i,r) = A(i,j) * Q(j,r)",
        "| C(i,k) = A(i,j) * B(j,k)",
        "j | C(i,k) = A(i,j) * B(j,k)",
        "'i,k' | C(i,k) = A(i,j) * B(j,k)",
        "'i,j' | C(i,k) = A(i,j) * B(j,k)",
        "'k' | C(i,k) = A(i,j) * B(j,k)",
        "| C(i,j) = A(i,j) + E(i,j)",
        "| C(i,j) += A(i,j)",
        "| C(i,j) = A(i,j) * P(i,r) * Q(j,r)",
        "| C(i,j)<F(i,j)> = A(i,h) @(+,pair) B(h,j)",
        "| g(j) = f(i) @(min,+) A(i,j)",
        "i | g(j) = f(i) @(min,+) A(i,j)",
        "| Y(i,q,r) = T(i,j,k) * Q(j,q) * R(k,r)",
        "| D(i,r) = T(i,j,k) * Q(j,r) * R(k,r)",
        "k | D(i,r) = T(i,j,k) * Q(j,r) * R(k,r)",
        "'j,k' | D(i,r) = T(i,j,k) * Q(j,r) * R(k,r)",
        "'i,r' | D(i,r) = T(i,j,k) * Q(j,r) * R(k,r)",
        "'i,r' | D(i,r) = P(i,q) * Q(q,r)",
        "'i,q' | D(i,r) = P(i,q) * Q(q,r)",
        "| D(i,r) = U(i,j,k,l) * Q(j,r) * R(k,r) * S(l,r)",
        "| D(l,r) = V(i,j,k,l,m) * P(i,r) * Q(j,r) * R(k,r) * W(m,r)",
        "| s() = A(i,j) * E(i,j)",
        "| s() = T(i,j,k) * T(i,j,k)"
      })
  void measuredIsPredicted(@Nullable String label, String text) throws IOException {
    EngineOptions options = EngineOptions.defaults().planning(p -> p.withPartitions(4));
    try (Engine engine = LocalBackend.engine(FileAccess.local(), options)) {
      StatementJob job = job(engine, label == null ? "" : label, text);
      double predicted = engine.statements().plan(job).exchangedBytes();
      StatementResult result = engine.statements().analyze(job, ProgressListener.NONE);
      try (PlacedTensor kept = result.kept()) {
        double measured =
            result.measured().entrySet().stream()
                .filter(node -> !node.getKey().equals(Measured.RESULTS))
                .mapToLong(node -> node.getValue().bytes())
                .sum();
        System.out.printf(
            "ExchangedBytesTest: %s: measured %,.0f bytes, predicted %,.0f, ratio %.3f%n",
            text, measured, predicted, measured / predicted);
        assertThat(measured / predicted).as(result.analysis()).isBetween(0.9, 1.1);
        assertThat(result.analysis()).contains("; measured ");
        assertThat(kept.originalStatistics().entries()).isPositive();
      }
    }
  }

  private StatementJob job(Engine engine, String label, String text) throws IOException {
    Diagnostics diagnostics = new Diagnostics();
    LabelledStatement statement =
        new LabelledStatement(
            Parser.statement(SourceText.expression(text), diagnostics).orElseThrow());
    diagnostics.throwIfErrors();
    Map<String, EngineTensor> tensors = new LinkedHashMap<>();
    for (Map.Entry<String, List<String>> operand : statement.operands().entrySet()) {
      tensors.put(operand.getKey(), read(engine, operand.getKey(), operand.getValue()));
    }
    boolean adds = text.contains("+=");
    Optional<EngineTensor> before =
        Optional.ofNullable(
            adds ? read(engine, statement.result(), statement.resultLabels()) : null);
    return new StatementJob(
        statement,
        tensors,
        Map.of(),
        before,
        Map.of(),
        Map.of(),
        ValueType.DOUBLE,
        label,
        Optional.empty());
  }

  private EngineTensor read(Engine engine, String name, List<String> labels) throws IOException {
    Path file = folder.resolve(name + ".tns");
    Files.writeString(file, tensor(name, labels.stream().mapToLong(SIZES::get).toArray()));
    return engine.read(file.toUri().toString(), ReadOptions.defaults(), ValueType.DOUBLE);
  }

  /** Every cell of P, Q, R, S, W and X, 200 of f, and 20,000 cells of the others. */
  private static String tensor(String name, long[] shape) {
    Random random = new Random(name.hashCode());
    long cells = 1;
    for (long size : shape) {
      cells *= size;
    }
    boolean full = "PQRSWX".contains(name);
    TreeSet<Long> chosen = new TreeSet<>();
    for (long cell = 0; full && cell < cells; cell++) {
      chosen.add(cell);
    }
    while (!full && chosen.size() < (name.equals("f") ? 200 : 20_000)) {
      chosen.add((long) (random.nextDouble() * cells));
    }
    StringBuilder text = new StringBuilder();
    for (long cell : chosen) {
      long rest = cell;
      StringBuilder line = new StringBuilder();
      for (int mode = shape.length - 1; mode >= 0; mode--) {
        line.insert(0, rest % shape[mode] + 1 + " ");
        rest /= shape[mode];
      }
      text.append(line).append(1 + random.nextInt(9)).append('\n');
    }
    return text.toString();
  }
}
