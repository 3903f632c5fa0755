package org.weft.spark.ingest;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.spark.ingest.cell.Bucket;

/** The columns that a table has, and those that options name. */
final class TableColumns {
  private TableColumns() {}

  /**
   * Checks that {@code columns} have those of the modes and of the value.
   *
   * @throws WeftException {@code USAGE}
   */
  static void require(IngestJob job, List<String> columns) {
    for (ModeSpec mode : job.modes()) {
      require(job.table(), columns, mode.column(), "--mode");
    }
    if (job.value() != null) {
      require(job.table(), columns, job.value(), "--value");
    }
  }

  /**
   * Checks that {@code columns} have {@code name}.
   *
   * @throws WeftException {@code USAGE}
   */
  static void require(IngestJob.Table table, List<String> columns, String name, String option) {
    if (!columns.contains(name)) {
      throw new WeftException(
          ErrorCode.USAGE,
          String.join(", ", table.inputs())
              + ": expected "
              + option
              + " to name a column of '"
              + String.join("', '", columns)
              + "', found '"
              + name
              + "'"
              + remedy(columns, name));
    }
  }

  /** What may help the user who named a column that is not there. */
  private static String remedy(List<String> columns, String name) {
    String only = columns.size() == 1 ? columns.get(0) : "";
    if (only.matches(".*[;|\t].*")) {
      String separator = only.replaceAll("[^;|\t]", "").substring(0, 1).replace("\t", "\\t");
      return "; where '" + separator + "' separates cells, add --option 'sep=" + separator + "'";
    }
    List<String> numbered =
        columns.stream()
            .filter(column -> column.matches("(?i)" + Pattern.quote(name) + "\\d+"))
            .toList();
    if (numbered.size() > 1) {
      return "; several columns have this name in the header, and are called "
          + String.join(", ", numbered);
    }
    if (name.contains(":")) {
      return "; after a colon there may be a bucket: " + Bucket.known();
    }
    String given = name.toLowerCase(Locale.ROOT);
    return columns.stream()
        .filter(column -> column.toLowerCase(Locale.ROOT).contains(given))
        .findFirst()
        .map(column -> "; did you mean '" + column + "'?")
        .orElse("");
  }
}
