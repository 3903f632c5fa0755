package org.weft.compiler.lower;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.Directive;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.lattice.LatticePoint;
import org.weft.compiler.lattice.MergeLattice;
import org.weft.compiler.lattice.Operand;
import org.weft.compiler.level.Code;
import org.weft.compiler.level.Level;
import org.weft.compiler.level.LevelEmitter;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.LoopVariable;
import org.weft.compiler.loop.ScalarType;
import org.weft.compiler.loop.Stmt;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/**
 * The loops over one index variable that a merge lattice asks for (Chou et al., figure 9).
 *
 * <p>A point that visits every coordinate becomes one counted loop, in which sparse operands wait
 * at their next coordinate. Another point becomes a loop that runs while all its operands last:
 * counted if it walks one operand without repeated coordinates, else a while loop over the least
 * coordinate. Repeated coordinates are passed over together, so that a case sees the segment of
 * positions that share its coordinate.
 */
final class MergeLoops {
  /** More cases than this share one body, in which absent operands have empty segments. */
  private static final int MOST_CASES = 7;

  /** Emits what happens at a coordinate in one case. */
  interface Body {
    void emit(LatticePoint present, Scope scope, Code code);
  }

  /** Told how many coordinates may come, in front of the loops over them. */
  interface Room {
    void make(Expr most, Code code);
  }

  /**
   * What happens at a coordinate in one case.
   *
   * @param condition whether this is the case, unless an earlier one is
   */
  record Case(LatticePoint present, Expr condition, Scope scope) {}

  /** Emits what happens at a coordinate without a branch. */
  interface Choice {
    /**
     * @param cases the most specific first
     * @param complete whether one of them always applies
     */
    void emit(List<Case> cases, boolean complete, Scope scope, Code code);
  }

  /** An operand being walked. */
  private static final class Walk {
    final TensorExpr.Access access;
    final Level level;
    final LoopVariable position;
    final Expr end;
    final LevelEmitter.Path path;
    final @Nullable OrderedCopy copy;
    @Nullable Expr coordinate;
    @Nullable LoopVariable segmentEnd;

    /** Position of the coordinate where all cases share a body; null when it is {@link #at}. */
    @Nullable LoopVariable child;

    Walk(
        TensorExpr.Access access,
        Level level,
        LoopVariable position,
        Expr end,
        @Nullable OrderedCopy copy,
        Scope scope) {
      this.access = access;
      this.level = level;
      this.position = position;
      this.end = end;
      this.copy = copy;
      this.path = new Ancestors(access, scope);
    }

    Expr coordinateAt(Expr there) {
      return copy == null ? level.coordinate(there, path) : copy.coordinate(there);
    }

    /** The position of the level at which the children of the present coordinate begin. */
    Expr position(Code code) {
      return copy == null ? at() : code.name(position.name() + "_at", copy.position(at()));
    }

    Expr at() {
      return Expr.of(position);
    }

    Expr coordinate() {
      if (coordinate == null) {
        throw new IllegalStateException("coordinate of " + level.name() + " was not read");
      }
      return coordinate;
    }

    Expr next() {
      return segmentEnd == null ? Expr.add(at(), Expr.of(1)) : Expr.of(segmentEnd);
    }
  }

  private final IndexVar variable;
  private final Supplier<Expr> size;
  private final MergeLattice lattice;
  private LoopPlan plan = LoopPlan.SERIAL;
  private final Body body;
  private final Map<Integer, TensorExpr.Access> accesses = new LinkedHashMap<>();
  private final Map<Integer, Level> levels = new LinkedHashMap<>();
  private boolean segments = true;
  private boolean inOrder;
  private @Nullable Room room;
  private @Nullable Choice choice;

  /** Loops over {@code variable}. */
  MergeLoops(IndexVar variable, Supplier<Expr> size, MergeLattice lattice, Body body) {
    this.variable = variable;
    this.size = size;
    this.lattice = lattice;
    this.body = body;
  }

  /**
   * Announces an operand of the lattice.
   *
   * @param below the levels of the access below {@code level}
   */
  void operand(TensorExpr.Access access, Level level, List<Level> below) {
    accesses.put(access.id(), access);
    levels.put(access.id(), level);
    segments &= level.random() || below.stream().noneMatch(Level::random);
  }

  /** Has room made for all coordinates before loops over stored ones. */
  void makeRoom(Room forAll) {
    room = forAll;
  }

