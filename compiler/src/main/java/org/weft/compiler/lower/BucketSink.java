package org.weft.compiler.lower;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.level.Code;
import org.weft.compiler.level.Level;
import org.weft.compiler.loop.Buffer;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.LoopTraits;
import org.weft.compiler.loop.LoopVariable;
import org.weft.compiler.loop.Stmt;
import org.weft.tensor.LevelSpec;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.Width;
import org.weft.tensor.level.LevelCapability;

/**
 * Assembles a result of random-access levels above one appended group, such as CSR or CSC, from
 * values that come in any order of the upper levels: counting sort. The expression is walked twice.
 * The first pass counts the entries of every bucket, that is of every position of the last upper
 * level; the sums of the counts are the {@code pos} array; the second pass places each entry at the
 * next free position of its bucket.
 *
 * <p>While the passes run, {@code pos} is one element longer than in the end and counts one bucket
 * ahead: the second pass turns the start of a bucket into its end, which is where {@code pos} needs
 * it. Correct when each cell is put once and the cells of one bucket come in order.
 */
final class BucketSink implements Sink {
  /** The two walks over the expression. */
  private enum Pass {
    COUNT,
    PLACE
  }

  private final Pass pass;
  private final TensorExpr.Access access;
  private final TensorLayout layout;
  private final int first;
  private final LoopVariable entries;
  private final boolean settled;

  private BucketSink(
      Pass pass,
      TensorExpr.Access access,
      TensorLayout layout,
      int first,
      LoopVariable entries,
      boolean settled) {
    this.pass = pass;
    this.access = access;
    this.layout = layout;
    this.first = first;
    this.entries = entries;
    this.settled = settled;
  }

  /**
   * The first level of the one appended group of a format that buckets can assemble, or -1: random
   * access levels, then a level that owns edges, then branchless ones to the end.
   */
  static int groupOf(TensorFormat format) {
    int first = 0;
    while (first < format.order() && isRandom(format.level(first))) {
      first++;
    }
    if (first == 0 || first == format.order() || !format.level(first).format().hasPos()) {
      return -1;
    }
    for (int level = first; level < format.order(); level++) {
      LevelSpec spec = format.level(level);
      boolean branchless = spec.properties().branchless();
      if (!spec.format().capabilities().contains(LevelCapability.APPEND)
          || !spec.format().hasCrd()
          || branchless != level > first) {
        return -1;
      }
    }
    return first;
  }

  private static boolean isRandom(LevelSpec spec) {
    return spec.properties().full()
        && spec.format().capabilities().contains(LevelCapability.LOCATE)
        && !spec.format().hasPos()
        && !spec.format().hasCrd();
  }

  /** The sink of the first pass; {@code code} runs before it. */
  static BucketSink counting(TensorExpr.Access access, TensorLayout layout, Code code) {
    int first = groupOf(layout.tensor().format());
    BucketSink sink =
        new BucketSink(
            Pass.COUNT, access, layout, first, code.declare("entries", Expr.of(0)), false);
    Expr length = Expr.add(sink.buckets(), Expr.of(2));
    Buffer pos = layout.level(first).requirePos();
    code.add(new Stmt.Grow(pos, length));
    code.add(new Stmt.Clear(pos, Expr.of(0), length));
    for (int number = first; number < layout.order(); number++) {
      checkCoordinates(layout.level(number), code);
    }
    return sink;
  }

  private static void checkCoordinates(Level level, Code code) {
    Width width = level.spec().crdWidth();
    if (width != Width.W64) {
      Expr largest = Expr.sub(level.size(), Expr.of(1));
      Expr checked = new Expr.Binary(Expr.Op.MAX, largest, Expr.of(0));
      code.add(new Stmt.CheckWidth(checked, width, level.tensor(), level.stored()));
    }
  }

  /** The sink of the second pass; {@code code} runs between the passes. */
  BucketSink placing(Code code) {
    Level head = layout.level(first);
    Buffer pos = head.requirePos();
    Expr count = Expr.of(entries);
    if (head.spec().posWidth() != Width.W64) {
      code.add(new Stmt.CheckWidth(count, head.spec().posWidth(), head.tensor(), head.stored()));
    }
    LoopVariable bucket = LoopVariable.integer(code.fresh("bucket"));
    Expr at = Expr.of(bucket);
    Stmt sum = new Stmt.Accumulate(pos, at, new Expr.Load(pos, Expr.sub(at, Expr.of(1))));
    code.add(
        new Stmt.For(
            bucket,
            Expr.of(2),
            Expr.add(buckets(), Expr.of(2)),
            Stmt.Block.of(sum),
            LoopTraits.SERIAL));
    Expr room = Expr.add(count, Expr.of(1));
    for (int number = first; number < layout.order(); number++) {
      code.add(new Stmt.Grow(layout.level(number).requireCrd(), room));
    }
    code.add(new Stmt.Grow(layout.vals(), room));
    return new BucketSink(Pass.PLACE, access, layout, first, entries, false);
  }

  /** Reports the numbers of positions. */
  void finish(Code code) {
    Expr positions = Expr.of(1);
    for (int number = 0; number < layout.order(); number++) {
      Level level = layout.level(number);
      positions =
          number < first
              ? code.name("p" + level.name() + "_count", level.emitter().size(level, positions))
              : Expr.of(entries);
      code.add(new Stmt.SetCount(level.tensor(), level.stored(), positions));
    }
  }

  private Expr buckets() {
    Expr size = Expr.of(1);
    for (int number = 0; number < first; number++) {
      size = layout.level(number).emitter().size(layout.level(number), size);
    }
    return size;
  }

  @Override
  public List<IndexVar> variables() {
    return access.variables();
  }

  @Override
  public Sink reducing(Fold fold) {
    return this;
  }

  @Override
  public boolean scatters(Fold fold, List<IndexVar> unbound, boolean small) {
    return true;
  }

  @Override
  public boolean tracksPresence() {
    return !settled;
  }

  @Override
  public @Nullable Sink settle(Code code) {
    return new BucketSink(pass, access, layout, first, entries, true);
  }

  @Override
  public boolean independent(IndexVar variable) {
    return false;
  }

  @Override
  public void put(Expr value, Scope scope, Code code) {
    Expr bucket = Expr.of(0);
    for (int number = 0; number < first; number++) {
      Level level = layout.level(number);
      Expr coordinate = scope.coordinate(access.variableAt(number));
      bucket = level.emitter().locate(level, bucket, coordinate).position();
    }
    Buffer pos = layout.level(first).requirePos();
    if (pass == Pass.COUNT) {
      code.add(new Stmt.Accumulate(pos, Expr.add(bucket, Expr.of(2)), Expr.of(1)));
      code.assign(entries, Expr.add(Expr.of(entries), Expr.of(1)));
      return;
    }
    Expr next = code.name("bucket_next", Expr.add(bucket, Expr.of(1)));
    Expr position = code.name("p" + layout.level(first).name(), new Expr.Load(pos, next));
    for (int number = first; number < layout.order(); number++) {
      Level level = layout.level(number);
      Expr coordinate = scope.coordinate(access.variableAt(number));
      code.add(new Stmt.Store(level.requireCrd(), position, coordinate));
    }
    code.add(
        new Stmt.Store(layout.vals(), position, Values.convert(value, layout.vals().scalar())));
    code.add(new Stmt.Store(pos, next, Expr.add(position, Expr.of(1))));
  }
}
