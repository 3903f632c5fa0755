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
import org.weft.compiler.lower.Lowering;
import org.weft.error.WeftException;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.ValueType;

class AlgebraBuilderTest {
  private static final Map<String, TensorFormat> FORMATS = new HashMap<>();

  static {
    Map.of("s", 0, "y", 1, "x", 1, "z", 1, "A", 2, "B", 2, "C", 2, "M", 2, "T", 3)
        .forEach((name, order) -> FORMATS.put(name, TensorFormat.dense(order, ValueType.DOUBLE)));
    FORMATS.put("P", TensorFormat.csf(2, ValueType.DOUBLE));
    FORMATS.put("Q", TensorFormat.csf(2, ValueType.DOUBLE));
    FORMATS.put("I", TensorFormat.dense(2, ValueType.INT));
    FORMATS.put("n", TensorFormat.dense(1, ValueType.INT));
    FORMATS.put("n2", TensorFormat.dense(1, ValueType.INT));
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
        "y(i) = sum(j, A(i,j)) / sum(j, A(i,j)) | y(i) = sum_j(A(i,j)) / sum_j(A(i,j))",
        "y(i) = sum(j, A(i,j)) * sum(j, A(i,j)) | y(i) = sum_j(A(i,j)) * sum_j(A(i,j))",
        "y(i) = sum(j, A(i,j)) * sum(j, B(i,j)) | y(i) = sum_j(sum_j_1(A(i,j) * B(i,j_1)))",
        "M(i,r) = T(i,j,k) * A(j,r) * B(k,r)    | M(i,r) = sum_k(sum_j(T(i,j,k) * A(j,r) * B(k,r)))",
        "A(i,j) = x(i)                          | A(i,j) = x(i)",
        "y(i) += -(-x(i))                       | y(i) += x(i)",
        "s = x(i) .* z(i)                       | s = sum_i(x(i) * z(i))",
        "y(i) = 2 * x(i) - -3                   | y(i) = 2 * x(i) + 3"
      })
  void reductionsAreImplicitAndProductsAreFlat(String text, String expected) {
    assertThat(build(text).toString()).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "y(i) = sum(j, A(i,j)) * sum(j, B(i,j))   | y(i) = sum_j(A(i,j)) * sum_j_1(B(i,j_1))",
        "y(i) = x(i) * SUM(B(i,j))                | y(i) = x(i) * sum_j(sum_i_1(B(i_1,j)))",
        "y(i) = -A(i,j) * x(j) * SUM(B(i,j))      | y(i) = -sum_j_1(sum_i_1(B(i_1,j_1))) * sum_j(A(i,j) * x(j))",
        "A(i,j) = x(i) @(min,+) B(k,j) @(min,+) SUM(C(i,j)) | A(i,j) = x(i) + sum_j_1(sum_i_1(C(i_1,j_1))) + min_k(B(k,j))",
        // a factor counts as often as it is written
        "s = A(i,j) * A(i,j) * 3                  | s = 3 * sum_j(sum_i(A(i,j) * A(i,j)))",
        "y(j) = A(i,j) * x(i) * A(i,j) * SUM(C(i,j)) | y(j) = sum_j_1(sum_i_1(C(i_1,j_1))) * sum_i(A(i,j) * x(i) * A(i,j))",
        // j and k meet in B: one nest
        "y(i) = A(i,j) * B(j,k) * x(k)            | y(i) = sum_k(sum_j(A(i,j) * B(j,k) * x(k)))",
        "y(i) = A(i,j) * x(j) * z(i)              | y(i) = sum_j(A(i,j) * x(j) * z(i))",
        // min(a * b) is not min(a) * min(b)
        "s = x(i) @(min,*) z(j)                   | s = min_j(min_i(x(i) * z(j)))",
      })
  void factorsThatShareNoReducedLabelAreReducedApart(String text, String expected) {
    assertThat(Lowering.apart(build(text)).toString()).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // labels of a semiring reduce with its operator, the others by the smallest sub-expression
        "A(i,k) = B(i,j) @(min,+) C(j,k)         | A(i,k) = min_j(B(i,j) + C(j,k))",
        "y(i) = B(i,j) @(max,first) x(i)         | y(i) = max_j(B(i,j) first x(i))",
        "y(i) = (B(i,j) * x(j)) @(min,+) z(i)    | y(i) = sum_j(B(i,j) * x(j)) + z(i)",
        "y(i) = (B(i,j) @(min,+) x(j)) + A(i,j)  | y(i) = sum_j(B(i,j) + x(j) + A(i,j))",
        "A(i,l) = B(i,j) @(min,+) C(j,k) @(max,*) M(k,l) | A(i,l) = max_k(min_j(B(i,j) + C(j,k)) * M(k,l))",
        // logical operators act on truth values
        "y(i) = B(i,j) @(or,pair) x(j)           | y(i) = max_j(B(i,j) pair x(j))",
        "y(i) = B(i,j) @(or,*) x(j)              | y(i) = max_j(truth(B(i,j) * x(j)))",
        "y(i) = B(i,j) @(+,&) x(j)               | y(i) = sum_j(truth(B(i,j)) min truth(x(j)))",
        // monoids: union, but * and the meeting of a sparse and a full operand in a sparse result
        "A(i,j) = P(i,j) @(min) Q(i,j)           | A(i,j) = P(i,j) min Q(i,j)",
        "P(i,j) = Q(i,j) @(-) A(i,j)             | P(i,j) = Q(i,j) - A(i,j)",
        "A(i,j) = P(i,j) @(-) Q(i,j)             | A(i,j) = P(i,j) - Q(i,j)",
        // min(a + x) = a + min(x) for floats, not for integers, which wrap
        "y(i) = x(i) @(min,+) (B(i,j) @(min,+) z(j)) | y(i) = min_j(x(i) + B(i,j) + z(j))",
        "n(i) = n2(i) @(min,+) (I(i,j) @(min,+) n2(j)) | n(i) = n2(i) + min_j(I(i,j) + n2(j))",
        // + does not distribute over +, * does not over min, and -min(x) is not min(-x)
        "y(i) = x(i) @(+,+) sum(j, B(i,j))       | y(i) = x(i) + sum_j(B(i,j))",
        "y(i) = x(i) * (B(i,j) @(min,+) z(j))    | y(i) = x(i) * min_j(B(i,j) + z(j))",
        "y(i) = -(B(i,j) @(min,+) z(j))          | y(i) = -min_j(B(i,j) + z(j))",
        // SUM and transpositions are labels
        "y(i) = x(i) * SUM(B(i,j))               | y(i) = sum_j(sum_i_1(x(i) * B(i_1,j)))",
        "s = SUM(A(i,k) * B(k,j) + C(i,j))       | s = sum_j(sum_i(sum_k(A(i,k) * B(k,j)) + C(i,j)))",
        "s = SUM(abs(A(i,j)))                    | s = sum_j(sum_i(abs(A(i,j))))",
        "s = SUM(2 * A(i,j) / x(i))              | s = sum_j(sum_i((2 * A(i,j)) / x(i)))",
        "s = SUM(1 / x(i))                       | s = sum_i(1 / x(i))",
        "y(i) = abs(B(i,j))                      | y(i) = abs(sum_j(B(i,j)))",
        "A(j,i) = transpose(B(i,j),{j,i})        | A(j,i) = B(i,j)",
        "y(i) -= A(i,j) * x(j)                   | y(i) += sum_j(-A(i,j) * x(j))",
        "A(i,k)<Q,push> = B(i,j) * C(j,k)        | A(i,k) = sum_j(B(i,j) * C(j,k)) first Q(i,k)"
      })
  void everyNodeKeepsItsOperator(String text, String expected) {
    assertThat(build(text).toString()).isEqualTo(expected);
  }

  @Test
  void unionsAndIntersectionsAreDifferentNodes() {
    assertThat(build("A(i,j) = P(i,j) @(max) Q(i,j)").value()).isInstanceOf(TensorExpr.Sum.class);
    assertThat(build("P(i,j) = Q(i,j) @(max) A(i,j)").value())
        .isInstanceOf(TensorExpr.Product.class);
    assertThat(build("P(i,j) = A(i,j) @(max) B(i,j)").value()).isInstanceOf(TensorExpr.Sum.class);
    assertThat(build("B(i,j) = Q(i,j) @(max) A(i,j)").value()).isInstanceOf(TensorExpr.Sum.class);
  }

  @Test
  void onlyOperatorsThatDistributeDistribute() {
    assertThat(Operator.TIMES.distributesOver(Operator.PLUS, 0, 2, true)).isTrue();
    assertThat(Operator.TIMES.distributesOver(Operator.MIN, 0, 2, false)).isFalse();
    assertThat(Operator.PLUS.distributesOver(Operator.MIN, 1, 2, false)).isTrue();
    assertThat(Operator.PLUS.distributesOver(Operator.MIN, 1, 2, true)).isFalse();
    assertThat(Operator.PLUS.distributesOver(Operator.PLUS, 1, 2, false)).isFalse();
    assertThat(Operator.MIN.distributesOver(Operator.PLUS, 0, 2, false)).isFalse();
    assertThat(Operator.MIN.distributesOver(Operator.MAX, 0, 2, true)).isTrue();
    assertThat(Operator.FIRST.distributesOver(Operator.PLUS, 0, 2, false)).isTrue();
    assertThat(Operator.FIRST.distributesOver(Operator.PLUS, 1, 2, false)).isFalse();
    assertThat(Operator.FIRST.distributesOver(Operator.MAX, 1, 2, false)).isTrue();
    assertThat(Operator.PAIR.distributesOver(Operator.PLUS, 0, 2, false)).isFalse();
    assertThat(Operator.DIVIDE.distributesOver(Operator.PLUS, 0, 2, false)).isFalse();
  }

  @Test
  void errorsNameTheOperand() throws IOException {
    StringBuilder all = new StringBuilder();
    for (String text :
        List.of(
            "y(i) = U(i,j) * x(j)",
            "y(i) = A(i) * x(i,j)",
            "y(i) = y(i) + x(i)",
            "y(i) += y(i) + x(i)",
            "y(i) = sum(k, A(i,j))",
            "P(i,j) += A(i,j)",
            "A(i,j) = transpose(B(i,j), {j,k})",
            "A(i,j) = transpose(B(i,j), {j,i})",
            "y(i)<P> = x(i)",
            "y(i)<x(j)> = z(i)",
            "y(i)<y> = z(i)")) {
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
