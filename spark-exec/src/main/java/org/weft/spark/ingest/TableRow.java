package org.weft.spark.ingest;

import java.util.function.Function;
import org.apache.spark.sql.Row;
import org.jspecify.annotations.Nullable;

/**
 * A row of a table, with the cells that a job reads: those of its modes, then that of its value.
 */
interface TableRow {
  /** What is wrong with the row as a whole; null for nothing. */
  @Nullable String problem();

  @Nullable Object cell(int number);

  /** The path of its file; null where the source does not know. */
  @Nullable String file();

  /** Where its split starts, in bytes. */
  @Nullable Long start();

  /** Its line in the split (text) or its number in the file (Parquet), from 1. */
  @Nullable Long line();

  /** All of it as text; null where the source has none. */
  @Nullable String text();

  /** A row of Spark with the columns that a job reads, then those of {@link Place}. */
  record OfSpark(Row row) implements TableRow {
    @Override
    public @Nullable String problem() {
      return place(Place.PROBLEM, row::getString);
    }

    @Override
    public @Nullable Object cell(int number) {
      return row.get(number);
    }

    @Override
    public @Nullable String file() {
      return place(Place.FILE, row::getString);
    }

    @Override
    public @Nullable Long start() {
      return place(Place.START, at -> (Long) row.get(at));
    }

    @Override
    public @Nullable Long line() {
      return place(Place.LINE, at -> (Long) row.get(at));
    }

    @Override
    public @Nullable String text() {
      return place(Place.TEXT, row::getString);
    }

    private <T> @Nullable T place(String column, Function<Integer, @Nullable T> get) {
      return get.apply(row.fieldIndex(column));
    }
  }
}
