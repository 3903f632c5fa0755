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
        "CDR | 2 | {CU, D}",
        "CSR[32,16] | 2 | {D, CU[32,16]}",
        "CSR[ 8 , 8 ]@1,0 | 2 | {D, CU[8,8]}@1,0",
        "ELL | 2 | {D:slot, D:0, S?c:1}",
        "ELL@1,0 | 2 | {D:slot, D:0, S?c:1}@1,0",
        "DIA | 2 | {D:diagonal, R:0, O:1}",
        "DIA[64,16] | 2 | {D:diagonal, R[64,16]:0, O:1}",
        "BCSR(2,3) | 2 | {D:0/2, CU:1/3, D:0%2, D:1%3}",
        "bcsr( 2 , 3 )[32,16]@1,0 | 2 | {D:0/2, CU[32,16]:1/3, D:0%2, D:1%3}@1,0",
        "CSB(4,4) | 2 | {D:0/4, D:1/4, CN:0%4, S:1%4}",
        "ModeGeneric(1) | 3 | {CN, S, D}",
        "ModeGeneric(2)@2,0,1 | 3 | {CN, D, D}@2,0,1",
        "HashVector | 1 | {H}",
        "HashMatrix | 2 | {D, H}",
        "{D, B} | 2 | {D, B}",
        "{H?u, CU?ou[16,8]} | 2 | {H?u, CU?ou[16,8]}",
        "{CU:0/4, CU, D:0%4}@1,0 | 2 | {CU:0/4, CU, D:0%4}@1,0",
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
        "{D} | 2 | 1 level but the tensor has 2",
        "CSF@0,0 | 2 | mode order",
        "CSF@0,x | 2 | mode order",
        "{CU[7,8]} | 1 | width",
        "Blob | 2 | expected Dense, COO, CSR, CSC, DCSR, DCSC, CSF, CDR, ELL, DIA, BCSR(b,c)",
        "BCSR | 2 | write BCSR(b,c)",
        "BCSR(2) | 2 | write BCSR(b,c)",
        "BCSR(2,0) | 2 | whole numbers above 0",
        "BCSR(2,x) | 2 | whole numbers above 0",
        "BCSR(2,2 | 2 | level list",
        "CSR(2) | 2 | write CSR",
        "ModeGeneric(3) | 3 | 1 to 2",
        "HashVector | 2 | stores vectors",
        "DIA | 3 | stores matrices",
        "{D:0/2, CU, D:0%3} | 2 | block number",
        "{D:0%2, CU:1, D:0/2} | 2 | block number",
        "{D:0, CU:0} | 2 | mode 0 is stored as",
        "{D, D:slot} | 2 | first level",
        "{CU:slot, D:0, S:1} | 2 | dense first level",
        "{R, O} | 2 | {D:diagonal, R:0, O:1}",
        "{D:diagonal, R:0, CU:1} | 2 | {D:diagonal, R:0, O:1}",
        "{D:slot, CU:0, S:1} | 2 | all rows",
        "{D?x} | 1 | is not a level",
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
  void widthsThatTheTextDoesNotStateAreTheNarrowest() {
    TensorShape shape = TensorShape.of(300, 70_000);
    assertThat(TensorFormat.parse("CSR", shape, 256, ValueType.INT)).hasToString("{D, CU[16,32]}");
    assertThat(TensorFormat.parse("CSR[64,64]", shape, 1, ValueType.INT)).hasToString("{D, CU}");
    assertThat(TensorFormat.parse("{CU, CU[8,64]}@1,0", shape, 255, ValueType.INT))
        .hasToString("{CU[8,32], CU[8,64]}@1,0");
    assertThat(TensorFormat.parse("BCSR(2,300)", shape, 255, ValueType.INT))
        .hasToString("{D:0/2, CU[8,8]:1/300, D:0%2, D:1%300}");
    assertThat(TensorFormat.parse("DIA", TensorShape.of(100, 157), 9, ValueType.INT))
        .hasToString("{D:diagonal, R[64,8]:0, O:1}");
    assertThat(TensorFormat.parse("ELL", TensorShape.of(9, 256), 9, ValueType.INT))
        .as("255 marks padding, so 256 columns need two bytes")
        .hasToString("{D:slot, D:0, S?c[64,16]:1}");
    assertThat(TensorFormat.parse("{B}", TensorShape.of(1L << 40), 9, ValueType.INT))
        .hasToString("{B[64,8]}");
  }

  @Test
  void widthsFollowShapeAndEntries() {
    TensorFormat narrow =
        TensorFormat.csf(3, ValueType.DOUBLE).narrowedFor(TensorShape.of(256, 257, 70_000), 65_535);
    assertThat(narrow).hasToString("{CU[16,8], CU[16,16], CU[16,32]}");
  }
}
