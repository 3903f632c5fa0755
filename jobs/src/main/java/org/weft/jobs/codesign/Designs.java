package org.weft.jobs.codesign;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigList;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigOrigin;
import com.typesafe.config.ConfigOriginFactory;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigValue;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/**
 * A file of designs in HOCON, or in JSON, which is part of it:
 *
 * <pre>
 * host-picoseconds-per-flop = 4.45
 * designs = [
 *   { name = a, tile = [16, 16, 16], cycles = 131, clock-ghz = 1,
 *     bandwidth-gbs = 20, scratchpad-kb = 8, power-mw = 5.1, area-um2 = 55827 }
 * ]
 * </pre>
 *
 * <p>Cycles are a number; {@code "dot(u,c)"}, {@code m n / u + c}, for units that make a whole sum
 * a cycle; or {@code "systolic"}, {@code 2 m + n + k - 2}, for an array that keeps the result in
 * place (SCALE-Sim). Bandwidth, scratchpad, power and area may be left out.
 *
 * @param hostSecondsPerFlop see {@link Prediction}
 */
public record Designs(double hostSecondsPerFlop, List<Design> designs) {
  private static final String HOST = "host-picoseconds-per-flop";
  private static final String LIST = "designs";
  private static final Set<String> REQUIRED = Set.of("name", "tile", "cycles", "clock-ghz");
  private static final Set<String> OPTIONAL =
      Set.of("bandwidth-gbs", "scratchpad-kb", "power-mw", "area-um2");
  private static final Pattern DOT = Pattern.compile("dot\\(([0-9.]+),([0-9.]+)\\)");
  private static final double LARGEST = 1e15;

  /** So that COMET's 64 x 64 design reaches 156 GFLOP/s at 1 GHz, as the paper says. */
  private static final double USUAL_HOST = 4.45;

  public Designs {
    designs = List.copyOf(designs);
  }

  /**
   * Reads {@code text}.
   *
   * @param file for messages
   * @throws WeftException {@code MALFORMED_INPUT} with the line and the field
   */
  public static Designs parse(String file, String text) {
    Config config;
    try {
      ConfigParseOptions options = ConfigParseOptions.defaults().setOriginDescription(file);
      config = ConfigFactory.parseString(text, options).resolve();
    } catch (ConfigException e) {
      ConfigOrigin origin = e.origin() == null ? ConfigOriginFactory.newSimple(file) : e.origin();
      throw malformed(
          origin, file, "expected a file of designs in HOCON or JSON, found " + reason(e, origin));
    }
    ConfigObject root = config.root();
    root.forEach((key, value) -> requireKnown(file, key, value, Set.of(HOST, LIST)));
    ConfigValue list = root.get(LIST);
    if (!(list instanceof ConfigList all) || all.isEmpty()) {
      ConfigOrigin origin = list == null ? root.origin() : list.origin();
      throw malformed(origin, file, "expected designs = [ { name = .. }, .. ], found none");
    }
    ConfigValue host = root.get(HOST);
    double picoseconds = host == null ? USUAL_HOST : number(file, HOST, host, 0);
    List<Design> designs = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (ConfigValue value : all) {
      if (!(value instanceof ConfigObject object)) {
        throw malformed(
            value.origin(), file, "expected a design { name = .. }, found " + text(value));
      }
      Design design = design(file, object);
      if (!names.add(design.name())) {
        throw malformed(
            value.origin(), file, "name: expected another one, found a second " + design.name());
      }
      designs.add(design);
    }
    return new Designs(picoseconds * 1e-12, designs);
  }

  /** What the parser says, without the place, and without what it guesses about quotes. */
  private static String reason(ConfigException e, ConfigOrigin origin) {
    String said = String.valueOf(e.getMessage()).replaceAll("\\s*\\(if you (intended|want) .*", "");
    String place = origin.description() + ": ";
    String reason = said.startsWith(place) ? said.substring(place.length()) : said;
    return "an error: " + reason.replaceAll("\\p{Cntrl}", "?");
  }

