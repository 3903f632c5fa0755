package org.weft.compiler.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.compiler.algebra.AlgebraBuilder;
import org.weft.compiler.lang.Diagnostics;
import org.weft.compiler.lang.Parser;
import org.weft.compiler.lang.SourceText;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.ValueType;

class IterationGraphTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "y(i) = A(i,j) * x(j)                | y=Dense:1 A=CSR:2 x=Dense:1            | i j",
        "y(i) = A(i,j) * x(j)                | y=Dense:1 A=CSC:2 x=Dense:1            | j i",
        "M(i,r) = T(i,j,k) * C(j,r) * D(k,r) | M=Dense:2 T=CSF:3 C=Dense:2 D=Dense:2  | i j k r",
        "M(j,r) = T(i,j,k) * C(i,r) * D(k,r) | M=Dense:2 T=CSF@1,2,0:3 C=Dense:2 D=Dense:2 | j k i r",
        "C(i,j) = A(i,k) * B(k,j)            | C=Dense:2 A=Dense:2 B=Dense:2          | i k j",
        "C(i,j) = A(i,k) * B(k,j)            | C=CSR:2 A=CSR:2 B=CSR:2                | i k j",
        "Y(i,j,r) = T(i,j,k) * U(k,r)        | Y={CU,CU,D}:3 T=CSF:3 U=Dense:2        | i j k r",
        "A(i,j) = B(i,j) * C(i,k) * D(k,j)   | A=CSR:2 B=CSR:2 C=Dense:2 D=Dense:2    | i j k",
        "D(i,j) = A(i,j) * abs(sum(k, A(i,k)))          | D=CSR:2 A=CSR:2             | i k j",
        "D(i,j) = A(i,j) * abs(SUM(B(k,l)))             | D=CSR:2 A=CSR:2 B=CSR:2     | k l i j",
        "D(i) = A(i,j) * sum(k, B(j,k) * sum(l, B(k,l))) | D=Dense:1 A=CSR:2 B=CSR:2  | i j k l"
      })
  void sparsePathsComeFirstAndDenseVariablesInnermost(
      String text, String formats, String expected) {
    assertThat(graph(text, formats, List.of()).loopOrder())
        .extracting(v -> v.name())
        .containsExactly(expected.split(" "));
  }

  @Test
  void scheduleOverridesPreferencesButNotPaths() {
    String text = "C(i,j) = A(i,k) * B(k,j)";
    String dense = "C=Dense:2 A=Dense:2 B=Dense:2";
    assertThat(graph(text, dense, List.of("k", "j", "i")).loopOrder())
        .extracting(v -> v.name())
        .containsExactly("k", "j", "i");
    assertThatThrownBy(
            () -> graph(text, "C=Dense:2 A=CSR:2 B=Dense:2", List.of("k", "i")).loopOrder())
        .hasMessageContaining("the schedule runs k outside i");
    assertThatThrownBy(() -> graph(text, dense, List.of("q")))
        .hasMessageContaining("order(q) is illegal")
        .hasMessageContaining("q is not a label of the statement");
  }

  @Test
  void cyclesNameThePathsAndAModeOrderThatBreaksThem() {
    assertThatThrownBy(
            () ->
                graph("Y(i,j) = A(i,j) + B(j,i)", "Y=Dense:2 A=CSF:2 B=CSF:2", List.of())
                    .loopOrder())
        .isInstanceOf(WeftException.class)
        .satisfies(e -> assertThat(((WeftException) e).code()).isEqualTo(ErrorCode.INVALID_FORMAT))
        .hasMessage(
            "no loop order serves all operands of Y(i,j) = A(i,j) + B(j,i): i -> j -> i is a cycle"
                + " (A(i,j) stored as {CU, CU} needs i before j, B(j,i) stored as {CU, CU} needs j"
                + " before i); store B as DCSC instead");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "C(i,j) = A(i,j) + B(i,j)       | C=Dense:2 A=CSR:2 B=CSC:2 | store B as CSR instead",
        "C(i,j) = A(i,j) + B(j,i)       | C=Dense:2 A=CSR:2 B=CSR:2 | store B as CSC instead",
        "C(i,j,k) = A(i,j,k) + B(k,j,i) | C=Dense:3 A=CSF:3 B=CSF:3 | B as {CU, CU, CU}@2,1,0 instead"
      })
  void theRemedyIsAFormatThatCanBeTyped(String text, String formats, String remedy) {
    assertThatThrownBy(() -> graph(text, formats, List.of()).loopOrder())
        .hasMessageContaining(remedy);
  }

  private static IterationGraph graph(String text, String formats, List<String> order) {
    Map<String, TensorFormat> parsed = new HashMap<>();
    for (String format : formats.trim().split(" +")) {
      String[] parts = format.split("[=:]");
      parsed.put(
          parts[0], TensorFormat.parse(parts[1], Integer.parseInt(parts[2]), ValueType.DOUBLE));
    }
    Diagnostics diagnostics = new Diagnostics();
    var statement = Parser.statement(SourceText.expression(text), diagnostics).orElseThrow();
    return IterationGraph.of(AlgebraBuilder.build(statement, parsed, Map.of(), diagnostics), order);
  }
}
