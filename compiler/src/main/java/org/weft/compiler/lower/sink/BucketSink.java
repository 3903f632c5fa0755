package org.weft.compiler.lower.sink;

import java.util.ArrayList;
import java.util.List;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.level.Code;
import org.weft.compiler.level.Level;
import org.weft.compiler.loop.Buffer;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.LoopTraits;
import org.weft.compiler.loop.LoopVariable;
import org.weft.compiler.loop.Stmt;
import org.weft.compiler.lower.operand.Scope;
import org.weft.compiler.lower.operand.TensorLayout;
import org.weft.compiler.lower.operand.Values;
import org.weft.compiler.lower.operand.Workspaces;
import org.weft.memory.ElementType;
import org.weft.tensor.LevelSpec;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.Width;
import org.weft.tensor.level.LevelCapability;

/**
 * Assembles a result of random-access levels above one appended group, such as CSR or CSC, from
 * values that come in any order of the upper levels: counting sort. The expression is walked twice.
 * The first pass counts the entries of every bucket, that is of every position of the last upper
 * level; the sums of the counts are the {@code pos} array. The second pass divides the entries
 * among parts, each of neighbouring buckets whose entries fit a cache; a pass over the parts places
 * each entry at the next free position of its bucket. Placing entries right away would miss the
 * cache once for every entry of a large result.
 *
 * <p>While the passes run, {@code pos} is one element longer than in the end and counts one bucket
 * ahead: placing turns the start of a bucket into its end, which is where {@code pos} needs it.
 * Correct when each cell is put once and the cells of one bucket come in order.
 */
public final class BucketSink implements AnyOrderSink {
  /** The two walks over the expression. */
  private enum Pass {
    COUNT,
    DIVIDE
  }

  /** Parts have about this many entries, where their number allows it. */
  private static final long PART_ENTRIES = 32768;

  /** More streams at once are slower than larger parts. */
  private static final long MOST_PARTS = 128;

  /** First length of the arrays; past what {@link Stmt.AllocateWorkspace} puts on the stack. */
  private static final long FIRST = 8192;

  /**
   * The entries on their way.
   *
   * @param bucket of each entry
   * @param crd coordinates of the appended levels
   * @param next where the next entry of each part goes
   * @param shift bits of a bucket's number within its part
   */
  private record Parts(
      Buffer bucket, List<Buffer> crd, Buffer vals, Buffer next, LoopVariable shift) {}

  private final Pass pass;
  private final TensorExpr.Access access;
  private final TensorLayout layout;
  private final int first;
  private final LoopVariable entries;
  private final Parts parts;

  private BucketSink(
      Pass pass,
      TensorExpr.Access access,
      TensorLayout layout,
      int first,
      LoopVariable entries,
      Parts parts) {
    this.pass = pass;
    this.access = access;
    this.layout = layout;
    this.first = first;
    this.entries = entries;
    this.parts = parts;
  }

