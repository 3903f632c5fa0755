package org.weft.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/** What every file format promises: what passes here can be read, written, split and trusted. */
abstract class TensorFileFormatContract {
  private static final long SEED = Long.getLong("weft.seed", 20261121);

  @TempDir Path folder;

  private final String extension;
  private final List<long[]> shapes;

  /**
   * @param shapes mode sizes that the format can hold; none: those of any tensor
   */
  TensorFileFormatContract(String extension, long[]... shapes) {
    this.extension = extension;
    this.shapes =
        shapes.length > 0
            ? List.of(shapes)
            : List.of(
                new long[] {5, 7, 3},
                new long[] {300},
                new long[] {1, 1L << 40},
                new long[] {2, 70_000, 3, 4, 5, 6, 7, 8});
  }

  /** Whether every cell is an entry. */
  boolean dense() {
    return false;
  }

  private String uri(String name) {
    return folder.resolve(name + extension).toString();
  }

  private String write(String name, long[] shape, List<CooBlock> blocks, boolean announce)
      throws Exception {
    long entries = blocks.stream().mapToLong(CooBlock::size).sum();
    WriteOptions options = WriteOptions.defaults();
    if (announce || dense()) {
      options = options.withShape(TensorShape.of(shape));
    }
    if (announce && !dense()) {
      options = options.withEntries(entries);
    }
    try (TensorOutput output =
        TensorFiles.create(Entries.ACCESS, uri(name), false, shape.length, options)) {
      for (CooBlock block : blocks) {
        output.write(block);
      }
      output.commit();
    }
    return uri(name);
  }

  private InputPlan open(String uri, long splitBytes) {
    ReadOptions options = ReadOptions.defaults().withAllowNonfinite(true).withBlockEntries(7);
    return TensorFiles.open(Entries.ACCESS, uri, options, splitBytes);
  }

  /** Sorted entries with every kind of double, in blocks of uneven sizes. */
  private List<CooBlock> random(long[] shape, int count, Random random) {
    List<CooBlock> blocks = new ArrayList<>();
    CooBlock.Builder builder = new CooBlock.Builder(shape.length, 16);
    double cells = TensorShape.of(shape).cells();
    int entries = dense() ? (int) cells : count;
    long[] at = new long[shape.length];
    for (int e = 0; e < entries; e++) {
      long rest = e;
      for (int mode = shape.length - 1; mode >= 0; mode--) {
        at[mode] = dense() ? rest % shape[mode] : (long) (random.nextDouble() * shape[mode]);
        rest /= shape[mode];
      }
      builder.add(at, value(random));
      if (random.nextInt(5) == 0) {
        blocks.add(builder.build());
      }
    }
    blocks.add(builder.build());
    return blocks;
  }

  private static double value(Random random) {
    double[] special = {
      0,
      -0.0,
      1,
      -1,
      0.1,
      1e22,
      1e23,
      5e-324,
      Double.MIN_NORMAL,
      Double.MAX_VALUE,
      Double.NaN,
      Double.POSITIVE_INFINITY,
      Double.NEGATIVE_INFINITY,
      9007199254740993.0,
      1.0 / 3,
      123456.789
    };
    return switch (random.nextInt(4)) {
      case 0 -> special[random.nextInt(special.length)];
      case 1 -> random.nextInt(1000) / 8.0;
      case 2 -> random.nextGaussian();
      default -> Double.longBitsToDouble(random.nextLong() & ~(1L << 62));
    };
  }

  private static List<String> describe(List<CooBlock> blocks) {
    List<String> entries = new ArrayList<>();
    blocks.forEach(block -> Entries.describe(block, entries));
    return entries;
  }

  @Test
  void whatIsWrittenIsReadInAnySplitting() throws Exception {
    Random random = new Random(SEED);
    int file = 0;
    for (long[] shape : shapes) {
      for (boolean announce : new boolean[] {true, false}) {
        List<CooBlock> blocks = random(shape, 50, random);
        String uri = write("t" + file++, shape, blocks, announce);
        for (long split : new long[] {1, 17, 100, 1 << 20}) {
          InputPlan plan = open(uri, split);
          assertThat(plan.header().order()).isEqualTo(shape.length);
          assertThat(Entries.read(plan))
              .as("seed %d, %s, splits of %d bytes", SEED, TensorShape.of(shape), split)
              .isEqualTo(describe(blocks));
        }
      }
    }
  }

  @Test
  void aTensorWithoutEntriesKeepsItsShape() throws Exception {
    for (long[] shape : shapes) {
      long[] empty = shape.clone();
      empty[0] = dense() ? 0 : shape[0];
      String uri = write("e" + shape.length + "-" + shape[0], empty, List.of(), true);
      InputPlan plan = open(uri, 10);
      assertThat(plan.header().shape()).contains(TensorShape.of(empty));
      assertThat(Entries.read(plan)).isEmpty();
    }
  }

  @Test
  void travelsToTasks() throws Exception {
    String uri = write("s", shapes.get(0), random(shapes.get(0), 9, new Random(SEED)), true);
    InputPlan plan = open(uri, 20);
    assertThat(Entries.read(Serialisation.copy(plan))).isEqualTo(Entries.read(plan));
  }

  @Test
  void everyTruncationIsAnErrorOrShorterButNeverWrong() throws Exception {
    long[] shape = shapes.get(0);
    byte[] whole =
        Files.readAllBytes(Path.of(write("w", shape, random(shape, 9, new Random(SEED)), true)));
    for (int length = 0; length < whole.length; length++) {
      Path cut = folder.resolve("cut" + extension);
      Files.write(cut, java.util.Arrays.copyOf(whole, length));
      Fuzz.readOrWeftException(cut.toString());
    }
  }

  @Test
  void missingFilesFoldersAndEmptyFilesAreOneClearError() throws Exception {
    assertCode(uri("none"), ErrorCode.INPUT_NOT_FOUND);
    Files.createDirectory(Path.of(uri("folder")));
    assertCode(uri("folder"), ErrorCode.INPUT_NOT_FOUND);
    Files.createFile(Path.of(uri("empty")));
    assertCode(uri("empty"), ErrorCode.MALFORMED_INPUT);
  }

  @Test
  void randomBytesAndRandomDamageAreReadOrRefused() throws Exception {
    System.out.println(getClass().getSimpleName() + ": -Dweft.seed=" + SEED);
    Random random = new Random(SEED);
    long[] shape = shapes.get(0);
    byte[] good = Files.readAllBytes(Path.of(write("g", shape, random(shape, 12, random), true)));
    Path file = folder.resolve("fuzz" + extension);
    for (int round = 0; round < 400; round++) {
      Files.write(file, Fuzz.bytes(random, good));
      Fuzz.readOrWeftException(file.toString());
    }
  }

  private static void assertCode(String uri, ErrorCode code) {
    assertThatThrownBy(() -> TensorFiles.open(Entries.ACCESS, uri, ReadOptions.defaults()))
        .isInstanceOfSatisfying(
            WeftException.class, e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(code))
        .hasMessageStartingWith(uri);
  }
}
