package org.weft.compiler.lower.sink;

import java.util.ArrayList;
import java.util.List;
import org.weft.compiler.level.Code;
import org.weft.compiler.level.Level;
import org.weft.compiler.level.LevelEmitter;
import org.weft.compiler.loop.Buffer;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.LoopTraits;
import org.weft.compiler.loop.LoopVariable;
import org.weft.compiler.loop.Stmt;
import org.weft.compiler.lower.operand.TensorLayout;
import org.weft.compiler.lower.operand.Values;
import org.weft.tensor.LevelCoordinate;
import org.weft.tensor.TensorFormat;

/**
 * Makes a tensor of any format from a sorted list of its entries ({@link EntryList}), by the insert
 * functions of its levels (Chou et al., section 3.4; attribute queries and ranks after Chou,
 * Kjolstad and Amarasinghe, PLDI 2020).
 *
 * <p>The list is walked once for every level that has to know how many children its parents have,
 * to count them, and once more to store coordinates and values. A walk computes the positions of an
 * entry from the root down: an entry has the position of the one before it at every level above the
 * first column in which the two differ, and the <em>rank</em> of a child among its siblings follows
 * from that column too. Entries of the same cell are summed.
 *
 * <p>Cost: {@code O(levels entries)} a walk, {@code O(positions)} to prepare arrays; no workspace.
 */
public final class Assembly {
  private final TensorLayout list;
  private final TensorLayout result;
  private final TensorFormat format;
  private final Code code;

  /** For each level, how many columns of the list tell its positions apart. */
  private final List<Integer> keys = new ArrayList<>();

  private final boolean hasSlots;

  /** How many positions the levels have that are prepared. */
  private final List<Expr> positions = new ArrayList<>();

  /** How many levels have stored their coordinates. */
  private int stored;

  public Assembly(TensorLayout list, TensorLayout result, Code code) {
    this.list = list;
    this.result = result;
    this.format = result.tensor().stored();
    this.code = code;
    this.hasSlots = hasSlots(format);
    for (int level = 0; level < result.order(); level++) {
      keys.add(Math.max(key(level - 1), ownKey(level)));
    }
  }

  /** Whether the list has a column for every mode, not for every level. */
  static boolean hasSlots(TensorFormat format) {
    return format.levelCount() > 0 && format.coordinate(0) instanceof LevelCoordinate.Slot;
  }

  private int key(int level) {
    return level < 0 ? 0 : keys.get(level);
  }

  private int ownKey(int level) {
    if (hasSlots) {
      return list.order();
    } else if (result.level(level).branchless()) {
      return 0;
    }
    boolean unique = result.level(level).spec().properties().unique();
    return (unique ? level : level + format.branchlessBelow(level)) + 1;
  }

  /** Whether every parent position of a level has one child by its format, not by its entries. */
  private boolean isChild(int number) {
    Level level = result.level(number);
    return level.branchless() && level.crd() != null && (hasSlots || number >= key(number - 1));
  }

  /** Emits all walks. */
  public void emit() {
    boolean grows = result.vals().kind() == Buffer.Kind.GROWABLE;
    for (int number = 0; number < result.order(); number++) {
      Level level = result.level(number);
      Expr there = code.name("p" + level.name() + "_count", prepare(level));
      positions.add(there);
      if (isChild(number) && level.spec().properties().compact()) {
        requireChildren(level);
      }
      if (grows) {
        code.add(new Stmt.SetCount(level.tensor(), level.stored(), there));
      }
    }
    Buffer vals = result.vals();
    if (grows) {
      Expr cells = positions(result.order() - 1);
      code.add(new Stmt.Grow(vals, cells));
      code.add(new Stmt.Clear(vals, Expr.of(0), cells));
    }
    walk(
        result.order(),
        (entry, walk, body) -> {
          Expr value = Values.convert(new Expr.Load(list.vals(), entry), vals.scalar());
          body.add(new Stmt.Accumulate(vals, walk.parent(), value));
        });
  }

  /** Makes the arrays of a level; returns how many positions it has. */
  private Expr prepare(Level level) {
    Expr parents = positions(level.number() - 1);
    if (format.coordinate(level.number()).isCounted()) {
      return count(level, LevelEmitter.Children.MOST, parents);
    }
    LevelEmitter.Children asked = level.emitter().counted();
    Expr children =
        asked == LevelEmitter.Children.NOTHING ? Expr.of(0) : count(level, asked, parents);
    return level.emitter().insertInit(level, parents, children, code);
  }

  private Expr positions(int level) {
    return level < 0 ? Expr.of(1) : positions.get(level);
  }

  /** Counts the children of all parents of {@code level}, of which there are {@code parents}. */
  private Expr count(Level level, LevelEmitter.Children asked, Expr parents) {
    LoopVariable count = code.declare("p" + level.name() + "_children", Expr.of(0));
    boolean each = asked == LevelEmitter.Children.EACH;
    if (each) {
      level.emitter().appendInit(level, parents, code);
    }
    walk(
        level.number(),
        (entry, walk, body) -> {
          Code added = body.nested();
          Expr rank = walk.rank(level.number(), body);
          Expr siblings = Expr.add(rank, Expr.of(1));
          if (each) {
            level.emitter().appendEdges(level, walk.parent(), Expr.of(0), siblings, true, added);
            added.assign(count, Expr.add(Expr.of(count), Expr.of(1)));
            body.when(walk.differsWithin(key(level.number())), added);
          } else {
            body.assign(count, Expr.binary(Expr.Op.MAX, Expr.of(count), siblings));
          }
        });
    return Expr.of(count);
  }

