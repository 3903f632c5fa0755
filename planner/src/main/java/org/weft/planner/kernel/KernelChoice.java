package org.weft.planner.kernel;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.weft.compiler.Directive;
import org.weft.compiler.KernelRequest;
import org.weft.compiler.PrefetchDistance;
import org.weft.compiler.Schedule;
import org.weft.planner.job.FiberStatement;
import org.weft.planner.job.JobStatement;
import org.weft.planner.job.RowStatement;
import org.weft.statistics.TensorStatistics;
import org.weft.tensor.LevelCoordinate;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * Chooses the expression, the formats and the schedule of each operation.
 *
 * <p>MTTKRP: the root of the CSF is the mode of the result. The other modes follow by increasing
 * size, so that upper levels are small and fibers long. From the level on whose positions are
 * expected to have fewer than two entries each, the entries of the position above are listed
 * ({@code CN, S}). One flat loop then takes the place of loops that run once or twice.
 *
 * <p>Large tensors take another order, another list, or tiles of the innermost operand's rows
 * ({@link Storages}), or the kernel walks the tensor once for each panel of the factors' columns.
 * Each of these is taken if the {@link CostModel} expects a clear gain. Only tensors of order 3 to
 * 5 have these choices. Where several threads run, tiles and panels are for tensors without a heavy
 * slice, because the threads share a heavy slice.
 *
 * <p>TTM and TTV keep the modes in order and put the contracted mode last, so that the entries of
 * the result are sorted. A tensor of order 1 has no other mode to cut, so TTM and TTV cut the
 * contracted mode and add the parts.
 *
 * <p>The MTTKRPs of all modes may share one storage. Then the MTTKRPs of the modes other than the
 * root scatter: each call makes a whole result. Such a call runs on one thread, or each share of
 * the outermost loop has rows of its own, if that is expected to be faster. The factors of levels
 * above the result's row come first in the expression, so that their product is made once for all
 * levels below.
 */
public final class KernelChoice {
  /** Share of the usual storage's time that another one has to fall below. */
  private static final double WORTH_ANOTHER = 0.95;

  /** Share of the entries that one thread may get by the slice. */
  private static final double HEAVY_SLICE = 0.15;

  /** Columns of a panel: one to four cache lines of doubles. */
  private static final List<Integer> PANELS = List.of(8, 16, 32);

  /** Label of the components that a model's value is the sum of. */
  private static final String MODEL_LABEL = "q";

  private final TensorShape shape;
  private final long entries;
  private final ValueType type;
  private final boolean threads;
  private final boolean privateRows;
  private final Optional<Schedule> schedule;
  private final CostModel costs;
  private final double cacheBytes;
  private final int copies;

  /**
   * @param threads whether a kernel has more than one
   * @param privateRows whether the threads of a kernel that scatters may have rows of their own
   * @param costs of the machine that runs the kernels
   * @param cacheBytes of one thread
   * @param copies of operands that are held at a time, on all machines
   * @param schedule of every kernel instead of the chosen one
   */
  public KernelChoice(
      TensorStatistics statistics,
      ValueType type,
      boolean threads,
      boolean privateRows,
      CostModel costs,
      double cacheBytes,
      int copies,
      Optional<Schedule> schedule) {
    shape = statistics.shape();
    entries = statistics.entries();
    this.type = type;
    this.threads = threads;
    this.privateRows = privateRows;
    this.costs = costs;
    this.cacheBytes = cacheBytes;
    this.copies = copies;
    this.schedule = schedule;
  }

  /** The kernel of a statement. */
  public KernelPlan of(JobStatement statement) {
    return statement instanceof FiberStatement fibers
        ? fibers(fibers)
        : rows((RowStatement) statement);
  }

  /** The kernel of a statement that runs too seldom to be worth a storage of its own. */
  public KernelPlan usual(JobStatement statement) {
    return statement instanceof RowStatement rows ? usual(rows) : of(statement);
  }

  private KernelPlan usual(RowStatement statement) {
    Storages storages = new Storages(shape, entries, type, cacheBytes);
    return rows(statement, storages.usual(rootedAt(statement)), 0);
  }

  /** The statement on the storage rooted at its mode; other storages and panels are for MTTKRPs. */
  private KernelPlan rows(RowStatement statement) {
    Storages storages = new Storages(shape, entries, type, cacheBytes);
    KernelPlan usual = usual(statement);
    boolean matrix = statement.columns().size() == 1 && statement.entry().isItself();
    return schedule.isPresent() || !storages.isLarge() || !matrix
        ? usual
        : fastest(statement, usual, storages);
  }

