package org.weft.compiler.convert;

import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.compiler.loop.Goldens;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/** The steps of conversions from CSR, with their loops; other tests run the same steps. */
class ConversionGoldenTest {
  @ParameterizedTest
  @ValueSource(strings = {"CSC", "ELL", "DIA", "HashMatrix"})
  void stepsAndLoops(String to) throws IOException {
    TensorShape shape = TensorShape.of(100, 50);
    ConversionPlan plan =
        ConversionPlan.of(
            TensorFormat.parse("CSR", shape, 1000, ValueType.DOUBLE),
            TensorFormat.parse(to, shape, 1000, ValueType.DOUBLE),
            shape);
    StringBuilder text = new StringBuilder();
    for (ConversionStep step : plan.steps()) {
      text.append(step).append('\n');
      if (!(step instanceof ConversionStep.Sort)) {
        text.append(Converter.lower(step).stages().get("loops"));
      }
    }
    Goldens.check("convert-csr-" + to.toLowerCase(java.util.Locale.ROOT) + ".txt", text.toString());
  }
}
