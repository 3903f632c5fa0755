package org.weft.spark.table;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.ReadOptions;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.TensorShape;

/** The options that a table was given, checked; names in any case. */
final class TableOptions {
  static final String PATH = "path";
  static final String VERSION = "version";
  static final String LABELS = "labels";
  static final String MODES = "modes";
  static final String VALUE = "value";
  static final String BASE = "base";
  static final String NONFINITE = "allowNonfinite";
  static final String ZERO_BASED = "zeroBased";
  static final String HEADER = "header";
  static final String SHAPE = "shape";
  static final String SORT = "sort";
  static final String MODE_ORDER = "modeOrder";
  static final String PART_ENTRIES = "partEntries";
  static final String COMPRESSED = "compressed";
  static final String EXTENDED_HEADER = "extendedHeader";
  static final String BATCH = "batch";
  static final String REPLACE_BATCH = "replaceBatch";

  /** Where labels of a table that is read are. */
  enum LabelView {
    NONE,
    /** In columns beside those of coordinates. */
    BESIDE,
    /** In the place of coordinates. */
    INSTEAD
  }

  /** What a catalog adds to the options of a table that it keeps. */
  private static final Set<String> OF_CATALOGS =
      Set.of(
          "provider",
          "location",
          "owner",
          "comment",
          "external",
          "collation",
          "is_managed_location",
          "serialization.format",
          "transient_lastddltime");

  private final String format;
  private final Map<String, String> given = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

  private TableOptions(String format, Map<String, String> options) {
    this.format = format;
    given.putAll(options);
  }

  /**
   * @param format short name of the source, for messages
   * @param known names of the options; one that ends in a dot stands for all that begin so
   * @throws WeftException {@code USAGE} for another option
   */
  static TableOptions of(String format, Map<String, String> options, Set<String> known) {
    TableOptions checked = new TableOptions(format, options);
    for (String name : options.keySet()) {
      String lower = name.toLowerCase(Locale.ROOT);
      boolean expected =
          OF_CATALOGS.contains(lower)
              || lower.startsWith("option.")
              || known.stream()
                  .anyMatch(
                      k ->
                          k.endsWith(".")
                              ? lower.startsWith(k.toLowerCase(Locale.ROOT))
                              : k.equalsIgnoreCase(name));
      if (!expected) {
        String what =
            lower.equals("paths")
                ? "several paths; read each and unite the tables"
                : lower.startsWith("__partition")
                    ? "partitionBy; a tensor has no partition columns"
                    : "option '" + name + "'";
        throw checked.wrong(
            "expected options among "
                + String.join(", ", known.stream().sorted().toList())
                + ", found "
                + what);
      }
    }
    return checked;
  }

  Map<String, String> all() {
    return given;
  }

  WeftException wrong(String message) {
    return new WeftException(ErrorCode.USAGE, "format '" + format + "': " + message);
  }

  private Optional<String> get(String name) {
    return Optional.ofNullable(given.get(name)).map(String::strip);
  }

  /** The path as it was given. */
  String givenPath() {
    return get(PATH)
        .or(() -> get("location"))
        .filter(p -> !p.isEmpty())
        .orElseThrow(
            () -> wrong("expected a path, found none; load(path) or OPTIONS (path '...')"));
  }

  /** The path, of the default file system and Spark's working directory where it names none. */
  String path(Configuration configuration) {
    String text = givenPath();
    try {
      Path path = new Path(text);
      FileSystem fs = path.getFileSystem(configuration);
      return path.makeQualified(fs.getUri(), fs.getWorkingDirectory()).toString();
    } catch (IllegalArgumentException e) {
      throw wrong("expected a path or Hadoop URI, found '" + text + "': " + e.getMessage());
    } catch (java.io.IOException e) {
      throw FileAccess.unavailable(text, e);
    }
  }

  boolean flag(String name, boolean otherwise) {
    String text = get(name).orElse(Boolean.toString(otherwise)).toLowerCase(Locale.ROOT);
    if (!text.equals("true") && !text.equals("false")) {
      throw wrong("expected " + name + "=true or false, found '" + text + "'");
    }
    return text.equals("true");
  }

