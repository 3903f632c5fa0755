package org.weft.spark.ingest;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.LongAccumulator;
import org.jspecify.annotations.Nullable;
import org.weft.spark.ingest.cell.BadCell;
import org.weft.spark.ingest.cell.Bucket;
import org.weft.spark.ingest.cell.Cells;

/** Rows to keys and a value: a row is either an entry or a reject. */
final class RowReader implements Serializable {
  private static final long serialVersionUID = 1L;

  private final CellRules rules;
  private final List<ModeSpec> modes;
  private final @Nullable String value;

  RowReader(IngestJob job) {
    this.rules = new CellRules(job);
    this.modes = new ArrayList<>(job.modes());
    this.value = job.value();
  }

  /** Keys {@code k0}, {@code k1}, ..., and the value {@code v}. */
  StructType entrySchema() {
    StructType schema = new StructType();
    for (int mode = 0; mode < modes.size(); mode++) {
      schema = schema.add("k" + mode, keyType(modes.get(mode).bucket()), false);
    }
    return schema.add("v", DataTypes.DoubleType, false);
  }

  static DataType keyType(Bucket bucket) {
    return switch (bucket.keyType()) {
      case TEXT -> DataTypes.StringType;
      case LONG -> DataTypes.LongType;
      case DOUBLE -> DataTypes.DoubleType;
    };
  }

  static StructType rejectSchema() {
    return new StructType()
        .add("file", DataTypes.StringType)
        .add("start", DataTypes.LongType)
        .add("line", DataTypes.LongType)
        .add("column", DataTypes.StringType)
        .add("reason", DataTypes.StringType)
        .add("found", DataTypes.StringType)
        .add("record", DataTypes.StringType);
  }

  /** The entries among {@code rows}; counts the others. */
  Iterator<Row> entries(Iterator<TableRow> rows, LongAccumulator rejected) {
    return new Selected(rows) {
      @Override
      @Nullable Row select(TableRow row) {
        try {
          return entry(row);
        } catch (BadCell e) {
          rejected.add(1);
          return null;
        }
      }
    };
  }

  /** The others, as {@link #rejectSchema}. */
  Iterator<Row> rejects(Iterator<TableRow> rows) {
    return new Selected(rows) {
      @Override
      @Nullable Row select(TableRow row) {
        try {
          entry(row);
          return null;
        } catch (BadCell e) {
          return reject(row, e);
        }
      }
    };
  }

  private Row entry(TableRow row) throws BadCell {
    String problem = row.problem();
    if (problem != null) {
      throw new BadCell("", problem);
    }
    int order = modes.size();
    Object[] entry = new Object[order + 1];
    for (int mode = 0; mode < order; mode++) {
      entry[mode] = rules.key(modes.get(mode), row.cell(mode));
    }
    entry[order] = value == null ? 1.0 : rules.value(value, row.cell(order));
    return RowFactory.create(entry);
  }

  private Row reject(TableRow row, BadCell bad) {
    String record = row.text();
    if (record == null) {
      record = used(row);
    }
    String file = row.file();
    return RowFactory.create(
        file == null ? null : TextInput.name(file),
        row.start(),
        row.line(),
        bad.column(),
        bad.reason(),
        found(row, bad.column()),
        Reject.shortened(record));
  }

  private @Nullable String found(TableRow row, String column) {
    for (int c = 0; c < modes.size() + (value == null ? 0 : 1); c++) {
      String name = c < modes.size() ? modes.get(c).column() : value;
      if (column.equals(name)) {
        Object cell = row.cell(c);
        return cell == null || Cells.isMissing(cell) ? null : BadCell.shown(cell);
      }
    }
    return null;
  }

  /** The cells that the job reads, for sources without a text of their own. */
  private String used(TableRow row) {
    StringBuilder text = new StringBuilder();
    for (int c = 0; c < modes.size() + (value == null ? 0 : 1); c++) {
      String name = c < modes.size() ? modes.get(c).column() : value;
      text.append(c == 0 ? "" : ", ").append(name).append('=').append(row.cell(c));
    }
    return text.toString();
  }

  /** The rows that something is made of. */
  private abstract static class Selected implements Iterator<Row> {
    private final Iterator<TableRow> rows;
    private @Nullable Row next;

    Selected(Iterator<TableRow> rows) {
      this.rows = rows;
    }

    abstract @Nullable Row select(TableRow row);

    @Override
    public boolean hasNext() {
      while (next == null && rows.hasNext()) {
        next = select(rows.next());
      }
      return next != null;
    }

    @Override
    public Row next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      Row row = java.util.Objects.requireNonNull(next);
      next = null;
      return row;
    }
  }
}
