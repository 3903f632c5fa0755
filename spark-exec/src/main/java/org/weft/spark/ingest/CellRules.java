package org.weft.spark.ingest;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;
import org.weft.spark.ingest.cell.BadCell;
import org.weft.spark.ingest.cell.Bucket;
import org.weft.spark.ingest.cell.Cells;

/** What a job makes of a cell: a key, a value, or a reject. */
final class CellRules implements Serializable {
  private static final long serialVersionUID = 1L;

  private final @Nullable String missing;
  private final boolean allowNonfinite;

  CellRules(IngestJob job) {
    this.missing = job.missing();
    this.allowNonfinite = job.allowNonfinite();
  }

  Object key(ModeSpec mode, @Nullable Object cell) throws BadCell {
    return cell == null || Cells.isMissing(cell)
        ? missing(mode)
        : mode.bucket().key(mode.column(), cell);
  }

  /** The key of a cell that is missing. */
  Object missing(ModeSpec mode) throws BadCell {
    if (missing != null && mode.bucket().keyType() == Bucket.KeyType.TEXT) {
      return missing;
    }
    throw new BadCell(mode.column(), "missing");
  }

  double value(String column, @Nullable Object cell) throws BadCell {
    if (cell == null || Cells.isMissing(cell)) {
      throw new BadCell(column, "missing");
    }
    Double number = Cells.number(cell);
    if (number == null) {
      throw new BadCell(column, "expected a number");
    }
    if (!allowNonfinite && !Double.isFinite(number)) {
      throw new BadCell(column, "expected a finite number");
    }
    return number;
  }
}
