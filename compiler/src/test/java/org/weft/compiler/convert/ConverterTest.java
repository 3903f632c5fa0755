package org.weft.compiler.convert;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.compiler.CompilerCase;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

class ConverterTest extends CompilerCase {
  private static final List<String> MATRICES =
      List.of(
          "Dense",
          "Dense@1,0",
          "COO",
          "COO@1,0",
          "CSR",
          "CSC",
          "DCSR",
          "DCSC",
          "CDR",
          "CDR@1,0",
          "{D[8,8], CU[16,8]}",
          "{CU[32,8], CU[16,8]}@1,0");
  private static final List<String> TENSORS =
      List.of(
          "CSF",
          "CSF@2,1,0",
          "CSF@1,0,2",
          "CSF@0,2,1",
          "COO@1,2,0",
          "Dense@2,0,1",
          "{D, D, CU}",
          "{D, CN, S}@2,0,1",
          "{D, CU, CU}@1,0,2",
          "{CU, D, CU}",
          "{CU, CU, D}@2,0,1");

  private final Converter converter = new Converter(compiler, 1);

  ConverterTest() {
    super(0);
  }

  static List<List<String>> formats() {
    return List.of(List.of("CU", "Dense", "{CU[8,8]}"), MATRICES, TENSORS);
  }

  private static TensorFormat format(String text, int order, ValueType type) {
    return TensorFormat.parse(text.equals("CU") ? "{CU}" : text, order, type);
  }

  /** What packing the same entries gives is what a conversion must give, array by array. */
  @ParameterizedTest
  @MethodSource("formats")
  void everyPairOfFormatsConvertsAsIfPacked(List<String> formats) {
    int order = formats.equals(MATRICES) ? 2 : formats.equals(TENSORS) ? 3 : 1;
    Random random = new Random(order);
    List<TensorShape> shapes =
        List.of(
            TensorShape.of(Arrays.copyOf(new long[] {7, 5, 9}, order)),
            TensorShape.of(Arrays.copyOf(new long[] {3, 0, 4}, order)));
    int round = 0;
    for (TensorShape shape : shapes) {
      for (double density : new double[] {0, 0.2, 1}) {
        CooBlock entries = entries(random, shape, density);
        for (int from = 0; from < formats.size(); from++) {
          for (int to = 0; to < formats.size(); to++) {
            // Of all pairs a sixth for each density and shape, other ones each time.
            if (Boolean.getBoolean("weft.long") || (from + to + round) % 6 == 0) {
              check(
                  entries,
                  shape,
                  formats.get(from),
                  formats.get(to),
                  ValueType.DOUBLE,
                  ValueType.DOUBLE);
            }
          }
        }
        round++;
      }
    }
  }

  @Test
  void valuesChangeTheirType() {
    TensorShape shape = TensorShape.of(6, 4);
    CooBlock entries = entries(new Random(1), shape, 0.5);
    for (ValueType from : ValueType.values()) {
      for (ValueType to : ValueType.values()) {
        check(entries, shape, "CSR", "CSC", from, to);
        check(entries, shape, "CSR", "DCSC", from, to);
      }
    }
  }

  private void check(
      CooBlock entries,
      TensorShape shape,
      String from,
      String to,
      ValueType fromType,
      ValueType toType) {
    TensorFormat source = format(from, shape.order(), fromType);
    TensorFormat target = format(to, shape.order(), toType);
    try (TensorStorage packed = Packing.pack(scope, shape, source, List.of(entries));
        TensorStorage expected = Packing.pack(scope, shape, target, List.of(entries));
        TensorStorage converted = converter.convert(scope, packed, target)) {
      assertThat(StoredArrays.of(converted))
          .as("%s of %s to %s by %s", shape, from, to, ConversionPlan.of(source, target, shape))
          .isEqualTo(StoredArrays.of(expected));
      assertThat(converted.format()).isEqualTo(target);
    }
  }

  /** Whole nonzero values, so that every type and every padding holds them. */
  private static CooBlock entries(Random random, TensorShape shape, double density) {
    CooBlock.Builder block = new CooBlock.Builder(shape.order(), 16);
    long cells = (long) shape.cells();
    List<Long> all = new ArrayList<>();
    for (long cell = 0; cell < cells; cell++) {
      all.add(cell);
    }
    java.util.Collections.shuffle(all, random);
    for (long cell : all) {
      long rest = cell;
      long[] at = new long[shape.order()];
      for (int mode = shape.order() - 1; mode >= 0; mode--) {
        at[mode] = rest % shape.size(mode);
        rest /= shape.size(mode);
      }
      if (random.nextDouble() < density) {
        block.add(at, 1 + random.nextInt(100));
      }
    }
    return block.build();
  }

  /** All arrays of a storage as text. */
  private static final class StoredArrays {
    private StoredArrays() {}

    static TreeMap<String, String> of(TensorStorage storage) {
      TreeMap<String, String> arrays = new TreeMap<>();
      for (int level = 0; level < storage.format().levels().size(); level++) {
        arrays.put("positions " + level, Long.toString(storage.positions(level)));
        if (storage.hasPos(level)) {
          arrays.put("pos " + level, text(storage.pos(level)));
        }
        if (storage.hasCrd(level)) {
          arrays.put("crd " + level, text(storage.crd(level)));
        }
      }
      arrays.put("vals", text(storage.vals()));
      return arrays;
    }

    private static String text(org.weft.memory.NativeArray array) {
      StringBuilder text = new StringBuilder(array.type() + ":");
      for (long p = 0; p < array.length(); p++) {
        text.append(' ').append(array.getDouble(p));
      }
      return text.toString();
    }
  }
}
