package org.weft.compiler.eval;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.weft.compiler.Directive;
import org.weft.compiler.GemmTiles;
import org.weft.compiler.Schedule;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorAssignment;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.loop.Stmt;
import org.weft.compiler.lower.panel.Contraction;

/**
 * Ways to compute a product of two dense tensors that is worth packing, each with a predicted time:
 * packed panels of the tensors as they are (GETT), transposed copies and one product of matrices
 * (TTGT), a loop over products of matrices (loop over GEMM), and plain loops.
 *
 * <p>Times are for one core of a nominal machine: what counts is their order. A model of the bytes
 * that packing, transposing and writing move, and of the cells of incomplete tiles, after Springer
 * and Bientinesi (arXiv 1607.00145).
 */
record DenseCandidates(Contraction contraction, Estimates estimates, int vectorBits, int bytes) {
  /** Cycles a second of the nominal core, which starts two multiply-additions in each. */
  private static final double CLOCK = 3e9;

  private static final double FLOPS_PER_LANE = 4;

  /** Share of the arithmetic that a tile in registers reaches, and that plain loops reach. */
  private static final double IN_PANELS = 0.9;

  private static final double IN_LOOPS = 0.08;

  /** Bytes a second that one core reads and writes in memory, and in caches. */
  private static final double IN_MEMORY = 12e9;

  private static final double IN_CACHES = 40e9;

  /** Bytes of all tensors that caches hold. */
  private static final double CACHED = 16 << 20;

  /** Values of a line; shorter runs use a part of each line. */
  private static final double LINE = 8;

  /** How many times its bytes a tensor takes whose neighbours are counts of successive runs. */
  private static final double CROSSED = 1.5;

  /** The same for one that is read in single lines, a line here and a line there. */
  private static final double SHORT_ROWS = 3;

  /** Seconds of a pass of the loop around a product of matrices. */
  private static final double PASS = 2e-6;

  /** Panels are left only for what is predicted to be clearly faster. */
  private static final double WORTH_LEAVING = 0.8;

  /**
   * One way.
   *
   * @param name for people
   * @param seconds predicted, on one core
   * @param lanes the label of the vector lanes, if it is not the result's last
   * @param around labels of the loop around the panels, mostly none
   * @param transposed the tensors that are copied with their labels in another order
   * @param panels whether the product runs over packed panels
   */
  record Candidate(
      String name,
      double seconds,
      Optional<IndexVar> lanes,
      List<IndexVar> around,
      List<TensorExpr.Access> transposed,
      boolean panels) {
    @Override
    public String toString() {
      return String.format(Locale.ROOT, "%-42s %10.3g ms", name, seconds * 1e3);
    }
  }

  /**
   * How one is chosen.
   *
   * @param vectorBits of the registers that kernels are compiled for
   * @param preference applied to the candidates, the fastest first
   */
  record Choice(int vectorBits, UnaryOperator<List<Candidate>> preference) {
    /** The candidates, the one to take first; empty where panels do not pay. */
    List<Candidate> of(TensorAssignment assignment, Estimates estimates) {
      List<Candidate> ways = DenseCandidates.of(assignment, estimates, vectorBits);
      return ways.isEmpty() ? ways : preference.apply(ways);
    }
  }

  private static List<Candidate> of(
      TensorAssignment assignment, Estimates estimates, int vectorBits) {
    int bytes = assignment.type().elementType().bytes();
    return Contraction.of(assignment)
        .filter(found -> PanelChoice.pays(found, estimates))
        .map(
            found ->
                new DenseCandidates(found, estimates, vectorBits, bytes)
                    .all(!assignment.accumulate()))
        .orElse(List.of());
  }