  /** Has {@code branchless} take the place of the cases where two operands are merged. */
  void choose(Choice branchless) {
    choice = branchless;
  }

  /** Whether there are too many cases to write each out, and one body can serve them all. */
  private boolean sharesBody() {
    return segments && (lattice.isSummary() || lattice.points().size() > MOST_CASES);
  }

  /** Whether a block of coordinates can be found in all operands. */
  boolean isOrdered() {
    return levels.values().stream().allMatch(level -> level.random() || level.ordered());
  }

  /** How the loop finds its coordinates, once all operands are announced. */
  LoopFacts.Walks walks() {
    if (lattice.isEmpty()) {
      return LoopFacts.Walks.ALL_COORDINATES;
    }
    LatticePoint top = lattice.points().get(0);
    List<Operand> walked = walked(top);
    if (top.universe()) {
      return walked.isEmpty() ? LoopFacts.Walks.ALL_COORDINATES : LoopFacts.Walks.MERGED;
    } else if (lattice.isSummary() || lattice.points().size() > 1 || walked.size() != 1) {
      return LoopFacts.Walks.MERGED;
    }
    return requireLevel(walked.get(0)).unique()
        ? LoopFacts.Walks.POSITIONS
        : LoopFacts.Walks.REPEATED;
  }

  /**
   * Emits the loops.
   *
   * @param how how they are cut into blocks, and their traits where they have a counter
   */
  void emit(LoopPlan how, Scope scope, Code code) {
    plan = how;
    if (lattice.isEmpty()) {
      return;
    }
    if (lattice.isSummary() && !segments) {
      throw new WeftException(
          ErrorCode.UNSUPPORTED_OPERATION,
          "the loop over "
              + variable
              + " merges too many operands ("
              + accesses.values().stream().map(TensorExpr.Access::toString).distinct().toList()
              + ") of which some have dense levels below sparse ones; split the expression into"
              + " several statements, or store these operands as CSF");
    }
    if (plan.splitBy(Directive.SplitBy.COORDINATE) && scope.block(variable) == null) {
      Blocks.ofCoordinates(variable, size.get(), plan, scope, code, this::whole);
    } else {
      whole(scope, code);
    }
  }

  /** All of the loop, or all of one block of it. */
  private void whole(Scope scope, Code code) {
    LatticePoint top = lattice.points().get(0);
    if (top.universe()) {
      everyCoordinate(top, scope, code);
    } else if (!lattice.isSummary() && lattice.points().size() == 1 && walked(top).size() == 1) {
      Operand only = walked(top).get(0);
      LevelEmitter.Range range = range(only, scope, code);
      OrderedCopy copy = inOrder ? ordered(only, range, scope, code) : null;
      Expr begin = copy == null ? range.begin() : Expr.of(0);
      Expr end = copy == null ? range.end() : copy.count();
      if (room != null) {
        room.make(Expr.sub(end, begin), code);
      }
      single(top, only, begin, end, copy, scope, code);
    } else if (sharesBody()) {
      anyOperand(top, scope, code);
    } else {
      merge(scope, code);
    }
  }

  /** All operands of {@code point} in one loop, until the last of them ends. */
  private void anyOperand(LatticePoint point, Scope scope, Code code) {
    List<Walk> walks = walked(point).stream().map(o -> walk(o, scope, code)).toList();
    makeRoom(walks, code);
    Code loop = code.nested();
    Expr more = null;
    Expr least = null;
    for (Walk walk : walks) {
      Expr here = Expr.lessThan(walk.at(), walk.end);
      more = more == null ? here : new Expr.Binary(Expr.Op.OR, more, here);
      peek(walk, loop);
      least = least == null ? walk.coordinate() : Expr.min(least, walk.coordinate());
    }
    Expr i = loop.name(variable.name(), require(least));
    cases(point, walks, i, scope.bind(variable, i), loop);
    code.add(new Stmt.While(require(more), loop.block()));
  }

  /** Reads the coordinate of an operand that may have ended; then it is past every coordinate. */
  private void peek(Walk walk, Code loop) {
    LoopVariable coordinate = loop.declare(variable.name() + walk.level.name(), size.get());
    Code read = loop.nested();
    read.assign(coordinate, walk.coordinateAt(walk.at()));
    loop.when(Expr.lessThan(walk.at(), walk.end), read);
    walk.coordinate = Expr.of(coordinate);
  }

