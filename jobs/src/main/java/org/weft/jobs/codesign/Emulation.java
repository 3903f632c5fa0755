package org.weft.jobs.codesign;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.Directive;
import org.weft.compiler.GemmTiles;
import org.weft.compiler.Schedule;
import org.weft.compiler.TensorCompiler;
import org.weft.compiler.algebra.TensorAssignment;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.eval.BoundStatement;
import org.weft.compiler.eval.Evaluator;
import org.weft.compiler.eval.StatementInput;
import org.weft.compiler.lower.panel.Contraction;
import org.weft.jobs.bench.RandomStatement;
import org.weft.memory.MemoryScope;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * Contractions around accelerators that only wait, on one thread of this machine (COMET's dense
 * paper, section 7): packing, loops and writing are real, and where the micro-kernel would be the
 * thread waits as long as the design takes for its tile. What is written is not the product.
 */
public final class Emulation implements AutoCloseable {
  /** Cells of the largest tile that is emulated: 128 MB. */
  private static final double MOST_CELLS = 1 << 24;

  /** A first run that takes less is not counted: it finds caches and pages cold. */
  private static final double SHORT_SECONDS = 0.5;

  /**
   * Rows and columns of tiles of one cell that calibrate the counter: about 1 ms, least of many.
   */
  private static final long CALIBRATION_SIDE = 24;

  private static final int CALIBRATION_RUNS = 150;

  private static final long SEED = 1;

  private final TensorCompiler compiler;
  private final Evaluator evaluator;
  private final MemoryScope scope;
  private final int rounds;
  private final DelayClock clock;
  private final double around;
  private final Set<String> notes = new TreeSet<>();

  /**
   * Calibrates the waits, which takes a fraction of a second.
   *
   * @param options of the kernels; none is kept on disk, since their waits are of this process
   * @param scope owner of operands and results
   * @param rounds of which the median counts
   */
  public Emulation(CompilerOptions options, MemoryScope scope, int rounds) {
    this.compiler =
        TensorCompiler.create(
            CompilerOptions.forThisHost()
                .withCpu(options.cpu())
                .withOptimisation(options.optimisation()));
    this.evaluator = new Evaluator(compiler, 1);
    this.scope = scope;
    this.rounds = rounds;
    this.around = secondsOfPass(0);
    this.clock = DelayClock.calibrated(around, this::secondsOfPass);
  }

  /** Seconds of a tile of one cell with a wait, and of what is around it. */
  private double secondsOfPass(long ticks) {
    Map<String, Long> sizes = Map.of("i", CALIBRATION_SIDE, "j", CALIBRATION_SIDE, "k", 1L);
    RandomStatement statement = RandomStatement.of("", "C(i,j)=A(i,k)*B(k,j)", sizes, Map.of());
    GemmTiles tiles = new GemmTiles(1, 1, 1, CALIBRATION_SIDE, CALIBRATION_SIDE);
    Schedule schedule = new Schedule(List.of(new Directive.Emulate("j", tiles, 1, ticks)));
    double least = Double.MAX_VALUE;
    try (MemoryScope owner = scope.child("calibration");
        Tensors tensors = new Tensors(statement, owner);
        BoundStatement bound = tensors.bind(schedule)) {
      for (int run = 0; run < CALIBRATION_RUNS; run++) {
        least = Math.min(least, seconds(bound));
      }
    }
    return least / (CALIBRATION_SIDE * CALIBRATION_SIDE);
  }

  private static double seconds(BoundStatement bound) {
    long start = System.nanoTime();
    bound.run();
    return (System.nanoTime() - start) * 1e-9;
  }

  /** Operands and result of one contraction. */
  private final class Tensors implements AutoCloseable {
    private final RandomStatement statement;
    private final Map<String, TensorStorage> operands;
    private final TensorStorage result;

    Tensors(RandomStatement statement, MemoryScope owner) {
      this.statement = statement;
      this.operands = statement.operands(owner, ValueType.DOUBLE, SEED);
      this.result = TensorStorage.dense(owner, shape(), ValueType.DOUBLE);
    }

    private TensorShape shape() {
      return MatrixProduct.algebra(statement).resultShape();
    }

    BoundStatement bind(Schedule schedule) {
      TensorFormat format = TensorFormat.dense(result.shape().order(), ValueType.DOUBLE);
      StatementInput input =
          StatementInput.of(statement.statement(), operands, format).withSchedule(schedule);
      return evaluator.prepare(input).bind(result, operands);
    }

    /** The scope frees the tensors. */
    @Override
    public void close() {}
  }

  /**
   * Measured seconds of one call.
   *
   * @param designs for each design; NaN where it cannot be emulated
   * @param own of this machine's own kernel on one thread
   */
  public record Times(List<Double> designs, double own) {
    public Times {
      designs = List.copyOf(designs);
    }
  }

