package org.weft.spark.ingest.record;

import com.univocity.parsers.common.TextParsingException;
import com.univocity.parsers.csv.CsvParser;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.sql.catalyst.csv.CSVOptions;
import org.jspecify.annotations.Nullable;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Records of separated values as Spark's {@code from_csv} takes them apart; no session is needed.
 */
public final class SparkCells {
  private final CsvParser parser;

  SparkCells(char separator) {
    Map<String, String> options = csvOptions(separator);
    CSVOptions spark =
        new CSVOptions(
            scala.collection.immutable.Map.from(CollectionConverters.asScala(options)),
            true,
            "UTC");
    parser = new CsvParser(spark.asParserSettings());
  }

  /**
   * What Spark's parser of separated values is asked for unless the job asks for something else.
   */
  public static Map<String, String> csvOptions(char separator) {
    Map<String, String> options = new HashMap<>();
    options.put("sep", String.valueOf(separator));
    options.put("escape", "\"");
    return options;
  }

  /** The cells, null where they are empty; none for a record that cannot be taken apart. */
  @Nullable String[] read(String record) {
    try {
      @Nullable String[] cells = parser.parseLine(record);
      return cells == null ? new String[0] : cells;
    } catch (TextParsingException e) {
      return new String[0];
    }
  }
}
