package org.weft.spark.ingest;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.storage.StorageLevel;
import org.apache.spark.util.LongAccumulator;
import org.jspecify.annotations.Nullable;
import org.weft.engine.ProgressListener;
import org.weft.error.WeftException;
import org.weft.spark.Failures;
import org.weft.spark.label.Dictionary;
import org.weft.spark.label.EntryRanges;
import org.weft.storage.WriteOptions;
import org.weft.storage.container.Container;
import org.weft.storage.container.ContainerPiece;
import org.weft.storage.container.ParallelContainer;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.TensorShape;

/**
 * Makes a labelled tensor of a table: reads the rows, aggregates those with the same labels, drops
 * rare labels until none is left, numbers the labels of each mode in their order, puts numbers in
 * the place of labels by joins, and writes entries and labels by as many tasks as there are
 * partitions. Entries that are added to a tensor take the coordinates that it has for their labels.
 *
 * <p>Cost: one pass over the input, two more if it has rejects; a shuffle for the aggregation, and
 * two for each mode. Aggregated rows and labels are kept in memory and on local disks of executors.
 */
public final class Ingest implements AutoCloseable {
  private static final int PARTITIONS_PER_CORE = 2;
  private static final String BROADCAST = "4m";

  private final SparkSession spark;
  private final FileAccess files;
  private final boolean started;

  private Ingest(SparkSession spark, FileAccess files, boolean started) {
    this.spark = spark;
    this.files = files;
    this.started = started;
  }

  /**
   * Starts Spark, or joins the session of this process, which then goes on after {@link #close}.
   *
   * @param partitions of shuffles; 0: as many as the cores suggest
   */
  public static Ingest start(SparkConf conf, FileAccess files, int partitions) {
    // The smaller side of a broadcast join passes through the driver: labels of small modes do.
    conf.set("spark.sql.autoBroadcastJoinThreshold", BROADCAST);
    conf.set("spark.sql.ansi.enabled", "false");
    conf.set("spark.sql.session.timeZone", "UTC");
    conf.set("spark.sql.datetime.java8API.enabled", "true");
    boolean started = SparkSession.getDefaultSession().isEmpty();
    SparkSession spark = SparkSession.builder().config(conf).getOrCreate();
    int cores = spark.sparkContext().defaultParallelism();
    int shuffles = partitions > 0 ? partitions : Math.max(8, PARTITIONS_PER_CORE * cores);
    spark.conf().set("spark.sql.shuffle.partitions", shuffles);
    return new Ingest(spark, files, started);
  }

  /**
   * Does the job. Nothing is visible of it after a failure, but the file of rejects if there were
   * too many.
   *
   * @throws WeftException {@code USAGE} for columns and expressions that the table does not have,
   *     {@code MALFORMED_INPUT} if more rows are rejected than allowed or none is left, and what
   *     outputs throw
   */
  public IngestReport run(IngestJob job, ProgressListener progress) throws IOException {
    try (IngestOutput output = IngestOutput.begin(files, job)) {
      return output.isDone() ? output.nothing() : run(job, output, progress);
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw failure(e);
    }
  }

  /**
   * Finds the table and what the job wants of it; reads no more than it takes to name the columns.
   *
   * @throws WeftException as {@link #run} for what can be known without reading the rows
   */
  public void check(IngestJob job) {
    used(source(job), job).schema();
    new RowReader(job).entrySchema();
  }

  private TableSource source(IngestJob job) {
    return new TableSource(spark, files, job.table(), job.named());
  }

  /**
   * A table as a job reads it.
   *
   * @param linesBefore reads all inputs of text to count their lines
   */
  private record Table(JavaRDD<TableRow> rows, Supplier<Map<LineSource.Split, Long>> linesBefore) {}

  /** Plain tables are taken apart as one process does, which is faster than Spark's reader. */
  private Table table(IngestJob job) {
    Optional<PlainTable> plain = PlainTable.open(files, job.table(), job.named());
    if (plain.isEmpty()) {
      TableSource source = source(job);
      JavaRDD<Row> rows = used(source, job).javaRDD();
      return new Table(rows.map(TableRow.OfSpark::new), source::linesBefore);
    }
    PlainTable.Layout layout = plain.get().layout();
    TableColumns.require(job, layout.columns());
    LineSource lines =
        new LineSource(
            JavaSparkContext.fromSparkContext(spark.sparkContext()),
            files,
            job.table().inputs(),
            job.table().quotedLines());
    List<String> named = new ArrayList<>(job.modes().stream().map(ModeSpec::column).toList());
    Optional.ofNullable(job.value()).ifPresent(named::add);
    int[] columns = named.stream().mapToInt(layout.columns()::indexOf).toArray();
    return new Table(lines.rows(layout, columns, job.modes().size()), lines::linesBefore);
  }