  /** Measures {@code product} with every design and with the kernel of this machine, in turns. */
  public Times measure(MatrixProduct product, List<Design> designs) {
    List<BoundStatement> bound = new ArrayList<>();
    try (MemoryScope owner = scope.child("contraction");
        Tensors tensors = new Tensors(product.statement(), owner)) {
      try {
        Map<Integer, Integer> place = new HashMap<>();
        for (int at = 0; at < designs.size(); at++) {
          if (isPossible(designs.get(at))) {
            place.put(at, bound.size());
            bound.add(tensors.bind(schedule(product, designs.get(at))));
          }
        }
        bound.add(tensors.bind(Schedule.parallel()));
        double[] medians = medians(bound);
        List<Double> seconds = new ArrayList<>();
        for (int at = 0; at < designs.size(); at++) {
          Integer number = place.get(at);
          seconds.add(number == null ? Double.NaN : medians[number]);
        }
        return new Times(seconds, medians[medians.length - 1]);
      } finally {
        bound.forEach(BoundStatement::close);
      }
    }
  }

  private double[] medians(List<BoundStatement> bound) {
    double[][] samples = new double[bound.size()][rounds];
    boolean[] counted = new boolean[bound.size()];
    for (int number = 0; number < bound.size(); number++) {
      samples[number][0] = seconds(bound.get(number));
      counted[number] = samples[number][0] >= SHORT_SECONDS;
    }
    for (int round = 0; round < rounds; round++) {
      for (int number = 0; number < bound.size(); number++) {
        if (round > 0 || !counted[number]) {
          samples[number][round] = seconds(bound.get(number));
        }
      }
    }
    return Arrays.stream(samples).mapToDouble(Emulation::median).toArray();
  }

  private static double median(double[] samples) {
    double[] sorted = samples.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  private boolean isPossible(Design design) {
    if (!clock.reaches(design.tileSeconds())) {
      notes.add(
          String.format(
              Locale.ROOT,
              "%s is not emulated: a tile takes %.3g ns, and the shortest wait here takes %.3g",
              design.name(),
              design.tileSeconds() * 1e9,
              clock.leastSeconds() * 1e9));
      return false;
    }
    double most =
        Math.max(
            (double) design.m() * design.n(),
            Math.max((double) design.m() * design.k(), (double) design.n() * design.k()));
    if (most > MOST_CELLS) {
      notes.add(design.name() + " is not emulated: one of its tiles has more than 2^24 cells");
      return false;
    }
    return true;
  }

  /** The design's rows are labels of the left operand, whichever operand the lanes run along. */
  private Schedule schedule(MatrixProduct product, Design design) {
    TensorAssignment algebra = MatrixProduct.algebra(product.statement()).assignment();
    Contraction contraction = Contraction.of(algebra).orElseThrow();
    TensorExpr.Access left = algebra.value().accesses().get(0);
    boolean leftIsWide = contraction.across().id() == left.id();
    GemmTiles tiles =
        GemmTiles.around(
            leftIsWide ? design.m() : design.n(),
            leftIsWide ? design.n() : design.m(),
            design.k(),
            Double.BYTES);
    String divided =
        (contraction.wide().isEmpty() ? contraction.high() : contraction.wide()).get(0).name();
    long ticks = clock.ticks(design.tileSeconds());
    return new Schedule(List.of(new Directive.Emulate(divided, tiles, design.k(), ticks)));
  }

  /** How the figures were made, one sentence each. */
  public List<String> notes(List<Design> designs) {
    List<String> all = new ArrayList<>();
    all.add(
        "emulated: on one thread of this machine operands were packed and tiles written; in the"
            + " place of the micro-kernel the thread waited. What was written is not the product");
    all.add(
        "a tile stays in the accelerator over the terms of a block, and is written once for each;"
            + " panels are as wide as the design's tile");
    all.add(
        String.format(
            Locale.ROOT,
            "waits were counted by the time-stamp counter, %.4g GHz by the clock of this process;"
                + " the shortest takes %.3g ns",
            clock.ticksPerSecond() * 1e-9,
            clock.leastSeconds() * 1e9));
    for (Design design : designs) {
      if (isPossible(design)) {
        double wanted = design.tileSeconds();
        double took = secondsOfPass(clock.ticks(wanted)) - around;
        all.add(
            String.format(
                Locale.ROOT,
                "%s: a wait of %.4g ns took %.4g on average",
                design.name(),
                wanted * 1e9,
                took * 1e9));
      }
    }
    all.addAll(notes);
    return all;
  }

  @Override
  public void close() {
    compiler.close();
  }
}
