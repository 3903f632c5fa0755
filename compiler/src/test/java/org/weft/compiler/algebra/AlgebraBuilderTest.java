package org.weft.compiler.algebra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.compiler.lang.Diagnostics;
import org.weft.compiler.lang.Parser;
import org.weft.compiler.lang.SourceText;
import org.weft.compiler.loop.Goldens;
import org.weft.error.WeftException;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.ValueType;

class AlgebraBuilderTest {
  private static final Map<String, TensorFormat> FORMATS = new HashMap<>();

  static {
    Map.of("s", 0, "y", 1, "x", 1, "z", 1, "A", 2, "B", 2, "C", 2, "M", 2, "T", 3)
        .forEach((name, order) -> FORMATS.put(name, TensorFormat.dense(order, ValueType.DOUBLE)));
    FORMATS.put("P", TensorFormat.csf(2, ValueType.DOUBLE));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "y(i) = A(i,j) * x(j)                   | y(i) = sum_j(A(i,j) * x(j))",
        "y(i) = A(i,j) + B(i,j) + x(i)          | y(i) = sum_j(A(i,j) + B(i,j)) + x(i)",
        "y(i) = x(i) + (A(i,j) + B(i,j))        | y(i) = x(i) + sum_j(A(i,j) + B(i,j))",
        "y(i) = x(i) + A(i,j) * B(j,k)          | y(i) = x(i) + sum_j(sum_k(A(i,j) * B(j,k)))",
        "y(i) = A(i,j) * x(j) - B(i,k) * z(k)   | y(i) = sum_j(A(i,j) * x(j)) + sum_k(-B(i,k) * z(k))",
        "y(i) = exp(A(i,j))                     | y(i) = exp(sum_j(A(i,j)))",
        "y(i) = sum(j, A(i,j)) * x(i)           | y(i) = sum_j(A(i,j) * x(i))",
        "y(j) = x(j) * sum(j, A(i,j))           | y(j) = sum_j_1(sum_i(x(j) * A(i,j_1)))",
        "M(i,r) = T(i,j,k) * A(j,r) * B(k,r)    | M(i,r) = sum_k(sum_j(T(i,j,k) * A(j,r) * B(k,r)))",
        "A(i,j) = x(i)                          | A(i,j) = x(i)",
        "y(i) += -(-x(i))                       | y(i) += x(i)",
        "s = x(i) .* z(i)                       | s = sum_i(x(i) * z(i))",
        "y(i) = 2 * x(i) - -3                   | y(i) = 2 * x(i) + 3"
      })
  void reductionsAreImplicitAndProductsAreFlat(String text, String expected) {
    assertThat(build(text).toString()).isEqualTo(expected);
  }

  @Test
  void errorsNameTheOperand() throws IOException {
    StringBuilder all = new StringBuilder();
    for (String text :
        List.of(
            "y(i) = U(i,j) * x(j)",
            "y(i) = A(i) * x(i,j)",
            "y(i) = y(i) + x(i)",
            "y(i) = sum(k, A(i,j))",
            "P(i,j) += A(i,j)")) {
      assertThatThrownBy(() -> build(text))
          .isInstanceOf(WeftException.class)
          .satisfies(e -> all.append(e.getMessage()).append("\n\n"));
    }
    Goldens.check("algebra-errors.txt", all.toString());
  }

  @Test
  void functionsThatDensifySaySo() {
    Diagnostics diagnostics = new Diagnostics();
    AlgebraBuilder.build(
        Parser.statement(SourceText.expression("y(i) = exp(x(i))"), diagnostics).orElseThrow(),
        FORMATS,
        Map.of(),
        diagnostics);
    assertThat(diagnostics.render()).contains("expression:1:8: warning: exp(0) is not 0");
  }

  static TensorAssignment build(String text) {
    Diagnostics diagnostics = new Diagnostics();
    TensorAssignment built =
        AlgebraBuilder.build(
            Parser.statement(SourceText.expression(text), diagnostics).orElseThrow(),
            FORMATS,
            Map.of(),
            diagnostics);
    diagnostics.throwIfErrors();
    return built;
  }
}
