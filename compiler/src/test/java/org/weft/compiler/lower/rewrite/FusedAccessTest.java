package org.weft.compiler.lower.rewrite;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.compiler.KernelRequest;
import org.weft.compiler.Schedule;
import org.weft.compiler.lower.Lowering;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.ValueType;

/** When one loop walks the entries of a list, and when loops over its levels do. */
class FusedAccessTest {
  @ParameterizedTest(name = "{0}, T={1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "y(i) = T(i,j) * x(j)                            | {CN,S}    | true",
        "y(i) = T(i,j) / x(j)                            | {CN,S}    | true",
        "y(i) = (T(i,j) - x(j)) @(+,first) T(i,j)        | {CN,S}    | true",
        "y(i) = T(i,j) * exp(x(j))                       | {CN,S}    | true",
        "y(i) = T(i,j) * sum(q, F(i,q) * F(j,q))         | {CN,S}    | true",
        "y(i) = T(i,j) * (x(i) + x(j))                   | {CN,S}    | true",
        "y(i) = T(i,j) * exp(x(i))                       | {CN,S}    | false",
        "y(i) = T(i,j) * sum(q, F(i,q))                  | {CN,S}    | false",
        "y(i) = T(i,j) / x(j)                            | {CN,D}    | false",
        "y(i) = T(i,j) + x(j)                            | {CN,S}    | false",
        "y(i) = abs(T(i,j))                              | {CN,S}    | false",
        "y(i) = T(i,j) / x(j)                            | {CU,CU}   | false"
      })
  void entriesAreWalkedOneByOneWhereOnlySumsDependOnTheirOrder(
      String expression, String format, boolean fused) {
    Map<String, TensorFormat> formats = new LinkedHashMap<>();
    formats.put("y", TensorFormat.dense(1, ValueType.DOUBLE));
    formats.put("T", TensorFormat.parse(format, 2, ValueType.DOUBLE));
    if (expression.contains("x(")) {
      formats.put("x", TensorFormat.dense(1, ValueType.DOUBLE));
    }
    if (expression.contains("F(")) {
      formats.put("F", TensorFormat.dense(2, ValueType.DOUBLE));
    }
    KernelRequest request =
        new KernelRequest("y", expression, formats, Map.of(), Schedule.sequential());
    String lattices = Lowering.lower(request).stages().get("lattices");
    assertThat(lattices.contains(" fused")).as(lattices).isEqualTo(fused);
  }
}
