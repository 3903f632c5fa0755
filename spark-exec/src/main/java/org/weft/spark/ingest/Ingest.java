package org.weft.spark.ingest;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.jspecify.annotations.Nullable;
import org.weft.engine.ProgressListener;
import org.weft.error.WeftException;
import org.weft.spark.Failures;
import org.weft.spark.ingest.cell.Utf8Text;
import org.weft.spark.ingest.line.LineSource;
import org.weft.spark.ingest.line.Place;
import org.weft.spark.key.KeptRows;
import org.weft.spark.key.KeyBounds;
import org.weft.spark.key.KeyedRows;
import org.weft.spark.key.Numbering;
import org.weft.spark.label.EntryRanges;
import org.weft.spark.table.InternalRows;
import org.weft.spark.wire.Wire;
import org.weft.storage.WriteOptions;
import org.weft.storage.container.Container;
import org.weft.storage.container.ContainerPiece;
import org.weft.storage.container.ParallelContainer;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.TensorShape;

/**
 * Makes a labelled tensor of a table. Tasks read the rows into numbers of keys, each with keys of
 * its own ({@link KeyedRows}). Each different key of a task goes to the task that numbers its
 * range, and its coordinate comes back ({@link Numbering}); keys that are too rare are told so, and
 * their rows dropped, until none is left. Rows with coordinates then go to the range of slices that
 * they are in, whose task sorts them and writes entries ({@link EntryTask}). Entries that are added
 * to a tensor take the coordinates that it has for their labels.
 *
 * <p>Cost: one pass over the input, two more if it has rejects; a shuffle of the different keys of
 * each half million rows and one of their coordinates, both again for each round of dropping; and
 * one of the rows as numbers. The container has a part for so many rows, whose entries are fewer.
 * Rows and keys are kept in memory and on local disks of executors.
 */
public final class Ingest implements AutoCloseable {
  private final SparkConf conf;
  private final JavaSparkContext context;
  private final FileAccess files;
  private final boolean started;
  private final int ranges;
  private @Nullable SparkSession session;

  /**
   * @param ranges most tasks for the keys of a mode
   */
  private Ingest(
      SparkConf conf, JavaSparkContext context, FileAccess files, boolean started, int ranges) {
    this.conf = conf;
    this.context = context;
    this.files = files;
    this.started = started;
    this.ranges = ranges;
  }

  /**
   * Starts Spark, or joins that of this process, which then goes on after {@link #close}.
   *
   * @param partitions of shuffles; 0: as many as the cores suggest
   */
  public static Ingest start(SparkConf conf, FileAccess files, int partitions) {
    conf.set("spark.sql.ansi.enabled", "false");
    conf.set("spark.sql.session.timeZone", "UTC");
    conf.set("spark.sql.datetime.java8API.enabled", "true");
    if (partitions > 0) {
      conf.set("spark.sql.shuffle.partitions", Integer.toString(partitions));
    }
    boolean started = SparkEnv.get() == null;
    JavaSparkContext context = JavaSparkContext.fromSparkContext(SparkContext.getOrCreate(conf));
    int most = partitions > 0 ? partitions : KeyBounds.usualRanges(context);
    return new Ingest(conf, context, files, started, most);
  }

  /** Spark SQL, which plain tables without rejects do not need. */
  private SparkSession spark() {
    SparkSession present = session;
    if (present == null) {
      present = SparkSession.builder().config(conf).getOrCreate();
      session = present;
    }
    return present;
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
  }

  private TableSource source(IngestJob job) {
    return new TableSource(spark(), files, job.table(), job.named());
  }

  private TableInput rows(IngestJob job) {
    Optional<PlainTable> plain = PlainTable.open(files, job.table(), job.named());
    if (plain.isEmpty()) {
      TableSource source = source(job);
      return new TableInput.OfSpark(
          job, source, InternalRows.inOneOrder(used(source, job)).javaRDD());
    }
    PlainTable.Layout layout = plain.get().layout();
    TableColumns.require(job, layout.columns());
    LineSource lines =
        new LineSource(context, files, job.table().inputs(), job.table().quotedLines());
    return new TableInput.Plain(job, lines, layout);
  }

  /** Our own error in what Spark throws for a failed job, or what it throws. */
  static RuntimeException failure(Exception failure) {
    return Failures.unwrap(failure);
  }

