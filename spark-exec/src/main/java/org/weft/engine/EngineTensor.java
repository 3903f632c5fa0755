package org.weft.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.weft.engine.distributed.Parts;
import org.weft.engine.distributed.Steps;
import org.weft.engine.entries.EntryBlocks;
import org.weft.engine.entries.EntryCheck;
import org.weft.engine.entries.EntryCounts;
import org.weft.engine.entries.Shared;
import org.weft.engine.order.RowOwners;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.planner.InputReading;
import org.weft.planner.JobPlan;
import org.weft.planner.PackedForm;
import org.weft.planner.PartLayout;
import org.weft.planner.StoredForm;
import org.weft.planner.partition.ModePartitioning;
import org.weft.reorder.Relabelling;
import org.weft.statistics.ModeHistogram;
import org.weft.statistics.TensorStatistics;
import org.weft.storage.Compression;
import org.weft.storage.InputPlan;
import org.weft.storage.container.Container;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * A tensor for jobs: its parsed entries, and the forms that jobs have packed. The engine that read
 * the tensor keeps all of them. Not thread-safe.
 */
public abstract class EngineTensor implements StatementOperand {
  /** Entries that a plan for another cluster may read again. */
  private static final long MOST_SAMPLED = 1 << 24;

  private final String uri;
  private final ValueType valueType;
  private final TensorStatistics statistics;
  private final @Nullable Order order;
  private final @Nullable EngineTensor source;
  private final @Nullable Container container;
  private final @Nullable StoredPartitions stored;
  private final ReadCost cost;
  private @Nullable TensorStatistics original;
  private @Nullable TensorStatistics sampled;
  private boolean orderKept;
  private boolean declared;
  private boolean array;
  private boolean reported;
  private long reorderNanos;

  /**
   * New coordinates, which the packed forms have. Those of the parsed entries stay as they are: the
   * original ones, or for a container that was reordered those that it stores.
   *
   * @param there from original coordinates
   * @param back to original coordinates
   * @param parsed from the coordinates of the parsed entries; null if the packed forms have those
   */
  public record Order(
      Shared<Relabelling> there, Shared<Relabelling> back, @Nullable Shared<Relabelling> parsed) {
    /** The order that a container's entries were written in, or null for the original one. */
    public static @Nullable Order stored(EntryBlocks entries, Container container) {
      Map<Integer, int[]> labels = container.permutations();
      if (labels.isEmpty()) {
        return null;
      }
      Relabelling there = Relabelling.ofLabels(container.shape(), labels);
      return new Order(entries.share(there), entries.share(there.inverse()), null);
    }

    void close() {
      there.close();
      back.close();
      if (parsed != null) {
        parsed.close();
      }
    }
  }

  /**
   * What reading took.
   *
   * @param nanos elapsed
   * @param peakBytes largest resident set of a process that read
   * @param reading what tasks can do so at a time
   */
  public record ReadCost(long nanos, long peakBytes, InputReading reading) {}

  /** How a file is read: one that is compressed as a whole by one task. */
  protected static InputReading reading(InputPlan plan) {
    int tasks = plan.splits().size();
    Compression compression = Compression.of(plan.uri());
    Container container = plan.header().details() instanceof Container of ? of : null;
    boolean whole = compression == Compression.GZIP || compression == Compression.ZSTD;
    return new InputReading(
        tasks,
        tasks == 1 && whole
            ? "a file that ends in "
                + compression.suffix()
                + " cannot be read in parts; .bz2 and .weft can"
            : "",
        container == null,
        container == null ? null : layout(container));
  }

  private static PartLayout layout(Container container) {
    int mode = container.format().modeOrder()[0];
    return new PartLayout(
        mode,
        IntStream.range(0, container.partCount())
            .mapToObj(
                part ->
                    new PartLayout.Part(
                        container.first(part, mode),
                        container.last(part, mode),
                        container.entries(part)))
            .toList());
  }

