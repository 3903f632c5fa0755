package org.weft.engine.entries;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.weft.tensor.CooBlock;

/**
 * Divides entries by a hash of their coordinates and a seed: the same coordinates always go to the
 * same part, wherever and in whatever order they are stored, and duplicates stay together.
 */
public final class HashedSplit {
  private static final int CANDIDATES = 16;

  private HashedSplit() {}

  /**
   * What selects the entries of one part.
   *
   * @param shares of the parts; what they leave goes to part 0
   */
  public static EntryBlocks.OfBlock<CooBlock> part(double[] shares, int part, long seed) {
    return block ->
        block.select(
            IntStream.range(0, block.size())
                .filter(e -> part(number(hash(block, e, seed)), shares) == part)
                .toArray());
  }

  private static int part(double number, double[] shares) {
    double end = 1;
    for (int part = shares.length - 1; part > 0; part--) {
      end -= shares[part];
      if (number >= end) {
        return part;
      }
    }
    return 0;
  }

  /** In [0, 1). */
  static double number(long hash) {
    return (hash >>> 11) * 0x1p-53;
  }

  /** A hash of an entry's coordinates. */
  static long hash(CooBlock block, int entry, long seed) {
    long hash = seed;
    for (int mode = 0; mode < block.order(); mode++) {
      hash = mixed(hash + 0x9E3779B97F4A7C15L + block.coordinate(mode, entry));
    }
    return hash;
  }

  /** The finaliser of SplitMix64 (Steele, Lea and Flood 2014). */
  static long mixed(long number) {
    long z = (number ^ number >>> 30) * 0xBF58476D1CE4E5B9L;
    z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
    return z ^ z >>> 31;
  }

  /**
   * The coordinates, from 0, of an entry that both have. Memory: 8 bytes for each of the few, here
   * and where the others lie.
   */
  public static Optional<long[]> common(EntryBlocks few, EntryBlocks many) {
    long[] hashes =
        few
            .collect(
                blocks -> {
                  List<long[]> all = new ArrayList<>();
                  blocks.forEachRemaining(each -> all.add(hashes(each.block())));
                  return all.iterator();
                })
            .stream()
            .flatMapToLong(Arrays::stream)
            .sorted()
            .toArray();
    try (Shared<long[]> known = many.share(hashes)) {
      List<CooBlock> candidates =
          many.collect(
              blocks ->
                  found(
                      blocks,
                      (block, e) -> Arrays.binarySearch(known.value(), hash(block, e, 0)) >= 0));
      if (candidates.isEmpty()) {
        return Optional.empty();
      }
      CooBlock both = CooBlock.concat(candidates);
      try (Shared<CooBlock> sent = few.share(both)) {
        return few
            .collect(blocks -> found(blocks, (block, e) -> has(sent.value(), at(block, e))))
            .stream()
            .map(block -> at(block, 0))
            .findFirst();
      }
    }
  }

  private static long[] hashes(CooBlock block) {
    return IntStream.range(0, block.size()).mapToLong(e -> hash(block, e, 0)).toArray();
  }

  /** Whether an entry is looked for. */
  private interface Wanted {
    boolean is(CooBlock block, int entry);
  }

  /** A block of the first wanted entries, or none. */
  private static Iterator<CooBlock> found(Iterator<OriginBlock> blocks, Wanted wanted) {
    List<CooBlock> found = new ArrayList<>();
    while (blocks.hasNext() && found.size() < CANDIDATES) {
      CooBlock block = blocks.next().block();
      int[] at =
          IntStream.range(0, block.size())
              .filter(e -> wanted.is(block, e))
              .limit(CANDIDATES)
              .toArray();
      if (at.length > 0) {
        found.add(block.select(at));
      }
    }
    return found.iterator();
  }

  private static boolean has(CooBlock block, long[] at) {
    return IntStream.range(0, block.size()).anyMatch(e -> Arrays.equals(at(block, e), at));
  }

  private static long[] at(CooBlock block, int entry) {
    return IntStream.range(0, block.order())
        .mapToLong(mode -> block.coordinate(mode, entry))
        .toArray();
  }
}