  private List<Candidate> all(boolean copies) {
    Candidate panels =
        new Candidate(
            "packed panels",
            panels(contraction, true),
            Optional.empty(),
            List.of(),
            List.of(),
            true);
    List<Candidate> others = new ArrayList<>(List.of(loops()));
    contraction.otherLanes().flatMap(this::inLanes).ifPresent(others::add);
    List<TensorExpr.Access> turned = copies ? turned() : List.of();
    if (!turned.isEmpty()) {
      String names =
          turned.stream().map(access -> access.tensor().name()).collect(Collectors.joining(", "));
      double copying =
          turned.stream().mapToDouble(access -> 2 * bytes(access.variables()) / rate()).sum();
      others.add(
          new Candidate(
              "transposed " + names + ", then packed panels",
              copying + panels(contraction, false),
              Optional.empty(),
              List.of(),
              turned,
              true));
    }
    around().forEach(label -> others.add(looped(label)));
    others.sort(Comparator.comparingDouble(Candidate::seconds));
    List<Candidate> ordered = new ArrayList<>();
    others.stream()
        .filter(Candidate::panels) // whether loops are better was measured, see PanelChoice
        .filter(other -> other.seconds() < WORTH_LEAVING * panels.seconds())
        .forEach(ordered::add);
    ordered.add(panels);
    others.stream().filter(other -> !ordered.contains(other)).forEach(ordered::add);
    return List.copyOf(ordered);
  }

  /** The candidates for people: predicted times, and why the first is taken. */
  static String explain(List<Candidate> candidates) {
    Candidate best = candidates.get(0);
    boolean close =
        candidates.stream().anyMatch(way -> way.panels() && way.seconds() < best.seconds());
    String left = close ? "; another way has to save a fifth" : "";
    return IntStream.range(0, candidates.size())
        .mapToObj(
            at ->
                "  "
                    + candidates.get(at)
                    + (at == 0
                        ? "  taken: " + (best.panels() ? reason(best) + left : "too little to pack")
                        : "")
                    + "\n")
        .collect(Collectors.joining());
  }

  private static String reason(Candidate best) {
    if (!best.transposed().isEmpty()) {
      return "the copies cost less than packing scattered numbers";
    }
    if (best.lanes().isPresent()) {
      return "reads the larger tensor as it lies, and turns the result";
    }
    return best.around().isEmpty()
        ? "reads any order of labels, copies no tensor"
        : "each product reads and writes neighbours";
  }

  private Candidate loops() {
    double seconds = flops() / (IN_LOOPS * peak());
    return new Candidate("plain loops", seconds, Optional.empty(), List.of(), List.of(), false);
  }

  private double flops() {
    return 2
        * estimates.cells(contraction.wide())
        * estimates.cells(contraction.high())
        * estimates.cells(contraction.depth())
        * estimates.cells(contraction.batch());
  }

  private double peak() {
    return CLOCK * FLOPS_PER_LANE * vectorBits / 8 / bytes;
  }

  private double rate() {
    double all =
        bytes(contraction.across().variables())
            + bytes(contraction.down().variables())
            + bytes(contraction.target().variables());
    return all < CACHED ? IN_CACHES : IN_MEMORY;
  }

  private double bytes(List<IndexVar> labels) {
    return bytes * estimates.cells(labels);
  }

  /**
   * Seconds of panels.
   *
   * @param asStored whether tensors lie as the statement has them, or as matrices
   */
  private double panels(Contraction product, boolean asStored) {
    List<IndexVar> runLabels = asStored ? PanelChoice.run(product) : product.wide();
    double run = estimates.cells(runLabels);
    double wide = estimates.cells(product.wide());
    double high = estimates.cells(product.high());
    double depth = estimates.cells(product.depth());
    double batch = estimates.cells(product.batch());
    GemmTiles tiles = GemmTiles.of(vectorBits, bytes, (long) run, (long) depth);
    double counted = run < tiles.wide() ? wide : run; // short runs are one
    double padded = up(counted, tiles.wide()) / counted * up(high, tiles.high()) / high;
    double compute = 2 * wide * high * depth * padded / (IN_PANELS * peak());
    boolean dividesWide = product.wide().contains(PanelChoice.divided(product, estimates, tiles));
    double shared = dividesWide ? high : wide;
    double block = dividesWide ? tiles.highBlock() : tiles.wideBlock();
    double passes = Math.ceil(shared / block);
    double packWide = 2 * wide * depth * bytes * (dividesWide ? passes : 1);
    double packHigh = 2 * high * depth * bytes * (dividesWide ? 1 : passes);
    double visits = 2 * Math.ceil(depth / tiles.depth());
    double written = visits * wide * high * bytes;
    if (asStored) {
      packWide *= scatter(product, product.across(), product.wide());
      boolean shortRows = tiles.wide() * bytes < 2 * Stmt.StreamLine.BYTES;
      packWide *= product.hasCrossedResult() && shortRows ? SHORT_ROWS : 1;
      packHigh *= scatter(product, product.down(), product.high());
      written *= product.hasCrossedResult() ? CROSSED : Math.max(1, LINE / run);
    }
    return batch * (compute + (packWide + packHigh + written) / rate());
  }

