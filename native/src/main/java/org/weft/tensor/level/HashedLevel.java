package org.weft.tensor.level;

import com.google.auto.service.AutoService;
import org.weft.memory.NativeArray;

/**
 * The coordinates under each parent in a hash table of {@code W} buckets, {@code W} a power of two
 * and the same for all parents. Coordinate {@code i} is in bucket {@code i mod W} or the next free
 * one after it, cyclically; every table keeps a free bucket, so that a search ends. {@code pos}
 * holds {@code W} alone; the largest number of the width marks a free bucket.
 *
 * <pre>
 * pos  8                          W
 * crd  8 1 - - 4 - 6 -            buckets of parent 0, i = 1, 4, 6, 8
 * </pre>
 */
@AutoService(LevelFormat.class)
public final class HashedLevel extends DescribedLevel {
  /** Made by the service loader. */
  public HashedLevel() {
    super(
        "H",
        "hashed",
        new LevelProperties(false, false, true, false, false),
        true,
        true,
        LevelCapability.POSITION_ITERATION,
        LevelCapability.LOCATE,
        LevelCapability.INSERT);
  }

  /** No more than half of the buckets are taken. */
  public static long buckets(long coordinates) {
    return Math.max(1, Long.highestOneBit(coordinates) * (Long.bitCount(coordinates) > 1 ? 4 : 2));
  }

  @Override
  public long posLength(long parents) {
    return 1;
  }

  @Override
  public long largestPos(long entries) {
    return buckets(entries);
  }

  @Override
  public void pack(LevelPacking packing) {
    int most = 0;
    for (int p = 0; p < packing.parents(); p++) {
      int count = 0;
      int end = packing.end(p);
      for (int entry = packing.start(p); entry < end; entry = skip(packing, entry, end)) {
        count++;
      }
      most = Math.max(most, count);
    }
    int buckets = (int) buckets(most);
    packing.expectChildren(packing.parents(), buckets);
    packing.allocatePos(1, buckets).setLong(0, buckets);
    NativeArray crd = packing.allocateCrd((long) packing.parents() * buckets);
    for (long p = 0; p < crd.length(); p++) {
      crd.setLong(p, packing.unlabelled());
    }
    for (int p = 0; p < packing.parents(); p++) {
      int end = packing.end(p);
      int next;
      for (int entry = packing.start(p); entry < end; entry = next) {
        next = skip(packing, entry, end);
        long coordinate = packing.coordinate(entry);
        int bucket = (int) (coordinate & (buckets - 1));
        while (crd.getLong((long) p * buckets + bucket) != packing.unlabelled()) {
          bucket = (bucket + 1) & (buckets - 1);
        }
        crd.setLong((long) p * buckets + bucket, coordinate);
        packing.childAt(p * buckets + bucket, entry, next);
      }
    }
    packing.completeChildren();
  }

  private static int skip(LevelPacking packing, int first, int end) {
    int next = first + 1;
    while (next < end && packing.coordinate(next) == packing.coordinate(first)) {
      next++;
    }
    return next;
  }

  @Override
  public long firstChild(LevelView level, long parent) {
    return parent * level.pos(0);
  }

  @Override
  public long endChild(LevelView level, long parent) {
    return (parent + 1) * level.pos(0);
  }

  @Override
  public boolean isLabelled(LevelView level, long position) {
    return level.crd(position) != level.unlabelled();
  }

  @Override
  public long coordinate(LevelView level, long parent, long position) {
    return level.crd(position);
  }
}
