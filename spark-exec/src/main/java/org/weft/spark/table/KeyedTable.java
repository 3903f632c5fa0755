package org.weft.spark.table;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.stream.Stream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;
import org.weft.error.WeftException;
import org.weft.spark.key.ByteDictionary;
import org.weft.spark.key.KeyedRows;
import org.weft.spark.key.LabelBytes;
import org.weft.spark.wire.Wire;
import org.weft.tensor.CooBlock;

/**
 * Rows of a table of Spark SQL as numbers of the keys of their labels: a column for each mode, and
 * a last one of values, which are {@code double} or {@code bigint}.
 *
 * @param labels by mode, how its labels are keys; null for a mode of coordinates from 0
 * @param spaces of the modes
 * @param integral whether values are {@code bigint}
 * @param missing the error of a cell that is null
 */
public record KeyedTable(
    List<@Nullable LabelBytes> labels, int[] spaces, boolean integral, MissingCell missing)
    implements Serializable {
  private static final int ROWS = 1 << 19;
  private static final int LOOKS = 1 << 6;
  private static final long BYTES = 48L << 20;
  private static final int LONG_KEY = 1 << 16;

  /** The error of a cell that is null. */
  @FunctionalInterface
  public interface MissingCell extends Serializable {
    /** The error of {@code column} of {@code row}. */
    WeftException of(InternalRow row, int column);
  }

  /**
   * For columns of {@code schema}.
   *
   * @param spaces of the modes; {@link KeyedRows#COORDINATES} for a mode of coordinates
   */
  public static KeyedTable of(StructType schema, int[] spaces, MissingCell missing) {
    List<@Nullable LabelBytes> labels = new ArrayList<>();
    for (int mode = 0; mode < spaces.length; mode++) {
      boolean known = spaces[mode] == KeyedRows.COORDINATES;
      labels.add(known ? null : LabelBytes.of(schema.fields()[mode].dataType()));
    }
    boolean integral = schema.fields()[spaces.length].dataType().equals(DataTypes.LongType);
    return new KeyedTable(labels, spaces, integral, missing);
  }

  /**
   * The rows of {@code table}. Rows that may come in another order when Spark computes them again
   * are sorted in each partition, so that they do not.
   */
  public JavaRDD<KeyedRows> rows(Dataset<Row> table) {
    JavaRDD<InternalRow> rows = InternalRows.of(InternalRows.inOneOrder(table));
    return Wire.partitioned(rows).mapPartitions(part -> new Parts(this, part));
  }

  /** The rows of a partition in pieces that a task can hold. */
  private static final class Parts implements Iterator<KeyedRows> {
    private final KeyedTable table;
    private final Iterator<InternalRow> rows;
    private boolean longKeys;

    Parts(KeyedTable table, Iterator<InternalRow> rows) {
      this.table = table;
      this.rows = rows;
    }

    @Override
    public boolean hasNext() {
      return rows.hasNext();
    }

    @Override
    public KeyedRows next() {
      if (!rows.hasNext()) {
        throw new NoSuchElementException();
      }
      int order = table.labels.size();
      List<ByteDictionary> keys = Stream.generate(ByteDictionary::new).limit(order).toList();
      CooBlock.Builder into = new CooBlock.Builder(order, LOOKS, table.integral);
      boolean room = true;
      while (room && rows.hasNext()) {
        put(rows.next(), keys, into);
        boolean looks = into.size() % LOOKS == 0 || longKeys;
        longKeys = false;
        room = into.size() < ROWS && (!looks || bytes(keys) < BYTES);
      }
      return new KeyedRows(into.build(), keys, table.spaces, 0);
    }

    private static long bytes(List<ByteDictionary> keys) {
      return keys.stream().mapToLong(ByteDictionary::bytes).sum();
    }

    private void put(InternalRow row, List<ByteDictionary> keys, CooBlock.Builder into) {
      int order = keys.size();
      for (int mode = 0; mode < order; mode++) {
        requireCell(row, mode);
        LabelBytes labels = table.labels.get(mode);
        if (labels == null) {
          into.set(mode, row.getLong(mode));
        } else {
          byte[] key = labels.bytes(labels.at(row, mode));
          longKeys |= key.length > LONG_KEY;
          into.set(mode, keys.get(mode).number(key, 0, key.length));
        }
      }
      requireCell(row, order);
      if (table.integral) {
        into.finishLong(row.getLong(order));
      } else {
        into.finish(row.getDouble(order));
      }
    }

    private void requireCell(InternalRow row, int column) {
      if (row.isNullAt(column)) {
        throw table.missing.of(row, column);
      }
    }
  }
}
