package org.weft.compiler.loop;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.weft.memory.ElementType;
import org.weft.tensor.Width;

/**
 * A statement. Failing statements ({@link AllocateWorkspace}, {@link Grow}, {@link CheckWidth},
 * {@link Require}) set the STATUS slot, release everything the kernel allocated, growable arrays
 * included, and return.
 */
public sealed interface Stmt {

  /** The statements inside this one. */
  default List<Stmt> children() {
    return List.of();
  }

  record Block(List<Stmt> statements) implements Stmt {
    public static final Block EMPTY = new Block(List.of());

    public Block {
      statements = List.copyOf(statements);
    }

    public static Block of(Stmt... statements) {
      return new Block(List.of(statements));
    }

    @Override
    public List<Stmt> children() {
      return statements;
    }
  }

  /** Introduces a mutable variable, visible to the end of the enclosing block. */
  record Declare(LoopVariable variable, Expr value) implements Stmt {
    public Declare {
      requireType("initial value of " + variable.name(), variable.type(), value);
    }
  }

  record Assign(LoopVariable variable, Expr value) implements Stmt {
    public Assign {
      requireType("value assigned to " + variable.name(), variable.type(), value);
    }
  }

  /** {@code buffer[position] = value}; integers are truncated to the element's width. */
  record Store(Buffer buffer, Expr position, Expr value) implements Stmt {
    public Store {
      requireWritable(buffer);
      requireType("position in " + buffer.name(), ScalarType.I64, position);
      requireType("value stored in " + buffer.name(), buffer.scalar(), value);
    }
  }

  /**
   * {@code buffer[position] += value}.
   *
   * @param shared whether other threads may add to the same element at the same time; integers only
   */
  record Accumulate(Buffer buffer, Expr position, Expr value, boolean shared) implements Stmt {
    public Accumulate(Buffer buffer, Expr position, Expr value) {
      this(buffer, position, value, false);
    }

    public Accumulate {
      requireWritable(buffer);
      if (shared) {
        requireType("value that threads add to " + buffer.name(), ScalarType.I64, value);
      }
      requireType("position in " + buffer.name(), ScalarType.I64, position);
      requireType("value added to " + buffer.name(), buffer.scalar(), value);
    }
  }

  /**
   * {@code for (variable = lower; variable < upper; variable++) body}; both bounds are evaluated
   * once, and the body does not assign the variable. Literal bounds make a constant trip count:
   * small vector loops of that kind become straight-line vector code.
   */
  record For(LoopVariable variable, Expr lower, Expr upper, Stmt body, LoopTraits traits)
      implements Stmt {
    public For {
      if (variable.type() != ScalarType.I64) {
        throw new IllegalArgumentException(
            "expected an I64 loop variable, found " + variable.name() + ": " + variable.type());
      }
      requireType("lower bound of " + variable.name(), ScalarType.I64, lower);
      requireType("upper bound of " + variable.name(), ScalarType.I64, upper);
    }

    @Override
    public List<Stmt> children() {
      return List.of(body);
    }
  }

  record While(Expr condition, Stmt body) implements Stmt {
    public While {
      requireType("condition", ScalarType.BOOL, condition);
    }

    @Override
    public List<Stmt> children() {
      return List.of(body);
    }
  }

  record If(Expr condition, Stmt then, Stmt otherwise) implements Stmt {
    public If {
      requireType("condition", ScalarType.BOOL, condition);
    }

    public If(Expr condition, Stmt then) {
      this(condition, then, Block.EMPTY);
    }

    @Override
    public List<Stmt> children() {
      return List.of(then, otherwise);
    }
  }

  /**
   * Allocates {@code length} zeroed elements. A literal length of at most {@value
   * #STACK_WORKSPACE_BYTES} bytes lives on the stack, and in registers where every access has a
   * constant position; others come from the runtime (status 1 when it has no memory) until {@link
   * FreeWorkspace}, or to the end of the function. Executed again, it starts from zeros again.
   *
   * @param few elements for which there is room on the stack, whatever the length: the runtime is
   *     asked for more than these only. At most {@value #STACK_WORKSPACE_BYTES} bytes; 0 for a
   *     workspace that may grow
   */
  record AllocateWorkspace(Buffer buffer, Expr length, int few) implements Stmt {
    public static final int STACK_WORKSPACE_BYTES = 4096;

