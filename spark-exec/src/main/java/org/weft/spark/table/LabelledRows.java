package org.weft.spark.table;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.storage.StorageLevel;
import org.jspecify.annotations.Nullable;
import org.weft.spark.label.Dictionary;
import org.weft.spark.label.KeyLabel;
import org.weft.storage.container.Container;
import org.weft.storage.container.ContainerPiece;
import org.weft.storage.container.ParallelContainer;

/**
 * Rows with coordinates in the place of labels: those that the labels have in the tensor that is
 * added to, the next ones for labels that are new. A new tensor numbers its labels in their order.
 * Cost: the rows are held by executors, and each labelled mode is two shuffles. Close it to free
 * them.
 */
final class LabelledRows implements AutoCloseable {
  private static final KeyLabel TEXT = String.class::cast;

  private final List<Dictionary> dictionaries;
  private final @Nullable Dataset<Row> held;
  private final Dataset<Row> rows;

  private LabelledRows(
      List<Dictionary> dictionaries, @Nullable Dataset<Row> held, Dataset<Row> rows) {
    this.dictionaries = dictionaries;
    this.held = held;
    this.rows = rows;
  }

  /**
   * @param selected by {@link WriteColumns#select}
   * @param base that is added to, if any
   */
  static LabelledRows of(Dataset<Row> selected, WriteColumns columns, @Nullable Container base) {
    if (columns.labelled().isEmpty()) {
      return new LabelledRows(List.of(), null, selected);
    }
    SparkSession spark = selected.sparkSession();
    Dataset<Row> held = selected.persist(StorageLevel.MEMORY_AND_DISK());
    List<Dictionary> dictionaries = new ArrayList<>();
    boolean made = false;
    try {
      Dataset<Row> rows = held;
      for (int mode : columns.labelled()) {
        Dictionary dictionary =
            base == null
                ? Dictionary.of(held, mode)
                : Dictionary.added(spark, held, mode, TEXT, base);
        dictionaries.add(dictionary);
        rows = dictionary.encode(spark, rows);
      }
      LabelledRows all = new LabelledRows(dictionaries, held, rows.select(coordinates(columns)));
      made = true;
      return all;
    } finally {
      if (!made) {
        dictionaries.forEach(Dictionary::close);
        held.unpersist();
      }
    }
  }

  private static Column[] coordinates(WriteColumns columns) {
    int order = columns.modes().size();
    return IntStream.rangeClosed(0, order)
        .mapToObj(
            mode ->
                mode == order
                    ? functions.col("v")
                    : columns.labelled().contains(mode)
                        ? functions.col("i" + mode).plus(columns.base()).as("c" + mode)
                        : functions.col("c" + mode))
        .toArray(Column[]::new);
  }

  /** The coordinates {@code c0}, {@code c1}, ..., and the value {@code v}. */
  Dataset<Row> rows() {
    return rows;
  }

  /** Writes the labels that are new. */
  void write(ParallelContainer.Target target, ContainerPiece pieces) {
    for (Dictionary dictionary : dictionaries) {
      pieces.merge(dictionary.write(target, TEXT));
    }
  }

  @Override
  public void close() {
    dictionaries.forEach(Dictionary::close);
    if (held != null) {
      held.unpersist();
    }
  }
}
