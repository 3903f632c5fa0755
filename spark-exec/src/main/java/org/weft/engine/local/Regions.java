package org.weft.engine.local;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.weft.memory.ElementType;
import org.weft.memory.MemoryScope;

/**
 * Memory off the heap that is asked for and given back again and again: what was given back serves
 * the next who needs no more, and goes before more is allocated.
 */
final class Regions {
  private final MemoryScope scope;
  private final List<Region> free = new ArrayList<>();

  /** A region: {@code bytes} from an address on. */
  record Region(MemoryScope owner, long address, long bytes) {}

  /**
   * @param scope owner of all regions, which the caller closes
   */
  Regions(MemoryScope scope) {
    this.scope = scope;
  }

  /** A region of at least so many bytes, with any content. */
  Region take(long bytes) {
    Optional<Region> found =
        free.stream()
            .filter(region -> region.bytes() >= bytes)
            .min(Comparator.comparingLong(Region::bytes));
    found.ifPresentOrElse(free::remove, () -> freeAll());
    return found.orElseGet(
        () -> {
          MemoryScope owner = scope.child("rows");
          long address = owner.allocateUninitialized(ElementType.U8, bytes).address();
          return new Region(owner, address, bytes);
        });
  }

  private void freeAll() {
    free.forEach(region -> region.owner().close());
    free.clear();
  }

  void give(Region region) {
    free.add(region);
  }
}
