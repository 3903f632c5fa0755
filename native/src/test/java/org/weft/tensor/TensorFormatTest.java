package org.weft.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.error.WeftException;
import org.weft.tensor.level.LevelFormats;

class TensorFormatTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Dense | 3 | {D, D, D}",
        "CSF | 3 | {CU, CU, CU}",
        "csf@2,0,1 | 3 | {CU, CU, CU}@2,0,1",
        "COO | 3 | {CN, S, S}",
        "COO | 1 | {CN}",
        "CSR | 2 | {D, CU}",
        "CSC | 2 | {D, CU}@1,0",
        "DCSR | 2 | {CU, CU}",
        "{D, CU[32,16]} | 2 | {D, CU[32,16]}",
        "{CU?o, CU?ou}@1,0 | 2 | {CU?o, CU?ou}@1,0",
        "{} | 0 | {}",
      })
  void parsesAndPrints(String text, int order, String canonical) {
    TensorFormat format = TensorFormat.parse(text, order, ValueType.DOUBLE);
    assertThat(format).hasToString(canonical);
    assertThat(TensorFormat.parse(format.toString(), order, ValueType.DOUBLE)).isEqualTo(format);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "CSR | 3 | stores matrices",
        "{D, XX} | 2 | unknown level format",
        "{D, CU | 2 | closing brace",
        "{D} | 2 | 1 levels but the tensor has 2",
        "CSF@0,0 | 2 | mode order",
        "CSF@0,x | 2 | mode order",
        "{CU[7,8]} | 1 | width",
        "Blob | 2 | expected Dense",
      })
  void explainsWhatIsWrong(String text, int order, String message) {
    assertThatThrownBy(() -> TensorFormat.parse(text, order, ValueType.DOUBLE))
        .isInstanceOf(WeftException.class)
        .hasMessageContaining(message);
  }

  @Test
  void travelsThroughSerialization() throws IOException, ClassNotFoundException {
    TensorFormat format = TensorFormat.parse("{D, CU?o[32,16]}@1,0", 2, ValueType.FLOAT);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(format);
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      TensorFormat copy = (TensorFormat) in.readObject();
      assertThat(copy).isEqualTo(format);
      assertThat(copy.level(1).format()).isSameAs(LevelFormats.bySymbol("CU"));
    }
  }

  @Test
  void widthsFollowShapeAndEntries() {
    TensorFormat narrow =
        TensorFormat.csf(3, ValueType.DOUBLE).narrowedFor(TensorShape.of(256, 257, 70_000), 65_535);
    assertThat(narrow).hasToString("{CU[16,8], CU[16,16], CU[16,32]}");
  }
}