  /** How many times its bytes an operand takes where its neighbours are not packed together. */
  private static double scatter(
      Contraction product, TensorExpr.Access operand, List<IndexVar> labels) {
    IndexVar last = Contraction.last(operand);
    boolean near = product.depth().contains(last) || labels.indexOf(last) == labels.size() - 1;
    return near ? 1 : product.isCrossed(operand) ? CROSSED : 2;
  }

  private static double up(double size, double step) {
    return Math.ceil(size / step) * step;
  }

  /** The tensors that are no matrices as they are stored. */
  private List<TensorExpr.Access> turned() {
    List<TensorExpr.Access> turned = new ArrayList<>();
    if (!contraction.batch().isEmpty()) {
      return turned;
    }
    List<IndexVar> wide = contraction.wide();
    List<IndexVar> high = contraction.high();
    List<IndexVar> depth = contraction.depth();
    for (TensorExpr.Access access :
        List.of(contraction.across(), contraction.down(), contraction.target())) {
      List<IndexVar> stored = Contraction.stored(access);
      boolean operand = access != contraction.target();
      List<IndexVar> one = access == contraction.down() ? high : wide;
      List<IndexVar> other = operand ? depth : high;
      if (!isMatrix(stored, one, other)) {
        turned.add(access);
      }
    }
    return turned;
  }

  private static boolean isMatrix(List<IndexVar> stored, List<IndexVar> one, List<IndexVar> other) {
    List<IndexVar> rows = new ArrayList<>(other);
    rows.addAll(one);
    List<IndexVar> columns = new ArrayList<>(one);
    columns.addAll(other);
    return stored.equals(rows) || stored.equals(columns);
  }

  /** Labels that a loop around products of matrices may have: not that of the vector lanes. */
  private List<IndexVar> around() {
    List<IndexVar> labels = new ArrayList<>();
    if (contraction.wide().size() + contraction.high().size() > 2) {
      IndexVar last = Contraction.last(contraction.target());
      contraction.wide().stream().filter(label -> !label.equals(last)).forEach(labels::add);
      if (contraction.high().size() > 1) {
        labels.addAll(contraction.high());
      }
    }
    return labels;
  }

  private Candidate looped(IndexVar label) {
    Contraction inside = contraction.around(List.of(label));
    double seconds = panels(inside, true) + estimates.cells(List.of(label)) * PASS;
    return new Candidate(
        "a loop over " + label + " around packed panels",
        seconds,
        Optional.empty(),
        List.of(label),
        List.of(),
        true);
  }

  /** Panels along {@code label}: only where a cell of the result is written once, as it is slow. */
  private Optional<Candidate> inLanes(IndexVar label) {
    Contraction product = contraction.withLanes(label);
    double run = estimates.cells(List.of(label));
    double depth = estimates.cells(product.depth());
    GemmTiles tiles = GemmTiles.of(vectorBits, bytes, (long) run, (long) depth);
    if (run < tiles.wide() || depth > tiles.depth()) {
      return Optional.empty();
    }
    String name = "packed panels with lanes along " + label;
    double seconds = panels(product, true);
    return Optional.of(
        new Candidate(name, seconds, Optional.of(label), List.of(), List.of(), true));
  }

  /** The schedule of panels for {@code product}. */
  static Schedule schedule(
      Schedule usual,
      Contraction product,
      Candidate candidate,
      Estimates estimates,
      int vectorBits,
      int bytes) {
    Directive.Gemm gemm = PanelChoice.directive(product, estimates, vectorBits, bytes);
    Schedule panels = usual.with(gemm);
    if (candidate.lanes().isPresent()) {
      return panels.with(new Directive.Vector(candidate.lanes().get().name()));
    } else if (candidate.around().isEmpty()) {
      return panels;
    }
    List<String> loops = candidate.around().stream().map(IndexVar::name).toList();
    return panels.with(new Directive.Around(loops));
  }
}