  private void merge(Scope scope, Code code) {
    Map<Operand, Walk> walks = new LinkedHashMap<>();
    for (LatticePoint point : lattice.points()) {
      for (Operand operand : walked(point)) {
        if (!walks.containsKey(operand)) {
          walks.put(operand, walk(operand, scope, code));
        }
      }
    }
    makeRoom(walks.values(), code);
    for (LatticePoint point : lattice.points()) {
      List<Operand> walked = walked(point);
      if (walked.size() == 1) {
        Walk walk = require(walks.get(walked.get(0)));
        single(point, walked.get(0), walk.at(), walk.end, walk.copy, scope, code);
      } else {
        together(point, walked.stream().map(o -> require(walks.get(o))).toList(), scope, code);
      }
    }
  }

  private void makeRoom(Collection<Walk> walks, Code code) {
    if (room == null) {
      return;
    }
    boolean all = lattice.points().size() == 1 && !lattice.isSummary();
    Expr most = null;
    for (Walk walk : walks) {
      Expr own = Expr.sub(walk.end, walk.at());
      most = most == null ? own : all ? Expr.min(most, own) : Expr.add(most, own);
    }
    room.make(require(most), code);
  }

  private List<Operand> walked(LatticePoint point) {
    return point.iterated().stream()
        .filter(operand -> !requireLevel(operand).random())
        .sorted((a, b) -> Integer.compare(a.id(), b.id()))
        .toList();
  }

  private LevelEmitter.Range range(Operand operand, Scope scope, Code code) {
    Level level = requireLevel(operand);
    TensorExpr.Access access = require(accesses.get(operand.id()));
    Cursor parent = scope.cursor(access);
    LevelEmitter.Range all = level.walk(parent.begin(), parent.endOrNext());
    LevelEmitter.Range range = scope.clipped(access.id(), level, all);
    return Blocks.part(variable, range, level, access, walks(), scope, code);
  }

  private Walk walk(Operand operand, Scope scope, Code code) {
    Level level = requireLevel(operand);
    TensorExpr.Access access = require(accesses.get(operand.id()));
    LevelEmitter.Range range = range(operand, scope, code);
    OrderedCopy copy = ordered(operand, range, scope, code);
    if (copy != null) {
      LoopVariable entry = code.declare("q" + level.name(), Expr.of(0));
      return new Walk(access, level, entry, copy.count(), copy, scope);
    }
    LoopVariable position = code.declare("p" + level.name(), range.begin());
    Expr end = code.name("p" + level.name() + "_end", range.end());
    Walk walk = new Walk(access, level, position, end, null, scope);
    skipUnlabelled(walk, code);
    return walk;
  }

  /** A sorted copy of the range of an unordered level; null for an ordered one. */
  private @Nullable OrderedCopy ordered(
      Operand operand, LevelEmitter.Range range, Scope scope, Code code) {
    Level level = requireLevel(operand);
    if (level.ordered()) {
      return null;
    } else if (!level.unique()) {
      requireOrdered(level);
    }
    TensorExpr.Access access = require(accesses.get(operand.id()));
    return OrderedCopy.of(level, range, new Ancestors(access, scope), scope, code);
  }

  /** Moves an operand past positions without a coordinate. */
  private static void skipUnlabelled(Walk walk, Code code) {
    Expr labelled = walk.copy == null ? walk.level.labelled(walk.at()) : null;
    if (labelled == null) {
      return;
    }
    Expr more = Expr.lessThan(walk.at(), walk.end);
    LoopVariable skip = code.declare(walk.position.name() + "_skip", more);
    Code step = code.nested();
    step.assign(walk.position, Expr.add(walk.at(), Expr.of(1)));
    step.assign(skip, more);
    Stmt stop = Stmt.Block.of(new Stmt.Assign(skip, Presence.FALSE));
    code.add(
        new Stmt.While(Expr.of(skip), Stmt.Block.of(new Stmt.If(labelled, stop, step.block()))));
  }

  /** Has coordinates come in increasing order, also from a single operand. */
  void inOrder() {
    inOrder = true;
  }

  /** An operand that is found by its coordinate; {@code found} is null when it always is. */
  private record Located(TensorExpr.Access access, Cursor cursor, @Nullable Expr found) {}

