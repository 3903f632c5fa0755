package org.weft.compiler.lower.panel;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.Directive;
import org.weft.compiler.GemmTiles;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.Operator;
import org.weft.compiler.algebra.TensorAssignment;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.level.Code;
import org.weft.compiler.loop.Buffer;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.LoopTraits;
import org.weft.compiler.loop.LoopVariable;
import org.weft.compiler.loop.ScalarType;
import org.weft.compiler.loop.Stmt;
import org.weft.compiler.lower.operand.Block;
import org.weft.compiler.lower.operand.Fold;
import org.weft.compiler.lower.operand.KernelTensors;
import org.weft.compiler.lower.operand.Values;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.ElementType;

/**
 * A contraction of dense tensors as the loops of Goto and van de Geijn, without transposed copies
 * (Springer and Bientinesi, arXiv 1607.00145, GETT): packing reads any strides, and tiles are
 * written where they belong.
 *
 * <pre>
 * for blocks of the shared side                     fits the third cache
 *   for blocks of terms
 *     parallel for panels of the shared side: pack
 *     parallel for blocks of the divided side       fits the second cache
 *       pack
 *       for panels of the high side                 fits the first cache
 *         for panels of the wide side
 *           micro-kernel over the terms             a tile in registers
 * </pre>
 */
public final class GemmLoops {
  /** Tasks that the runtime makes of more work than any, for each thread. */
  private static final long TASKS_PER_THREAD = 32;

  /** Threads rarely run equally fast. */
  private static final long PARTS_PER_THREAD = 8;

  /** Cells of as many terms take longer to compute than memory takes to be read and written. */
  private static final long STREAMED_TERMS = 256;

  private final Contraction contraction;
  private final KernelTensors tensors;
  private final Fold fold;
  private final boolean accumulate;
  private final Directive.Panels directive;
  private final GemmTiles tiles;
  private final boolean parallel;
  private final boolean dividesWide;
  private final ScalarType type;
  private final Code code;

  /**
   * The loops that compute {@code algebra}.
   *
   * @throws WeftException {@code INVALID_SCHEDULE} if no task can be a part of the label's side
   */
  public GemmLoops(
      TensorAssignment algebra,
      Contraction contraction,
      KernelTensors tensors,
      Directive.Panels directive,
      boolean parallel,
      Code code) {
    this.contraction = contraction;
    this.tensors = tensors;
    this.fold = Fold.of(algebra.value());
    this.accumulate = algebra.accumulate();
    this.directive = directive;
    this.tiles = directive.tiles();
    this.parallel = parallel;
    this.type = Values.typeOf(algebra);
    this.code = code;
    IndexVar divided = new IndexVar(directive.variable());
    this.dividesWide = contraction.wide().contains(divided);
    if (!dividesWide && !contraction.high().contains(divided)) {
      throw illegal(
          directive,
          algebra,
          "no label "
              + divided
              + " is shared by the result and one operand alone; name one of "
              + contraction.wide()
              + " or "
              + contraction.high());
    }
  }

  /**
   * What {@code directive} is about.
   *
   * @throws WeftException {@code INVALID_SCHEDULE} if it is no contraction of two dense tensors
   */
  public static Contraction contraction(TensorAssignment algebra, Directive.Panels directive) {
    return Contraction.of(algebra)
        .orElseThrow(
            () ->
                illegal(
                    directive,
                    algebra,
                    "it is no product of two dense tensors with a dense result of their type,"
                        + " summed over labels that both have; drop the directive"));
  }

  /**
   * The contraction with loops around it.
   *
   * @throws WeftException {@code INVALID_SCHEDULE} for labels that no loop can be around
   */
  public static Contraction around(
      TensorAssignment algebra,
      Contraction contraction,
      Directive.Panels gemm,
      Directive.Around around) {
    List<IndexVar> labels = around.variables().stream().map(IndexVar::new).toList();
    for (IndexVar label : labels) {
      boolean outer = contraction.wide().contains(label) || contraction.high().contains(label);
      if (!outer
          || label.name().equals(gemm.variable())
          || label.equals(Contraction.last(contraction.target()))) {
        throw illegal(
            around,
            algebra,
            "a loop around panels is over a label that the result shares with one operand, neither"
                + " the result's last one nor that of "
                + gemm);
      }
    }
    return contraction.around(labels);
  }

