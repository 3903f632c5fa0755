package org.weft.compiler.eval;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
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

/** However operands are stored, a large result is made in its own order and never sorted. */
class OperandOrdersTest {
  private static final int SIZE = 1200;
  private static final int ENTRIES = 60_000;

  @AutoClose
  private static final TensorCompiler COMPILER =
      TensorCompiler.create(CompilerOptions.forThisHost());

  @AutoClose private final MemoryScope scope = MemoryScope.root("orders", MemorySource.system());

  @ParameterizedTest
  @ValueSource(
      strings = {
        "C(i,k) = A(i,j) * B(j,k)",
        "C(i,k) = A(j,i) * B(j,k)",
        "C(i,k) = A(i,j) * B(k,j)",
        "C(i,k) = A(j,i) * B(k,j)",
        "C(i,j,l) = T(i,j,k) * A(k,l)",
        "C(i,j,l) = T(i,k,j) * A(k,l)",
        "C(i,j,l) = T(j,i,k) * A(k,l)",
        "C(i,j,l) = T(j,k,i) * A(k,l)",
        "C(i,j,l) = T(k,i,j) * A(k,l)",
        "C(i,j,l) = T(k,j,i) * A(k,l)",
        "C(i,j,l) = T(k,j,i) * A(l,k)"
      })
  void theOutermostLoopIsThatOfTheResult(String statement) {
    assertThat(graphs(statement))
        .isNotEmpty()
        .allSatisfy(graph -> assertThat(graph).contains("loops: i, "));
  }

  @Test
  void bothOperandsAreTransposedWhereOneAloneWouldNotHelp() {
    String plan = new Evaluator(COMPILER, 1).plan(input("C(i,k) = A(j,i) * B(k,j)")).toString();
    assertThat(plan).contains("as A_10").contains("as B_10");
  }

  @Test
  void anOperandThatIsReadTwiceIsOneOperand() {
    assertThat(graphs("C(i,k) = A(j,i) * B(k,j) + A(j,i) * A(j,i) * B(k,j)")).isNotEmpty();
  }

  private List<String> graphs(String statement) {
    return new Evaluator(COMPILER, 1)
        .plan(input(statement)).steps().stream()
            .filter(EvaluationStep.Compute.class::isInstance)
            .map(step -> ((EvaluationStep.Compute) step).kernel().stages().get("iterationGraph"))
            .toList();
  }

  private StatementInput input(String statement) {
    Map<String, TensorStorage> operands = new HashMap<>();
    for (String name : List.of("A", "B", "T")) {
      if (statement.contains(name + "(")) {
        operands.put(name, scattered(name.equals("T") ? 3 : 2, new Random(name.hashCode())));
      }
    }
    int order = statement.startsWith("C(i,j,l)") ? 3 : 2;
    return StatementInput.of(statement, operands, TensorFormat.csf(order, ValueType.DOUBLE));
  }

  private TensorStorage scattered(int order, Random random) {
    CooBlock.Builder block = new CooBlock.Builder(order, ENTRIES);
    for (int entry = 0; entry < ENTRIES; entry++) {
      block.add(random.longs(order, 0, SIZE).toArray(), 1);
    }
    long[] sizes = random.longs(order, SIZE, SIZE + 1).toArray();
    return Packing.pack(
        scope,
        TensorShape.of(sizes),
        TensorFormat.csf(order, ValueType.DOUBLE),
        List.of(block.build()));
  }
}