  /** Finds the operands of {@code point} that may lack the coordinate and are not walked. */
  private List<Located> locate(LatticePoint point, Expr i, Scope scope, Code code) {
    List<Located> located = new ArrayList<>();
    for (Operand operand :
        point.operands().stream().sorted((a, b) -> Integer.compare(a.id(), b.id())).toList()) {
      Level level = requireLevel(operand);
      if (level.random() || point.iterated().contains(operand)) {
        continue;
      }
      TensorExpr.Access access = require(accesses.get(operand.id()));
      Cursor parent = scope.cursor(access);
      if (parent.end() != null) {
        throw Cursors.nonUnique(level);
      }
      LevelEmitter.Location place = level.emitter().locate(level, parent.begin(), i, code);
      Expr position = code.name("p" + level.name(), place.position());
      Cursor cursor = new Cursor(parent.next() + 1, position, null);
      located.add(new Located(access, cursor, place.found()));
    }
    return located;
  }

  /** The body where all located operands of the point have the coordinate. */
  private void whereFound(LatticePoint point, Expr i, Scope scope, Code code) {
    Expr condition = null;
    Scope inner = scope;
    for (Located operand : locate(point, i, scope, code)) {
      inner = inner.withCursor(operand.access().id(), operand.cursor());
      condition = and(condition, operand.found());
    }
    if (condition == null) {
      body.emit(point, inner, code);
    } else {
      Code found = code.nested();
      body.emit(point, inner, found);
      code.when(condition, found);
    }
  }

  private static @Nullable Expr and(@Nullable Expr left, @Nullable Expr right) {
    return left == null ? right : right == null ? left : Expr.and(left, right);
  }

  /** Rejects an unordered level where increasing coordinates are needed. */
  static void requireOrdered(Level level) {
    if (!level.ordered()) {
      throw new WeftException(
          ErrorCode.CONVERSION_REQUIRED,
          "level "
              + level.name()
              + " ("
              + level.spec()
              + ") is unordered and repeats coordinates, but increasing coordinates are needed here;"
              + " convert the tensor to an ordered format first");
    }
  }

  private void everyCoordinate(LatticePoint point, Scope scope, Code code) {
    List<Walk> walks = new ArrayList<>();
    for (Operand operand : walked(point)) {
      walks.add(walk(operand, scope, code));
    }
    LoopVariable i = LoopVariable.integer(code.fresh(variable.name()));
    LevelEmitter.Range all =
        scope.block(variable) instanceof Block.Coordinates block
            ? new LevelEmitter.Range(block.from(), block.to())
            : new LevelEmitter.Range(Expr.of(0), size.get());
    Blocks.counted(
        variable,
        i,
        all,
        walks.isEmpty() ? plan : LoopPlan.SERIAL,
        scope,
        code,
        (inner, loop) -> {
          walks.forEach(walk -> peek(walk, loop));
          cases(point, walks, Expr.of(i), inner.bind(variable, Expr.of(i)), loop);
        });
  }

  /** One operand alone, from a position on. */
  private void single(
      LatticePoint point,
      Operand operand,
      Expr begin,
      Expr end,
      @Nullable OrderedCopy copy,
      Scope scope,
      Code code) {
    Level level = requireLevel(operand);
    TensorExpr.Access access = require(accesses.get(operand.id()));
    int next = scope.cursor(access).next() + 1;
    if (level.unique()) {
      LoopVariable p = LoopVariable.integer(code.fresh("p" + level.name()));
      Blocks.counted(
          variable,
          p,
          new LevelEmitter.Range(begin, end),
          lattice.points().size() == 1 ? plan : LoopPlan.SERIAL,
          scope,
          code,
          (inner, loop) -> {
            Expr labelled = copy == null ? level.labelled(Expr.of(p)) : null;
            Code there = labelled == null ? loop : loop.nested();
            Expr here =
                copy == null
                    ? level.coordinate(Expr.of(p), new Ancestors(access, inner))
                    : copy.coordinate(Expr.of(p));
            Expr i = there.name(variable.name(), here);
            Scope at = inner.bind(variable, i);
            Expr position =
                copy == null ? Expr.of(p) : there.name(p.name() + "_at", copy.position(Expr.of(p)));
            Cursor cursor = new Cursor(next, position, null);
            whereFound(point, i, at.withCursor(access.id(), cursor), there);
            if (labelled != null) {
              loop.when(labelled, there);
            }
          });
      return;
    }
    requireOrdered(level);
    LoopVariable p = code.declare("p" + level.name(), begin);
    Walk walk =
        new Walk(access, level, p, code.name("p" + level.name() + "_end", end), null, scope);
    Code loop = code.nested();
    Expr i = loop.name(variable.name(), walk.coordinateAt(walk.at()));
    walk.coordinate = i;
    walk.segmentEnd = loop.declare("p" + level.name() + "_seg", Expr.add(walk.at(), Expr.of(1)));
    skipRepeated(walk, loop);
    Cursor cursor = new Cursor(next, walk.at(), Expr.of(walk.segmentEnd));
    whereFound(point, i, scope.bind(variable, i).withCursor(access.id(), cursor), loop);
    loop.assign(p, walk.next());
    code.add(new Stmt.While(Expr.lessThan(walk.at(), walk.end), loop.block()));
  }

