package org.weft.compiler.lower;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.compiler.KernelRequest;
import org.weft.compiler.Schedule;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.ValueType;

/** Sums of many sparse operands: their code grows with the statement, not with the cases. */
class ManyOperandsTest {
  @ParameterizedTest(name = "{0} = {1} in {2}")
  @CsvSource(
      delimiter = '|',
      value = {
        "ij   | ij   | CSF",
        "ij   | ij   | CSR",
        "ij   | ij   | COO",
        "ij   | ij   | {CU, D}",
        "ij   | ij   | {CU, B}",
        "ij   | ij   | {H, H}",
        "ij   | ij   | {CU?o, CU?o}",
        "ij   | ij   | BCSR(2,2)",
        "ji   | ij   | CSF",
        "ijk  | ijk  | CSF",
        "ijk  | ijk  | {CU, D, CU}",
        "ijk  | ijk  | {CU, CU, D}",
        "i    | ii   | CSF",
        "ij   | iji  | CSF",
        "j    | iji  | {CU, D, CU}",
        "ji   | ijij | CSF"
      })
  void codeGrowsInProportion(String target, String labels, String format) {
    int two = lines(sum(target, labels, 2), format);
    for (int operands = 3; operands <= 8; operands++) {
      assertThat(lines(sum(target, labels, operands), format))
          .as("%d operands", operands)
          .isLessThan(3 * operands * two / 2);
    }
  }

  @Test
  void codeOfNestedMergesGrowsInProportion() {
    String two = "Y(i,j) = (A(i) + B(i)) * (C(j) + D(j)) * T(i,j)";
    String four =
        "Y(i,j,k,l) = (A(i) + B(i)) * (C(j) + D(j)) * (E(k) + F(k)) * (G(l) + H(l)) * T(i,j,k,l)";
    assertThat(lines(four, "CSF")).isLessThan(6 * lines(two, "CSF"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "R(j,i) = T(i,j,i,j) + U(i,j,i) - V(i,i,j) * w(i) | R=CSR:2 T=CSF:4 U=CSF:3 V=CSF:3 w=CSF:1",
        "Y(i,j) = A(i,j) + B(i,j) + C(i,j)            | Y=CSF:2 A=CSF:2 B={CU,D}:2 C=COO:2",
        "Y(i,j) = A(i,j) + B(i,j) + C(i,j) + D(i,j)   | Y=CSF:2 A={CU,D}:2 B={CU,D}:2 C={CU,B}:2 D=CSF:2",
        "Y(i,j) = A(i,j) + B(i,j) * C(i,j) + D(i,j)   | Y=CSF:2 A={CU,B}:2 B={CU,D}:2 C={CU,H}:2 D={H,H}:2",
        "Y(i,j,k) = A(i,j,k) + B(i,j,k) + C(i,j,k)    | Y=CSF:3 A={CU,D,CU}:3 B={CU,D,D}:3 C={CU,CU,D}:3",
        "Y(i,j) = A(i,j) + B(i,k) * C(k,j) + D(i,j)   | Y=CSF:2 A={CU,D}:2 B={CU,D}:2 C={CU,D}:2 D=CSF:2",
        "y(i) = A(i,j) + B(i,j) + C(i,j) - D(i,i)     | y=CSF:1 A={CU,D}:2 B=CSF:2 C=COO:2 D={CU,D}:2",
        "Y(i,j) = min(A(i,j), B(i,j) @(+,second) C(i,j)) - D(i,j) + E(i,j)"
            + " | Y=Dense:2 A=CSF:2 B=CSF:2 C=Dense:2 D=CSF:2 E=CSF:2"
      })
  void valuesAreThoseOfTheDefinition(String statement) {
    String[] parts = statement.split("\\|");
    KernelOrdersTest.run(List.of(KernelGoldenTest.sample(parts[0].strip(), parts[1].strip())));
  }

  private static String sum(String target, String labels, int operands) {
    String each = "(" + String.join(",", labels.split("")) + ")";
    return "Y("
        + String.join(",", target.split(""))
        + ") = "
        + IntStream.range(0, operands)
            .mapToObj(n -> "T" + n + each)
            .collect(Collectors.joining(" + "));
  }

  /** Lines of the loops of a statement whose operands have {@code format}, and the result CSF. */
  private static int lines(String expression, String format) {
    Map<String, TensorFormat> formats = new TreeMap<>();
    Matcher access = Pattern.compile("(\\w+)(?:\\(([^()+]+)\\))?").matcher(expression);
    while (access.find()) {
      String labels = access.group(2);
      int order = labels == null ? 0 : labels.split(",").length;
      String name = formats.isEmpty() ? "CSF" : order == 1 ? "CSF" : format;
      formats.put(
          access.group(1),
          TensorFormat.parse(order == 0 ? "Dense" : name, order, ValueType.DOUBLE));
    }
    LoweredKernel kernel =
        Lowering.lower(
            new KernelRequest("kernel", expression, formats, Map.of(), Schedule.parallel()));
    return (int) kernel.stages().get("loops").lines().count();
  }
}