  private static Design design(String file, ConfigObject object) {
    Set<String> known = new HashSet<>(REQUIRED);
    known.addAll(OPTIONAL);
    for (Map.Entry<String, ConfigValue> field : object.entrySet()) {
      requireKnown(file, field.getKey(), field.getValue(), known);
    }
    for (String field : REQUIRED.stream().sorted().toList()) {
      if (!object.containsKey(field)) {
        throw malformed(object.origin(), file, field + ": expected a value, found none");
      }
    }
    long[] tile = tile(file, required(object, "tile"));
    String name = name(file, required(object, "name"));
    OptionalDouble scratchpad = optional(file, object, "scratchpad-kb", 1024);
    Design made =
        new Design(
            name,
            tile[0],
            tile[1],
            tile[2],
            cycles(file, required(object, "cycles"), tile),
            number(file, "clock-ghz", required(object, "clock-ghz"), Double.MIN_VALUE) * 1e9,
            optional(file, object, "bandwidth-gbs", 1e9),
            optional(file, object, "power-mw", 1e-3),
            optional(file, object, "area-um2", 1e-6));
    if (scratchpad.isPresent() && made.tileBytes() > scratchpad.getAsDouble()) {
      ConfigValue field = required(object, "scratchpad-kb");
      String needed = (long) Math.ceil(made.tileBytes() / 1024) + " for three tiles of doubles";
      throw malformed(
          field.origin(),
          file,
          "scratchpad-kb: expected at least " + needed + ", found " + text(field));
    }
    return made;
  }

  private static String name(String file, ConfigValue value) {
    Object found = value.unwrapped();
    String name =
        found instanceof String || found instanceof Number ? found.toString().strip() : "";
    if (name.isEmpty()) {
      throw malformed(value.origin(), file, "name: expected a word, found " + text(value));
    }
    return name;
  }

  private static long[] tile(String file, ConfigValue value) {
    if (!(value instanceof ConfigList sides) || sides.size() != 3) {
      throw malformed(value.origin(), file, "tile: expected [m, n, k], found " + text(value));
    }
    long[] tile = new long[3];
    for (int at = 0; at < tile.length; at++) {
      Object found = sides.get(at).unwrapped();
      double side = found instanceof Number number ? number.doubleValue() : 0;
      if (!(side >= 1 && side <= 1 << 20) || side != Math.rint(side)) {
        String message = "tile: expected whole numbers from 1 to 2^20, found " + text(value);
        throw malformed(value.origin(), file, message);
      }
      tile[at] = (long) side;
    }
    return tile;
  }

  private static double cycles(String file, ConfigValue value, long[] tile) {
    String text = text(value).replaceAll("\\s", "");
    double cycles = Double.NaN;
    Matcher dot = DOT.matcher(text);
    try {
      if (dot.matches()) {
        double start = Double.parseDouble(dot.group(2));
        cycles = (double) tile[0] * tile[1] / Double.parseDouble(dot.group(1)) + start;
      } else if (text.equals("systolic")) {
        cycles = 2.0 * tile[0] + tile[1] + tile[2] - 2;
      } else if (value.unwrapped() instanceof Number number) {
        cycles = number.doubleValue();
      }
    } catch (NumberFormatException e) {
      cycles = Double.NaN; // refused below
    }
    if (!(cycles > 0 && cycles < LARGEST)) {
      throw malformed(
          value.origin(),
          file,
          "cycles: expected a number above 0 and below 10^15, \"dot(u,c)\" or \"systolic\", found "
              + text(value));
    }
    return cycles;
  }

  private static OptionalDouble optional(
      String file, ConfigObject object, String field, double unit) {
    ConfigValue value = object.get(field);
    return value == null
        ? OptionalDouble.empty()
        : OptionalDouble.of(number(file, field, value, Double.MIN_VALUE) * unit);
  }

  private static double number(String file, String field, ConfigValue value, double least) {
    Object found = value.unwrapped();
    double number = found instanceof Number n ? n.doubleValue() : Double.NaN;
    if (!(number >= least && number < LARGEST)) {
      String expected = (least == 0 ? "of at least 0" : "above 0") + " and below 10^15";
      throw malformed(
          value.origin(),
          file,
          field + ": expected a number " + expected + ", found " + text(value));
    }
    return number;
  }

  private static ConfigValue required(ConfigObject object, String field) {
    ConfigValue value = object.get(field);
    if (value == null) {
      throw new IllegalStateException(field);
    }
    return value;
  }

  private static void requireKnown(
      String file, String field, ConfigValue value, Set<String> known) {
    if (!known.contains(field)) {
      throw malformed(
          value.origin(),
          file,
          field
              + ": expected one of the fields "
              + String.join(", ", known.stream().sorted().toList())
              + ", found "
              + field);
    }
  }

  private static String text(ConfigValue value) {
    return String.valueOf(value.unwrapped());
  }

  private static WeftException malformed(
      @Nullable ConfigOrigin origin, String file, String message) {
    int line = origin == null ? -1 : origin.lineNumber();
    String place = line > 0 ? file + ":" + line : file;
    return new WeftException(ErrorCode.MALFORMED_INPUT, place + ": " + message);
  }
}
