package org.weft.it.bench;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.it.differential.RealTensors;

/**
 * What orders cost and give: {@code weft reorder --bench} on a shuffled band, on the shapes of
 * {@code weft generate}, as made and shuffled, and on real tensors. Prints time, metrics, and
 * kernels with and without.
 */
@Tag("bench")
final class ReorderBenchmark {
  private static final int ROWS = 120_000;
  private static final int BLOCKS_PER_ROW = 12;
  private static final int HALF_BAND = 1_200;

  @Test
  void shuffledBand(@TempDir Path folder) throws IOException {
    Path band = band(folder.resolve("band.mtx"));
    print("%n# 3 x 3 blocks within %d of the diagonal, %d rows", 3 * HALF_BAND, ROWS);
    for (String method : new String[] {"rcm", "band", "lexi"}) {
      run(folder, band, "--shuffle", 1, "--method", method, "--rank", 32);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "nell-2,0.05",
    "nell-1,0.01",
    "vast-2015-mc1-3d,0.1",
    "uber,0.5",
    "delicious-3d,0.01",
    "flickr-3d,0.01",
    "freebase-music,0.01"
  })
  void generated(String shape, double scale, @TempDir Path folder) {
    Path tensor = folder.resolve("t.wtb");
    MeasuredRun.of(folder, "generate", shape, "--scale", scale, "--seed", 1, tensor);
    print("%n# %s, scale %s, seed 1", shape, scale);
    run(folder, tensor, "--shuffle", 1, "--method", "lexi");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "fb15k237",
        "wn18rr",
        "icews14s",
        "openflights-airline-src-dst-equip",
        "bitcoin-otc"
      })
  void real(String name, @TempDir Path folder) {
    Path tensor = RealTensors.fileOrSkip(name);
    for (String method : new String[] {"lexi", "partition:4"}) {
      print("%n# %s, %s", name, method);
      run(folder, tensor, "--method", method, "--partitions", 4);
    }
  }

  private static void run(Path folder, Path tensor, Object... options) {
    Object[] command = {"reorder", tensor, "--bench"};
    Object[] all = Arrays.copyOf(command, command.length + options.length);
    System.arraycopy(options, 0, all, command.length, options.length);
    print("%s", MeasuredRun.of(folder, all).output().strip());
  }

  /** Blocks of 3 x 3, dense near the diagonal and thinner away from it, as finite elements make. */
  private static Path band(Path file) throws IOException {
    SplittableRandom random = new SplittableRandom(21);
    int side = ROWS / 3;
    int[][] columns = new int[side][];
    long blocks = 0;
    for (int i = 0; i < side; i++) {
      int row = i;
      columns[i] =
          random
              .ints(BLOCKS_PER_ROW, -HALF_BAND, HALF_BAND + 1)
              .map(distance -> row + distance / (1 + random.nextInt(8)))
              .map(column -> Math.min(side - 1, Math.max(0, column)))
              .distinct()
              .sorted()
              .toArray();
      blocks += columns[i].length;
    }
    try (BufferedWriter out = Files.newBufferedWriter(file)) {
      out.write("%%MatrixMarket matrix coordinate real general\n");
      out.write(ROWS + " " + ROWS + " " + 9 * blocks + "\n");
      for (int row = 0; row < ROWS; row++) {
        for (int block : columns[row / 3]) {
          for (int c = 1; c <= 3; c++) {
            out.write((row + 1) + " " + (3 * block + c) + " 1.5\n");
          }
        }
      }
    }
    return file;
  }

  private static void print(String format, Object... arguments) {
    System.out.println(String.format(Locale.ROOT, format, arguments));
  }
}
