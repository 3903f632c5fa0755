package org.weft.storage.container;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.tensor.CooBlock;

/** Where streams of entries are cut. */
class PartCutsTest {
  private static final int PART = 100;

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
  void partsOfAnAscendingStreamEndWithASlice(int seed) throws IOException {
    Random random = new Random(seed);
    long[] roots = new long[random.nextInt(5_000)];
    for (int e = 1; e < roots.length; e++) {
      roots[e] = roots[e - 1] + (random.nextInt(7) == 0 ? 1 + random.nextInt(3) : 0);
    }

    List<CooBlock> parts = parts(roots, random, seed % 2 == 0);

    assertSame(roots, parts);
    int last = parts.size() - 1;
    for (int p = 0; p <= last; p++) {
      CooBlock part = parts.get(p);
      assertTrue(part.size() < 3 * PART, () -> part.size() + " entries");
      assertTrue(part.size() >= PART || p == last, () -> part.size() + " entries");
      if (p > 0) {
        CooBlock before = parts.get(p - 1);
        assertNotEquals(before.coordinate(0, before.size() - 1), part.coordinate(0, 0));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  void aStreamThatDescendsIsCutAnywhere(int seed) throws IOException {
    Random random = new Random(seed);
    long[] roots = random.longs(5_000, 0, 4).toArray();

    List<CooBlock> parts = parts(roots, random, seed % 2 == 0);

    assertSame(roots, parts);
    parts.forEach(part -> assertTrue(part.size() < 3 * PART, () -> part.size() + " entries"));
    assertTrue(parts.size() > 5_000 / (3 * PART), () -> parts.size() + " parts");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void aSliceOfMoreEntriesThanAPartMayHaveIsCut(int seed) throws IOException {
    long[] roots = new long[PartCuts.MOST_PART_ENTRIES + 10];

    List<CooBlock> parts = parts(roots, new Random(seed), seed == 0);

    assertSame(roots, parts);
    assertEquals(PartCuts.MOST_PART_ENTRIES, parts.get(0).size());
    assertEquals(2, parts.size());
  }

  private static List<CooBlock> parts(long[] roots, Random random, boolean wide)
      throws IOException {
    List<CooBlock> parts = new ArrayList<>();
    PartCuts cuts = new PartCuts(0, PART, parts::add);
    int most = Math.max(1, roots.length / 5);
    for (int from = 0; from < roots.length; ) {
      int size = Math.min(roots.length - from, random.nextInt(most));
      long[] column = new long[size];
      double[] values = new double[size];
      for (int e = 0; e < size; e++) {
        column[e] = roots[from + e];
        values[e] = from + e;
      }
      Object[] columns = {wide ? column : narrow(column)};
      cuts.add(CooBlock.ofColumns(columns, values, size));
      from += size;
    }
    cuts.flush();
    return parts;
  }

  private static int[] narrow(long[] column) {
    int[] narrow = new int[column.length];
    for (int e = 0; e < column.length; e++) {
      narrow[e] = (int) column[e];
    }
    return narrow;
  }

  private static void assertSame(long[] roots, List<CooBlock> parts) {
    int at = 0;
    for (CooBlock part : parts) {
      for (int e = 0; e < part.size(); e++) {
        assertEquals(roots[at], part.coordinate(0, e));
        assertEquals(at++, part.value(e));
      }
    }
    assertEquals(roots.length, at);
  }
}
