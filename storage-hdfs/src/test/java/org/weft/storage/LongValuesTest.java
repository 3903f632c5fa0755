package org.weft.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/** Integers of every width in text, read as longs and written again: no digit is lost. */
class LongValuesTest {
  private static final int SIZE = 40;

  @TempDir Path folder;

  private final Random random = new Random(Long.getLong("weft.seed", 20261125));

  private long value() {
    return switch (random.nextInt(8)) {
      case 0 -> Long.MAX_VALUE - random.nextInt(3);
      case 1 -> -Long.MAX_VALUE + random.nextInt(3);
      case 2 -> (1L << 53) + 1;
      default -> random.nextLong() >> random.nextInt(64);
    };
  }

  private List<String> read(String name, String text, boolean longs) throws Exception {
    Path file = Files.writeString(folder.resolve(name), text);
    FileAccess files = FileAccess.local();
    InputPlan plan =
        TensorFiles.open(
            files,
            file.toString(),
            ReadOptions.defaults().withType(longs ? ValueType.LONG : ValueType.DOUBLE));
    List<String> found = new ArrayList<>();
    for (CooBlock block : TensorFiles.readAll(files, plan).blocks()) {
      assertThat(block.hasLongValues()).isEqualTo(longs);
      for (int e = 0; e < block.size(); e++) {
        found.add(block.coordinate(0, e) + " " + block.longValue(e));
      }
    }
    return found;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 6})
  void everyDigitOfATensorIsKept(int order) throws Exception {
    StringBuilder text = new StringBuilder();
    List<String> expected = new ArrayList<>();
    CooBlock.Builder block = new CooBlock.Builder(order, 16, true);
    long[] at = new long[order];
    for (int entry = 0; entry < SIZE; entry++) {
      long value = value();
      Arrays.fill(at, entry);
      block.addLong(at, value);
      expected.add(entry + " " + value);
      text.append((entry + 1 + " ").repeat(order)).append(value).append('\n');
    }
    assertThat(read("x.tns", text.toString(), true)).isEqualTo(expected);
    Path out = folder.resolve("out.tns");
    long[] sizes = new long[order];
    Arrays.fill(sizes, SIZE);
    WriteOptions options = WriteOptions.defaults().withShape(TensorShape.of(sizes));
    try (TensorOutput made =
        TensorFiles.create(FileAccess.local(), out.toString(), false, order, options)) {
      made.write(block.build());
      made.commit();
    }
    assertThat(Files.readString(out)).isEqualTo(text.toString());
  }

  /** Values that come as doubles, and ones that are not of an integer type. */
  @ParameterizedTest
  @CsvSource({"INT,integer", "LONG,integer", "DOUBLE,real", "FLOAT,real"})
  void matrixTextSaysWhetherValuesAreIntegers(ValueType type, String field) throws Exception {
    CooBlock.Builder block = new CooBlock.Builder(2, 2);
    block.add(new long[] {0, 1}, -7);
    block.add(new long[] {1, 0}, 1L << 20);
    Path out = folder.resolve("out.mtx");
    WriteOptions options =
        WriteOptions.defaults()
            .withShape(TensorShape.of(2, 2))
            .withContainer(ContainerOptions.defaults().withValueType(type));
    try (TensorOutput made =
        TensorFiles.create(FileAccess.local(), out.toString(), false, 2, options)) {
      made.write(block.build());
      made.commit();
    }
    String text = Files.readString(out);
    assertThat(text)
        .isEqualTo(
            "%%MatrixMarket matrix coordinate " + field + " general\n2 2 2\n1 2 -7\n2 1 1048576\n");
    assertThat(read("again.mtx", text, true)).containsExactly("0 -7", "1 1048576");
  }

  @ParameterizedTest
  @CsvSource({
    "integer,general",
    "real,general",
    "integer,symmetric",
    "real,skew-symmetric",
    "integer,skew-symmetric"
  })
  void everyDigitOfAMatrixIsKept(String field, String symmetry) throws Exception {
    StringBuilder text = new StringBuilder();
    StringBuilder array = new StringBuilder();
    List<String> expected = new ArrayList<>();
    boolean general = symmetry.equals("general");
    for (int entry = 1; entry < SIZE; entry++) {
      long value = value();
      text.append(entry + 1).append(" 1 ").append(value).append('\n');
      array.append(value).append('\n');
      expected.add(entry + " " + value);
      if (!general) {
        expected.add("0 " + (symmetry.startsWith("skew") ? -value : value));
      }
    }
    String kind = field + " " + symmetry + "\n";
    String size = SIZE + " " + SIZE + " " + (SIZE - 1) + "\n";
    assertThat(read("x.mtx", "%%MatrixMarket matrix coordinate " + kind + size + text, true))
        .isEqualTo(expected);
    if (general) {
      String column = "%%MatrixMarket matrix array " + kind + SIZE + " 1\n17\n" + array;
      expected.add(0, "0 17");
      assertThat(read("a.mtx", column, true)).isEqualTo(expected);
    }
  }
}
