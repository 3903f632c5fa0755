package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Dense operands in all layouts of NumPy that have the same numbers: the processes of a cluster
 * read rows of these files by themselves. Whole numbers, so that the order of sums does not show.
 */
class GivenOperandsTest extends FolderCase {
  private static final int[] SIZES = {30, 2000, 25};
  private static final int RANK = 3;

  private String tensor = "";

  @BeforeEach
  void writeTensor() {
    StringBuilder text = new StringBuilder();
    Random random = new Random(4);
    for (int e = 0; e < 400; e++) {
      text.append(1 + random.nextInt(SIZES[0])).append(' ');
      text.append(1 + random.nextInt(SIZES[1])).append(' ');
      text.append(1 + random.nextInt(SIZES[2])).append(' ').append(1 + random.nextInt(9));
      text.append('\n');
    }
    tensor = Run.write(folder, "t.tns", text + "30 2000 25 1\n");
  }

  /** Numbers of rows x columns, each a function of its place. */
  private String npy(String name, int rows, int columns, String shape, boolean fortran)
      throws IOException {
    String header =
        "{'descr': '<f8', 'fortran_order': "
            + (fortran ? "True" : "False")
            + ", 'shape': "
            + shape
            + ", }";
    String padded = header + " ".repeat(63 - (10 + header.length()) % 64) + "\n";
    ByteBuffer bytes = ByteBuffer.allocate(10 + padded.length() + 8 * rows * columns);
    bytes.order(ByteOrder.LITTLE_ENDIAN).put((byte) 0x93);
    bytes.put("NUMPY".getBytes(StandardCharsets.US_ASCII)).put((byte) 1).put((byte) 0);
    bytes.putShort((short) padded.length()).put(padded.getBytes(StandardCharsets.US_ASCII));
    for (int at = 0; at < rows * columns; at++) {
      int row = fortran ? at % rows : at / columns;
      int column = fortran ? at / rows : at % columns;
      bytes.putDouble(1 + (7 * row + 3 * column) % 11);
    }
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    Files.write(file, bytes.array());
    return file.toString();
  }

  private String result(String master, String reorder, String... job) {
    List<String> command = new ArrayList<>(List.of(job));
    String output = path("out" + (job[0].equals("mttkrp") ? ".npy" : ".tns"));
    command.addAll(List.of("--output", output, "--overwrite", "--reorder", reorder));
    if (!master.isEmpty()) {
      command.addAll(List.of("--master", master, "--partitions", "3"));
    }
    Run.of(command.toArray(String[]::new)).succeeds();
    try {
      return new String(Files.readAllBytes(Path.of(output)), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @CsvSource({"'', none", "'', random:3", "'local[2]', none", "'local[2]', random:3"})
  void vectors(String master, String reorder) throws IOException {
    String plain = npy("plain.npy", SIZES[1], 1, "(2000,)", false);
    String expected = result("", "none", ttv(plain));
    for (String shape : List.of("(2000,)", "(2000, 1)", "(1, 2000)")) {
      for (boolean fortran : new boolean[] {false, true}) {
        String file = npy("v.npy", SIZES[1], 1, shape, fortran);
        assertThat(result(master, reorder, ttv(file)))
            .as("%s, Fortran order %s", shape, fortran)
            .isEqualTo(expected);
      }
    }
  }

  private String[] ttv(String vector) {
    return new String[] {"ttv", tensor, "--mode", "1", "--vector", vector};
  }

  @ParameterizedTest
  @CsvSource({"'', none", "'', random:3", "'local[2]', none", "'local[2]', random:3"})
  void matrices(String master, String reorder) throws IOException {
    String shape = "(2000, 3)";
    String plain = npy("c.npy", SIZES[1], RANK, shape, false);
    String turned = npy("f.npy", SIZES[1], RANK, shape, true);
    String expected = result("", "none", "ttm", tensor, "--mode", "1", "--matrix", plain);
    for (String file : List.of(plain, turned)) {
      assertThat(result(master, reorder, "ttm", tensor, "--mode", "1", "--matrix", file))
          .as(file)
          .isEqualTo(expected);
    }
  }

  @ParameterizedTest
  @CsvSource({"'', none", "'', random:3", "'local[2]', none", "'local[2]', random:3"})
  void factors(String master, String reorder) throws IOException {
    for (int mode = 1; mode < SIZES.length; mode++) {
      String shape = "(" + SIZES[mode] + ", " + RANK + ")";
      npy("c/mode" + mode + ".npy", SIZES[mode], RANK, shape, false);
      npy("f/mode" + mode + ".npy", SIZES[mode], RANK, shape, mode == 1);
    }
    String expected = result("", "none", mttkrp(path("c")));
    for (String factors : List.of(path("c"), path("f"))) {
      assertThat(result(master, reorder, mttkrp(factors))).as(factors).isEqualTo(expected);
    }
  }

  /** An operand may have any numbers: those that are not finite go into the result. */
  @ParameterizedTest
  @CsvSource({"''", "'local[2]'"})
  void operandsThatAreNotFinite(String master) throws IOException {
    byte[] bytes = Files.readAllBytes(Path.of(npy("v.npy", SIZES[2], 1, "(25,)", false)));
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putDouble(bytes.length - 8, Double.NaN);
    Path file = Files.write(folder.resolve("nan.npy"), bytes);
    String found =
        result(master, "none", "ttv", tensor, "--mode", "2", "--vector", file.toString());
    assertThat(found).contains("30 2000 nan");
  }

  private String[] mttkrp(String factors) {
    return new String[] {"mttkrp", tensor, "--mode", "0", "--factors", factors};
  }
}
