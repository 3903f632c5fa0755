package org.weft.it.differential;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Numbers the coordinates of some modes as one long, in mixed radix: {@code key = ((i * J) + j) * K
 * + k}. Throws {@link ArithmeticException} when the numbers do not fit.
 */
record KeptModes(int[] modes, long[] radices) {

  static KeptModes allBut(Entries tensor, int dropped) {
    int[] modes = IntStream.range(0, tensor.order()).filter(mode -> mode != dropped).toArray();
    long[] radices = Arrays.stream(modes).mapToLong(mode -> tensor.sizes()[mode]).toArray();
    Arrays.stream(radices).reduce(1, Math::multiplyExact);
    return new KeptModes(modes, radices);
  }

  long key(Entries tensor, int entry) {
    long key = 0;
    for (int i = 0; i < modes.length; i++) {
      key = key * radices[i] + tensor.coordinates()[modes[i]][entry];
    }
    return key;
  }

  /** The key of a coordinate of the kept modes alone, or -1 when outside the sizes. */
  long key(long[] coordinates) {
    long key = 0;
    for (int i = 0; i < modes.length; i++) {
      if (coordinates[i] < 0 || coordinates[i] >= radices[i]) {
        return -1;
      }
      key = key * radices[i] + coordinates[i];
    }
    return key;
  }

  /** The keys that a result stores; one without kept modes is a scalar or vector, always there. */
  long[] distinctKeys(Entries tensor) {
    if (modes.length == 0) {
      return new long[1];
    }
    return IntStream.range(0, tensor.count())
        .mapToLong(entry -> key(tensor, entry))
        .sorted()
        .distinct()
        .toArray();
  }
}
