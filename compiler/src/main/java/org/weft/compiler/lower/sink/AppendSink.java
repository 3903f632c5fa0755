package org.weft.compiler.lower.sink;

import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.level.Code;
import org.weft.compiler.level.Level;
import org.weft.compiler.loop.Buffer;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.LoopVariable;
import org.weft.compiler.loop.ScalarType;
import org.weft.compiler.loop.Stmt;
import org.weft.compiler.lower.operand.Fold;
import org.weft.compiler.lower.operand.Presence;
import org.weft.compiler.lower.operand.Scope;
import org.weft.compiler.lower.operand.Values;

/**
 * Appends values to a sparse result in order.
 *
 * <p>Every coordinate is speculative until something below it is stored: edges are written at the
 * next free position and simply overwritten if that position is not taken. A block of random-access
 * levels below the last appended one is made when its coordinate is entered, and zeroed unless
 * every cell of it is going to be stored.
 */
public final class AppendSink implements Sink {
  private final AppendPlan plan;
  private final @Nullable Fold fold;

  /** Next position of the group being looped over, before its loop; null outside. */
  private final @Nullable Expr segmentBegin;

  /** Next position of the group below, when the coordinate was entered. */
  private final @Nullable Expr childBegin;

  /** Set when a value of the block below the last appended level is present. */
  private final @Nullable LoopVariable present;

  private final boolean settled;

  /** Whether the loop around has made room for all that it can append. */
  private final boolean roomy;

  /** What zeroes the block that was entered; null when that is done, or need not be. */
  private final @Nullable Stmt zeroing;

  public AppendSink(AppendPlan plan) {
    this(plan, null, null, null, null, false, plan.placement() != null, null);
  }

  private AppendSink(
      AppendPlan plan,
      @Nullable Fold fold,
      @Nullable Expr segmentBegin,
      @Nullable Expr childBegin,
      @Nullable LoopVariable present,
      boolean settled,
      boolean roomy,
      @Nullable Stmt zeroing) {
    this.plan = plan;
    this.fold = fold;
    this.segmentBegin = segmentBegin;
    this.childBegin = childBegin;
    this.present = present;
    this.settled = settled;
    this.roomy = roomy;
    this.zeroing = zeroing;
  }

  @Override
  public List<IndexVar> variables() {
    return plan.access().variables();
  }

  @Override
  public List<IndexVar> order() {
    return IntStream.range(0, plan.layout().order()).mapToObj(plan.access()::variableAt).toList();
  }

  /** An unordered level whose values are appended one by one stores them as they come. */
  @Override
  public boolean takesAnyOrder(IndexVar variable) {
    int level = level(variable);
    AppendPlan.Group group = plan.lastGroup();
    return level == plan.lastAppended()
        && appendsValues()
        && group.first() == group.last()
        && !plan.layout().level(level).ordered();
  }

  /** Levels are appended in order; those below the last one are filled in any order. */
  @Override
  public boolean accepts(IndexVar variable, Scope scope) {
    int above = Math.min(level(variable), plan.lastAppended() + 1);
    return order().subList(0, above).stream().allMatch(scope::isBound);
  }

  /**
   * Whether the loop over {@code variable} may append pieces: it is the one over the first level.
   */
  public boolean gathers(IndexVar variable) {
    return level(variable) == 0;
  }

  /** Whether each iteration of the loop over {@code variable} takes at most one position. */
  public boolean appendsAlong(IndexVar variable) {
    return level(variable) == plan.lastAppended();
  }

  /** Makes room for {@code most} positions, so that nothing need be asked for each of them. */
  public void makeRoom(Expr most, Code code) {
    if (plan.placement() != null) {
      return;
    }
    AppendPlan.Group group = plan.lastGroup();
    Expr end =
        code.name(
            "p" + plan.layout().vals().name() + "_room", Expr.add(Expr.of(group.position()), most));
    for (int number = group.first(); number <= group.last(); number++) {
      code.add(new Stmt.Grow(plan.layout().level(number).requireCrd(), end));
    }
    Expr block = plan.blockSize(group.last() + 1, plan.layout().order());
    code.add(new Stmt.Grow(plan.layout().vals(), Expr.mul(end, block)));
  }

  /** This sink in a loop for which {@link #makeRoom} was called. */
  public AppendSink withRoom() {
    return new AppendSink(plan, fold, segmentBegin, childBegin, present, settled, true, zeroing);
  }

