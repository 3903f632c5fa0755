package org.weft.compiler.lower.sink;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.level.Code;
import org.weft.compiler.level.Level;
import org.weft.compiler.loop.Buffer;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.LoopVariable;
import org.weft.compiler.loop.Stmt;
import org.weft.compiler.lower.operand.Scope;
import org.weft.compiler.lower.operand.TensorLayout;
import org.weft.compiler.lower.operand.Workspaces;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.LevelSpec;
import org.weft.tensor.level.LevelCapability;

/**
 * How the levels of a result are assembled in order.
 *
 * <p>Levels fall into <em>groups</em>: an append level that owns edges, and the branchless levels
 * below it, which share its positions ({@code CN, S, S} is one group). Levels with random access
 * stand between groups or at the ends. A group's coordinates are all stored at its last level, once
 * something below has been stored. Each group has a register with the next free position.
 */
public final class AppendPlan {
  /** Levels {@code first..last} of the result, which share positions. */
  public record Group(int first, int last, LoopVariable position, boolean counted) {}

  private final TensorExpr.Access access;
  private final TensorLayout layout;
  private final List<Group> groups;
  private final @Nullable Shared shared;

  private final @Nullable Placement placement;

  /**
   * Parents of the first group that have children in several pieces, if any has: the first and the
   * last of a piece.
   *
   * @param operand whose positions at the level of the parents stand for them
   * @param first the position of the first parent
   * @param end the position behind the last one
   */
  record Shared(TensorExpr.Access operand, Expr first, Expr end) {
    Expr isBorder(Expr position) {
      Expr atEnd = Expr.equal(Expr.add(position, Expr.of(1)), end);
      return Expr.binary(Expr.Op.OR, Expr.equal(position, first), atEnd);
    }
  }

  private AppendPlan(
      TensorExpr.Access access,
      TensorLayout layout,
      List<Group> groups,
      @Nullable Shared shared,
      @Nullable Placement placement) {
    this.access = access;
    this.layout = layout;
    this.groups = groups;
    this.shared = shared;
    this.placement = placement;
  }

  public AppendPlan(TensorExpr.Access access, TensorLayout layout, Code head) {
    this(access, layout, new ArrayList<>(), null, null);
    int level = 0;
    while (level < layout.order()) {
      int last = level;
      if (!layout.level(level).random()) {
        requireAppendable(level);
        while (last + 1 < layout.order() && layout.level(last + 1).branchless()) {
          last++;
          requireRepeating(level, last);
        }
        boolean counted = level > 0 && layout.level(level - 1).random();
        LoopVariable position =
            head.declare("p" + layout.level(level).name() + "_next", Expr.of(0));
        groups.add(new Group(level, last, position, counted));
      }
      level = last + 1;
    }
  }

  private void requireAppendable(int number) {
    Level level = layout.level(number);
    if (level.branchless()) {
      throw unassembled(
          number,
          "holds one coordinate per parent and has no compressed level above it; use a dense,"
              + " compressed or COO result format");
    } else if (!level.can(LevelCapability.APPEND)) {
      throw unassembled(
          number,
          "supports neither insert nor append; use a dense, compressed or COO result format");
    }
  }

  private void requireRepeating(int above, int number) {
    int head = layout.level(above).stored();
    LevelSpec stored = layout.tensor().stored().level(head);
    if (layout.level(number).stored() > head && stored.properties().unique()) {
      throw unassembled(
          number,
          "holds one coordinate per parent, but "
              + named(above)
              + " does not repeat its coordinates; declare that level CN");
    }
  }

  private WeftException unassembled(int number, String reason) {
    return new WeftException(
        ErrorCode.CONVERSION_REQUIRED,
        "the result " + access + " cannot be assembled: " + named(number) + " " + reason);
  }

  private String named(int number) {
    return "level " + (number + 1) + " (" + layout.level(number).spec() + ")";
  }

  public TensorExpr.Access access() {
    return access;
  }

  public TensorLayout layout() {
    return layout;
  }

  /** The group that {@code level} belongs to, or null for a random-access level. */
  @Nullable
  public Group groupOf(int level) {
    for (Group group : groups) {
      if (group.first() <= level && level <= group.last()) {
        return group;
      }
    }
    return null;
  }