  /** MTTKRPs of all modes, in their order, on the storage rooted at {@code root} that suits all. */
  public List<KernelPlan> mttkrps(int root, int rank) {
    Storages storages = new Storages(shape, entries, type, cacheBytes);
    List<KernelPlan> best = mttkrps(rank, storages.usual(rootedAt(root)));
    if (schedule.isPresent() || !storages.isLarge()) {
      return best;
    }
    double least = seconds(best) * WORTH_ANOTHER;
    for (Storages.Storage storage : storages.others(root, modesWithout(root), 0)) {
      List<KernelPlan> other = mttkrps(rank, storage);
      double seconds = seconds(other);
      if (seconds < least) {
        best = other;
        least = seconds;
      }
    }
    return best;
  }

  private List<KernelPlan> mttkrps(int rank, Storages.Storage storage) {
    return allModes().stream()
        .map(mode -> rows(RowStatement.mttkrp(shape.order(), mode, rank), storage, 0))
        .toList();
  }

  private double seconds(List<KernelPlan> kernels) {
    return kernels.stream().mapToDouble(costs::seconds).sum();
  }

  /** The other modes by increasing size. */
  private List<Integer> rootedAt(int mode) {
    return rootedAt(mode, List.of());
  }

  /** The modes of the statement's rows, then the other modes by increasing size. */
  private List<Integer> rootedAt(RowStatement statement) {
    return rootedAt(statement.mode(), statement.rowModes(shape.order()));
  }

  private List<Integer> rootedAt(int mode, List<Integer> next) {
    List<Integer> levels = new ArrayList<>(List.of(mode));
    levels.addAll(next);
    allModes().stream()
        .filter(m -> !levels.contains(m))
        .sorted(Comparator.comparingLong(shape::size))
        .forEach(levels::add);
    return levels;
  }

  /**
   * @param panel columns of the factors that lie together, 0 for all
   */
  private KernelPlan rows(RowStatement statement, Storages.Storage storage, int panel) {
    int mode = statement.mode();
    List<Integer> above = storage.levels().subList(0, storage.levels().indexOf(mode));
    List<Operand> operands = new ArrayList<>();
    for (int m : allModes()) {
      if (statement.reads(m)) {
        operands.add(new Operand("F" + m, m, statement.columnsOf(m)));
      }
    }
    List<String> product = new ArrayList<>();
    above.forEach(m -> product.addAll(factors(statement, m)));
    product.add(entry(statement));
    modesWithout(mode).stream()
        .filter(m -> !above.contains(m))
        .forEach(m -> product.addAll(factors(statement, m)));
    List<String> row = new ArrayList<>(List.of(RowStatement.variable(mode)));
    row.addAll(statement.columns().keySet());
    int columns = statement.columns().size();
    KernelPlan alone =
        plan(
            statement.name() + "_m" + mode,
            "M(" + String.join(",", row) + ") = " + String.join(" * ", product),
            "M",
            panel == 0 ? TensorFormat.dense(1 + columns, type) : panels(panel),
            storage.format(),
            storage.levels(),
            operands,
            statement.columns(),
            above.isEmpty() ? Merge.ROWS : Merge.SUM,
            IntStream.rangeClosed(0, columns).boxed().toList());
    if (statement.entry().readsModel()) {
      return modelFirst(alone, statement, storage);
    }
    if (above.isEmpty() || !privateRows || schedule.isPresent()) {
      return alone;
    }
    KernelPlan shared =
        alone.withSchedule(
            Schedule.parse("parallel(" + RowStatement.variable(storage.levels().get(0)) + ")"));
    return costs.seconds(shared) < costs.seconds(alone) ? shared : alone;
  }

  /** The plan with the model's value made where the entry is known, once for all columns. */
  private KernelPlan modelFirst(KernelPlan plan, RowStatement statement, Storages.Storage storage) {
    KernelRequest request = plan.request();
    Map<String, Long> sizes = new LinkedHashMap<>(request.sizes());
    sizes.put(MODEL_LABEL, (long) statement.entry().rank());
    List<String> loops = new ArrayList<>();
    storage.levels().forEach(mode -> loops.add(RowStatement.variable(mode)));
    loops.add(MODEL_LABEL);
    loops.addAll(statement.columns().keySet());
    Schedule ordered =
        schedule.orElseGet(() -> request.schedule().withLoopOrder(loops.toArray(String[]::new)));
    return plan.withRequest(
        new KernelRequest(
            request.symbol(), request.expression(), request.formats(), sizes, ordered));
  }