  /**
   * @param source the tensor whose entries this one shares under new coordinates, or null
   * @param container that the entries lie in, or null
   */
  protected EngineTensor(
      String uri,
      ValueType valueType,
      TensorStatistics statistics,
      @Nullable Order order,
      @Nullable EngineTensor source,
      @Nullable Container container,
      ReadCost cost) {
    this.uri = uri;
    this.valueType = valueType;
    this.statistics = statistics;
    this.order = order;
    this.source = source;
    this.container = container;
    this.stored = Optional.ofNullable(container).flatMap(StoredPartitions::of).orElse(null);
    this.cost = cost;
  }

  /** The parsed entries, under the coordinates of the file. */
  public abstract EntryBlocks entries();

  /** The parsed entries in the parts that they were read in, under their own coordinates. */
  protected abstract Parts parsedParts();

  /** The entries under the original coordinates, in the parts that they were read in. */
  @Override
  public final Parts parts() {
    return order == null || source != null
        ? parsedParts()
        : parsedParts().map(Steps.relabelled(order.back()));
  }

  /** Whether the file says its shape; otherwise it is as large as its coordinates. */
  @Override
  public final boolean declaresShape() {
    return declared;
  }

  @Override
  public final boolean isArray() {
    return array;
  }

  /**
   * What its file says.
   *
   * @param isDeclared whether the file says its shape
   */
  final void declare(boolean isDeclared, boolean isArray) {
    declared = isDeclared;
    array = isArray;
  }

  /** This tensor under other coordinates, its entries shared. */
  protected abstract EngineTensor under(Order newOrder, TensorStatistics moved);

  /** The form in which the tensor lies in its files, if it does. */
  public final @Nullable StoredForm storedForm() {
    return stored == null ? null : stored.form();
  }

  /** The files of a form; null if the tensor does not lie in them so. */
  protected final @Nullable StoredPartitions stored(PackedForm form) {
    return stored != null && stored.has(form) ? stored : null;
  }

  /**
   * The parts of the file that each partition of a cut has entries of; none if its entries do not
   * lie together.
   */
  protected final List<List<Integer>> partsOf(ModePartitioning cut) {
    PartLayout layout = reading().layout();
    return layout == null ? List.of() : layout.partsOf(cut);
  }

  /**
   * Entries that repeat the coordinates of another. Known once a job has packed the tensor;
   * otherwise sorts it for the count.
   */
  public final long duplicates() {
    return container != null && container.isDistinct() ? 0 : countDuplicates();
  }

  /** The duplicates of a tensor that may have some. */
  protected abstract long countDuplicates();

  /**
   * As {@link #statistics} of what jobs compute with: entries at the same coordinates are one, with
   * the sum of their values. Packs the tensor for it if there are any.
   */
  public final TensorStatistics summedStatistics() {
    return duplicates() == 0 ? statistics : countSummed();
  }

  /** Packs the entries and counts what is stored then. */
  protected abstract TensorStatistics countSummed();

  /** A format for entries that are packed to be counted. */
  protected final TensorFormat countedFormat() {
    TensorShape shape = statistics.shape();
    return shape.order() == 0
        ? TensorFormat.dense(0, valueType)
        : TensorFormat.csf(shape.order(), valueType).narrowedFor(shape, statistics.entries());
  }

  /** Off-heap bytes of all packed forms. */
  public abstract long residentBytes();

  /** Frees the packed forms; the parsed entries stay. */
  public abstract void releaseResident();

  /** Frees the parsed entries. */
  protected abstract void releaseEntries();

  @Override
  public final String uri() {
    return uri;
  }

  public final ValueType valueType() {
    return valueType;
  }

  /** Shape, histograms and values of the packed entries, duplicates counted apart. */
  public final TensorStatistics statistics() {
    return statistics;
  }

  /** Elapsed ns of reading. */
  public final long readNanos() {
    return cost.nanos();
  }

