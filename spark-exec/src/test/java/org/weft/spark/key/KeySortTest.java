package org.weft.spark.key;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.tensor.CooBlock;

class KeySortTest {
  /** Modes whose coordinates fit one word, fill one, and take several. */
  @ParameterizedTest
  @CsvSource({"1,4,200", "3,10,3000", "3,2000000000,3000", "7,1000000000,500", "2,1,100", "2,9,0"})
  void rowsAreInOrderAndThoseOfAnEntryInThatOfTheInput(int modes, int size, int rows) {
    Random random = new Random(3);
    long[][] expected = new long[rows][modes + 1];
    List<CooBlock> blocks = new ArrayList<>();
    int[][] places = new int[modes][97];
    long[] sizes = new long[modes];
    for (int mode = 0; mode < modes; mode++) {
      sizes[mode] = size;
      places[mode] = random.ints(97, 0, size).toArray();
    }
    for (int from = 0; from < rows; from += 64) {
      int count = Math.min(64, rows - from);
      int[][] numbers = new int[modes][count];
      double[] values = new double[count];
      for (int row = 0; row < count; row++) {
        for (int mode = 0; mode < modes; mode++) {
          numbers[mode][row] = random.nextInt(97);
          expected[from + row][mode] = places[mode][numbers[mode][row]];
        }
        values[row] = from + row;
        expected[from + row][modes] = from + row;
      }
      blocks.add(CooBlock.ofColumns(numbers, values, count));
    }
    int[] modeOrder = IntStream.range(0, modes).map(m -> (m + 1) % modes).toArray();
    Comparator<long[]> order = Comparator.comparingLong(row -> row[modeOrder[0]]);
    for (int at = 1; at < modes; at++) {
      int mode = modeOrder[at];
      order = order.thenComparingLong(row -> row[mode]);
    }
    List<long[]> sorted = new ArrayList<>(List.of(expected));
    sorted.sort(order);
    KeySort sort = KeySort.of(blocks, places, sizes, modeOrder);
    for (int place = 0; place < rows; place++) {
      for (int mode = 0; mode < modes; mode++) {
        assertThat(sort.coordinate(place, mode)).isEqualTo(sorted.get(place)[mode]);
      }
      assertThat(sort.value(place)).isEqualTo(sorted.get(place)[modes]);
      boolean repeats = place > 0 && order.compare(sorted.get(place - 1), sorted.get(place)) == 0;
      assertThat(sort.repeats(place)).isEqualTo(repeats);
    }
  }
}
