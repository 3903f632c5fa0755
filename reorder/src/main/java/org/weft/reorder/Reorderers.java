package org.weft.reorder;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/**
 * The reorderers by name, with an optional argument after a colon: {@code identity}, {@code
 * random:SEED}, {@code degree} and {@code degree:ascending}, {@code lexi:SWEEPS}. A new reorderer
 * is one class and one line here.
 */
public final class Reorderers {
  private static final Map<String, Function<String, Reorderer>> KNOWN = new LinkedHashMap<>();

  static {
    KNOWN.put("identity", argument -> new IdentityOrder());
    KNOWN.put("random", argument -> new RandomOrder(number("random", argument, 0)));
    KNOWN.put("degree", argument -> new DegreeOrder(direction(argument)));
    KNOWN.put(
        "lexi",
        argument ->
            new LexiOrder((int) Math.min(1000, number("lexi", argument, LexiOrder.SWEEPS))));
  }

  private Reorderers() {}

  /** Names without arguments. */
  public static List<String> names() {
    return List.copyOf(KNOWN.keySet());
  }

  /**
   * @throws WeftException USAGE for an unknown name or argument
   */
  public static Reorderer named(String text) {
    int colon = text.indexOf(':');
    String name = colon < 0 ? text : text.substring(0, colon);
    Function<String, Reorderer> make = KNOWN.get(name);
    if (make == null) {
      throw new WeftException(
          ErrorCode.USAGE,
          "expected a reordering out of "
              + String.join(", ", KNOWN.keySet())
              + ", found '"
              + text
              + "'");
    }
    return make.apply(colon < 0 ? "" : text.substring(colon + 1));
  }

  private static boolean direction(String argument) {
    return switch (argument) {
      case "", "descending" -> false;
      case "ascending" -> true;
      default ->
          throw new WeftException(
              ErrorCode.USAGE,
              "expected degree:ascending or degree:descending, found 'degree:" + argument + "'");
    };
  }

  private static long number(String name, String argument, long otherwise) {
    if (argument.isEmpty()) {
      return otherwise;
    }
    try {
      return Long.parseLong(argument);
    } catch (NumberFormatException e) {
      throw new WeftException(
          ErrorCode.USAGE, "expected a number in '" + name + ":" + argument + "'", e);
    }
  }
}
