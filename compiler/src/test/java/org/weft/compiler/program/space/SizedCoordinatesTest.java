package org.weft.compiler.program.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.StringReader;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.CooBlock;
import org.weft.tensor.ValueType;

/** Values of {@code comet_read}'s text as each type has them. */
class SizedCoordinatesTest {
  private static CooBlock read(String value, ValueType type) throws Exception {
    BufferedReader lines = new BufferedReader(new StringReader("4 2\n0 5\n3 " + value + "\n"));
    return new SizedCoordinates("x.tns", lines).read(type).blocks().get(0);
  }

  @ParameterizedTest
  @CsvSource({
    "LONG,9223372036854775807",
    "LONG,-9223372036854775808",
    "LONG,9007199254740993",
    "LONG,1234567890123456789",
    "INT,-2147483648",
    "INT,2147483647"
  })
  void integersKeepEveryDigit(ValueType type, String value) throws Exception {
    assertThat(read(value, type).longValue(1)).isEqualTo(Long.parseLong(value));
  }

  @ParameterizedTest
  @CsvSource({"INT,7.0,7", "LONG,2e3,2000", "FLOAT,0.1,0.1", "DOUBLE,1e300,1e300"})
  void otherNotationsAreNumbersToo(ValueType type, String value, double expected) throws Exception {
    assertThat(read(value, type).value(1)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "INT,2147483648",
    "INT,1.5",
    "INT,NaN",
    "LONG,9223372036854775808",
    "LONG,0.5",
    "LONG,1e19",
    "FLOAT,1e300"
  })
  void valuesThatTheTypeLacksAreRefused(ValueType type, String value) {
    assertThatThrownBy(() -> read(value, type))
        .isInstanceOf(WeftException.class)
        .hasMessageContaining("x.tns:3: expected")
        .hasMessageContaining("as the type " + type.keyword() + " has, found " + value)
        .extracting(e -> ((WeftException) e).code())
        .isEqualTo(ErrorCode.VALUE_OUT_OF_RANGE);
  }
}