  /** The first group below {@code level}, or null. */
  @Nullable Group groupBelow(int level) {
    for (Group group : groups) {
      if (group.first() > level) {
        return group;
      }
    }
    return null;
  }

  /** The first level that is appended: those above have random access. */
  public int firstAppended() {
    return groups.get(0).first();
  }

  /** The last level that is appended; random-access levels below it form a block of values. */
  public int lastAppended() {
    return lastGroup().last();
  }

  public Group lastGroup() {
    return groups.get(groups.size() - 1);
  }

  /** Positions of level {@code to - 1} for each position of level {@code from - 1}. */
  public Expr blockSize(int from, int to) {
    Expr size = Expr.of(1);
    for (int level = from; level < to; level++) {
      size = layout.level(level).emitter().size(layout.level(level), size);
    }
    return size;
  }

  /** Valid arrays before the first append. */
  public void init(Code code) {
    for (Group group : groups) {
      Level level = layout.level(group.first());
      boolean first = group.equals(groups.get(0));
      Expr parents = first ? blockSize(0, group.first()) : Expr.of(0);
      level.emitter().appendInit(level, parents, code);
      initBranchless(group, code);
    }
    code.add(new Stmt.Grow(layout.vals(), Expr.of(1)));
  }

  /** The levels of a group below its first. */
  private void initBranchless(Group group, Code code) {
    for (int number = group.first() + 1; number <= group.last(); number++) {
      code.add(new Stmt.Grow(layout.level(number).requireCrd(), Expr.of(1)));
    }
  }

  /**
   * How one thread assembles the pieces of a {@link Stmt.Gather}: with arrays and positions of its
   * own, but for the edges of a group whose parents are known before the first append.
   *
   * @param workspaces where the arrays of pieces are allocated
   * @param code runs at the start of every piece
   */
  public AppendPlan piece(Workspaces workspaces, Code code) {
    List<Level> levels = new ArrayList<>(layout.levels());
    List<Group> own = new ArrayList<>();
    Map<Buffer, Buffer> arrays = new HashMap<>(); // the halves of a split level share theirs
    for (Group group : groups) {
      for (int number = group.first(); number <= group.last(); number++) {
        Level level = layout.level(number);
        Buffer pos = level.pos();
        if (pos != null && hasOwnEdges(group)) {
          pos = arrays.computeIfAbsent(pos, workspaces::growable);
        }
        Buffer crd = arrays.computeIfAbsent(level.requireCrd(), workspaces::growable);
        levels.set(number, level.withArrays(pos, crd));
      }
      LoopVariable position = code.declare(group.position().name(), Expr.of(0));
      own.add(new Group(group.first(), group.last(), position, group.counted()));
    }
    Buffer vals = workspaces.growable(layout.vals());
    AppendPlan piece = new AppendPlan(access, layout.withArrays(levels, vals), own, null, null);
    for (Group group : own) {
      Level level = piece.layout.level(group.first());
      if (hasOwnEdges(group)) {
        level.emitter().appendInit(level, Expr.of(0), code);
      } else {
        code.add(new Stmt.Grow(level.requireCrd(), Expr.of(1)));
      }
      piece.initBranchless(group, code);
    }
    code.add(new Stmt.Grow(vals, Expr.of(1)));
    return piece;
  }

  /** This plan for a piece whose first and last parent may go on in other pieces. */
  public AppendPlan sharing(TensorExpr.Access operand, Expr first, Expr end) {
    return new AppendPlan(access, layout, groups, new Shared(operand, first, end), null);
  }

  /**
   * Where the positions of the last group are known beforehand. All arrays have their lengths then,
   * and all above that group is stored.
   *
   * @param operand whose positions, at the level of the group, stand for them
   * @param begin the first of these
   * @param stored counts the positions that are taken
   */
  public record Placement(TensorExpr.Access operand, Expr begin, LoopVariable stored) {
    /** The position for what the operand has come to. */
    Expr position(Scope scope) {
      return Expr.sub(scope.cursor(operand).begin(), begin);
    }
  }

