package org.weft.compiler.convert;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.weft.compiler.CompilerCase;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * Conversions from and to formats with more levels than modes, hashed, bitmap and unordered ones.
 */
class StructuredConversionTest extends CompilerCase {
  private static final List<String> STRUCTURED =
      List.of(
          "ELL",
          "ELL@1,0",
          "DIA",
          "BCSR(2,3)",
          "BCSR(3,2)@1,0",
          "CSB(2,3)",
          "HashMatrix",
          "{D, B}@1,0",
          "{D, CU?o}",
          "ModeGeneric(1)",
          "{CU:0/2, CU:1/2, D:0%2, D:1%2}",
          "{D:0/2, D:1/2, D:0%2, D:1%2}");
  private static final List<String> PLAIN = List.of("CSR", "CSC", "COO@1,0", "Dense");

  private final Converter converter = new Converter(compiler, 1);

  StructuredConversionTest() {
    super(0);
  }

  private static List<CooBlock> entries(Random random, long rows, long columns, double density) {
    CooBlock.Builder block = new CooBlock.Builder(2, 16);
    for (long i = 0; i < rows; i++) {
      for (long j = 0; j < columns; j++) {
        if (random.nextDouble() < density) {
          block.add(new long[] {i, j}, 1 + random.nextInt(20));
        }
      }
    }
    return List.of(block.build());
  }

  private void check(String from, String to) {
    Random random = new Random(5);
    for (long[] shape : new long[][] {{7, 5}, {6, 6}, {1, 4}, {0, 3}}) {
      for (double density : new double[] {0, 0.3, 1}) {
        List<CooBlock> entries = entries(random, shape[0], shape[1], density);
        TensorShape sizes = TensorShape.of(shape);
        TensorFormat source = TensorFormat.parse(from, 2, ValueType.DOUBLE);
        TensorFormat target = TensorFormat.parse(to, 2, ValueType.DOUBLE);
        try (TensorStorage packed = Packing.pack(scope, sizes, source, entries);
            TensorStorage wanted = Packing.pack(scope, sizes, target, entries)) {
          try (TensorStorage found = converter.convert(scope, packed, target)) {
            assertThat(bytes(found))
                .as(from + " to " + to + ", " + sizes + ", density " + density)
                .isEqualTo(bytes(wanted));
          } catch (RuntimeException e) {
            throw new AssertionError(from + " to " + to + " of " + sizes, e);
          }
        }
      }
    }
  }

  @Test
  void structuredFormatsBecomePlainOnes() {
    List<AssertionError> errors = new ArrayList<>();
    for (String from : STRUCTURED) {
      for (String to : PLAIN) {
        collect(from, to, errors);
      }
    }
    assertThat(errors).isEmpty();
  }

  @Test
  void plainFormatsBecomeStructuredOnes() {
    List<AssertionError> errors = new ArrayList<>();
    for (String to : STRUCTURED) {
      collect("CSR", to, errors);
      collect("COO@1,0", to, errors);
    }
    assertThat(errors).isEmpty();
  }

  @Test
  void structuredFormatsBecomeOtherStructuredOnes() {
    List<AssertionError> errors = new ArrayList<>();
    for (int n = 0; n < STRUCTURED.size(); n++) {
      collect(STRUCTURED.get(n), STRUCTURED.get((n + 5) % STRUCTURED.size()), errors);
    }
    assertThat(errors).isEmpty();
  }

  private void collect(String from, String to, List<AssertionError> errors) {
    try {
      check(from, to);
    } catch (AssertionError e) {
      errors.add(e);
    }
  }
}