    /** Bytes of the widest register. */
    private static final int WIDEST = 64;

    public AllocateWorkspace {
      requireKind(buffer, Buffer.Kind.WORKSPACE);
      requireType("length of " + buffer.name(), ScalarType.I64, length);
      few = Math.min(few, STACK_WORKSPACE_BYTES / buffer.element().bytes());
    }

    public AllocateWorkspace(Buffer buffer, Expr length) {
      this(buffer, length, 0);
    }

    /** Elements of the widest register. */
    public static int lanes(ElementType element) {
      return WIDEST / element.bytes();
    }

    /** Elements that {@code length} take on the stack, where they have whole registers. */
    public static long padded(long length, ElementType element) {
      int lanes = lanes(element);
      return Math.max(1, (length + lanes - 1) / lanes) * lanes;
    }

    /** Whether the workspace is small and of constant length, and so on the stack. */
    public boolean onStack() {
      return length instanceof Expr.IntLiteral constant
          && constant.value() >= 0
          && constant.value() <= STACK_WORKSPACE_BYTES / buffer.element().bytes();
    }
  }

  /** Introduces {@code view}: its element {@code p} is {@code shown[p + origin]}. */
  record View(Buffer view, Buffer shown, Expr origin) implements Stmt {
    public View {
      requireKind(view, Buffer.Kind.VIEW);
      requireType("origin of " + view.name(), ScalarType.I64, origin);
      requireWritable(shown);
      if (shown.element() != view.element() || shown.kind() == Buffer.Kind.VIEW) {
        throw new IllegalArgumentException(
            "expected an array of " + view.element() + " behind a view, found " + shown);
      }
    }
  }

  /**
   * Asks for {@code elements} elements from {@code position} on to be brought near; changes nothing
   * else, wherever that is. At most {@value #MOST_BYTES} bytes.
   *
   * @param cache into which they are brought: 1 is the nearest, 2 holds more and has more requests
   *     under way
   */
  record Prefetch(Buffer buffer, Expr position, long elements, int cache) implements Stmt {
    public static final long MOST_BYTES = 2048;

    public Prefetch {
      requireType("position in " + buffer.name(), ScalarType.I64, position);
      elements = Math.min(elements, MOST_BYTES / buffer.element().bytes());
      if (cache != 1 && cache != 2) {
        throw new IllegalArgumentException("expected cache 1 or 2, found " + cache);
      }
    }

    /** Into the nearest cache. */
    public Prefetch(Buffer buffer, Expr position, long elements) {
      this(buffer, position, elements, 1);
    }
  }

  /**
   * Transposes a square block in vector registers: {@code to[places[i] + j] = from[positions[j] +
   * i]} for all i and j below {@link #side}. The buffers do not overlap.
   */
  record Turn(Buffer from, List<Expr> positions, Buffer to, List<Expr> places) implements Stmt {
    private static final int REGISTER_BYTES = 32;

    public Turn {
      positions = List.copyOf(positions);
      places = List.copyOf(places);
      requireWritable(to);
      int side = side(from.element());
      if (from.element() != to.element() || positions.size() != side || places.size() != side) {
        throw new IllegalArgumentException(
            "expected " + side + " rows of one type, found " + positions + " and " + places);
      }
      positions.forEach(each -> requireType("position in " + from.name(), ScalarType.I64, each));
      places.forEach(each -> requireType("position in " + to.name(), ScalarType.I64, each));
    }

    /** Rows and columns of a block: the numbers of one register. */
    public static int side(ElementType element) {
      return REGISTER_BYTES / element.bytes();
    }
  }

  /**
   * Copies one line of memory around the caches: {@code to[place]} begins a line. Others see it
   * after a {@link Drain}.
   */
  record StreamLine(Buffer from, Expr position, Buffer to, Expr place) implements Stmt {
    /** Bytes of a line. */
    public static final int BYTES = 64;