  private IngestReport run(IngestJob job, IngestOutput output, ProgressListener progress)
      throws IOException {
    IngestSteps steps = new IngestSteps(job, progress);
    steps.read();
    TableInput source = rows(job);
    KeptRows held =
        KeptRows.of(source.each(rows -> new KeyedParts(job, rows)), "rows of " + job.source());
    List<IngestReport.Reason> reasons = List.of();
    try {
      steps.rejects();
      if (held.rejected() > 0) {
        reasons = rejects(job, source, output);
      }
      steps.rare();
      long used = held.rows();
      int rounds = 0;
      boolean rare = job.modes().stream().anyMatch(mode -> mode.minCount() > 1);
      while (rare && held.rows() > 0) {
        KeptRows fewer = withoutRare(job, held);
        rare = fewer != held;
        if (rare) {
          held.close();
          held = fewer;
        }
        rounds++;
      }
      if (held.rows() == 0) {
        throw output.noRows(used, reasons);
      }
      for (int mode = 0; mode < job.modes().size(); mode++) {
        steps.labels(mode);
      }
      long kept = held.rows();
      try (Numbering labels = numbering(job, held, output.base())) {
        steps.write();
        TensorShape shape = TensorShape.of(labels.sizes());
        ParallelContainer.Target target = output.target(output.options(shape, kept));
        ContainerPiece pieces = labels.write(target);
        WrittenEntries entries = entries(job, target, labels, kept);
        WriteOptions options = output.options(shape, entries.count());
        boolean published =
            output.commit(options, pieces.merge(entries.piece()), !reasons.isEmpty());
        return IngestReport.of(options, reasons, used, kept, rounds, published);
      }
    } finally {
      held.close();
    }
  }

  private Numbering numbering(IngestJob job, KeptRows held, @Nullable Container base) {
    KeyBounds bounds = KeyBounds.of(held.summaries(), job.modes().size(), ranges);
    return Numbering.of(job.source(), job.spaces(), held.values(), bounds, base);
  }

  /** The rows whose labels all have rows enough, which may make other labels too rare. */
  private KeptRows withoutRare(IngestJob job, KeptRows held) {
    try (Numbering counted = numbering(job, held, null)) {
      return counted.dropped() == 0
          ? held
          : KeptRows.of(counted.withoutRare(), "frequent rows of " + job.source());
    }
  }

  private List<IngestReport.Reason> rejects(IngestJob job, TableInput source, IngestOutput output)
      throws IOException {
    try (Rejects rejects = Rejects.of(spark(), source, job)) {
      List<IngestReport.Reason> reasons = rejects.reasons();
      output.writeRejects(side -> rejects.write(files, side));
      output.requireFew(reasons, rejects::first);
      return reasons;
    }
  }

  /** The columns of the modes, that of the value, and the places, in this order. */
  private static Dataset<Row> used(TableSource source, IngestJob job) {
    List<Column> columns = new ArrayList<>();
    Column problem = functions.col(Place.PROBLEM);
    for (int mode = 0; mode < job.modes().size(); mode++) {
      Column cells = source.column(job.modes().get(mode).column(), "--mode");
      columns.add(cells.as("m" + mode));
      problem = functions.coalesce(problem, Utf8Text.problem(cells));
    }
    if (job.value() != null) {
      columns.add(source.column(job.value(), "--value").as("value"));
    }
    for (String place : List.of(Place.FILE, Place.START, Place.LINE, Place.TEXT)) {
      columns.add(functions.col(place));
    }
    columns.add(problem.as(Place.PROBLEM));
    return source.rows().select(columns.toArray(Column[]::new));
  }

  /**
   * Writes the entries.
   *
   * @param rows of which they are made
   * @throws WeftException {@code NONFINITE_VALUE} for the first entry without a value
   */
  private WrittenEntries entries(
      IngestJob job, ParallelContainer.Target target, Numbering labels, long rows) {
    int root = target.modeOrder()[0];
    long[] starts = labels.ranges(root, EntryRanges.each(rows));
    JavaRDD<WrittenEntries> written =
        labels
            .inRanges(root, starts)
            .mapPartitionsWithIndex(new EntryTask(target, job, labels.sizes()), false);
    WrittenEntries all = Wire.reduce(written, WrittenEntries::merge);
    WrittenEntries.NoValue wrong = all.wrong();
    if (wrong != null) {
      String names =
          IntStream.range(0, wrong.coordinates().length)
              .mapToObj(mode -> labels.label(mode, wrong.coordinates()[mode]))
              .collect(Collectors.joining(", "));
      throw IngestOutput.noValue(job, names, wrong.found());
    }
    return all;
  }

  @Override
  public void close() {
    if (started) {
      context.close();
    }
  }
}