  /** How the file is read that the entries come from. */
  public final InputReading reading() {
    return parsedRelabelling() == null ? cost.reading() : cost.reading().withoutLayout();
  }

  /** The tensor whose entries this one shares, or null. */
  protected final @Nullable EngineTensor source() {
    return source;
  }

  protected final @Nullable Order order() {
    return order;
  }

  protected final @Nullable Container container() {
    return container;
  }

  protected final ReadCost cost() {
    return cost;
  }

  /** From original coordinates to those of the packed forms, if they differ. */
  public final @Nullable Relabelling relabelling() {
    return order == null ? null : order.there().value();
  }

  /** The coordinate in the packed forms of a slice that the user knows by {@code slice}. */
  public final long place(int mode, long slice) {
    Relabelling there = relabelling();
    return there == null ? slice : there.mode(mode).apply(slice);
  }

  /** From the coordinates of the packed forms to those of results, if they differ. */
  public final @Nullable Shared<Relabelling> resultRelabelling() {
    return order == null || orderKept ? null : order.back();
  }

  /** From the coordinates of the packed forms to the original ones, if they differ. */
  public final @Nullable Shared<Relabelling> originalCoordinates() {
    return order == null ? null : order.back();
  }

  /** From the coordinates of the parsed entries to the original ones, if they differ. */
  private @Nullable Shared<Relabelling> entriesToOriginal() {
    return source == null ? originalCoordinates() : source.entriesToOriginal();
  }

  /** What is made of each block of {@link #entries}, whatever order the tensor is stored in. */
  final <R> EntryBlocks.Step<R> each(EntryBlocks.OfBlock<R> each) {
    return EntryBlocks.each(entriesToOriginal(), each);
  }

  /** What is made of each block of {@link #entries}, in this process. */
  public final <R> List<R> collect(EntryBlocks.OfBlock<R> each) {
    return entries().collect(each(each));
  }

  /**
   * Checks the values of all entries.
   *
   * @param expected for people: {@code counts of at least 0}
   * @throws WeftException {@code MALFORMED_INPUT}, naming an entry that is not allowed
   */
  public final void requireValues(String expected, EntryCheck.Allowed allowed) {
    EntryCheck.require(uri, expected, collect(EntryCheck.wrong(allowed)));
  }

  /** From the coordinates of the parsed entries to those of the packed forms, if they differ. */
  public final @Nullable Shared<Relabelling> parsedRelabelling() {
    return order == null ? null : order.parsed();
  }

  /** From now on results have the coordinates of the packed forms. */
  final void keepOrder() {
    orderKept = true;
  }

  /** Notes the time that went into an order, or into the decision for none. */
  final void ordered(Ordering ordering) {
    reorderNanos += (long) (ordering.seconds() * 1e9);
  }

  /** The reading time for the first report that asks, 0 afterwards: it is spent once. */
  final long takeReadNanos(JobClock clock) {
    clock.peak("driver", cost.peakBytes());
    long nanos = reported ? 0 : cost.nanos();
    reported = true;
    return nanos;
  }

  /** The time of {@link #ordered} for the first report that asks, 0 afterwards. */
  final long takeReorderNanos() {
    long nanos = reorderNanos;
    reorderNanos = 0;
    return nanos;
  }

  /** Statistics of the entries under original coordinates. */
  @Override
  public final TensorStatistics originalStatistics() {
    TensorStatistics known = original;
    if (known == null) {
      if (order == null) {
        known = statistics;
      } else if (source == null) {
        known = statistics.withHistograms(statistics.shape(), moved(order.back()));
      } else {
        known = source.originalStatistics().withShape(statistics.shape());
      }
      original = known;
    }
    return known;
  }

