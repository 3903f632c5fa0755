package org.weft.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/** Every reader with every type: a value is kept as the type has it, or is an error. */
class TypedValuesTest {
  private static final boolean LONG = Boolean.getBoolean("weft.long");

  /** A type has one value of so many; with {@code weft.long}, all. */
  private static final int STEP = LONG ? 1 : 2;

  private static final List<String> VALUES =
      List.of(
          "0",
          "-0.0",
          "7",
          "-7.0",
          "1.5",
          "-1e-300",
          "2e3",
          "2147483647",
          "2147483648",
          "-2147483648",
          "-2147483649",
          "3000000000",
          "-12345678901",
          "9007199254740993",
          "9007199254740993.5",
          "9223372036854775807",
          "9223372036854775808",
          "-9223372036854775808",
          "-9223372036854775809",
          "12345678901234567890123",
          "3.4028234e38",
          "3.4028236e38",
          "-1e39",
          "1e300",
          "nan",
          "-inf");

  /** A file with two entries, of which the second has the value. */
  private enum Form {
    TNS("x.tns", 2),
    ORDER_SIX("six.tns", 2),
    COORDINATES("real.mtx", 4),
    SYMMETRIC("symmetric.mtx", 4),
    SKEW("skew.mtx", 4),
    ARRAY("array.mtx", 4),
    FORTRAN("x.rua", 8),
    FORTRAN_SKEW("x.rza", 8),
    DOUBLES("x.npy", 0),
    INTEGERS("integers.npy", 0),
    BLOCKS("x.wtb", 0),
    CONTAINER("x.weft", 0),
    LONG_CONTAINER("long.weft", 0);

    private final String file;

    /** The line of the value, 0 for a format without lines. */
    private final int line;

    Form(String file, int line) {
      this.file = file;
      this.line = line;
    }

    boolean isText() {
      return line > 0;
    }

    boolean hasDigits() {
      return isText() || isLong();
    }

    boolean isLong() {
      return this == INTEGERS || this == LONG_CONTAINER;
    }
  }

  @TempDir Path folder;

  private final FileAccess files = FileAccess.local();