  /** This plan for what is appended from operand's position {@code first} on. */
  public AppendPlan placed(TensorExpr.Access operand, Expr begin, Expr first, Code code) {
    List<Group> own = new ArrayList<>(groups);
    Group last = own.remove(own.size() - 1);
    LoopVariable next = code.declare(last.position().name(), Expr.sub(first, begin));
    own.add(new Group(last.first(), last.last(), next, last.counted()));
    LoopVariable stored = code.declare("stored_here", Expr.of(0));
    return new AppendPlan(access, layout, own, null, new Placement(operand, begin, stored));
  }

  /** Where positions are known; null for what is appended behind what was stored before. */
  @Nullable
  public Placement placement() {
    return placement;
  }

  public List<Group> groups() {
    return List.copyOf(groups);
  }

  /** The parents of the first group that a piece shares with others; null for none. */
  @Nullable Shared shared() {
    return shared;
  }

  /**
   * Whether pieces may end between positions of {@code level}: what they share is then edges of
   * known parents, or the last coordinates of the groups above, which follow from those stored.
   */
  public boolean isDivisible(int level) {
    List<Group> entered = groups.stream().filter(group -> group.first() <= level).toList();
    for (int number = 1; number < entered.size(); number++) {
      if (entered.get(number - 1).last() + 1 != entered.get(number).first()) {
        return false;
      }
    }
    int last = entered.isEmpty() ? level : entered.get(entered.size() - 1).last();
    return level <= last && (entered.size() < 2 || firstAppended() == 0);
  }

  /** Whether parents of the group come into being with the coordinates above. */
  private boolean hasOwnEdges(Group group) {
    return groups.stream().anyMatch(above -> above.last() < group.first());
  }

  /**
   * The arrays of this result that are gathered from those of {@code piece}.
   *
   * @param level between whose positions pieces end: the groups above it may continue in the next
   */
  public List<Stmt.Part> parts(AppendPlan piece, int level) {
    List<Stmt.Part> parts = new ArrayList<>();
    Group above = null;
    for (int number = 0; number < groups.size(); number++) {
      Group whole = groups.get(number);
      Group own = piece.groups.get(number);
      int positions = parts.size();
      int joint = whole.last() < level ? number : -1;
      for (int each = whole.first(); each <= whole.last(); each++) {
        Buffer crd = layout.level(each).requireCrd();
        Buffer part = piece.layout.level(each).requireCrd();
        LoopVariable total = each == whole.first() ? whole.position() : null;
        if (parts.stream().noneMatch(known -> known.whole().equals(crd))) {
          parts.add(new Stmt.Part(crd, part, 0, Expr.of(own.position()), -1, joint, total));
        }
      }
      Buffer pos = layout.level(whole.first()).pos();
      Buffer part = piece.layout.level(whole.first()).pos();
      if (above != null && pos != null && part != null) {
        Expr block = blockSize(above.last() + 1, whole.first());
        Expr parents = Expr.mul(Expr.of(above.position()), block);
        int shift = whole.counted() ? -1 : positions;
        int edges = above.last() < level ? number - 1 : -1;
        parts.add(new Stmt.Part(pos, part, 1, parents, shift, edges, null));
      }
      above = own;
    }
    if (above != null) {
      Expr block = blockSize(above.last() + 1, layout.order());
      Expr values = Expr.mul(Expr.of(above.position()), block);
      parts.add(new Stmt.Part(layout.vals(), piece.layout.vals(), 0, values, -1, -1, null));
    }
    return parts;
  }

  /** Completes the levels and reports their numbers of positions. */
  public void finish(Code code) {
    Expr positions = Expr.of(1);
    for (int number = 0; number < layout.order(); number++) {
      Level level = layout.level(number);
      Group group = groupOf(number);
      if (group == null) {
        positions =
            code.name("p" + level.name() + "_count", level.emitter().size(level, positions));
      } else {
        if (number == group.first()) {
          Expr next = Expr.of(group.position());
          level.emitter().appendFinalize(level, positions, next, group.counted(), code);
        }
        positions = Expr.of(group.position());
      }
      code.add(new Stmt.SetCount(level.tensor(), level.stored(), positions));
    }
  }
}
