package org.weft.spark.ingest;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.weft.engine.ProgressListener;
import org.weft.engine.local.Workers;
import org.weft.spark.ingest.line.TextInput;
import org.weft.spark.key.HeapLimit;
import org.weft.spark.key.KeySort;
import org.weft.storage.WriteOptions;
import org.weft.storage.container.ContainerPiece;
import org.weft.storage.container.ParallelContainer;
import org.weft.storage.container.PieceWriter;
import org.weft.storage.file.FileAccess;
import org.weft.storage.file.OutputCommit;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/**
 * Does in this process, without Spark, what {@link Ingest} does, for plain tables whose rows and
 * labels fit the heap. Splits are read once, by all cores: cells become numbers of keys at once,
 * and text is kept once for each label. Labels are sorted, numbers become coordinates, and rows are
 * sorted once, by radix.
 */
public final class LocalIngest implements AutoCloseable {
  private final FileAccess files;
  private final Workers workers;
  private final HeapLimit limit;

  /**
   * @param threads that read and write; 0: as many as cores
   */
  public static LocalIngest of(FileAccess files, int threads) {
    int cores = threads > 0 ? threads : Runtime.getRuntime().availableProcessors();
    return new LocalIngest(files, new Workers(cores), HeapLimit.ofThisProcess());
  }

  LocalIngest(FileAccess files, Workers workers, HeapLimit limit) {
    this.files = files;
    this.workers = workers;
    this.limit = limit;
  }

  /**
   * Checks {@code job} as {@link Ingest#check} does.
   *
   * @return false if the table is one for Spark
   */
  public boolean check(IngestJob job) {
    Optional<PlainTable> table = PlainTable.open(files, job.table(), job.named());
    table.ifPresent(plain -> TableColumns.require(job, plain.columns()));
    return table.isPresent();
  }

  /**
   * Does the job as {@link Ingest#run} does, with the same errors.
   *
   * @return empty, and nothing is written, if the table is one for Spark: it is not plain, or too
   *     large for this process
   */
  public Optional<IngestReport> run(IngestJob job, ProgressListener progress) throws IOException {
    try (IngestOutput output = IngestOutput.begin(files, job)) {
      if (output.isDone()) {
        return Optional.of(output.nothing());
      }
      IngestSteps steps = new IngestSteps(job, progress);
      Optional<PlainTable> table = PlainTable.open(files, job.table(), job.named());
      if (table.isEmpty()) {
        return Optional.empty();
      }
      steps.read();
      TableColumns.require(job, table.get().columns());
      return Optional.of(run(job, table.get(), output, steps));
    } catch (HeapLimit.Reached e) {
      return Optional.empty();
    }
  }

  private IngestReport run(IngestJob job, PlainTable table, IngestOutput output, IngestSteps steps)
      throws IOException {
    int order = job.modes().size();
    List<ModeKeys> keys = job.keys();
    List<CooBlock> rows = new ArrayList<>();
    List<Reject> rejects = new ArrayList<>();
    read(job, table, keys, rows, rejects);
    steps.rejects();
    List<IngestReport.Reason> reasons = reasons(rejects);
    if (!rejects.isEmpty()) {
      rejects.sort(Reject.ORDER);
      output.writeRejects(side -> write(side, rejects));
      output.requireFew(reasons, () -> rejects.get(0));
    }
    steps.rare();
    long used = count(rows);
    int rounds = RareKeys.drop(rows, job.modes(), keys);
    long kept = count(rows);
    if (kept == 0) {
      throw output.noRows(used, reasons);
    }
    limit.take(kept * KeySort.rowBytes(order));
    if (kept > KeySort.MOST_ROWS) {
      throw new HeapLimit.Reached();
    }
    List<KeyPlaces> labels = new ArrayList<>();
    for (int mode = 0; mode < order; mode++) {
      steps.labels(mode);
      labels.add(KeyPlaces.of(rows, mode, keys.get(mode), output.base(), limit));
    }
    steps.write();
    long[] sizes = labels.stream().mapToLong(KeyPlaces::size).toArray();
    WriteOptions shaped = output.options(TensorShape.of(sizes), kept);
    int[] modeOrder = output.target(shaped).modeOrder();
    int[][] places = labels.stream().map(KeyPlaces::places).toArray(int[][]::new);
    TableEntries entries = TableEntries.of(KeySort.of(rows, places, sizes, modeOrder), job);
    entries.requireValues(job, (mode, coordinate) -> labels.get(mode).label(coordinate));
    WriteOptions options = output.options(TensorShape.of(sizes), entries.count());
    ContainerPiece pieces = write(output.target(options), labels, entries, modeOrder[0], sizes);
    boolean published = output.commit(options, pieces, !reasons.isEmpty());
    return IngestReport.of(options, reasons, used, kept, rounds, published);
  }