  /** Whether values are appended one by one: nothing lies below the last appended level. */
  public boolean appendsValues() {
    return plan.lastAppended() == plan.layout().order() - 1;
  }

  /**
   * Puts a value at the next position, which is taken only if {@code stored}; null for always.
   * There is room.
   */
  public void putIf(@Nullable Expr stored, Expr value, Scope scope, Code code) {
    if (stored == null) {
      put(value, scope, code);
      return;
    }
    AppendPlan.Group group = plan.lastGroup();
    Expr position = Expr.of(group.position());
    Buffer vals = plan.layout().vals();
    code.add(new Stmt.Store(vals, position, Values.convert(value, vals.scalar())));
    storeCoordinates(group, scope, code, new Expr.Convert(stored, ScalarType.I64));
  }

  public AppendPlan plan() {
    return plan;
  }

  private int level(IndexVar variable) {
    for (int level = 0; level < plan.layout().order(); level++) {
      if (plan.access().variableAt(level).equals(variable)) {
        return level;
      }
    }
    return -1;
  }

  @Override
  public Sink beforeLoop(IndexVar variable, Scope scope, Code code) {
    int level = level(variable);
    AppendPlan.Group group = level < 0 ? null : plan.groupOf(level);
    if (group == null || group.first() != level || !group.counted() || plan.placement() != null) {
      return this;
    }
    Expr begin = Expr.of(code.declare(stem(level) + "_begin", Expr.of(group.position())));
    return new AppendSink(plan, fold, begin, childBegin, present, settled, roomy, zeroing);
  }

  @Override
  public void afterLoop(IndexVar variable, Scope scope, Code code) {
    int level = level(variable);
    AppendPlan.Group group = level < 0 ? null : plan.groupOf(level);
    if (group == null || group.first() != level || plan.placement() != null) {
      return;
    }
    Level head = plan.layout().level(level);
    Expr next = Expr.of(group.position());
    Expr begin = segmentBegin == null ? next : segmentBegin;
    Expr parent = position(level - 1, scope);
    Code edges = code.nested();
    if (!group.counted()) {
      edges.add(new Stmt.Grow(head.requirePos(), Expr.add(parent, Expr.of(2))));
    }
    head.emitter().appendEdges(head, parent, begin, next, group.counted(), edges);
    AppendPlan.Shared shared = level == plan.firstAppended() ? plan.shared() : null;
    if (shared == null) {
      code.addAll(edges);
      return;
    }
    Code more = code.nested();
    head.emitter().addEdges(head, parent, Expr.sub(next, begin), more);
    Expr border = shared.isBorder(scope.cursor(shared.operand()).begin());
    code.add(new Stmt.If(border, more.block(), edges.block()));
  }

  /** The position at {@code level} of the scope's coordinates, to which children are attached. */
  private Expr position(int level, Scope scope) {
    if (level < 0) {
      return Expr.of(0);
    }
    AppendPlan.Group group = plan.groupOf(level);
    if (group != null) {
      return Expr.of(group.position());
    }
    Level random = plan.layout().level(level);
    Expr coordinate = scope.coordinate(plan.access().variableAt(level));
    return random.emitter().locate(random, position(level - 1, scope), coordinate).position();
  }

  @Override
  public Sink enter(IndexVar variable, Scope scope, Code code) {
    int level = level(variable);
    AppendPlan.Group group = level < 0 ? null : plan.groupOf(level);
    AppendPlan.Placement placement = plan.placement();
    if (placement != null && group != null && level == plan.lastAppended()) {
      code.assign(group.position(), placement.position(scope));
    }
    if (group == null || group.last() != level || level == plan.layout().order() - 1) {
      return this;
    }
    AppendPlan.Group below = plan.groupBelow(level);
    if (below == null) {
      Stmt zero = makeBlock(group, code);
      LoopVariable flag = code.declare(stem(level) + "_any", Presence.FALSE);
      return new AppendSink(plan, fold, segmentBegin, null, flag, false, roomy, zero);
    }
    if (placement != null) {
      return this;
    }
    if (below.first() > level + 1) {
      Level head = plan.layout().level(below.first());
      Expr block = plan.blockSize(level + 1, below.first());
      Expr from = Expr.mul(Expr.of(group.position()), block);
      head.emitter().appendParents(head, from, Expr.add(from, block), code);
    }
    Expr begin = Expr.of(code.declare(stem(below.first()) + "_first", Expr.of(below.position())));
    return new AppendSink(plan, fold, segmentBegin, begin, null, false, false, null);
  }