  private static WeftException illegal(
      Directive directive, TensorAssignment algebra, String reason) {
    return new WeftException(
        ErrorCode.INVALID_SCHEDULE, directive + " is illegal for " + algebra + ": " + reason);
  }

  /** The two sides, the terms, and where each batch begins. */
  private record Parts(
      PackedSide wide,
      PackedSide high,
      LabelGroup depth,
      Buffer wideTerms,
      Buffer highTerms,
      Expr most,
      TileKernel kernel) {}

  public void emit() {
    TensorExpr.Access target = contraction.target();
    TensorExpr.Access across = contraction.across();
    TensorExpr.Access down = contraction.down();
    LabelGroup batch =
        LabelGroup.of("batch", contraction.batch(), List.of(across, down, target), tensors, code);
    LabelGroup depth =
        LabelGroup.of("depth", contraction.depth(), List.of(across, down), tensors, code);
    PackedSide wide =
        side("wide", contraction.wide(), across, tiles.wide(), tiles.wideBlock(), v -> v);
    PackedSide high =
        side("high", contraction.high(), down, tiles.high(), tiles.highBlock(), this::signed);
    Expr most = code.name("most_terms", Expr.min(Expr.of(tiles.depth()), depth.size()));
    Buffer wideTerms = new Buffer(code.fresh("wide_terms"), ElementType.I64, Buffer.Kind.WORKSPACE);
    Buffer highTerms = new Buffer(code.fresh("high_terms"), ElementType.I64, Buffer.Kind.WORKSPACE);
    code.add(new Stmt.AllocateWorkspace(wideTerms, Expr.of(tiles.depth())));
    code.add(new Stmt.AllocateWorkspace(highTerms, Expr.of(tiles.depth())));
    Parts parts = new Parts(wide, high, depth, wideTerms, highTerms, most, kernel(wide, high));
    PackedSide shared = dividesWide ? high : wide;
    Expr room = Expr.min(sharedBlock(shared, code), shared.count());
    Expr sharedRoom = code.name("shared_room", room);
    shared.allocate(sharedRoom, sharedRoom, most, code);
    loop(
        "batch_at",
        batch.size(),
        LoopTraits.FEW,
        code,
        (at, each) -> {
          List<Expr> origins = new ArrayList<>();
          for (int tensor = 0; tensor < 3; tensor++) {
            origins.add(each.name("origin", batch.offset(at, tensor, each)));
          }
          blocks(parts, origins, each);
        });
    shared.free(code);
  }

  private PackedSide side(
      String name,
      List<IndexVar> labels,
      TensorExpr.Access operand,
      long width,
      long block,
      UnaryOperator<Expr> value) {
    List<TensorExpr.Access> accesses = List.of(operand, contraction.target());
    LabelGroup group = LabelGroup.of(name, labels, accesses, tensors, code);
    Buffer values = tensors.layout(operand.tensor()).vals();
    UnaryOperator<Expr> converted = loaded -> value.apply(Values.convert(loaded, type));
    boolean crossed =
        contraction.isCrossed(operand)
            || operand == contraction.across() && contraction.hasCrossedResult();
    if (directive instanceof Directive.Emulate) {
      group.keepTogether(); // an accelerator takes any tile: none is left partly empty by a run
      crossed = false;
    } else {
      group.cutRuns(width, code);
    }
    boolean inTerms = contraction.depth().contains(Contraction.last(operand));
    return new PackedSide(
        name, group, width, block, values, type, converted, crossed, inTerms, code);
  }

  private TileKernel kernel(PackedSide wide, PackedSide high) {
    Buffer result = tensors.layout(contraction.target().tensor()).vals();
    return directive instanceof Directive.Emulate unit
        ? new DelayedKernel(wide, high, unit, fold, type, result)
        : new MicroKernel(wide, high, contraction.multiply(), fold, type, result, code);
  }

