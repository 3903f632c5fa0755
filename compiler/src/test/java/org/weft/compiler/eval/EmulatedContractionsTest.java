package org.weft.compiler.eval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.Directive;
import org.weft.compiler.GemmTiles;
import org.weft.compiler.Schedule;
import org.weft.compiler.TensorCompiler;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/** Contractions around an accelerator that only waits. */
class EmulatedContractionsTest {
  private static final Map<String, Long> SIZES =
      Map.of("a", 7L, "b", 5L, "c", 3L, "d", 9L, "e", 4L, "f", 1L, "o", 0L);

  @AutoClose
  private static final TensorCompiler PLAIN =
      TensorCompiler.create(CompilerOptions.forThisHost().withOptimisation(1));

  @AutoClose
  private static final TensorCompiler GUARDED =
      TensorCompiler.create(CompilerOptions.forThisHost().withOptimisation(1).withCheck(true));

  private static TensorStorage filled(MemoryScope scope, List<String> labels, double value) {
    TensorShape shape = TensorShape.of(labels.stream().mapToLong(SIZES::get).toArray());
    TensorStorage storage = TensorStorage.dense(scope, shape, ValueType.DOUBLE);
    for (long at = 0; at < storage.vals().length(); at++) {
      storage.vals().setDouble(at, value);
    }
    return storage;
  }

  private static void check(
      TensorCompiler compiler, String statement, Directive.Emulate directive) {
    LabelledStatement parsed = LabelledStatement.parse(statement);
    try (MemoryScope scope = MemoryScope.root("test", MemorySource.system())) {
      Map<String, TensorStorage> operands = new HashMap<>();
      parsed.operands().forEach((name, labels) -> operands.put(name, filled(scope, labels, 2)));
      TensorStorage result = filled(scope, parsed.resultLabels(), 5);
      TensorFormat format = TensorFormat.dense(parsed.resultLabels().size(), ValueType.DOUBLE);
      StatementInput input =
          StatementInput.of(statement, operands, format)
              .withSchedule(new Schedule(List.of(directive)));
      try (BoundStatement bound =
          new Evaluator(compiler, 1).prepare(input).bind(result, operands)) {
        bound.run();
      }
      for (long at = 0; at < result.vals().length(); at++) {
        assertThat(result.vals().getDouble(at)).as("cell %d of %s", at, statement).isZero();
      }
    }
  }

  /** Every cell is written once, whatever the tile, the blocks and the order of the labels. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "C(a,b) = A(a,c) * B(c,b) | a | 2:3:2:4:6 | 2",
        "C(a,b) = A(a,d) * B(d,b) | a | 16:2:8:16:2 | 4",
        "C(a,b,c,d) = A(d,e,a) * B(c,e,b) | a | 8:4:2:8:8 | 2",
        "C(b,c,d) = A(b,c,e) * B(b,e,d) | c | 4:4:4:4:4 | 1",
        "C(a) = A(a,e) * B(e) | a | 4:4:4:8:4 | 2",
        "C(a,b) = A(a,f) * B(f,b) | b | 4:4:4:8:4 | 2",
        "C(a,b) = A(a,o) * B(o,b) | b | 4:4:4:8:4 | 2",
        "C(a,o) = A(a,c) * B(c,o) | a | 4:4:4:8:4 | 2",
      })
  void everyCellIsWritten(String statement, String divided, String tiles, long terms) {
    String[] parts = tiles.split(":");
    GemmTiles blocks =
        new GemmTiles(
            Long.parseLong(parts[0]),
            Long.parseLong(parts[1]),
            Long.parseLong(parts[2]),
            Long.parseLong(parts[3]),
            Long.parseLong(parts[4]));
    Directive.Emulate still = new Directive.Emulate(divided, blocks, terms, 0);
    check(PLAIN, statement, still);
    check(GUARDED, statement, new Directive.Emulate(divided, blocks, terms, 40));
  }

  /** The other cases of {@link #everyCellIsWritten}. */
  @Tag("long")
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "C(a,b) = A(a,c) * B(c,b) | b | 64:64:64:64:64 | 16",
        "C(b,a,d) = A(a,e,b) * B(e,d) | d | 5:3:4:10:3 | 4",
        "C(a,b) = A(a) * B(b) | b | 4:4:4:8:4 | 2",
      })
  void everyCellOfOthersIsWritten(String statement, String divided, String tiles, long terms) {
    everyCellIsWritten(statement, divided, tiles, terms);
  }

  @Test
  void theKernelWaitsOnceForEachPassAndComputesNothing() {
    Map<String, OperandOutline> operands = new HashMap<>();
    TensorFormat dense = TensorFormat.dense(2, ValueType.DOUBLE);
    operands.put("A", new OperandOutline(dense, TensorShape.of(100, 300), 30_000));
    operands.put("B", new OperandOutline(dense, TensorShape.of(300, 200), 60_000));
    StatementAlgebra algebra =
        LabelledStatement.parse("C(i,j) = A(i,k) * B(k,j)").algebra(operands, dense, Map.of());
    GemmTiles tiles = new GemmTiles(256, 128, 512, 256, 128);
    Schedule schedule = new Schedule(List.of(new Directive.Emulate("i", tiles, 64, 1234)));
    EvaluationPlan plan = new Evaluator(PLAIN, 1).plan(algebra, schedule, Set.of());
    EvaluationStep.Compute step = (EvaluationStep.Compute) plan.steps().get(0);
    String loops = step.kernel().stages().get("loops");
    assertThat(loops)
        .containsOnlyOnce("delay(")
        .contains("* 1234);", "unit_tile", "wide_panels[", "high_panels[");
    assertThat(loops.lines().filter(line -> line.contains(" = ") || line.contains("+=")))
        .as("panels are packed and nothing reads them")
        .noneMatch(line -> line.replaceFirst("^[^=]*=", "").contains("_panels["));
  }

  @Test
  void aTileMayBeLargerThanRegistersOnlyWhereNothingIsComputed() {
    GemmTiles tiles = GemmTiles.around(256, 256, 256, Double.BYTES);
    assertThat(tiles.depth() % 256).isZero();
    assertThat(tiles.wideBlock() % 256).isZero();
    assertThatThrownBy(() -> new Directive.Gemm("i", tiles))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at most 512 cells, found 256 by 256");
    assertThatThrownBy(
            () ->
                new Schedule(
                    List.of(
                        new Directive.Emulate("i", tiles, 256, 1),
                        new Directive.Gemm("i", new GemmTiles(8, 4, 16, 8, 4)))))
        .hasMessageContaining("one directive of a kind");
  }
}
