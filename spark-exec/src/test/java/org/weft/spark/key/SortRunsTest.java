package org.weft.spark.key;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.tensor.CooBlock;

final class SortRunsTest {
  @TempDir Path folder;

  private int made;

  private File file() {
    return folder.resolve("run" + made++).toFile();
  }

  @ParameterizedTest
  @CsvSource({
    "1, 12, 4096, 10",
    "4096, 12, 4096, 10",
    "5000, 12, 4096, 10",
    "12288, 12, 4096, 3",
    "1048576, 12, 4096, 0",
    "300, 400, 300, 404"
  })
  void rowsComeInOrderAndEqualOnesAsTheyWereAdded(int most, int blocks, int rows, int files)
      throws IOException {
    long[] sizes = {300, 40L << 32, 5};
    int[] modeOrder = {1, 0, 2};
    Random random = new Random(most);
    List<long[]> expected = new ArrayList<>();
    try (SortRuns runs = new SortRuns(sizes, modeOrder, most, this::file)) {
      for (int b = 0; b < blocks; b++) {
        CooBlock.Builder block = new CooBlock.Builder(3, 16);
        for (int row = b == 5 ? rows : 0; row < rows; row++) {
          long wide = random.nextBoolean() ? 7 : random.nextInt(40) * (1L << 32);
          long[] at = {random.nextInt(300), wide, random.nextInt(5)};
          block.add(at, expected.size());
          expected.add(new long[] {at[0], at[1], at[2], expected.size()});
        }
        runs.add(block.build());
      }
      Comparator<long[]> order = Comparator.comparingLong(row -> row[1]);
      expected.sort(order.thenComparing(row -> row[0]).thenComparing(row -> row[2]));
      SortedRows sorted = runs.inOrder();
      List<long[]> found = new ArrayList<>();
      while (sorted.next()) {
        found.add(
            new long[] {
              sorted.coordinate(0),
              sorted.coordinate(1),
              sorted.coordinate(2),
              (long) sorted.value()
            });
      }
      assertThat(Arrays.deepEquals(found.toArray(), expected.toArray())).isTrue();
      assertThat(made).isEqualTo(files);
    }
    try (var left = Files.list(folder)) {
      assertThat(left).isEmpty();
    }
  }
}
