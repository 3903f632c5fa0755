package org.weft.spark.ingest;

import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.spark.label.StoredLabels;
import org.weft.storage.ContainerOptions;
import org.weft.storage.WriteOptions;
import org.weft.storage.container.Container;
import org.weft.storage.container.ContainerPiece;
import org.weft.storage.container.ParallelContainer;
import org.weft.storage.file.Existing;
import org.weft.storage.file.FileAccess;
import org.weft.storage.file.OutputCommit;
import org.weft.tensor.TensorShape;
import org.weft.text.Counts;

/** What a job writes: a version of a container, and the file of its rejects. */
final class IngestOutput implements AutoCloseable {
  private static final int REASONS = 5;

  private final IngestJob job;
  private final ParallelContainer container;
  private final @Nullable OutputCommit side;

  private IngestOutput(IngestJob job, ParallelContainer container, @Nullable OutputCommit side) {
    this.job = job;
    this.container = container;
    this.side = side;
  }

  /**
   * Claims both. Nothing is visible before {@link #commit}.
   *
   * @throws WeftException {@code OUTPUT_EXISTS}, or {@code USAGE} if the container that is added to
   *     has other modes
   */
  static IngestOutput begin(FileAccess files, IngestJob job) {
    ParallelContainer container =
        ParallelContainer.begin(files, job.output(), existing(files, job));
    try {
      Container base = container.base().orElse(null);
      if (base != null) {
        StoredLabels.requireLabels(base, names(job));
      }
      String rejects = job.rejects();
      OutputCommit side =
          rejects == null ? null : OutputCommit.begin(files, rejects, job.overwrite());
      return new IngestOutput(job, container, side);
    } catch (RuntimeException e) {
      container.close();
      throw e;
    }
  }

  /** What becomes of the output: the first entries make it, whether they are to be added or not. */
  private static Existing existing(FileAccess files, IngestJob job) {
    if (job.append() && Container.isThere(files, job.output())) {
      return Existing.APPEND;
    }
    return job.overwrite() ? Existing.REPLACE : Existing.REFUSE;
  }

  private static List<String> names(IngestJob job) {
    return job.modes().stream().map(ModeSpec::name).toList();
  }

  /** The version that is added to, or null. */
  @Nullable Container base() {
    return container.base().orElse(null);
  }

  /** Whether the batch is there already. */
  boolean isDone() {
    Container base = base();
    return base != null && base.batches().contains(job.batch()) && !job.replaceBatch();
  }

  /** What a job reports that is done already. */
  IngestReport nothing() {
    return IngestReport.nothing(container.base().orElseThrow().shape());
  }

  WriteOptions options(TensorShape shape, long entries) {
    return WriteOptions.defaults()
        .withShape(shape)
        .withEntries(entries)
        .withContainer(
            ContainerOptions.defaults()
                .withModeNames(names(job))
                .withBatch(job.batch(), job.replaceBatch())
                .withProvenance(job.source(), job.command(), job.program()));
  }

  ParallelContainer.Target target(WriteOptions options) {
    return container.target(options);
  }

  /** Writes rejects to a file. */
  interface RejectWriter {
    void write(OutputCommit staged) throws IOException;
  }

  /** Lets {@code writer} write the file of rejects, if there is to be one. */
  void writeRejects(RejectWriter writer) throws IOException {
    if (side != null) {
      writer.write(side);
    }
  }

  /**
   * Publishes the file of rejects and ends the job if there are more than it allows.
   *
   * @throws WeftException {@code MALFORMED_INPUT}
   */
  void requireFew(List<IngestReport.Reason> reasons, Supplier<Reject> first) throws IOException {
    long lost = reasons.stream().mapToLong(IngestReport.Reason::rows).sum();
    if (lost <= job.maxRejects()) {
      return;
    }
    if (side != null) {
      side.commit();
    }
    Reject reject = first.get();
    boolean open = !job.table().quotedLines() && reject.opensQuotes();
    throw new WeftException(
        ErrorCode.MALFORMED_INPUT,
        reject.message()
            + "; expected at most "
            + Counts.plain(job.maxRejects(), "row")
            + " that cannot be used, found "
            + lost
            + why(reasons)
            + (open ? "; where quoted cells have line ends, add --quoted-lines" : "")
            + (side == null
                ? "; correct them, or name a file with --rejects to go on without them"
                : "; all of them are in " + side.uri() + ", no tensor is written"));
  }

  /**
   * The error of a table without rows to make a tensor of; the rejects are published.
   *
   * @param used rows before labels that are too rare were dropped
   */
  WeftException noRows(long used, List<IngestReport.Reason> reasons) throws IOException {
    String listed = "";
    if (side != null && !reasons.isEmpty()) {
      side.commit();
      listed = "; the rejected rows are in " + side.uri();
    }
    return new WeftException(
        ErrorCode.MALFORMED_INPUT,
        job.source()
            + ": expected rows to make a tensor of, found none that could be used"
            + (used > 0 ? " after labels that are too rare were dropped" : "")
            + why(reasons)
            + listed);
  }

  /** The error of labels whose rows have no finite value together. */
  static WeftException noValue(IngestJob job, String labels, String found) {
    return new WeftException(
        ErrorCode.NONFINITE_VALUE,
        job.source()
            + ": expected a finite value for every set of labels, found "
            + found
            + " for ("
            + labels
            + "); choose another --aggregate or --transform, or allow such values"
            + " (--allow-nonfinite)");
  }

  private static String why(List<IngestReport.Reason> reasons) {
    return reasons.isEmpty()
        ? ""
        : reasons.stream()
            .limit(REASONS)
            .map(IngestReport.Reason::toString)
            .collect(Collectors.joining("; ", " (", reasons.size() > REASONS ? "; ...)" : ")"));
  }

  /**
   * Publishes. The rejects appear first: a tensor without them would look complete. They go again
   * if the tensor then cannot be published.
   *
   * @return false if the batch is there already, and nothing is published
   */
  boolean commit(WriteOptions options, ContainerPiece pieces, boolean rejected) throws IOException {
    if (side == null || !rejected) {
      return container.commit(options, pieces);
    }
    side.commit();
    try {
      return container.commit(options, pieces);
    } catch (IOException | RuntimeException e) {
      boolean unknown =
          e instanceof WeftException weft && weft.code() == ErrorCode.COMMIT_STATE_UNKNOWN;
      if (!unknown) {
        try {
          side.withdraw();
        } catch (WeftException left) {
          e.addSuppressed(left);
        }
      }
      throw e;
    }
  }

  @Override
  public void close() {
    try {
      if (side != null) {
        side.close();
      }
    } finally {
      container.close();
    }
  }
}