  /** What stands for the tensor in the statement's product. */
  private String entry(RowStatement statement) {
    String entry = access("T", allModes());
    if (statement.entry().isItself()) {
      return entry;
    }
    String model =
        allModes().stream()
            .map(mode -> "F" + mode + "(" + RowStatement.variable(mode) + "," + MODEL_LABEL + ")")
            .collect(Collectors.joining(" * ", "sum(" + MODEL_LABEL + ", ", ")"));
    return statement.entry().of(entry, model);
  }

  /** The factor of a mode in the statement's product. */
  private static List<String> factors(RowStatement statement, int mode) {
    return statement.terms().stream()
        .filter(term -> term.mode() == mode)
        .map(term -> "F" + mode + "(" + RowStatement.variable(mode) + "," + term.label() + ")")
        .toList();
  }

  /** The plan that is expected to be clearly faster than {@code usual}, or that. */
  private KernelPlan fastest(RowStatement statement, KernelPlan usual, Storages storages) {
    int mode = usual.partitionedMode();
    int rank = usual.rank();
    // Only loops that are outermost share a heavy slice among threads.
    boolean inner = !threads || costs.heaviestSlice(mode) < HEAVY_SLICE;
    KernelPlan best = usual;
    double least = costs.seconds(usual) * WORTH_ANOTHER;
    for (int panel : inner ? panelWidths(rank) : List.of(rank)) {
      long rowBytes = (long) panel * type.bytes();
      for (Storages.Storage storage :
          storages.others(mode, modesWithout(mode), inner ? rowBytes : 0)) {
        KernelPlan other = rows(statement, storage, panel == rank ? 0 : panel);
        double seconds = costs.seconds(other);
        if (seconds < least && isSmall(other)) {
          best = other;
          least = seconds;
        }
      }
    }
    return best;
  }

  /** Whether copies of the matrices are no larger than the tensor. */
  private boolean isSmall(KernelPlan kernel) {
    double bytes = kernel.copiedBytes(shape, copies, shape.size(kernel.partitionedMode()));
    return bytes <= (double) entries * (shape.order() * Integer.BYTES + type.bytes());
  }

  /** Columns that may lie together: all, or those of a panel. */
  private static List<Integer> panelWidths(int rank) {
    return Stream.concat(PANELS.stream().filter(columns -> columns < rank), Stream.of(rank))
        .toList();
  }

  /** A matrix in panels of that many columns. */
  private TensorFormat panels(int columns) {
    return TensorFormat.parse("{D:1/" + columns + ", D:0, D:1%" + columns + "}", 2, type);
  }

  /** The contracted mode innermost, the others in order: the result's entries come out sorted. */
  private KernelPlan fibers(FiberStatement statement) {
    int mode = statement.mode();
    List<Integer> rest = modesWithout(mode);
    List<Integer> levels = new ArrayList<>(rest);
    levels.add(mode);
    List<Integer> written = IntStream.range(0, rest.size()).boxed().collect(Collectors.toList());
    List<String> target = rest.stream().map(RowStatement::variable).collect(Collectors.toList());
    TensorFormat result = TensorFormat.csf(rest.size(), type);
    Map<String, Integer> columns = Map.of();
    String factor = "v(" + RowStatement.variable(mode) + ")";
    if (!statement.isVector()) {
      written = levels;
      target.add("r");
      result = semiSparse(rest.size());
      columns = Map.of("r", statement.rank());
      factor = "U(" + RowStatement.variable(mode) + ",r)";
    }
    String name = target.isEmpty() ? "Y" : "Y(" + String.join(",", target) + ")";
    return plan(
        statement.name() + "_m" + mode,
        name + " = " + access("T", allModes()) + " * " + factor,
        "Y",
        rest.isEmpty() ? TensorFormat.dense(target.size(), type) : narrowed(result, rest),
        TensorFormat.csf(shape.order(), type),
        levels,
        List.of(new Operand(factor.substring(0, 1), mode, statement.rank())),
        columns,
        rest.isEmpty() ? Merge.SUM : Merge.ENTRIES,
        written);
  }

