package org.weft.spark.ingest;

import java.io.Serializable;
import java.util.Optional;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.spark.ingest.cell.Bucket;
import org.weft.spark.ingest.cell.TextBucket;
import org.weft.spark.ingest.cell.TimeFormat;
import org.weft.spark.key.KeySpace;

/**
 * A mode of the tensor to be.
 *
 * @param name of the mode
 * @param column whose cells are its labels
 * @param bucket how
 * @param minCount rows that a label needs to stay
 */
public record ModeSpec(String name, String column, Bucket bucket, long minCount)
    implements Serializable {
  /**
   * Reads {@code NAME[=COLUMN][:BUCKET]}. What follows the last colon belongs to the column if it
   * is no bucket.
   */
  public static ModeSpec parse(String text, TimeFormat format) {
    int equals = text.indexOf('=');
    String rest = text.substring(equals + 1);
    int colon = rest.lastIndexOf(':');
    Optional<Bucket> bucket =
        colon < 0 ? Optional.empty() : Bucket.parse(rest.substring(colon + 1), format);
    String column = bucket.isPresent() ? rest.substring(0, colon) : rest;
    String name = equals < 0 ? column : text.substring(0, equals);
    if (name.isEmpty() || column.isEmpty()) {
      throw new WeftException(
          ErrorCode.USAGE,
          "expected --mode NAME, NAME=COLUMN or NAME=COLUMN:BUCKET, found '" + text + "'");
    }
    return new ModeSpec(name, column, bucket.orElseGet(TextBucket::new), 0);
  }

  /** Its keys, if it is mode {@code mode}. */
  KeySpace space(int mode) {
    return new KeySpace(mode, bucket, minCount);
  }

  public ModeSpec withMinCount(long rows) {
    return new ModeSpec(name, column, bucket, rows);
  }
}