  /**
   * The first level of the one appended group of a format that buckets can assemble, or -1: random
   * access levels, then a level that owns edges, then branchless ones to the end.
   */
  public static int groupOf(TensorFormat format) {
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
  public static BucketSink counting(
      TensorExpr.Access access, TensorLayout layout, Workspaces workspaces, Code code) {
    int first = groupOf(layout.tensor().format());
    LoopVariable entries = code.declare("entries", Expr.of(0));
    Parts parts = parts(layout, first, workspaces, code);
    BucketSink sink = new BucketSink(Pass.COUNT, access, layout, first, entries, parts);
    Expr length = Expr.add(sink.buckets(), Expr.of(2));
    Buffer pos = layout.level(first).requirePos();
    code.add(new Stmt.Grow(pos, length));
    code.add(new Stmt.Clear(pos, Expr.of(0), length));
    for (int number = first; number < layout.order(); number++) {
      checkCoordinates(layout.level(number), code);
    }
    return sink;
  }

  private static Parts parts(TensorLayout layout, int first, Workspaces workspaces, Code code) {
    List<Buffer> crd = new ArrayList<>();
    for (int number = first; number < layout.order(); number++) {
      crd.add(workspace(layout.level(number).requireCrd(), workspaces, code));
    }
    Buffer vals = workspace(layout.vals(), workspaces, code);
    Buffer bucket = new Buffer(code.fresh("part_bucket"), ElementType.I64, Buffer.Kind.WORKSPACE);
    workspaces.allocate(bucket, Expr.of(FIRST));
    Buffer next = new Buffer(code.fresh("part_next"), ElementType.I64, Buffer.Kind.WORKSPACE);
    workspaces.allocate(next, Expr.of(MOST_PARTS));
    return new Parts(bucket, crd, vals, next, code.declare("part_shift", Expr.of(0)));
  }

  private static Buffer workspace(Buffer result, Workspaces workspaces, Code code) {
    Buffer buffer =
        new Buffer(code.fresh(result.name() + "_part"), result.element(), Buffer.Kind.WORKSPACE);
    workspaces.allocate(buffer, Expr.of(FIRST));
    return buffer;
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
  public BucketSink dividing(Code code) {
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
    parts.crd().forEach(crd -> code.add(new Stmt.Grow(crd, room)));
    code.add(new Stmt.Grow(parts.bucket(), room));
    code.add(new Stmt.Grow(parts.vals(), room));
    startParts(code);
    return new BucketSink(Pass.DIVIDE, access, layout, first, entries, parts);
  }

  /** Finds out how large the parts are and where each begins. */
  private void startParts(Code code) {
    Expr buckets = code.name("buckets", buckets());
    Expr wanted = new Expr.Binary(Expr.Op.DIV, Expr.of(entries), Expr.of(PART_ENTRIES));
    Expr most =
        code.name(
            "parts_most",
            Expr.min(Expr.of(MOST_PARTS), Expr.binary(Expr.Op.MAX, wanted, Expr.of(1))));
    LoopVariable size = code.declare("part_size", Expr.of(1));
    Code larger = code.nested();
    larger.assign(size, Expr.mul(Expr.of(size), Expr.of(2)));
    larger.assign(parts.shift(), Expr.add(Expr.of(parts.shift()), Expr.of(1)));
    Expr held = Expr.mul(Expr.of(size), most);
    code.add(new Stmt.While(Expr.lessThan(held, buckets), larger.block()));
    LoopVariable part = LoopVariable.integer(code.fresh("part"));
    Expr firstBucket = Expr.mul(Expr.of(part), Expr.of(size));
    Expr begin = new Expr.Load(layout.level(first).requirePos(), Expr.add(firstBucket, Expr.of(1)));
    Expr last = Expr.add(buckets, Expr.sub(Expr.of(size), Expr.of(1)));
    code.add(
        new Stmt.For(
            part,
            Expr.of(0),
            new Expr.Binary(Expr.Op.SHR, last, Expr.of(parts.shift())),
            Stmt.Block.of(new Stmt.Store(parts.next(), Expr.of(part), begin)),
            LoopTraits.SERIAL));
  }

  /** Puts the divided entries in their places. */
  private void place(Code code) {
    Buffer pos = layout.level(first).requirePos();
    LoopVariable e = LoopVariable.integer(code.fresh("e"));
    Code loop = code.nested();
    Expr bucket = new Expr.Load(parts.bucket(), Expr.of(e));
    Expr next = loop.name("bucket_next", Expr.add(bucket, Expr.of(1)));
    Expr position = loop.name("p" + layout.level(first).name(), new Expr.Load(pos, next));
    for (int number = first; number < layout.order(); number++) {
      Expr coordinate = new Expr.Load(parts.crd().get(number - first), Expr.of(e));
      loop.add(new Stmt.Store(layout.level(number).requireCrd(), position, coordinate));
    }
    loop.add(new Stmt.Store(layout.vals(), position, new Expr.Load(parts.vals(), Expr.of(e))));
    loop.add(new Stmt.Store(pos, next, Expr.add(position, Expr.of(1))));
    code.add(new Stmt.For(e, Expr.of(0), Expr.of(entries), loop.block(), LoopTraits.SERIAL));
  }

  /** Places the entries and reports the numbers of positions. */
  public void finish(Code code) {
    place(code);
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
  public void put(Expr value, Scope scope, Code code) {
    Expr bucket = Expr.of(0);
    for (int number = 0; number < first; number++) {
      Level level = layout.level(number);
      Expr coordinate = scope.coordinate(access.variableAt(number));
      bucket = level.emitter().locate(level, bucket, coordinate).position();
    }
    if (pass == Pass.COUNT) {
      Buffer pos = layout.level(first).requirePos();
      code.add(new Stmt.Accumulate(pos, Expr.add(bucket, Expr.of(2)), Expr.of(1)));
      code.assign(entries, Expr.add(Expr.of(entries), Expr.of(1)));
      return;
    }
    Expr whole = code.name("bucket", bucket);
    Expr part = code.name("part_of", new Expr.Binary(Expr.Op.SHR, whole, Expr.of(parts.shift())));
    Expr at = code.name("part_at", new Expr.Load(parts.next(), part));
    code.add(new Stmt.Store(parts.bucket(), at, whole));
    for (int number = first; number < layout.order(); number++) {
      Expr coordinate = scope.coordinate(access.variableAt(number));
      code.add(new Stmt.Store(parts.crd().get(number - first), at, coordinate));
    }
    code.add(new Stmt.Store(parts.vals(), at, Values.convert(value, layout.vals().scalar())));
    code.add(new Stmt.Store(parts.next(), part, Expr.add(at, Expr.of(1))));
  }
}
