package org.weft.compiler.lower;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Intersections in which an operand is walked anew in each iteration of an outer loop: a walk that
 * took single steps would pass all of its positions each time.
 */
class LeapingWalksTest {
  @ParameterizedTest(name = "{0}, {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "y(i) = A(i,j) * x(j)               | y=Dense:1 A=CSR:2 x=CSF:1 j=150",
        "y(i) = A(i,j) * x(j) * z(j)        | y=Dense:1 A=DCSR:2 x=CSF:1 z=CSF:1 j=150",
        "Y(i,k) = A(i,j) * B(j,k)           | Y=CSR:2 A=CSR:2 B=DCSR:2 j=150 i=9",
        "Y(i,k) = A(i,j) * B(j,k)           | Y=Dense:2 A=DCSR:2 B=DCSR:2 j=150 i=9",
        "Y(i,k) = A(i,j) @(min,+) B(j,k)    | Y=CSR:2 A=CSR:2 B=DCSR:2 j=150",
        "Y(i,k,l) = A(i,j) * T(j,k,l)       | Y=CSF:3 A=CSR:2 T=CSF:3 j=60",
        "Y(i,k) = A(i,j) * B(j,k) * x(j)    | Y=CSR:2 A=CSR:2 B=DCSR:2 x=CSF:1 j=150",
        "Y(i,k)<M,pull> = A(i,j) * B(j,k)   | Y=CSR:2 A=CSR:2 B=CSC:2 M=CSR:2 j=150",
        "Y(i,k) = A(i,j) * B(j,k)           | Y=CSR:2 A=CSR:2 B=COO:2 j=150",
        "y(i) = A(i,j) * x(j)               | y=Dense:1 A=BCSR(3,3):2 x=CSF:1 j=150",
        "Y(i,k) = A(i,j) * B(j,k)           | Y=Dense:2 A=BCSR(2,3):2 B=DCSR:2 j=150",
        "s = L(i,j) * L(i,k) * L(j,k)       | s=Dense:0 L=CSR:2 i=20 j=20 k=20",
      })
  void leapAndAgreeWithTheDefinition(String expression, String formats) {
    KernelCase sample = KernelGoldenTest.sample(expression, formats);
    assertThat(loops(sample)).contains("_stride");
    KernelOrdersTest.run(List.of(sample));
  }

  @ParameterizedTest(name = "{0}, {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "Y(i,j) = A(i,j) * B(i,j)           | Y=CSR:2 A=CSR:2 B=CSR:2",
        "Y(i,j) = A(i,j) + B(i,j)           | Y=CSR:2 A=CSR:2 B=CSR:2",
        "y(i) = A(i,j) + x(j)               | y=Dense:1 A=CSR:2 x=CSF:1",
        "Y(i,k) = A(i,j) * B(j,k)           | Y=CSR:2 A=CSR:2 B=CSR:2",
      })
  void othersTakeSteps(String expression, String formats) {
    assertThat(loops(KernelGoldenTest.sample(expression, formats))).doesNotContain("_stride");
  }

  private static String loops(KernelCase sample) {
    return Lowering.lower(sample.request("kernel")).stages().get("loops");
  }
}