  /** Every parent position has to have a child. */
  private void requireChildren(Level level) {
    int above = level.number() - 1;
    LoopVariable parents = code.declare("p" + level.name() + "_parents", Expr.of(0));
    walk(
        0,
        (entry, walk, body) -> {
          Code found = body.nested();
          found.assign(parents, Expr.add(Expr.of(parents), Expr.of(1)));
          body.when(walk.differsWithin(Math.max(1, key(above))), found);
        });
    Expr all = Expr.equal(Expr.of(parents), positions(above));
    code.add(new Stmt.Require(all, level.tensor(), level.stored()));
  }

  /** What is done with each entry. */
  private interface Body {
    void emit(Expr entry, Walk walk, Code code);
  }

  /**
   * Emits a loop over the list, which finds the positions of an entry at the first {@code levels}
   * levels and stores the coordinates of those that no walk came to before.
   */
  private void walk(int levels, Body body) {
    LevelEmitter.Range all =
        list.level(0).emitter().positions(list.level(0), Expr.of(0), Expr.of(1));
    LoopVariable e = LoopVariable.integer(code.fresh("e"));
    Walk walk = new Walk(Expr.of(e), code);
    Code loop = code.nested();
    walk.compare(loop);
    for (int number = 0; number < levels; number++) {
      walk.descend(number, number >= stored, loop);
    }
    stored = Math.max(stored, levels);
    body.emit(Expr.of(e), walk, loop);
    walk.keep(loop);
    code.add(new Stmt.For(e, all.begin(), all.end(), loop.block(), LoopTraits.SERIAL));
  }

  /** Where a walk is. */
  private final class Walk implements LevelEmitter.Path {
    private final Expr entry;
    private final Code before;
    private final List<LoopVariable> previous = new ArrayList<>();
    private final List<Expr> columns = new ArrayList<>();
    private Expr difference = Expr.of(0);
    private Expr position = Expr.of(0);

    Walk(Expr entry, Code before) {
      this.entry = entry;
      this.before = before;
      for (int column = 0; column < list.order(); column++) {
        previous.add(before.declare("last" + list.level(column).name(), Expr.of(-1)));
      }
    }

    /** Finds the first column in which the entry differs from the one before it. */
    void compare(Code loop) {
      for (int column = 0; column < list.order(); column++) {
        Level level = list.level(column);
        columns.add(loop.name("i" + level.name(), new Expr.Load(level.requireCrd(), entry)));
      }
      difference = Expr.of(list.order());
      for (int column = list.order() - 1; column >= 0; column--) {
        Expr same = Expr.equal(columns.get(column), Expr.of(previous.get(column)));
        difference = new Expr.Select(same, difference, Expr.of(column));
      }
      difference = loop.name("differs", difference);
    }

    void keep(Code loop) {
      for (int column = 0; column < list.order(); column++) {
        loop.assign(previous.get(column), columns.get(column));
      }
    }

    Expr differsWithin(int count) {
      return Expr.lessThan(difference, Expr.of(count));
    }

    /** The number of the entry's child of {@code level} among its siblings. */
    Expr rank(int level, Code loop) {
      return rank(level, key(level), loop);
    }

    /** How many children came before, told apart by the first {@code columns} columns. */
    private Expr rank(int level, int columns, Code loop) {
      LoopVariable rank = before.declare("rank" + result.level(level).name(), Expr.of(-1));
      int parent = hasSlots && level == 0 ? 1 : key(level - 1);
      Expr next = Expr.add(Expr.of(rank), Expr.of(1));
      Expr moved = new Expr.Select(differsWithin(columns), next, Expr.of(rank));
      loop.assign(rank, new Expr.Select(differsWithin(parent), Expr.of(0), moved));
      return Expr.of(rank);
    }

    /** Goes down to the entry's position at {@code number}. */
    void descend(int number, boolean store, Code loop) {
      Level level = result.level(number);
      if (format.coordinate(number).isCounted()) {
        position = rank(number, loop);
        return;
      }
      Expr rank =
          level.emitter().counted() == LevelEmitter.Children.EACH ? rank(number, loop) : Expr.of(0);
      Expr there = level.emitter().insertPosition(level, this, rank, loop);
      there = loop.name("p" + level.name(), there);
      if (store) {
        level.emitter().insertCoordinate(level, this, there, loop);
      }
      position = there;
      if (isChild(number) && !hasSlots) {
        Expr first = Expr.equal(rank(number, number + 1, loop), Expr.of(0));
        loop.add(new Stmt.Require(first, level.tensor(), level.stored()));
      }
    }

    @Override
    public Expr coordinate(int level) {
      LevelCoordinate stored = format.coordinate(level);
      if (!hasSlots) {
        return columns.get(level);
      }
      Expr whole = columns.get(stored.storedMode());
      if (stored instanceof LevelCoordinate.Block block) {
        return new Expr.Binary(Expr.Op.DIV, whole, Expr.of(block.size()));
      } else if (stored instanceof LevelCoordinate.Within within) {
        return new Expr.Binary(Expr.Op.REM, whole, Expr.of(within.size()));
      }
      return whole;
    }

    @Override
    public Expr parent() {
      return position;
    }
  }
}
