package org.weft.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.file.FileAccess;
import org.weft.storage.npy.NpyFile;
import org.weft.tensor.CooBlock;
import org.weft.tensor.ValueType;

/** Every element type that NumPy has for real numbers, in either byte order, as its bits say. */
class NpyTypesTest {
  @TempDir Path folder;

  /** A column of elements, each given by its bits. */
  private String file(String dtype, String... bits) throws Exception {
    String shape = "(" + bits.length + ",)";
    String text = "{'descr': '" + dtype + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
    int item = Integer.parseInt(dtype.substring(2));
    ByteBuffer out = ByteBuffer.allocate(10 + text.length() + item * bits.length);
    out.order(ByteOrder.LITTLE_ENDIAN).put((byte) 0x93);
    out.put("NUMPY\1\0".getBytes(StandardCharsets.US_ASCII)).putShort((short) text.length());
    out.put(text.getBytes(StandardCharsets.US_ASCII));
    for (String element : bits) {
      long value = Long.parseUnsignedLong(element, 16);
      for (int at = 0; at < item; at++) {
        int from = dtype.startsWith(">") ? item - 1 - at : at;
        out.put((byte) (value >>> 8 * from));
      }
    }
    return Files.write(folder.resolve("a.npy"), out.array()).toString();
  }

  private static List<String> entries(String uri, ValueType type) throws Exception {
    ReadOptions options = ReadOptions.defaults().withType(type).withAllowNonfinite(true);
    InputPlan plan = TensorFiles.open(FileAccess.local(), uri, options, 24);
    List<String> found = new ArrayList<>();
    for (CooBlock block : TensorFiles.readAll(FileAccess.local(), plan).blocks()) {
      for (int e = 0; e < block.size(); e++) {
        found.add(type == ValueType.LONG ? "" + block.longValue(e) : "" + block.value(e));
      }
    }
    return found;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "f8 | 3ff8000000000000 c000000000000000 | 1.5 -2.0",
        "f4 | 3fc00000 c0000000 7f800000 | 1.5 -2.0 Infinity",
        "f2 | 3e00 c000 0000 8000 7bff 0001 03ff 0400 | 1.5 -2.0 0.0 -0.0 65504.0 5.9604644775390625E-8"
            + " 6.097555160522461E-5 6.103515625E-5",
        "f2 | 7c00 fc00 7e00 3555 | Infinity -Infinity NaN 0.333251953125",
        "i8 | 1 ffffffffffffffff 7fffffffffffffff | 1.0 -1.0 9.223372036854775807E18",
        "i4 | 1 ffffffff 7fffffff | 1.0 -1.0 2.147483647E9",
        "i2 | 1 ffff 7fff | 1.0 -1.0 32767.0",
        "i1 | 1 ff 7f | 1.0 -1.0 127.0",
        "u8 | 1 ffffffffffffffff 8000000000000401 | 1.0 1.8446744073709552E19 9.223372036854777856E18",
        "u4 | 1 ffffffff | 1.0 4.294967295E9",
        "u2 | 1 ffff | 1.0 65535.0",
        "u1 | 1 ff | 1.0 255.0",
        "b1 | 0 1 | 0.0 1.0"
      })
  void elementsAreReadInBothByteOrders(String code, String bits, String values) throws Exception {
    boolean bytes = code.endsWith("1");
    for (String order : bytes ? List.of("|") : List.of("<", ">")) {
      List<String> expected = new ArrayList<>();
      for (String value : values.split(" ")) {
        expected.add(Double.toString(Double.parseDouble(value)));
      }
      assertThat(entries(file(order + code, bits.split(" ")), ValueType.DOUBLE))
          .as(order + code)
          .isEqualTo(expected);
    }
  }

  @Test
  void integersOfLongKeepAllDigitsAndOthersAreRefused() throws Exception {
    for (String order : List.of("<", ">")) {
      String all = file(order + "u8", "20000000000001", "7fffffffffffffff");
      assertThat(entries(all, ValueType.LONG))
          .containsExactly("9007199254740993", "9223372036854775807");
      String large = file(order + "u8", "1", "8000000000000001");
      assertThatThrownBy(() -> entries(large, ValueType.LONG))
          .isInstanceOfSatisfying(
              WeftException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.VALUE_OUT_OF_RANGE))
          .hasMessageContaining("a.npy: ")
          .hasMessageContaining("found 9223372036854775809");
    }
  }

  /** Operands that are matrices of doubles. */
  @Test
  void matricesTakeIntegersThatDoublesHold() throws Exception {
    for (String order : List.of("<", ">")) {
      String good = file(order + "u8", "8000000000000800", "20000000000000");
      assertThat(NpyFile.read(FileAccess.local(), good).get(0, 0)).isEqualTo(0x1p63 + 2048);
      for (String bits : List.of("8000000000000400", "ffffffffffffffff", "20000000000001")) {
        String bad = file(order + "u8", bits);
        assertThatThrownBy(() -> NpyFile.read(FileAccess.local(), bad))
            .hasMessageContaining("expected integers that a double holds exactly, found ")
            .hasMessageContaining(Long.toUnsignedString(Long.parseUnsignedLong(bits, 16)));
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"<c8", "<U1", "|V2", "<M8", "<f1", "|O8", "|S4"})
  void othersAreRefusedByName(String dtype) throws Exception {
    String uri = file(dtype, "1");
    assertThatThrownBy(() -> entries(uri, ValueType.DOUBLE))
        .hasMessageContaining(String.format(Locale.ROOT, "found '%s'; convert with", dtype))
        .hasMessageContaining("or one with > for <");
  }
}