  /** A number of the high operand with the literals and the sign of the statement. */
  private Expr signed(Expr value) {
    Expr product = value;
    Values values = new Values(tensors, type);
    for (TensorExpr.Literal factor : contraction.factors()) {
      product = new Expr.Binary(Expr.Op.MUL, product, values.literal(factor.value()));
    }
    return contraction.negated() ? new Expr.Negate(product) : product;
  }

  private void blocks(Parts parts, List<Expr> origins, Code outer) {
    PackedSide shared = dividesWide ? parts.high() : parts.wide();
    Expr all = shared.count();
    Expr step = sharedBlock(shared, outer);
    loop(
        "shared_block",
        outer.name("shared_blocks", divideUp(all, step)),
        LoopTraits.FEW,
        outer,
        (block, body) -> {
          Expr from = body.name("shared_from", Expr.mul(block, step));
          Expr size = body.name("shared_size", Expr.min(step, Expr.sub(all, from)));
          shared.locate(from, size, body);
          terms(parts, size, origins, body);
        });
  }

  /** Panels of a block of the shared side. */
  private static Expr sharedBlock(PackedSide shared, Code outer) {
    Expr unit = shared.unit(outer);
    Expr units = Expr.binary(Expr.Op.DIV, shared.most(), unit);
    return outer.name("shared_step", Expr.mul(Expr.binary(Expr.Op.MAX, units, Expr.of(1)), unit));
  }

  private static Expr divideUp(Expr value, Expr divisor) {
    return Expr.binary(Expr.Op.DIV, Expr.sub(Expr.add(value, divisor), Expr.of(1)), divisor);
  }

  private void terms(Parts parts, Expr sharedSize, List<Expr> origins, Code outer) {
    Expr all = parts.depth().size();
    Expr step = Expr.of(tiles.depth());
    // Without terms, one block of none writes what a sum of nothing is.
    Expr blocks = Block.divideUp(Expr.binary(Expr.Op.MAX, all, Expr.of(1)), tiles.depth());
    loop(
        "depth_block",
        outer.name("depth_blocks", blocks),
        LoopTraits.FEW,
        outer,
        (block, body) -> {
          Expr from = body.name("depth_from", Expr.mul(block, step));
          Expr size = body.name("depth_size", Expr.min(step, Expr.sub(all, from)));
          Code some = body.nested();
          List<Buffer> tables = List.of(parts.wideTerms(), parts.highTerms());
          parts.depth().fill(tables, Expr.of(0), from, size, size, some);
          body.when(Expr.lessThan(Expr.of(0), size), some);
          Expr first = accumulate ? null : Expr.equal(block, Expr.of(0));
          packShared(parts, sharedSize, size, origins, body);
          divided(parts, sharedSize, size, first, around(parts, all, body), origins, body);
        });
  }

  /**
   * Whether a result that caches do not hold goes around them: the terms of its cells are added at
   * once, and its rows are whole lines, as are those of tiles. Null if never.
   */
  private @Nullable Expr around(Parts parts, Expr terms, Code code) {
    IndexVar last = Contraction.last(contraction.target());
    long bytes = KernelTensors.elementOf(type).bytes();
    long line = Stmt.StreamLine.BYTES / bytes;
    if (accumulate
        || directive instanceof Directive.Emulate
        || tiles.depth() >= STREAMED_TERMS
        || parts.wide().width() % line != 0
        || last == null) {
      return null;
    }
    Expr wide = Expr.mul(parts.wide().count(), Expr.of(parts.wide().width()));
    Expr high = Expr.mul(parts.high().count(), Expr.of(parts.high().width()));
    Expr large = Expr.lessThan(Expr.of(Transposition.STREAMED_BYTES / bytes), Expr.mul(wide, high));
    Expr once = Expr.binary(Expr.Op.LE, terms, Expr.of(tiles.depth()));
    Expr rest = Expr.binary(Expr.Op.REM, tensors.size(last), Expr.of(line));
    Buffer result = tensors.layout(contraction.target().tensor()).vals();
    Expr lead = new Expr.ToLine(result, Expr.of(0));
    Expr whole = Expr.equal(Expr.add(rest, lead), Expr.of(0));
    return code.name("around", Expr.and(Expr.and(large, once), whole));
  }