  LabelView labels() {
    String text = get(LABELS).orElse("false").toLowerCase(Locale.ROOT);
    return switch (text) {
      case "false" -> LabelView.NONE;
      case "true" -> LabelView.BESIDE;
      case "only" -> LabelView.INSTEAD;
      default -> throw wrong("expected " + LABELS + "=true, false or only, found '" + text + "'");
    };
  }

  /** The key of what is written; empty: none. */
  String batch() {
    Optional<String> key = get(BATCH);
    if (key.isPresent() && key.get().isEmpty()) {
      throw wrong("expected batch=KEY, found a blank key; name the batch, such as its day");
    }
    if (key.isEmpty() && flag(REPLACE_BATCH, false)) {
      throw wrong("expected replaceBatch with batch=KEY, found no batch; name it");
    }
    return key.orElse("");
  }

  /** For options that hold for each use of a table: a key for all of them would drop the second. */
  void requireNoBatch() {
    if (given.containsKey(BATCH) || given.containsKey(REPLACE_BATCH)) {
      throw wrong(
          "expected batch and replaceBatch in one INSERT, found them among the options of the table;"
              + " INSERT INTO t WITH (batch = 'KEY') ...");
    }
  }

  OptionalLong number(String name, long least) {
    Optional<String> text = get(name);
    if (text.isEmpty()) {
      return OptionalLong.empty();
    }
    try {
      long number = Long.parseLong(text.get());
      if (number >= least) {
        return OptionalLong.of(number);
      }
    } catch (NumberFormatException e) {
      throw wrong("expected " + name + "=N, found '" + text.get() + "'");
    }
    throw wrong("expected " + name + " of at least " + least + ", found " + text.get());
  }

  /** Comma-separated names; empty if not given. */
  List<String> names(String name) {
    List<String> names = new ArrayList<>();
    for (String part :
        get(name).filter(t -> !t.isEmpty()).map(t -> t.split(",", -1)).orElse(new String[0])) {
      if (part.isBlank()) {
        throw wrong(
            "expected " + name + "=A,B,..., found an empty name in '" + get(name).get() + "'");
      }
      names.add(part.strip());
    }
    return names;
  }

  /** What the first slice is called in the table: 0, or 1. */
  long base() {
    long base = number(BASE, 0).orElse(0);
    if (base > 1) {
      throw wrong("expected base=0 or 1, found " + base);
    }
    return base;
  }

  String value() {
    return get(VALUE).orElse("value");
  }

  /** Mode sizes, if they were given. */
  Optional<TensorShape> shape() {
    List<String> sizes = names(SHAPE);
    if (sizes.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(TensorShape.of(sizes.stream().mapToLong(Long::parseLong).toArray()));
    } catch (IllegalArgumentException e) {
      throw wrong(
          "expected shape=N,N,... with the size of each mode, found '" + get(SHAPE).get() + "'");
    }
  }

  List<Integer> modeOrder() {
    try {
      return names(MODE_ORDER).stream().map(Integer::valueOf).toList();
    } catch (NumberFormatException e) {
      throw wrong(
          "expected modeOrder=N,N,... with modes counted from 0, found '"
              + get(MODE_ORDER).get()
              + "'");
    }
  }

  /** Options {@code labels.MODE}: the file of each mode's labels. */
  Map<String, String> labelFiles() {
    Map<String, String> files = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    String prefix = LABELS + ".";
    given.forEach(
        (name, file) -> {
          if (name.toLowerCase(Locale.ROOT).startsWith(prefix)) {
            files.put(name.substring(prefix.length()), file);
          }
        });
    return files;
  }

  ReadOptions readOptions() {
    String header = get(HEADER).orElse("auto").toUpperCase(Locale.ROOT);
    ReadOptions.Header kind;
    try {
      kind = ReadOptions.Header.valueOf(header);
    } catch (IllegalArgumentException e) {
      throw wrong(
          "expected header=auto, none, extended, order or sizes, found '"
              + get(HEADER).get()
              + "'");
    }
    return ReadOptions.defaults()
        .withZeroBased(flag(ZERO_BASED, false))
        .withAllowNonfinite(flag(NONFINITE, false))
        .withHeader(kind);
  }
}