    public StreamLine {
      requireWritable(to);
      requireType("position in " + from.name(), ScalarType.I64, position);
      requireType("position in " + to.name(), ScalarType.I64, place);
      if (from.element() != to.element()) {
        throw new IllegalArgumentException("expected one type, found " + from + " and " + to);
      }
    }
  }

  /** Waits until others see what this thread wrote by {@link StreamLine}. */
  record Drain() implements Stmt {}

  /**
   * Does nothing for {@code ticks} of the processor's time-stamp counter, counted from when what
   * comes before has been computed. Reads the counter at least twice.
   */
  record Delay(Expr ticks) implements Stmt {
    public Delay {
      requireType("ticks of a delay", ScalarType.I64, ticks);
    }
  }

  /** Sets elements {@code [from, to)} to zero; not of a view. */
  record Clear(Buffer buffer, Expr from, Expr to) implements Stmt {
    public Clear {
      requireWritable(buffer);
      if (buffer.kind() == Buffer.Kind.VIEW) {
        throw new IllegalArgumentException("views are not cleared, found " + buffer.name());
      }
      requireType("start of a clear of " + buffer.name(), ScalarType.I64, from);
      requireType("end of a clear of " + buffer.name(), ScalarType.I64, to);
    }
  }

  /** Releases a workspace; nothing to do for one on the stack. */
  record FreeWorkspace(Buffer buffer) implements Stmt {
    public FreeWorkspace {
      requireKind(buffer, Buffer.Kind.WORKSPACE);
    }
  }

  /**
   * Makes room for at least {@code neededElements}, doubling, so that appending n elements costs
   * O(n); new elements are undefined. Status 1 when the runtime has no memory. A workspace that
   * grows was allocated on the heap by the same task.
   */
  record Grow(Buffer buffer, Expr neededElements) implements Stmt {
    public Grow {
      if (buffer.kind() != Buffer.Kind.WORKSPACE) {
        requireKind(buffer, Buffer.Kind.GROWABLE);
      }
      requireType("size of " + buffer.name(), ScalarType.I64, neededElements);
    }
  }

  /**
   * Makes growable arrays from pieces, on several threads:
   *
   * <pre>
   * for pieces [from, to) of [0, items), on any thread, in any order
   *   body                                appends to the arrays of one piece
   *   part.whole += part.piece            in the order of the pieces
   * part.total = elements in the whole
   * </pre>
   *
   * A piece that begins with the coordinate with which the whole ends goes on there: see {@code
   * joint}. So results do not depend on who makes which piece, nor on where pieces end. A thread
   * runs {@code front} once, before its first piece; with one thread, there is one piece, which
   * becomes the whole without a copy. The body may grow nothing but workspaces of {@code front}.
   * Status 1 when the runtime has no memory.
   *
   * @param work multiply-adds, which decide on the number of threads
   */
  record Gather(
      Expr items,
      Expr work,
      LoopVariable from,
      LoopVariable to,
      Stmt front,
      Stmt body,
      List<Part> parts)
      implements Stmt {
    public Gather {
      requireType("items", ScalarType.I64, items);
      requireType("work", ScalarType.I64, work);
      parts = List.copyOf(parts);
    }

    @Override
    public List<Stmt> children() {
      return List.of(front, body);
    }
  }

  /**
   * An array of a {@link Gather}.
   *
   * @param whole has the {@code lead} before, and nothing else
   * @param piece a growable workspace
   * @param lead elements at the start of every piece that are not part of it: the 0 of a {@code
   *     pos} array
   * @param count elements of a piece behind the lead, once its body has run
   * @param shift number of the part whose elements in the pieces before are counted into every
   *     element of this one, as positions are; -1 for none
   * @param joint number of the group of appended levels, outermost first, for whose positions the
   *     elements stand, if its last position in a piece may be the first in the next: both have its
   *     coordinates then, and it is gathered as one; -1 if it never is. Elements are coordinates
   *     without a shift, or the ends of segments with one
   * @param total set to the elements of the whole behind the lead; null where nobody asks
   */
  record Part(
      Buffer whole,
      Buffer piece,
      int lead,
      Expr count,
      int shift,
      int joint,
      @Nullable LoopVariable total) {
    public Part {
      requireKind(whole, Buffer.Kind.GROWABLE);
      requireKind(piece, Buffer.Kind.WORKSPACE);
      requireType("count of " + piece.name(), ScalarType.I64, count);
    }
  }

