package org.weft.spark.label;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.Labels;
import org.weft.storage.container.Container;
import org.weft.storage.container.ContainerPiece;
import org.weft.storage.container.ParallelContainer;
import org.weft.storage.container.PieceWriter;

/**
 * The labels of a mode of a container and their coordinates, read by executors. Cost: the text is
 * read twice, once to count lines.
 */
public final class StoredLabels {
  /** Column of the label. */
  static final String LABEL = "__weft_label";

  /** Column of its coordinate: original, from 0. Null where the container lacks the label. */
  static final String AT = "__weft_at";

  private static final String TIMES = "__weft_times";
  private static final int NUMBERS = 1 << 20;

  private final Container container;
  private final int mode;
  private final Dataset<Row> table;

  private StoredLabels(Container container, int mode, Dataset<Row> table) {
    this.container = container;
    this.mode = mode;
    this.table = table;
  }

  /** The labels of {@code mode}, as {@link #each}, each once. */
  static StoredLabels of(SparkSession spark, Container container, int mode) {
    JavaRDD<Row> rows =
        each(JavaSparkContext.fromSparkContext(spark.sparkContext()), container, mode)
            .map(stored -> RowFactory.create(stored.label(), stored.coordinate()));
    StructType schema =
        new StructType().add(LABEL, DataTypes.StringType).add(AT, DataTypes.LongType);
    Dataset<Row> table =
        spark
            .createDataFrame(rows, schema)
            .groupBy(LABEL)
            .agg(functions.min(AT).as(AT), functions.count(functions.lit(1)).as(TIMES));
    return new StoredLabels(container, mode, table);
  }

  /** A label and its coordinate, which is original, from 0. */
  public record Stored(String label, long coordinate) {}

  /**
   * The labels of {@code mode}, which has some, and the numbers that stand for labels of
   * coordinates without.
   */
  public static JavaRDD<Stored> each(JavaSparkContext context, Container container, int mode) {
    container.labels().requireExtensible(mode);
    int chunks = container.labels().chunks(mode);
    List<Integer> numbers = IntStream.range(0, chunks).boxed().toList();
    JavaRDD<Integer> each = context.parallelize(numbers, Math.max(1, chunks));
    List<Integer> counts =
        each.map(chunk -> container.labels().chunk(mode, chunk).size()).collect();
    long[] first = new long[chunks];
    for (int chunk = 1; chunk < chunks; chunk++) {
      first[chunk] = first[chunk - 1] + counts.get(chunk - 1);
    }
    JavaRDD<Stored> labels = each.flatMap(chunk -> stored(container, mode, chunk, first[chunk]));
    long count = container.labels().count(mode);
    long size = container.shape().size(mode);
    if (count >= size) {
      return labels;
    }
    List<Long> starts = LongStream.iterate(count, c -> c < size, c -> c + NUMBERS).boxed().toList();
    return labels.union(
        context
            .parallelize(starts, starts.size())
            .flatMap(start -> numbers(start, Math.min(size, start + NUMBERS))));
  }

  private static Iterator<Stored> stored(Container container, int mode, int chunk, long first) {
    Labels labels = container.labels().chunk(mode, chunk);
    return IntStream.range(0, labels.size())
        .mapToObj(line -> new Stored(labels.label(line), container.original(mode, first + line)))
        .iterator();
  }

  private static Iterator<Stored> numbers(long from, long to) {
    return LongStream.range(from, to).mapToObj(c -> new Stored(Long.toString(c + 1), c)).iterator();
  }

  /** {@code table}, which has the column {@link #LABEL}, with {@link #AT} beside it. */
  Dataset<Row> join(Dataset<Row> labels) {
    return labels.join(table, seq(LABEL), "left_outer");
  }

  static scala.collection.immutable.Seq<String> seq(String name) {
    return scala.jdk.javaapi.CollectionConverters.asScala(List.of(name)).toSeq();
  }

  /**
   * {@code joined} without the column that tells labels that stand for two coordinates.
   *
   * @throws WeftException {@code MALFORMED_INPUT} if there is one
   */
  Dataset<Row> requireDistinct(Dataset<Row> joined) {
    List<Row> twice = joined.where(functions.col(TIMES).gt(1)).select(LABEL).takeAsList(1);
    if (!twice.isEmpty()) {
      throw ambiguous(container, mode, twice.get(0).getString(0));
    }
    return joined.drop(TIMES);
  }

  /** The error of a label that stands for two coordinates. */
  public static WeftException ambiguous(Container container, int mode, String label) {
    return new WeftException(
        ErrorCode.MALFORMED_INPUT,
        container.uri()
            + ": expected different labels in mode "
            + container.modeNames().get(mode)
            + ", found '"
            + label
            + "' for two coordinates; make them different before adding entries by labels");
  }

  Container container() {
    return container;
  }

  /** The coordinate of the first label that is new. */
  long end() {
    return end(container, mode);
  }

  /** The coordinate of the first label of {@code mode} that is new. */
  public static long end(Container container, int mode) {
    return Math.max(container.shape().size(mode), container.labels().count(mode));
  }

  /**
   * Writes numbers in the place of the labels that coordinates of {@code mode} lack, before new
   * ones follow: share 0.
   */
  public static ContainerPiece writeMissing(
      Container container, int mode, ParallelContainer.Target target) {
    long from = container.labels().count(mode);
    Iterator<String> missing =
        LongStream.range(from, Math.max(from, container.shape().size(mode)))
            .mapToObj(c -> Long.toString(c + 1))
            .iterator();
    return PieceWriter.labels(target, mode, 0, "", missing);
  }

  /** For {@code container}, to which entries are added by the labels of all of its modes. */
  public static void requireLabels(Container container, List<String> names) {
    container.requireModes(names);
    List<String> without = new ArrayList<>();
    for (int mode = 0; mode < container.shape().order(); mode++) {
      if (!container.labels().modes().contains(mode)) {
        without.add(container.modeNames().get(mode));
      }
    }
    if (!without.isEmpty() || names.size() != container.shape().order()) {
      throw new WeftException(
          ErrorCode.USAGE,
          container.uri()
              + ": expected a tensor with labels for the modes "
              + String.join(", ", names)
              + " to add to, found "
              + (without.isEmpty()
                  ? "modes " + String.join(", ", container.modeNames())
                  : "none for " + String.join(", ", without))
              + "; make a new tensor, and name its modes alike");
    }
  }
}
