package org.weft.compiler.eval;

import java.util.List;
import org.weft.compiler.Directive;
import org.weft.compiler.GemmTiles;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.lower.panel.Contraction;

/**
 * Which contractions of dense tensors run over packed panels: those with enough work for each
 * number that is packed.
 */
final class PanelChoice {
  /** Multiplications below which packing and tasks cost more than they save. */
  static final double LEAST_WORK = 1 << 18;

  /** The same for each batch, which is packed on its own. */
  private static final double LEAST_BATCH = 1 << 15;

  /** Of the cells of each side, and of the sum. */
  static final double LEAST_SIDE = 4;

  private PanelChoice() {}

  /**
   * The directive for {@code contraction}.
   *
   * @param vectorBits of the registers that kernels are compiled for
   * @param bytes of a value
   */
  static Directive.Gemm directive(
      Contraction contraction, Estimates estimates, int vectorBits, int bytes) {
    long run = (long) estimates.cells(run(contraction));
    long terms = (long) estimates.cells(contraction.depth());
    GemmTiles tiles = GemmTiles.of(vectorBits, bytes, run, terms);
    IndexVar divided = divided(contraction, estimates, tiles);
    boolean dividesWide = contraction.wide().contains(divided);
    TensorExpr.Access operand = dividesWide ? contraction.across() : contraction.down();
    if (!contraction.isCrossed(operand)) {
      double shared = estimates.cells(dividesWide ? contraction.high() : contraction.wide());
      tiles = tiles.streaming(dividesWide, shared, bytes);
    }
    return new Directive.Gemm(divided.name(), tiles);
  }

  /** Whether a contraction has enough work for panels. */
  static boolean pays(Contraction contraction, Estimates estimates) {
    double wide = estimates.cells(contraction.wide());
    double high = estimates.cells(contraction.high());
    double depth = estimates.cells(contraction.depth());
    double batch = estimates.cells(contraction.batch());
    double each = wide * high * depth;
    IndexVar last = Contraction.last(contraction.target());
    return each * batch >= LEAST_WORK
        && each >= LEAST_BATCH
        && wide >= LEAST_SIDE
        && high >= LEAST_SIDE
        && depth >= LEAST_SIDE
        && contraction.wide().contains(last);
  }

  /** The labels of the wide side along which both the result and the operand have neighbours. */
  static List<IndexVar> run(Contraction contraction) {
    List<IndexVar> wide = contraction.wide();
    List<IndexVar> across = Contraction.stored(contraction.across());
    List<IndexVar> target = Contraction.stored(contraction.target());
    int first = wide.size() - 1;
    while (first > 0
        && across.indexOf(wide.get(first - 1)) + 1 == across.indexOf(wide.get(first))
        && target.indexOf(wide.get(first - 1)) + 1 == target.indexOf(wide.get(first))) {
      first--;
    }
    return wide.subList(first, wide.size());
  }

  /**
   * The wide side, whose blocks the second cache holds, unless it is short: then tasks divide the
   * high one, and every task passes over the whole of the other.
   */
  static IndexVar divided(Contraction contraction, Estimates estimates, GemmTiles tiles) {
    double wide = estimates.cells(contraction.wide());
    double high = estimates.cells(contraction.high());
    boolean isShort = wide <= 2 * tiles.wideBlock() && wide < high;
    return isShort ? contraction.high().get(0) : contraction.wide().get(0);
  }
}