  private static long count(List<CooBlock> rows) {
    return rows.stream().mapToLong(CooBlock::size).sum();
  }

  /** Reads all splits; their rows follow each other in the order of the input. */
  private void read(
      IngestJob job,
      PlainTable table,
      List<ModeKeys> keys,
      List<CooBlock> rows,
      List<Reject> rejects) {
    Map<String, Long> lines = new HashMap<>();
    List<FileSplit> splits = table.splits();
    workers.inOrder(
        splits.size(),
        n -> SplitRows.read(table, splits.get(n), job, limit),
        split -> {
          String file = TextInput.name(split.split());
          long before = lines.getOrDefault(file, 0L);
          lines.put(file, before + split.lines());
          split.rejects().forEach(reject -> rejects.add(reject.after(before)));
          renumber(split, keys);
          rows.addAll(split.blocks());
        });
  }

  /** From the numbers of a split's keys to those of the table's. */
  private void renumber(SplitRows split, List<ModeKeys> keys) {
    for (int mode = 0; mode < keys.size(); mode++) {
      long before = keys.get(mode).bytes();
      int[] numbers = keys.get(mode).addAll(split.keys().get(mode));
      limit.take(keys.get(mode).bytes() - before - split.keys().get(mode).bytes());
      for (CooBlock block : split.blocks()) {
        int[] column = block.intColumn(mode);
        for (int row = 0; row < block.size(); row++) {
          column[row] = numbers[column[row]];
        }
      }
    }
  }

  /** Rejects by column and reason, the most frequent first. */
  private static List<IngestReport.Reason> reasons(List<Reject> rejects) {
    return rejects.stream()
        .collect(Collectors.groupingBy(r -> List.of(r.column(), r.reason()), Collectors.counting()))
        .entrySet()
        .stream()
        .map(e -> new IngestReport.Reason(e.getKey().get(0), e.getKey().get(1), e.getValue()))
        .sorted(IngestReport.Reason.ORDER)
        .toList();
  }

  private static void write(OutputCommit side, List<Reject> rejects) throws IOException {
    try (Writer out =
        new BufferedWriter(new OutputStreamWriter(side.create(), StandardCharsets.UTF_8))) {
      out.write(Reject.HEADER);
      for (Reject reject : rejects) {
        out.write(reject.csv());
      }
    }
  }

  /** Writes labels, and entries by ranges of the outermost mode. */
  private ContainerPiece write(
      ParallelContainer.Target target,
      List<KeyPlaces> labels,
      TableEntries entries,
      int root,
      long[] sizes) {
    ContainerPiece pieces = ContainerPiece.none(sizes.length);
    for (int mode = 0; mode < sizes.length; mode++) {
      pieces.merge(labels.get(mode).write(target, mode));
    }
    int[] begins = entries.ranges(root, sizes[root]);
    List<ContainerPiece> written =
        workers.each(
            begins.length,
            range -> {
              int end = range + 1 < begins.length ? begins[range + 1] : entries.count();
              try (PieceWriter writer = PieceWriter.entries(target, range, "")) {
                for (CooBlock block : entries.blocks(begins[range], end)) {
                  writer.write(block);
                }
                return writer.finish();
              }
            });
    written.forEach(pieces::merge);
    return pieces;
  }

  @Override
  public void close() {
    workers.close();
  }
}
