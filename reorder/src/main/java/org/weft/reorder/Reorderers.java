package org.weft.reorder;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/**
 * The reorderers by name, with an optional argument after a colon: {@code identity}, {@code
 * random:SEED}, {@code degree}, {@code degree:ascending} and {@code degree:hubs}, {@code
 * lexi:SWEEPS}, {@code bfs-mcs}, {@code rcm}, {@code band}, {@code partition:PARTS}. A new
 * reorderer is one class and one line here.
 */
public final class Reorderers {
  private static final Map<String, Function<String, Reorderer>> KNOWN = new LinkedHashMap<>();

  static {
    KNOWN.put("identity", argument -> plain("identity", argument, new IdentityOrder()));
    KNOWN.put("random", argument -> new RandomOrder(number("random", argument, 0)));
    KNOWN.put("degree", argument -> new DegreeOrder(direction(argument)));
    KNOWN.put(
        "lexi",
        argument ->
            new LexiOrder((int) Math.min(1000, number("lexi", argument, LexiOrder.SWEEPS))));
    KNOWN.put("bfs-mcs", argument -> plain("bfs-mcs", argument, new CardinalityOrder()));
    KNOWN.put("rcm", argument -> plain("rcm", argument, new CuthillMcKeeOrder()));
    KNOWN.put("band", argument -> plain("band", argument, new BandOrder()));
    KNOWN.put(
        "partition",
        argument -> new PartitionOrder(number("partition", argument, PartitionOrder.PARTS)));
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
    if (colon == text.length() - 1) {
      throw new WeftException(
          ErrorCode.USAGE,
          "expected an argument after '" + text + "', or " + name + " without one");
    }
    return make.apply(colon < 0 ? "" : text.substring(colon + 1));
  }

  private static DegreeOrder.Direction direction(String argument) {
    if (argument.isEmpty()) {
      return DegreeOrder.Direction.DESCENDING;
    }
    for (DegreeOrder.Direction direction : DegreeOrder.Direction.values()) {
      if (direction.name().toLowerCase(Locale.ROOT).equals(argument)) {
        return direction;
      }
    }
    throw new WeftException(
        ErrorCode.USAGE,
        "expected degree:ascending, degree:descending or degree:hubs, found 'degree:"
            + argument
            + "'");
  }

  private static Reorderer plain(String name, String argument, Reorderer reorderer) {
    if (!argument.isEmpty()) {
      throw new WeftException(
          ErrorCode.USAGE,
          "expected " + name + " without an argument, found '" + name + ":" + argument + "'");
    }
    return reorderer;
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
