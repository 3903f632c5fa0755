package org.weft.engine.entries;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.DoublePredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.CooBlock;

/** Checks the values of entries before work begins. */
public final class EntryCheck {
  private EntryCheck() {}

  /** Whether a value is allowed. Travels to where entries lie. */
  public interface Allowed extends DoublePredicate, Serializable {}

  /**
   * Checks all entries.
   *
   * @param expected for people: {@code counts of at least 0}
   * @throws WeftException {@code MALFORMED_INPUT}, naming the first entry that is not allowed
   */
  public static void require(String uri, EntryBlocks entries, String expected, Allowed allowed) {
    List<String> wrong =
        entries.collect(
            blocks -> {
              List<String> found = new ArrayList<>();
              while (blocks.hasNext() && found.isEmpty()) {
                first(blocks.next().block(), allowed, found);
              }
              return found.iterator();
            });
    if (!wrong.isEmpty()) {
      throw new WeftException(
          ErrorCode.MALFORMED_INPUT, uri + ": expected " + expected + ", found " + wrong.get(0));
    }
  }

  private static void first(CooBlock block, Allowed allowed, List<String> found) {
    for (int e = 0; e < block.size(); e++) {
      if (!allowed.test(block.value(e))) {
        int entry = e;
        String at =
            IntStream.range(0, block.order())
                .mapToObj(mode -> Long.toString(block.coordinate(mode, entry) + 1))
                .collect(Collectors.joining(" "));
        found.add(
            String.format(Locale.ROOT, "%s at the coordinates %s (from 1)", block.value(e), at));
        return;
      }
    }
  }
}