  /** Several operands, while all of them last. */
  private void together(LatticePoint point, List<Walk> walks, Scope scope, Code code) {
    Code loop = code.nested();
    Expr condition = null;
    Expr least = null;
    for (Walk walk : walks) {
      Expr more = Expr.lessThan(walk.at(), walk.end);
      condition = condition == null ? more : Expr.and(condition, more);
      walk.segmentEnd = null;
      walk.coordinate =
          loop.name(variable.name() + walk.level.name(), walk.coordinateAt(walk.at()));
      least = least == null ? walk.coordinate : Expr.min(least, walk.coordinate);
    }
    Expr i = loop.name(variable.name(), require(least));
    if (choice != null && isSimple(point, walks)) {
      chosen(choice, point, walks, i, scope.bind(variable, i), loop);
    } else {
      cases(point, walks, i, scope.bind(variable, i), loop);
    }
    code.add(new Stmt.While(require(condition), loop.block()));
  }

  /** Whether two operands that store each coordinate once, and nothing else, decide on the case. */
  private boolean isSimple(LatticePoint point, List<Walk> walks) {
    return walks.size() == 2
        && walks.stream()
            .allMatch(w -> w.level.unique() && w.copy == null && w.level.labelled(w.at()) == null)
        && point.operands().stream()
            .allMatch(o -> requireLevel(o).random() || point.iterated().contains(o));
  }

  /** All cases at once: which it is would be hard to predict. */
  private void chosen(
      Choice choice, LatticePoint point, List<Walk> walks, Expr i, Scope scope, Code loop) {
    List<Expr> here =
        walks.stream()
            .map(w -> loop.name(w.position.name() + "_here", Expr.equal(w.coordinate(), i)))
            .toList();
    List<Case> cases = new ArrayList<>();
    boolean[] alone = new boolean[walks.size()];
    for (LatticePoint present : lattice.cases(point)) {
      Expr condition = null;
      Scope inner = scope;
      int only = -1;
      for (int w = 0; w < walks.size(); w++) {
        Walk walk = walks.get(w);
        if (present.operands().stream().anyMatch(o -> o.id() == walk.access.id())) {
          only = condition == null ? w : -1;
          condition = and(condition, here.get(w));
          int next = scope.cursor(walk.access).next() + 1;
          inner = inner.withCursor(walk.access.id(), new Cursor(next, walk.at(), null));
        }
      }
      if (only >= 0) {
        alone[only] = true;
      }
      cases.add(new Case(present, require(condition), inner));
    }
    choice.emit(cases, alone[0] && alone[1], scope, loop);
    for (int w = 0; w < walks.size(); w++) {
      Expr step = new Expr.Convert(here.get(w), ScalarType.I64);
      loop.assign(walks.get(w).position, Expr.add(walks.get(w).at(), step));
    }
  }

  /** The cases of a loop, the most specific first, then the steps of the operands at {@code i}. */
  private void cases(LatticePoint point, List<Walk> walks, Expr i, Scope scope, Code loop) {
    boolean shared = sharesBody();
    for (Walk walk : walks) {
      if (shared || !walk.level.unique()) {
        walk.segmentEnd = loop.declare("p" + walk.level.name() + "_seg", walk.at());
        Code found = loop.nested();
        found.assign(walk.segmentEnd, Expr.add(walk.at(), Expr.of(1)));
        if (!walk.level.unique()) {
          skipRepeated(walk, found);
        }
        if (walk.copy != null) {
          walk.child = loop.declare(walk.position.name() + "_child", Expr.of(0));
          found.assign(walk.child, walk.copy.position(walk.at()));
        }
        loop.when(Expr.equal(walk.coordinate(), i), found);
      }
    }
    List<Located> located = locate(point, i, scope, loop);
    if (shared) {
      sharedBody(point, walks, located, scope, loop);
    } else {
      eachCase(point, walks, located, i, scope, loop);
    }
    for (Walk walk : walks) {
      Code step = loop.nested();
      step.assign(walk.position, walk.next());
      skipUnlabelled(walk, step);
      if (shared) {
        loop.addAll(step);
      } else {
        loop.when(Expr.equal(walk.coordinate(), i), step);
      }
    }
  }

