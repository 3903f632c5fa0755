package org.weft.jobs.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RecentlyUsedTest {
  private static final int UNITS = 20;

  /** Against a map in the order of use. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 7, 19, 20, 1L << 40})
  void missesWhatWasNotUsedForLongest(long capacity) {
    RecentlyUsed cache = new RecentlyUsed(UNITS, capacity);
    LinkedHashMap<Integer, Boolean> expected = new LinkedHashMap<>(16, 0.75f, true);
    SplittableRandom random = new SplittableRandom(capacity);
    for (int use = 0; use < 5000; use++) {
      int unit = random.nextInt(random.nextInt(UNITS) + 1);
      assertThat(cache.misses(unit)).as("use %s", use).isEqualTo(expected.get(unit) == null);
      expected.put(unit, true);
      if (expected.size() > capacity) {
        expected.remove(expected.keySet().iterator().next());
      }
    }
  }
}