  private void packShared(Parts parts, Expr size, Expr depth, List<Expr> origins, Code body) {
    PackedSide shared = dividesWide ? parts.high() : parts.wide();
    Expr origin = origins.get(dividesWide ? 1 : 0);
    Buffer terms = dividesWide ? parts.highTerms() : parts.wideTerms();
    loop(
        "shared_panel",
        size,
        traits(),
        body,
        (panel, each) -> shared.copy(false).pack(panel, origin, terms, depth, each));
  }

  private LoopTraits traits() {
    return parallel ? LoopTraits.PARALLEL : LoopTraits.SERIAL;
  }

  /** The blocks of the side that tasks divide; each packs its own. */
  private void divided(
      Parts parts,
      Expr sharedSize,
      Expr depth,
      @Nullable Expr first,
      @Nullable Expr around,
      List<Expr> origins,
      Code outer) {
    PackedSide divided = dividesWide ? parts.wide() : parts.high();
    Expr origin = origins.get(dividesWide ? 0 : 1);
    Buffer terms = dividesWide ? parts.wideTerms() : parts.highTerms();
    Expr all = divided.count();
    Expr unit = divided.unit(outer);
    Expr units = outer.name("units", divideUp(all, unit));
    Expr blocks = outer.name("blocks", blocksOf(units, unit, divided.most(), outer));
    Expr most = Expr.mul(divideUp(units, Expr.binary(Expr.Op.MAX, blocks, Expr.of(1))), unit);
    Expr room = outer.name("room", Expr.min(most, all));
    Expr start = start(depth, outer);
    boolean streams =
        directive instanceof Directive.Gemm
            && tiles.isStreaming(dividesWide, divided.panels().element().bytes());
    Expr tasks = outer.name("parts", Expr.min(blocks, parts(outer)));
    loop(
        "part",
        tasks,
        traits(),
        outer,
        (part, task) -> {
          Expr located = streams ? Expr.add(room, room) : room;
          divided.allocate(room, located, parts.most(), task);
          parts.kernel().allocate(task);
          Expr begin = share(part, blocks, tasks);
          Expr end = share(Expr.add(part, Expr.of(1)), blocks, tasks);
          LoopVariable block = LoopVariable.integer(task.fresh("block_at"));
          Code body = task.nested();
          Expr after = Expr.add(Expr.of(block), Expr.of(1));
          Expr from = body.name("from", Expr.mul(share(Expr.of(block), units, blocks), unit));
          Expr to = Expr.min(Expr.mul(share(after, units, blocks), unit), all);
          Expr size = body.name("size", Expr.sub(to, from));
          Expr later = share(Expr.add(after, Expr.of(1)), units, blocks);
          Expr beyond = Expr.min(Expr.mul(later, unit), all);
          Expr known = streams ? new Expr.Select(Expr.lessThan(after, end), beyond, to) : to;
          Expr next = body.name("next_size", Expr.sub(known, to));
          divided.locate(from, Expr.add(size, next), body);
          divided.copy(streams).packAll(size, origin, terms, depth, body);
          Expr wideSize = dividesWide ? size : sharedSize;
          Expr highSize = dividesWide ? sharedSize : size;
          Ahead ahead =
              (panel, tile, each) ->
                  streams ? divided.ahead(panel, tile, size, next, origin, terms, each) : null;
          tiles(
              parts, wideSize, highSize, depth, start, first, around, ahead, origins.get(2), body);
          task.add(new Stmt.For(block, begin, end, body.block(), LoopTraits.SERIAL));
          if (around != null) {
            Code drain = task.nested();
            drain.add(new Stmt.Drain());
            task.when(around, drain);
          }
          parts.kernel().free(task);
          divided.free(task);
        });
  }