  static Stream<Arguments> cases() {
    return Stream.of(Form.values())
        .flatMap(form -> Stream.of(ValueType.values()).map(type -> Arguments.of(form, type)));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void valuesAreKeptOrRefused(Form form, ValueType type) throws Exception {
    int refused = 0;
    for (int number = LONG ? 0 : type.ordinal() % STEP; number < VALUES.size(); number += STEP) {
      String value = VALUES.get(number);
      if (form.isLong() && !ValueType.LONG.integer(value).isPresent()) {
        continue;
      }
      Path file = Files.createTempDirectory(folder, "v").resolve(form.file);
      write(form, file, value);
      String expected = expected(form, type, value);
      if (expected == null) {
        refused++;
        Throwable thrown = catchThrowable(() -> last(file, type));
        assertThat(thrown).as("%s as %s", value, type).isInstanceOf(WeftException.class);
        assertThat(((WeftException) thrown).code()).isEqualTo(ErrorCode.VALUE_OUT_OF_RANGE);
        assertThat(thrown)
            .hasMessageContaining(form.isText() ? file + ":" + form.line + ": expected" : form.file)
            .hasMessageContaining("as the type " + type.keyword() + " has, found");
      } else {
        assertThat(last(file, type)).as("%s as %s", value, type).isEqualTo(expected);
      }
    }
    assertThat(refused > 0)
        .isEqualTo(type != ValueType.DOUBLE && !(form.isLong() && type != ValueType.INT));
  }

  /** The value as the type has it, or null if it has not. */
  private static String expected(Form form, ValueType type, String text) {
    double nearest = number(text);
    if (!Double.isFinite(nearest)) {
      return type.isIntegral() ? null : String.valueOf(nearest);
    }
    boolean exact = form == Form.LONG_CONTAINER || (form.hasDigits() && type == ValueType.LONG);
    BigDecimal value = exact ? new BigDecimal(text) : new BigDecimal(nearest);
    if (!type.isIntegral()) {
      boolean held = type == ValueType.DOUBLE || Float.isFinite((float) nearest);
      return held ? digits(value) : null;
    }
    BigDecimal whole = value.setScale(0, RoundingMode.DOWN);
    BigDecimal range = BigDecimal.valueOf(2).pow(type == ValueType.INT ? 31 : 63);
    boolean skew = form == Form.SKEW || form == Form.FORTRAN_SKEW;
    int least = whole.negate().compareTo(range);
    boolean held = whole.compareTo(range) < 0 && (skew ? least < 0 : least <= 0);
    return held && whole.compareTo(value) == 0 ? digits(value) : null;
  }

  private static String digits(BigDecimal value) {
    return value.signum() == 0 ? "0" : value.stripTrailingZeros().toPlainString();
  }

  /** The value of the last entry below the diagonal, as text. */
  private String last(Path file, ValueType type) {
    ReadOptions options = ReadOptions.defaults().withType(type).withAllowNonfinite(true);
    InputPlan plan = TensorFiles.open(files, file.toString(), options);
    String found = "";
    for (CooBlock block : TensorFiles.readAll(files, plan).blocks()) {
      for (int e = 0; e < block.size(); e++) {
        boolean wanted = block.coordinate(0, e) > (block.order() > 1 ? block.coordinate(1, e) : 0);
        if (wanted || block.order() > 2) {
          found =
              block.hasLongValues()
                  ? digits(BigDecimal.valueOf(block.longValue(e)))
                  : Double.isFinite(block.value(e))
                      ? digits(new BigDecimal(block.value(e)))
                      : String.valueOf(block.value(e));
        }
      }
    }
    return found;
  }

  private void write(Form form, Path file, String value) throws IOException {
    String header = "%%MatrixMarket matrix ";
    switch (form) {
      case TNS -> Files.writeString(file, "1 5\n2 " + value + "\n");
      case ORDER_SIX -> Files.writeString(file, "1 1 1 1 1 1 5\n2 1 1 1 1 1 " + value + "\n");
      case COORDINATES ->
          Files.writeString(
              file, header + "coordinate real general\n2 2 2\n1 1 5\n2 1 " + value + "\n");
      case SYMMETRIC ->
          Files.writeString(
              file, header + "coordinate real symmetric\n2 2 2\n1 1 5\n2 1 " + value + "\n");
      case SKEW ->
          Files.writeString(
              file, header + "coordinate real skew-symmetric\n3 3 2\n3 2 5\n2 1 " + value + "\n");
      case ARRAY -> Files.writeString(file, header + "array real general\n2 1\n5\n" + value + "\n");
      case FORTRAN, FORTRAN_SKEW -> {
        String numbers = form == Form.FORTRAN ? "RUA" : "RZA";
        String sizes = String.format(Locale.ROOT, "%3s%25d%14d%14d%14d", numbers, 3, 3, 2, 0);
        String formats = "(4I2)           (2I2)           (1E25.0)";
        Files.writeString(
            file,
            "title\n             4             1             1             2             0\n"
                + sizes
                + "\n"
                + formats
                + "\n"
                + " 1 2 3 3\n 2 3\n"
                + String.format(Locale.ROOT, "%25s\n%25s\n", "5.", value));
      }
      case DOUBLES -> npy(file, "<f8", Double.doubleToRawLongBits(number(value)));
      case INTEGERS -> npy(file, "<i8", ValueType.LONG.integer(value).getAsLong());
      case BLOCKS, CONTAINER -> stored(file, ValueType.DOUBLE, value);
      case LONG_CONTAINER -> stored(file, ValueType.LONG, value);
    }
  }

  private static double number(String value) {
    return switch (value) {
      case "nan" -> Double.NaN;
      case "-inf" -> Double.NEGATIVE_INFINITY;
      default -> Double.parseDouble(value);
    };
  }

  private static void npy(Path file, String dtype, long bits) throws IOException {
    String text = "{'descr': '" + dtype + "', 'fortran_order': False, 'shape': (2,), }";
    ByteBuffer out = ByteBuffer.allocate(10 + 118 + 16).order(ByteOrder.LITTLE_ENDIAN);
    out.put(new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0}).putShort((short) 118);
    out.put(String.format("%-117s%n", text).getBytes(StandardCharsets.US_ASCII));
    Files.write(file, out.putLong(0).putLong(bits).array());
  }

  private void stored(Path file, ValueType type, String value) throws IOException {
    CooBlock.Builder block = new CooBlock.Builder(1, 2, type == ValueType.LONG);
    block.add(new long[] {0}, 5);
    block.set(0, 1);
    if (type == ValueType.LONG) {
      block.finishLong(type.integer(value).getAsLong());
    } else {
      block.finish(number(value));
    }
    WriteOptions options =
        WriteOptions.defaults()
            .withShape(TensorShape.of(2))
            .withContainer(ContainerOptions.defaults().withValueType(type));
    try (TensorOutput made = TensorFiles.create(files, file.toString(), false, 1, options)) {
      made.write(block.build());
      made.commit();
    }
  }
}
