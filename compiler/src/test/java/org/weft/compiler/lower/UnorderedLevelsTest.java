package org.weft.compiler.lower;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Unordered levels where loops need increasing coordinates: sorted copies of their segments. */
class UnorderedLevelsTest {
  @ParameterizedTest(name = "{0}, {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "y(i) = x(i)                   | y=CSF:1 x=HashVector:1",
        "y(i) = x(i) + z(i)            | y=CSF:1 x=HashVector:1 z=CSF:1",
        "y(i) = x(i) + z(i)            | y=Dense:1 x=HashVector:1 z=HashVector:1",
        "y(i) = x(i) * z(i)            | y=CSF:1 x=HashVector:1 z=HashVector:1",
        "y(i) = x(i) + z(i) + 1        | y=Dense:1 x=HashVector:1 z=CSF:1",
        "Y(i,j) = A(i,j) + B(i,j)      | Y=CSR:2 A=HashMatrix:2 B=CSR:2",
        "Y(i,j) = A(i,j) + B(i,j)      | Y=COO:2 A=HashMatrix:2 B=COO:2",
        "Y(i,j) = A(i,j) - B(i,j) * C(i,j) | Y=CSF:2 A=HashMatrix:2 B=HashMatrix:2 C=CSR:2",
        "Y(i,j) = A(i,k) * B(k,j)      | Y=CSR:2 A=HashMatrix:2 B=HashMatrix:2",
        "Y(j,i) = A(i,j)               | Y=CSR:2 A=HashMatrix:2",
        "Y(i,j) = A(i,j)               | Y=CSR:2 A={H,CU}:2",
        "Y(i,j) = A(i,j) + B(i,j)      | Y=CSF:2 A={H,H}:2 B={H,CU}:2",
        "Y(i,j) = A(i,j) + B(i,j)      | Y=CSF:2 A={CU?o,CU}:2 B=CSF:2",
        "Y(i,j) = A(i,j) + B(i,j) + C(i,j) + D(i,j) | Y=CSF:2 A={H,H}:2 B={H,CU}:2 C=CSF:2 D=COO:2"
      })
  void sortedCopies(String expression, String formats) {
    KernelOrdersTest.run(List.of(KernelGoldenTest.sample(expression, formats)));
  }
}