  /** Our own error in what Spark throws for a failed job, or what it throws. */
  static RuntimeException failure(Exception failure) {
    return Failures.unwrap(failure);
  }

  private IngestReport run(IngestJob job, IngestOutput output, ProgressListener progress)
      throws IOException {
    IngestSteps steps = new IngestSteps(job, progress);
    steps.read();
    Table table = table(job);
    RowReader reader = new RowReader(job);
    LongAccumulator rejected = spark.sparkContext().longAccumulator("rejected rows");
    Dataset<Row> read =
        spark.createDataFrame(
            table.rows().mapPartitions(rows -> reader.entries(rows, rejected)),
            reader.entrySchema());
    Held all = Held.of(spark, aggregated(read, job));
    List<IngestReport.Reason> reasons = List.of();
    steps.rejects();
    if (!rejected.isZero()) {
      reasons = rejects(job, table, reader, output);
    }
    steps.rare();
    long used = all.rows();
    int rounds = 0;
    Held kept = all;
    while (kept.rows() > 0) {
      Held fewer = withoutRare(kept, job.modes());
      if (fewer == kept) {
        break;
      }
      rounds++;
      kept.close();
      boolean same = fewer.rows() == kept.rows();
      kept = fewer;
      if (same) {
        break;
      }
    }
    if (kept.rows() == 0) {
      throw output.noRows(used, reasons);
    }
    requireValues(kept.entries(), job);
    List<Dictionary> dictionaries = new ArrayList<>();
    try {
      for (int mode = 0; mode < job.modes().size(); mode++) {
        steps.labels(mode);
        dictionaries.add(dictionary(job, output.base(), kept.entries(), mode));
      }
      steps.write();
      Written written = write(job, output, kept.entries(), dictionaries);
      boolean published = output.commit(written.options(), written.pieces(), !reasons.isEmpty());
      return IngestReport.of(written.options(), reasons, used, kept.rows(), rounds, published);
    } finally {
      dictionaries.forEach(Dictionary::close);
      kept.close();
    }
  }

  private Dictionary dictionary(
      IngestJob job, @Nullable Container base, Dataset<Row> entries, int mode) {
    return base == null
        ? Dictionary.of(entries, mode)
        : Dictionary.added(spark, entries, mode, job.modes().get(mode).bucket(), base);
  }

  /** The columns of the modes, that of the value, and the places, in this order. */
  private static Dataset<Row> used(TableSource source, IngestJob job) {
    List<Column> columns = new ArrayList<>();
    for (int mode = 0; mode < job.modes().size(); mode++) {
      columns.add(source.column(job.modes().get(mode).column(), "--mode").as("m" + mode));
    }
    if (job.value() != null) {
      columns.add(source.column(job.value(), "--value").as("value"));
    }
    for (String place : List.of(Place.FILE, Place.START, Place.LINE, Place.TEXT, Place.PROBLEM)) {
      columns.add(functions.col(place));
    }
    return source.rows().select(columns.toArray(Column[]::new));
  }

  /** An entry for each set of keys, with the number of its rows. */
  private static Dataset<Row> aggregated(Dataset<Row> read, IngestJob job) {
    Column[] keys = keys(job.modes().size());
    String sum =
        job.reproducible()
            ? "aggregate(array_sort(collect_list(v)), 0D, (a, x) -> a + x)"
            : "sum(v)";
    Column value =
        switch (job.aggregate()) {
          case SUM -> functions.expr(sum);
          case COUNT -> functions.expr("cast(count(*) AS double)");
          case MEAN -> functions.expr(sum + " / count(*)");
          case MIN -> functions.expr("min(v)");
          case MAX -> functions.expr("max(v)");
          case ANY -> functions.expr("max(1D)");
        };
    Column transformed =
        switch (job.transform()) {
          case NONE -> functions.col("v");
          case LOG1P -> functions.log1p(functions.col("v"));
          case SQRT -> functions.sqrt(functions.col("v"));
        };
    return read.groupBy(keys)
        .agg(value.as("v"), functions.expr("count(*)").as("n"))
        .withColumn("v", transformed);
  }

  private static Column[] keys(int order) {
    return IntStream.range(0, order).mapToObj(m -> functions.col("k" + m)).toArray(Column[]::new);
  }