  /** Writes the number of positions of a level of a sparse output to its POSITIONS slot. */
  record SetCount(int tensor, int level, Expr count) implements Stmt {
    public SetCount {
      requireType("count", ScalarType.I64, count);
    }
  }

  /**
   * Sorts the first {@code count} elements of an I64 workspace in ascending order: the positions of
   * all nonzero elements among the first {@code length} of {@code marks}, a U8 workspace.
   */
  record SortMarked(Buffer buffer, Expr count, Buffer marks, Expr length) implements Stmt {
    public SortMarked {
      requireSortable(buffer);
      requireType("count", ScalarType.I64, count);
      requireKind(marks, Buffer.Kind.WORKSPACE);
      requireType("length", ScalarType.I64, length);
    }
  }

  /**
   * Sorts the first {@code count} elements of {@code keys}, ascending and stably, and moves those
   * of {@code values} along; both are I64 workspaces. Status 1 when the runtime has no memory.
   */
  record SortPairs(Buffer keys, Buffer values, Expr count) implements Stmt {
    public SortPairs {
      requireSortable(keys);
      requireSortable(values);
      requireType("count", ScalarType.I64, count);
    }
  }

  /**
   * Sets {@code ranks[i]}, for every i below {@code count}, to how many of the first {@code count}
   * elements of {@code keys} are less than {@code keys[i]}; both are U32 workspaces of at least
   * {@value #MOST} elements, of which those behind are undefined afterwards. Keys are less than
   * {@value #KEYS_BELOW}.
   *
   * @param different an I64 variable that becomes 1 if no two keys are equal, else 0
   */
  record Rank(Buffer keys, Buffer ranks, Expr count, LoopVariable different) implements Stmt {
    public static final int MOST = 64;
    public static final long KEYS_BELOW = 1L << 31;

    public Rank {
      requireKind(keys, Buffer.Kind.WORKSPACE);
      requireKind(ranks, Buffer.Kind.WORKSPACE);
      if (keys.element() != ElementType.U32 || ranks.element() != ElementType.U32) {
        throw new IllegalArgumentException("expected U32 arrays, found " + keys + " and " + ranks);
      }
      requireType("count", ScalarType.I64, count);
    }
  }

  /** Fails with status 2 and the level as detail when {@code value} needs more than a width. */
  record CheckWidth(Expr value, Width width, int tensor, int level) implements Stmt {
    public CheckWidth {
      requireType("checked value", ScalarType.I64, value);
    }
  }

  /**
   * Fails with status 4 and the level as detail unless the entries of a result are as they must.
   */
  record Require(Expr condition, int tensor, int level) implements Stmt {
    public Require {
      requireType("condition", ScalarType.BOOL, condition);
    }
  }

  /** Leaves the kernel with success; not inside a parallel loop. */
  record Return() implements Stmt {}

  private static void requireType(String what, ScalarType expected, Expr found) {
    if (found.type() != expected) {
      throw new IllegalArgumentException(
          "expected " + expected + " as " + what + ", found " + found.type());
    }
  }

  private static void requireWritable(Buffer buffer) {
    if (!buffer.writable()) {
      throw new IllegalArgumentException(
          "expected a writable buffer, found input '" + buffer.name() + "'");
    }
  }

  private static void requireSortable(Buffer buffer) {
    requireKind(buffer, Buffer.Kind.WORKSPACE);
    if (buffer.element() != ElementType.I64) {
      throw new IllegalArgumentException(
          "expected I64 elements to sort, found " + buffer.name() + ": " + buffer.element());
    }
  }

  private static void requireKind(Buffer buffer, Buffer.Kind kind) {
    if (buffer.kind() != kind) {
      throw new IllegalArgumentException(
          "expected a " + kind + " buffer, found '" + buffer.name() + "': " + buffer.kind());
    }
  }
}