  /** Into how many tasks the blocks are divided, each with room of its own for one block. */
  private Expr parts(Code outer) {
    return parallel ? Expr.mul(threads(outer), Expr.of(PARTS_PER_THREAD)) : Expr.of(1);
  }

  private Expr threads(Code outer) {
    Expr tasks = outer.name("all_tasks", new Expr.Tasks(Expr.of(Integer.MAX_VALUE)));
    return outer.name("threads", Block.divideUp(tasks, TASKS_PER_THREAD));
  }

  /**
   * Into how many blocks the units are divided, each of which a cache has room for: the same number
   * for all threads, whose blocks then differ by one unit at most.
   */
  private Expr blocksOf(Expr units, Expr unit, Expr panels, Code outer) {
    Expr most = outer.name("most_units", Expr.binary(Expr.Op.DIV, panels, unit));
    Expr blocks = divideUp(units, Expr.binary(Expr.Op.MAX, most, Expr.of(1)));
    if (parallel) {
      Expr threads = threads(outer);
      blocks = Expr.mul(divideUp(blocks, threads), threads);
    }
    return Expr.min(blocks, units);
  }

  /** Where share {@code number} of {@code shares} equal ones of {@code all} begins. */
  private static Expr share(Expr number, Expr all, Expr shares) {
    return Expr.binary(Expr.Op.DIV, Expr.mul(number, all), shares);
  }

  /** What cells hold before the first term; a reduction of no terms is 0. */
  private Expr start(Expr depth, Code outer) {
    Expr identity = fold.identity(type);
    if (fold.operator() == Operator.PLUS) {
      return identity;
    }
    Expr none = Expr.equal(depth, Expr.of(0));
    Expr zero = new Values(tensors, type).zero();
    return outer.name("start", new Expr.Select(none, zero, identity));
  }

  private void tiles(
      Parts parts,
      Expr wideSize,
      Expr highSize,
      Expr depth,
      Expr start,
      @Nullable Expr first,
      @Nullable Expr around,
      Ahead ahead,
      Expr origin,
      Code body) {
    PackedSide wide = parts.wide();
    PackedSide high = parts.high();
    loop(
        "high_panel",
        highSize,
        LoopTraits.SERIAL,
        body,
        (highPanel, rows) -> {
          Expr highAt = rows.name("high_from", Expr.mul(highPanel, Expr.of(high.width())));
          Expr inUse = rows.name("rows", high.lanes(highPanel));
          loop(
              "wide_panel",
              wideSize,
              LoopTraits.SERIAL,
              rows,
              (widePanel, each) -> {
                Expr wideAt = each.name("wide_from", Expr.mul(widePanel, Expr.of(wide.width())));
                PackedSide.@Nullable Ahead next =
                    dividesWide
                        ? ahead.of(widePanel, highPanel, each)
                        : ahead.of(highPanel, widePanel, each);
                Code tile = each.nested();
                TileKernel.Place place =
                    new TileKernel.Place(widePanel, highPanel, wideAt, highAt, inUse, around, next);
                parts.kernel().emit(place, origin, depth, start, first, tile);
                each.when(Expr.lessThan(Expr.of(0), wide.lanes(widePanel)), tile);
                parts.kernel().flush(place, origin, first, each);
              });
        });
  }

  /**
   * What a tile asks for ahead, by the numbers of its panels of the divided and the shared side.
   */
  private interface Ahead {
    PackedSide.@Nullable Ahead of(Expr panel, Expr tile, Code code);
  }

  private interface Body {
    void emit(Expr counter, Code body);
  }

  private static void loop(String name, Expr count, LoopTraits traits, Code code, Body body) {
    LoopVariable counter = LoopVariable.integer(code.fresh(name));
    Code inside = code.nested();
    body.emit(Expr.of(counter), inside);
    code.add(new Stmt.For(counter, Expr.of(0), count, inside.block(), traits));
  }
}