  private KernelPlan plan(
      String symbol,
      String expression,
      String result,
      TensorFormat resultFormat,
      TensorFormat stored,
      List<Integer> levels,
      List<Operand> operands,
      Map<String, Integer> columns,
      Merge merge,
      List<Integer> writtenModes) {
    int[] modeOrder = levels.stream().mapToInt(m -> m).toArray();
    TensorFormat tensorFormat = stored.withModeOrder(modeOrder).narrowedFor(shape, entries);
    Map<String, TensorFormat> formats = new LinkedHashMap<>();
    formats.put("T", tensorFormat);
    formats.put(result, resultFormat);
    boolean panels = !resultFormat.isOrdinary();
    TensorFormat dense = panels ? resultFormat : TensorFormat.dense(2, type);
    for (Operand operand : operands) {
      formats.put(operand.name(), operand.isVector() ? TensorFormat.dense(1, type) : dense);
    }
    // Rows are disjoint between threads. A sparse result is made once and in place where that is
    // known before, which pays on one thread, too.
    boolean parallel = merge == Merge.ENTRIES || threads && merge == Merge.ROWS;
    Map<String, Long> sizes = new LinkedHashMap<>();
    columns.forEach((label, size) -> sizes.put(label, (long) size));
    KernelRequest request =
        new KernelRequest(
            symbol,
            expression,
            formats,
            sizes,
            schedule.orElseGet(
                () -> {
                  Schedule usual =
                      panels
                          ? inPanels(resultFormat, tensorFormat, parallel)
                          : parallel ? parallel(tensorFormat) : Schedule.sequential();
                  boolean vector =
                      columns.isEmpty() && operands.stream().anyMatch(Operand::isVector);
                  return vector ? ahead(usual, tensorFormat, operands.get(0)) : usual;
                }));
    return new KernelPlan(
        request,
        "T",
        result,
        tensorFormat,
        modeOrder[0],
        operands,
        List.copyOf(columns.values()),
        merge,
        writtenModes);
  }

  /**
   * {@code schedule} and, where that pays, a request for values of the operand of the last level
   * before they are needed. Longer rows were not measured here.
   */
  private Schedule ahead(Schedule schedule, TensorFormat format, Operand operand) {
    long rowBytes = operand.rowBytes(type.bytes());
    boolean far = PrefetchDistance.isFar((double) shape.size(operand.mode()) * rowBytes);
    if (!far || !PrefetchDistance.isLong(entries)) {
      return schedule;
    }
    double misses = costs.misses(format, operand, PrefetchDistance.CACHE_BYTES);
    int distance = PrefetchDistance.of(rowBytes, misses);
    return distance == 0
        ? schedule
        : schedule.with(new Directive.Prefetch(RowStatement.variable(operand.mode()), distance));
  }

  private static Schedule parallel(TensorFormat format) {
    return format.isOrdinary() ? Schedule.parallel() : Schedule.sequential().with(slices(format));
  }

  /** One panel after the other; slices of the tensor in parallel. */
  private static Schedule inPanels(TensorFormat panels, TensorFormat tensor, boolean parallel) {
    List<String> loops = new ArrayList<>(List.of(loop("r", panels.coordinate(0))));
    for (int level = 0; level < tensor.levelCount(); level++) {
      loops.add(loop(RowStatement.variable(tensor.modeOf(level)), tensor.coordinate(level)));
    }
    Schedule order = Schedule.sequential().withLoopOrder(loops.toArray(String[]::new));
    return parallel ? order.with(slices(tensor)) : order;
  }

  /** The loop over what a level stores of a label. */
  private static String loop(String label, LevelCoordinate stored) {
    return stored instanceof LevelCoordinate.Block block
        ? label + "/" + block.size()
        : stored instanceof LevelCoordinate.Within within ? label + "%" + within.size() : label;
  }

  /** The loop over tiles adds to the same rows; the one inside it has them apart. */
  private static Directive.Parallel slices(TensorFormat format) {
    return new Directive.Parallel(
        RowStatement.variable(format.modeOf(format.isOrdinary() ? 0 : 1)));
  }

  /** Compressed levels, then a dense one. */
  private TensorFormat semiSparse(int compressed) {
    return TensorFormat.parse("{" + "CU, ".repeat(compressed) + "D}", compressed + 1, type);
  }

  /** Narrows the compressed levels, one for each of {@code modes} of the tensor. */
  private TensorFormat narrowed(TensorFormat format, List<Integer> modes) {
    TensorShape sizes = TensorShape.of(modes.stream().mapToLong(shape::size).toArray());
    TensorFormat compressed = TensorFormat.csf(modes.size(), type).narrowedFor(sizes, entries);
    TensorFormat result = format;
    for (int level = 0; level < modes.size(); level++) {
      result =
          result.withLevelWidths(
              level, compressed.level(level).posWidth(), compressed.level(level).crdWidth());
    }
    return result;
  }

  private List<Integer> allModes() {
    return IntStream.range(0, shape.order()).boxed().toList();
  }

  private List<Integer> modesWithout(int mode) {
    return allModes().stream().filter(m -> m != mode).toList();
  }

  private static String access(String tensor, List<Integer> modes) {
    return modes.stream()
        .map(RowStatement::variable)
        .collect(Collectors.joining(",", tensor + "(", ")"));
  }
}