  /** One body for all cases: an operand that is absent has an empty segment of positions. */
  private void sharedBody(
      LatticePoint point, List<Walk> walks, List<Located> located, Scope scope, Code loop) {
    Scope inner = scope;
    for (Located operand : located) {
      Expr found = require(operand.found());
      Expr begin = operand.cursor().begin();
      Expr end = new Expr.Select(found, Expr.add(begin, Expr.of(1)), begin);
      inner =
          inner
              .withCursor(operand.access().id(), new Cursor(operand.cursor().next(), begin, end))
              .withPresence(operand.access().id(), found);
    }
    for (Walk walk : walks) {
      Expr end = Expr.of(require(walk.segmentEnd));
      Expr present = Expr.lessThan(walk.at(), end);
      Expr begin = walk.at();
      if (walk.child != null) {
        begin = Expr.of(walk.child);
        end = new Expr.Select(present, Expr.add(begin, Expr.of(1)), begin);
      }
      int next = scope.cursor(walk.access).next() + 1;
      inner =
          inner
              .withCursor(walk.access.id(), new Cursor(next, begin, end))
              .withPresence(walk.access.id(), present);
    }
    body.emit(point, inner, loop);
  }

  private void eachCase(
      LatticePoint point, List<Walk> walks, List<Located> located, Expr i, Scope scope, Code loop) {
    List<Stmt> thens = new ArrayList<>();
    List<@Nullable Expr> conditions = new ArrayList<>();
    for (LatticePoint present : lattice.cases(point)) {
      Code then = loop.nested();
      conditions.add(oneCase(present, walks, located, i, scope, then));
      thens.add(then.block());
    }
    Stmt chain = Stmt.Block.EMPTY;
    for (int c = thens.size() - 1; c >= 0; c--) {
      Expr condition = conditions.get(c);
      chain = condition == null ? thens.get(c) : new Stmt.If(condition, thens.get(c), chain);
    }
    if (chain instanceof Stmt.Block always) {
      always.statements().forEach(loop::add);
    } else {
      loop.add(chain);
    }
  }

  /** Emits one case into {@code then}; returns when it applies, null for always. */
  private @Nullable Expr oneCase(
      LatticePoint present,
      List<Walk> walks,
      List<Located> located,
      Expr i,
      Scope scope,
      Code then) {
    Expr condition = null;
    Scope inner = scope;
    for (Located operand : located) {
      if (present.operands().stream().anyMatch(o -> o.id() == operand.access().id())) {
        condition = and(condition, operand.found());
        inner = inner.withCursor(operand.access().id(), operand.cursor());
      }
    }
    for (Walk walk : walks) {
      if (present.operands().stream().anyMatch(o -> o.id() == walk.access.id())) {
        Expr here = Expr.equal(walk.coordinate(), i);
        condition = condition == null ? here : Expr.and(condition, here);
        Expr segment = walk.segmentEnd == null ? null : Expr.of(walk.segmentEnd);
        int next = scope.cursor(walk.access).next() + 1;
        inner = inner.withCursor(walk.access.id(), new Cursor(next, walk.position(then), segment));
      }
    }
    body.emit(present, inner, then);
    return condition;
  }

  /** Moves the end of the segment past all positions that repeat the coordinate. */
  private static void skipRepeated(Walk walk, Code code) {
    LoopVariable segmentEnd = require(walk.segmentEnd);
    Expr last = Expr.sub(walk.end, Expr.of(1));
    Expr there = walk.coordinateAt(Expr.min(Expr.of(segmentEnd), last));
    Expr repeats =
        Expr.and(
            Expr.lessThan(Expr.of(segmentEnd), walk.end), Expr.equal(there, walk.coordinate()));
    code.add(
        new Stmt.While(
            repeats,
            Stmt.Block.of(new Stmt.Assign(segmentEnd, Expr.add(Expr.of(segmentEnd), Expr.of(1))))));
  }

  private Level requireLevel(Operand operand) {
    return require(levels.get(operand.id()));
  }

  private static <T> T require(@Nullable T value) {
    if (value == null) {
      throw new IllegalStateException("an operand of the lattice was not announced");
    }
    return value;
  }
}
