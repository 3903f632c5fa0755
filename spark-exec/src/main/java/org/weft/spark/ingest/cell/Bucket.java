package org.weft.spark.ingest.cell;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.weft.spark.key.KeyLabels;

/**
 * How cells become labels: a cell has a key, labels are in the order of their keys, and a key's
 * label is written once. Keys compare as their types do; text by its UTF-8 bytes.
 */
public interface Bucket extends KeyLabels {
  /** What a key is: {@code String}, {@code Long} or {@code Double}. */
  enum KeyType {
    TEXT,
    LONG,
    DOUBLE
  }

  KeyType keyType();

  /**
   * The key of a cell that is not missing.
   *
   * @param column for the error
   * @throws BadCell if the cell has none
   */
  Object key(String column, Object cell) throws BadCell;

  /** The label of a key. */
  String label(Object key);

  @Override
  default boolean areKeys() {
    return keyType() == KeyType.TEXT;
  }

  @Override
  default byte[] utf8(byte[] key) {
    return areKeys() ? key : label(KeyBytes.key(keyType(), key)).getBytes(StandardCharsets.UTF_8);
  }

  /** What {@link #parse} takes, for messages. */
  static String known() {
    return "text, number, a width such as 10, edges such as 1,10,100, log2, log10, "
        + String.join(
            ", ", Stream.of(TimeBucket.Unit.values()).map(TimeBucket.Unit::text).toList());
  }

  /** The bucket that {@code text} names; empty if it names none. */
  static Optional<Bucket> parse(String text, TimeFormat format) {
    Optional<Bucket> time =
        Stream.of(TimeBucket.Unit.values())
            .filter(unit -> unit.text().equals(text))
            .findFirst()
            .map(unit -> new TimeBucket(unit, format));
    if (time.isPresent()) {
      return time;
    }
    return switch (text) {
      case "text" -> Optional.of(new TextBucket());
      case "number" -> Optional.of(new NumberBucket.Exact());
      case "log2" -> Optional.of(new NumberBucket.Logarithm(2));
      case "log10" -> Optional.of(new NumberBucket.Logarithm(10));
      default -> numbers(text);
    };
  }

  private static Optional<Bucket> numbers(String text) {
    List<Double> numbers = new java.util.ArrayList<>();
    for (String part : text.split(",", -1)) {
      Double number = Cells.number(part);
      if (number == null || !Double.isFinite(number)) {
        return Optional.empty();
      }
      numbers.add(number);
    }
    if (numbers.size() == 1) {
      return numbers.get(0) > 0
          ? Optional.of(new NumberBucket.Width(numbers.get(0)))
          : Optional.empty();
    }
    for (int n = 1; n < numbers.size(); n++) {
      if (numbers.get(n) <= numbers.get(n - 1)) {
        return Optional.empty();
      }
    }
    return Optional.of(new NumberBucket.Edges(numbers));
  }
}