  /** A sum of finite values may overflow, and a transform has no value for all numbers. */
  private static void requireValues(Dataset<Row> entries, IngestJob job) {
    String infinite = job.allowNonfinite() ? "" : " OR isnan(v) OR abs(v) = double('infinity')";
    Dataset<Row> wrong = entries.where("v IS NULL" + infinite);
    if (!wrong.isEmpty()) {
      Row row = wrong.head();
      String labels =
          IntStream.range(0, job.modes().size())
              .mapToObj(m -> job.modes().get(m).bucket().label(row.get(m)))
              .collect(Collectors.joining(", "));
      Object value = row.get(job.modes().size());
      throw IngestOutput.noValue(job, labels, value == null ? "none" : value.toString());
    }
  }

  private List<IngestReport.Reason> rejects(
      IngestJob job, Table table, RowReader reader, IngestOutput output) throws IOException {
    try (Rejects rejects = Rejects.of(spark, table.rows(), reader, table.linesBefore().get())) {
      List<IngestReport.Reason> reasons = rejects.reasons();
      output.writeRejects(side -> rejects.write(files, side));
      output.requireFew(reasons, rejects::first);
      return reasons;
    }
  }

  /**
   * Entries that executors hold.
   *
   * @param entries a table without a history: plans of what is made of it stay small
   * @param rows of the input that they are made of
   */
  private record Held(Dataset<Row> entries, Dataset<Row> memory, long rows)
      implements AutoCloseable {
    static Held of(SparkSession spark, Dataset<Row> made) {
      Dataset<Row> memory = made.persist(StorageLevel.MEMORY_AND_DISK());
      Dataset<Row> entries = spark.createDataFrame(memory.javaRDD(), memory.schema());
      Row sum = memory.agg(functions.sum("n")).head();
      return new Held(entries, memory, sum.isNullAt(0) ? 0 : sum.getLong(0));
    }

    @Override
    public void close() {
      memory.unpersist();
    }
  }

  /**
   * The entries whose labels all have rows enough, which may make other labels too rare; {@code
   * present} itself if no mode asks for any.
   */
  private Held withoutRare(Held present, List<ModeSpec> modes) {
    Dataset<Row> fewer = present.entries();
    for (int mode = 0; mode < modes.size(); mode++) {
      long least = modes.get(mode).minCount();
      if (least > 1) {
        Dataset<Row> rare =
            present
                .entries()
                .groupBy(functions.col("k" + mode).as("rare"))
                .agg(functions.sum("n").as("rows"))
                .where(functions.col("rows").lt(least));
        fewer =
            fewer.join(rare, functions.col("k" + mode).equalTo(functions.col("rare")), "left_anti");
      }
    }
    return fewer == present.entries() ? present : Held.of(spark, fewer);
  }

  private record Written(WriteOptions options, ContainerPiece pieces) {}

  private Written write(
      IngestJob job, IngestOutput output, Dataset<Row> entries, List<Dictionary> dictionaries) {
    int order = dictionaries.size();
    TensorShape shape = TensorShape.of(dictionaries.stream().mapToLong(Dictionary::size).toArray());
    long count = entries.count();
    WriteOptions options = output.options(shape, count);
    ParallelContainer.Target target = output.target(options);
    ContainerPiece pieces = ContainerPiece.none(order);
    Dataset<Row> encoded = entries.drop("n");
    for (int mode = 0; mode < order; mode++) {
      Dictionary dictionary = dictionaries.get(mode);
      pieces.merge(dictionary.write(target, job.modes().get(mode).bucket()));
      encoded = dictionary.encode(spark, encoded);
    }
    int[] modeOrder = target.modeOrder();
    long[] firsts = dictionaries.get(modeOrder[0]).ranges(EntryRanges.each(count));
    UDF1<Long, Integer> range = coordinate -> EntryTask.range(firsts, coordinate);
    Column root = functions.col("i" + modeOrder[0]);
    Column[] sorting =
        IntStream.of(modeOrder).mapToObj(m -> functions.col("i" + m)).toArray(Column[]::new);
    List<Column> columns = new ArrayList<>();
    for (int mode = 0; mode < order; mode++) {
      columns.add(functions.col("i" + mode));
    }
    columns.add(functions.col("v"));
    JavaRDD<Row> sorted =
        encoded
            .select(columns.toArray(Column[]::new))
            .repartitionById(firsts.length, functions.udf(range, DataTypes.IntegerType).apply(root))
            .sortWithinPartitions(sorting)
            .javaRDD();
    pieces.merge(
        Dictionary.merged(sorted.mapPartitionsWithIndex(new EntryTask(target, order), false)));
    return new Written(options, pieces);
  }

  @Override
  public void close() {
    if (started) {
      spark.stop();
    }
  }
}