  /**
   * This tensor with its coordinates changed while it is packed. The parsed entries are shared:
   * this tensor must not be closed before the new one. Jobs on the new tensor take operands in
   * original coordinates and give results in them, unless {@link #keepOrder}.
   *
   * @param ordering from the coordinates of the parsed entries, or from the original ones if it is
   *     {@link Ordering#isGiven given}; a mode may have more of them than the file
   */
  final EngineTensor reordered(Ordering ordering) {
    long start = System.nanoTime();
    if (source != null) {
      throw new IllegalStateException(uri + " is reordered already");
    }
    Relabelling relabelling = ordering.relabelling().orElseThrow();
    requireCovered(relabelling);
    TensorShape shape = relabelling.shape();
    Relabelling there = relabelling;
    if (order != null && ordering.isGiven()) {
      relabelling = order.back().value().extendedTo(shape).andThen(there);
    } else if (order != null) {
      there = order.there().value().andThen(relabelling);
    }
    Shared<Relabelling> sent = entries().share(there);
    Shared<Relabelling> parsedThere = order == null ? sent : entries().share(relabelling);
    EngineTensor reordered =
        under(
            new Order(sent, entries().share(there.inverse()), parsedThere),
            statistics.withHistograms(shape, moved(parsedThere)));
    reordered.reported = reported;
    reordered.ordered(ordering);
    reordered.reorderNanos += System.nanoTime() - start;
    return reordered;
  }

  /**
   * What gives rows of a plan on tiles to the tiles that have entries of them; none for other
   * plans, and where results have the order of this tensor.
   */
  final Optional<RowOwners> owners(JobPlan plan) {
    return orderKept ? Optional.empty() : RowOwners.of(plan, this::entries, parsedRelabelling());
  }

  /**
   * This tensor under new numbers, which results do not have; ends before this one.
   *
   * @param more from the coordinates of the packed forms
   */
  final EngineTensor numbered(Relabelling more) {
    Shared<Relabelling> parsed = parsedRelabelling();
    Relabelling all = parsed == null ? more : parsed.value().andThen(more);
    EngineTensor parent = source == null ? this : source;
    return parent.reordered(
        new Ordering("owners of rows", Optional.of(all), 0, 0, false, List.of()));
  }

  private void requireCovered(Relabelling relabelling) {
    TensorShape shape = relabelling.shape();
    for (int mode = 0; mode < statistics.shape().order(); mode++) {
      if (relabelling.order() != statistics.shape().order()
          || shape.size(mode) < statistics.shape().size(mode)) {
        throw new WeftException(
            ErrorCode.SHAPE_MISMATCH,
            uri
                + ": expected permutations of at least "
                + statistics.shape()
                + " coordinates, found "
                + shape);
      }
    }
  }

  /** The histograms under new coordinates; exact ones are moved, others counted again. */
  final List<ModeHistogram> moved(Shared<Relabelling> there) {
    if (!statistics.histograms().stream().allMatch(ModeHistogram::isExact)) {
      return EntryCounts.histograms(entries(), there);
    }
    List<ModeHistogram> histograms = new ArrayList<>();
    for (int mode = 0; mode < statistics.shape().order(); mode++) {
      ModeHistogram from = statistics.histogram(mode);
      ModeHistogram to = new ModeHistogram();
      for (int slice = 0; slice < from.buckets(); slice++) {
        to.add(there.value().mode(mode).apply(slice), from.count(slice));
      }
      histograms.add(to);
    }
    return histograms;
  }

  /**
   * The statistics with samples of slices, if a container has them.
   *
   * @param reading whether few enough entries may be read once more to draw samples
   */
  final TensorStatistics sampledStatistics(boolean reading) {
    if (sampled == null) {
      sampled =
          container == null || parsedRelabelling() != null
              ? statistics
              : container.sampled(statistics);
    }
    if (reading && sampled.samples().isEmpty() && statistics.entries() <= MOST_SAMPLED) {
      sampled = EntryCounts.sampled(entries(), statistics, parsedRelabelling());
    }
    return sampled;
  }

  /** Frees everything that is this tensor's own; calling it again does nothing. */
  final void close() {
    releaseResident();
    if (order != null) {
      order.close();
    }
    if (source == null) {
      releaseEntries();
    }
  }
}
