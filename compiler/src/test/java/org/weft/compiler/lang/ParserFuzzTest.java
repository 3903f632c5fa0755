package org.weft.compiler.lang;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.weft.compiler.KernelRequest;
import org.weft.compiler.Schedule;
import org.weft.compiler.lower.Lowering;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.ValueType;

/**
 * Statements made by the grammar parse; whatever is done to them, and whatever they are bound to,
 * is an error with position and caret or none: no other exception, no overflow of the stack, no
 * endless loop. {@code -Plong} runs far more; {@code -Dweft.test.jvm=-Dweft.seed=SEED} repeats.
 */
class ParserFuzzTest {
  /** {@code name:line:column: error: message}, the line, the caret, and perhaps advice. */
  private static final Pattern RENDERED =
      Pattern.compile(
          "[^\\n]*:\\d+:\\d+: (error|warning): [^\\n]+\\n  [^\\n]*\\n  *\\^~*(\\n.*)?",
          Pattern.DOTALL);

  /** Far beyond what an input takes on any machine: only an endless loop is longer. */
  private static final Duration HANG = Duration.ofMinutes(2);

  /** The same in every usual run, so that a change is judged by what it changed. */
  private final long seed =
      Long.getLong("weft.seed", Boolean.getBoolean("weft.long") ? System.nanoTime() : 20261121);

  private static final int DEEPEST = Boolean.getBoolean("weft.long") ? 200_000 : 20_000;

  private final int inputs = Boolean.getBoolean("weft.long") ? 2_000_000 : 20_000;

  @Test
  void statementsOfTheGrammarParse() {
    Random random = new Random(seed);
    for (int input = 0; input < inputs / 4; input++) {
      String text = new RandomText(random).statement();
      Diagnostics diagnostics = new Diagnostics();
      assertThat(Parser.statement(SourceText.expression(text), diagnostics))
          .as("seed %s: %s\n%s", seed, text, diagnostics.render())
          .isPresent();
    }
  }

  @Test
  void mutatedStatementsAreParsedOrExplained() {
    RandomText texts = new RandomText(new Random(seed));
    each(
        inputs,
        input -> input % 8 == 0 ? texts.soup() : texts.mutated(texts.statement()),
        ParserFuzzTest::parse);
  }

  @Test
  void boundStatementsAreLoweredOrExplained() {
    Random random = new Random(seed);
    RandomText texts = new RandomText(random);
    each(inputs / 20, input -> texts.statement(), text -> lower(text, random));
  }

  /** Tries texts one after the other; one that hangs is named. */
  private void each(int count, IntFunction<String> texts, Consumer<String> attempt) {
    AtomicReference<String> current = new AtomicReference<>("");
    withoutHanging(
        current,
        () -> {
          for (int input = 0; input < count; input++) {
            String text = texts.apply(input);
            current.set(text);
            attempt.accept(text);
          }
        });
  }

  @Test
  void deepNestingIsAnErrorWithAPosition() {
    for (String unit :
        List.of(
            "(",
            "-",
            "- -",
            "abs(",
            "max(x,",
            "sum(j,",
            "SUM(",
            "transpose(",
            "x(",
            "x[",
            "x @(+,*) (",
            "x @(min)(",
            "x / (",
            "((",
            "x(i)*(",
            "<",
            "@(",
            "{",
            "A[i]<")) {
      for (int times : List.of(50, 99, 100, 101, 1_000, DEEPEST)) {
        parse("y(i) = " + unit.repeat(times));
        parse("y(i) = " + unit.repeat(times) + "x(i)" + ")".repeat(times));
      }
    }
    for (String operator : List.of(" + ", " - ", " * ", " .* ", " / ", " @(+,*) ", " @(min) ")) {
      parse("y = x" + (operator + "x").repeat(100_000));
      parse("y = x" + (operator + "x").repeat(255));
    }
    parse("y = " + "x".repeat(1_000_000));
    parse("y = " + "9".repeat(1_000_000));
    parse("y(" + "i,".repeat(100_000) + "i) = x");
    parse("\n".repeat(100_000) + "y = (");
  }

  /** The longest chains and the deepest nesting that parse go through every later pass. */
  @Test
  void whatParsesDoesNotOverflowLaterPasses() {
    lower("y = " + "(".repeat(90) + "x" + ")".repeat(90), new Random(1));
    lower("y = " + "-".repeat(90) + "x", new Random(1));
    lower("y = " + "abs(".repeat(90) + "x" + ")".repeat(90), new Random(1));
    lower("y = x" + " + x".repeat(255), new Random(1));
    lower("y = x" + " * x".repeat(255), new Random(1));
    lower("y(i) = x(i)" + " * (x(i) + 1)".repeat(60), new Random(1));
  }

  private void withoutHanging(AtomicReference<String> current, Runnable run) {
    assertTimeoutPreemptively(
        Boolean.getBoolean("weft.long") ? HANG.multipliedBy(60) : HANG,
        () -> {
          try {
            run.run();
          } catch (Throwable problem) {
            throw new AssertionError(
                "seed " + seed + ", text: " + shortened(current.get()), problem);
          }
        },
        () -> "seed " + seed + " hangs on: " + shortened(current.get()));
  }

  private static String shortened(String text) {
    return text.length() < 2_000 ? text : text.substring(0, 2_000) + "...";
  }

  private static Optional<Statement> parse(String text) {
    Diagnostics diagnostics = new Diagnostics();
    Optional<Statement> statement = Parser.statement(SourceText.expression(text), diagnostics);
    assertThat(statement.isEmpty()).isEqualTo(diagnostics.hasErrors());
    requirePositions(diagnostics.list());
    return statement;
  }

  private static void requirePositions(List<Diagnostic> diagnostics) {
    for (Diagnostic diagnostic : diagnostics) {
      String text = diagnostic.render();
      assertThat(RENDERED.matcher(text).matches()).as("%s", text).isTrue();
    }
  }

  private static void lower(String text, Random random) {
    Optional<Statement> statement = parse(text);
    if (statement.isEmpty()) {
      return;
    }
    Map<String, TensorFormat> formats = new HashMap<>();
    bind(statement.get().target(), random, formats);
    Mask mask = statement.get().mask();
    if (mask != null) {
      bind(mask.tensor(), random, formats);
    }
    bindAll(statement.get().value(), random, formats);
    try {
      Lowering.lower(new KernelRequest("fuzz", text, formats, Map.of(), Schedule.parallel()));
    } catch (WeftException e) {
      assertThat(e.code().kind()).as(e.getMessage()).isNotEqualTo(ErrorCode.Kind.INTERNAL);
      if (e.code() == ErrorCode.INVALID_EXPRESSION) {
        assertThat(RENDERED.matcher(String.valueOf(e.getMessage())).matches())
            .as("%s", e.getMessage())
            .isTrue();
      }
    }
  }

  private static void bindAll(Syntax syntax, Random random, Map<String, TensorFormat> formats) {
    if (syntax instanceof Syntax.Access access) {
      bind(access, random, formats);
    }
    syntax.children().forEach(child -> bindAll(child, random, formats));
  }

  private static void bind(Syntax.Access access, Random random, Map<String, TensorFormat> formats) {
    int order = access.labels().size();
    if (random.nextInt(200) == 0) {
      return;
    }
    ValueType type = ValueType.values()[random.nextInt(4)];
    formats.putIfAbsent(
        access.tensor(),
        switch (random.nextInt(3)) {
          case 0 -> TensorFormat.dense(order, type);
          case 1 -> TensorFormat.csf(order, type);
          default -> TensorFormat.coo(order, type);
        });
  }
}