  /** Makes room for the block of a new position; returns what zeroes it. */
  private Stmt makeBlock(AppendPlan.Group group, Code code) {
    int order = plan.layout().order();
    Expr block = plan.blockSize(group.last() + 1, order);
    Expr begin = Expr.mul(Expr.of(group.position()), block);
    Buffer vals = plan.layout().vals();
    Expr end = code.name("p" + vals.name() + "_end", Expr.add(begin, block));
    if (!roomy) {
      code.add(new Stmt.Grow(vals, end));
    }
    return new Stmt.Clear(vals, begin, end);
  }

  @Override
  public Sink opened(Code code) {
    if (zeroing == null) {
      return this;
    }
    code.add(zeroing);
    return new AppendSink(plan, fold, segmentBegin, childBegin, present, settled, roomy, null);
  }

  @Override
  public void leave(IndexVar variable, Scope scope, Code code) {
    int level = level(variable);
    AppendPlan.Group group = level < 0 ? null : plan.groupOf(level);
    if (group == null || group.last() != level || level == plan.layout().order() - 1) {
      return;
    }
    AppendPlan.Group below = plan.groupBelow(level);
    if (below != null && plan.placement() != null) {
      return;
    }
    Code store = code.nested();
    storeCoordinates(group, scope, store);
    if (below == null) {
      if (present == null) {
        throw new IllegalStateException("the sink that entered " + variable + " must leave it");
      }
      code.when(Expr.of(present), store);
    } else if (childBegin != null) {
      code.when(Expr.lessThan(childBegin, Expr.of(below.position())), store);
    }
  }

  private void storeCoordinates(AppendPlan.Group group, Scope scope, Code code) {
    storeCoordinates(group, scope, code, Expr.of(1));
  }

  private void storeCoordinates(AppendPlan.Group group, Scope scope, Code code, Expr positions) {
    Expr position = Expr.of(group.position());
    for (int number = group.first(); number <= group.last(); number++) {
      Level level = plan.layout().level(number);
      if (!roomy) {
        code.add(new Stmt.Grow(level.requireCrd(), Expr.add(position, Expr.of(1))));
      }
      Expr coordinate = scope.coordinate(plan.access().variableAt(number));
      level.emitter().appendCoordinate(level, position, coordinate, code);
    }
    code.assign(group.position(), Expr.add(position, positions));
    AppendPlan.Placement placement = plan.placement();
    if (placement != null) {
      code.assign(placement.stored(), Expr.add(Expr.of(placement.stored()), positions));
    }
  }

  @Override
  public Sink reducing(Fold inner) {
    return new AppendSink(plan, inner, segmentBegin, childBegin, present, settled, roomy, zeroing);
  }

  @Override
  public boolean scatters(Fold inner, List<IndexVar> unbound, boolean small) {
    return inner.zeroIsIdentity()
        && (fold == null || fold.operator() == inner.operator())
        && !unbound.isEmpty()
        && !small
        && unbound.stream().allMatch(variable -> level(variable) > plan.lastAppended());
  }

  @Override
  public boolean tracksPresence() {
    return !settled;
  }

  @Override
  public @Nullable Sink settle(Code code) {
    if (present == null) {
      return null;
    }
    if (zeroing != null && fold != null) {
      code.add(zeroing);
    }
    code.assign(present, Presence.TRUE);
    return new AppendSink(plan, fold, segmentBegin, childBegin, present, true, roomy, null);
  }

  @Override
  public boolean independent(IndexVar variable) {
    return settled && level(variable) > plan.lastAppended();
  }

  @Override
  public void put(Expr value, Scope scope, Code code) {
    Buffer vals = plan.layout().vals();
    Expr converted = Values.convert(value, vals.scalar());
    int leaf = plan.layout().order() - 1;
    AppendPlan.Group group = plan.groupOf(leaf);
    if (group != null) {
      Expr position = Expr.of(group.position());
      if (!roomy) {
        code.add(new Stmt.Grow(vals, Expr.add(position, Expr.of(1))));
      }
      code.add(new Stmt.Store(vals, position, converted));
      storeCoordinates(group, scope, code);
      return;
    }
    Expr position = position(leaf, scope);
    if (fold == null) {
      code.add(new Stmt.Store(vals, position, converted));
    } else {
      fold.into(vals, position, converted, code);
    }
    if (!settled && present != null) {
      code.assign(present, Presence.TRUE);
    }
  }

  private String stem(int level) {
    return "p" + plan.layout().level(level).name();
  }
}
