package org.weft.engine.entries;

import java.io.Serializable;
import java.util.List;
import java.util.Locale;
import java.util.function.DoublePredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/** Checks the values of entries before work begins. */
public final class EntryCheck {
  private EntryCheck() {}

  /** Whether a value is allowed. Travels to where entries lie. */
  public interface Allowed extends DoublePredicate, Serializable {}

  /** What names an entry of a block that is not allowed; empty if all are. */
  public static EntryBlocks.OfBlock<String> wrong(Allowed allowed) {
    return block -> {
      for (int e = 0; e < block.size(); e++) {
        if (!allowed.test(block.value(e))) {
          int entry = e;
          String at =
              IntStream.range(0, block.order())
                  .mapToObj(mode -> Long.toString(block.coordinate(mode, entry) + 1))
                  .collect(Collectors.joining(" "));
          return String.format(
              Locale.ROOT, "%s at the coordinates %s (from 1)", block.value(e), at);
        }
      }
      return "";
    };
  }

  /**
   * Checks that there are none.
   *
   * @param expected for people: {@code counts of at least 0}
   * @param found in each block
   * @throws WeftException {@code MALFORMED_INPUT}, naming the first
   */
  public static void require(String uri, String expected, List<String> found) {
    for (String wrong : found) {
      if (!wrong.isEmpty()) {
        throw new WeftException(
            ErrorCode.MALFORMED_INPUT, uri + ": expected " + expected + ", found " + wrong);
      }
    }
  }
}
