package org.weft.compiler.lower;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Products in which one operand is walked and another looked up, or filters what is summed. */
class LocatedOperandsTest {
  @ParameterizedTest(name = "{0}, {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        // The outermost loop divides the walked operand's entries, not the hash buckets.
        "y(i) = x(i) * h(i)                  | y=Dense:1 x=CSF:1 h=HashVector:1",
        "y(i) = h(i) * x(i)                  | y=Dense:1 x=CSF:1 h=HashVector:1",
        "y(i) = A(i,j) * h(i)                | y=Dense:1 A=DCSR:2 h=HashVector:1",
        // Sums that a mask filters start from nothing in every round.
        "Y(j,l) = T(i,j,k) * a(l) * B(k,l)   | Y=Dense:2 T=CSF:3 a=CSF:1 B=CDR:2",
        "Y(j,l) = T(i,j,k) * M(i,l) * B(k,l) | Y=Dense:2 T=CSF:3 M=COO:2 B=CDR:2",
      })
  void agreeWithTheDefinition(String expression, String formats) {
    KernelOrdersTest.run(List.of(KernelGoldenTest.sample(expression, formats)));
  }
}
