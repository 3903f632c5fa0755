package org.weft.compiler;

import java.io.Serializable;
import java.util.List;
import java.util.StringJoiner;

/**
 * One decision of a {@link Schedule}. {@link Object#toString} is its text form. Loops are named by
 * their index variable. A variable that is split has two loops: {@link Parallel} means the one over
 * blocks, {@link Vector} and {@link Unroll} the one within a block.
 */
public sealed interface Directive extends Serializable {

  /** How a loop is cut into blocks. */
  enum SplitBy {
    /** Every block has the same number of coordinates: rows, columns. */
    COORDINATE("coordinate"),
    /** Every block has the same number of stored entries of the operand that the loop walks. */
    POSITION("position");

    private final String word;

    SplitBy(String word) {
      this.word = word;
    }

    @Override
    public String toString() {
      return word;
    }
  }

  /** What collects scattered values along a variable. */
  enum WorkspaceKind {
    /** One cell per coordinate and a list of the touched ones. */
    DENSE("dense"),
    /** A hash table, as large as the coordinates that are touched. */
    HASHED("hashed");

    private final String word;

    WorkspaceKind(String word) {
      this.word = word;
    }

    @Override
    public String toString() {
      return word;
    }
  }

  /**
   * {@code order(i,k,j)}: the loops over these variables run in this order, outermost first. Where
   * a format stores blocks of a variable, {@code r/16} is the loop over them and {@code r%16} the
   * one within a block; the variable alone means both.
   */
  record Order(List<String> variables) implements Directive {
    public Order {
      variables = List.copyOf(variables);
      if (variables.isEmpty()) {
        throw new IllegalArgumentException("expected at least one label in order(...), found none");
      }
    }

    @Override
    public String toString() {
      StringJoiner text = new StringJoiner(",", "order(", ")");
      variables.forEach(text::add);
      return text.toString();
    }
  }

  /** {@code split(i:position:1024)}: the loop over {@code i} in blocks of 1024. */
  record Split(String variable, SplitBy by, long factor) implements Directive {
    /** Larger blocks hold every tensor whole. */
    public static final long LARGEST = 1L << 40;

    public Split {
      if (factor < 1 || factor > LARGEST) {
        throw new IllegalArgumentException(
            "expected a block of 1 to 2^40 in split(" + variable + ":...), found " + factor);
      }
    }

    @Override
    public String toString() {
      return "split(" + variable + ":" + by + ":" + factor + ")";
    }
  }

  /** {@code unroll(k,4)}: four copies of the loop's body; 1 forbids unrolling. */
  record Unroll(String variable, int copies) implements Directive {
    /** More copies only make code that no instruction cache holds. */
    public static final int MOST_COPIES = 64;

    public Unroll {
      if (copies < 1 || copies > MOST_COPIES) {
        throw new IllegalArgumentException(
            "expected 1 to "
                + MOST_COPIES
                + " copies in unroll("
                + variable
                + ",...), found "
                + copies);
      }
    }

    @Override
    public String toString() {
      return "unroll(" + variable + "," + copies + ")";
    }
  }

  /** {@code vector(k)}: iterations run as vector lanes; its sums may be reassociated. */
  record Vector(String variable) implements Directive {
    @Override
    public String toString() {
      return "vector(" + variable + ")";
    }
  }

  /** {@code parallel(i)}: iterations are divided among the threads of the call. */
  record Parallel(String variable) implements Directive {
    /** Shares of a loop whose iterations add to the same cells, each of which has its own. */
    public static final int SHARES = 16;

    @Override
    public String toString() {
      return "parallel(" + variable + ")";
    }
  }

  /** {@code parallel}: a wish. The outermost loop, if its iterations write disjoint cells. */
  record ParallelOutermost() implements Directive {
    @Override
    public String toString() {
      return "parallel";
    }
  }

  /**
   * {@code prefetch(k:24)}: a loop over stored coordinates of {@code k} asks for the rows that they
   * choose 24 coordinates before it needs them. Pays where these rows are far past the caches.
   */
  record Prefetch(String variable, int distance) implements Directive {
    /** Entries further ahead are evicted before they are needed. */
    public static final int LONGEST = 1024;

    public Prefetch {
      if (distance < 1 || distance > LONGEST) {
        throw new IllegalArgumentException(
            "expected a distance of 1 to "
                + LONGEST
                + " entries in prefetch("
                + variable
                + ":...), found "
                + distance);
      }
    }

    @Override
    public String toString() {
      return "prefetch(" + variable + ":" + distance + ")";
    }
  }

  /** {@code workspace(j:hashed)}: what collects values that are scattered along {@code j}. */
  record Workspace(String variable, WorkspaceKind kind) implements Directive {
    @Override
    public String toString() {
      return "workspace(" + variable + ":" + kind + ")";
    }
  }

  /**
   * {@code gemm(i:24:8:256:240:4096)}: a contraction of two dense tensors runs over packed panels,
   * and a tile of its result stays in vector registers. Tasks divide the side of {@code i}, a label
   * that the result shares with one operand; panels of the other side are packed for all.
   */
  record Gemm(String variable, GemmTiles tiles) implements Panels {
    private static final long LARGEST_SIDE = 64;
    private static final long LARGEST_TILE = 512;

    public Gemm {
      boolean sides = tiles.wide() <= LARGEST_SIDE && tiles.high() <= LARGEST_SIDE;
      if (!sides || tiles.wide() * tiles.high() > LARGEST_TILE) {
        throw new IllegalArgumentException(
            "expected a tile of 1 to 64 by 1 to 64 and at most 512 cells, found "
                + tiles.wide()
                + " by "
                + tiles.high());
      }
    }

    @Override
    public String toString() {
      return "gemm(" + variable + ":" + tiles + ")";
    }
  }

  /**
   * As {@link Gemm}, but nothing is computed: where a tile would be, the kernel waits as long as an
   * accelerator takes for it, and writes zeros. It is for measuring what is around the accelerator,
   * and has no text that a user could give.
   *
   * @param terms that the accelerator adds up in one pass; a block of fewer takes a whole pass
   * @param ticks of the processor's time-stamp counter that a pass takes; 0 for no wait at all
   */
  record Emulate(String variable, GemmTiles tiles, long terms, long ticks) implements Panels {
    public Emulate {
      if (terms < 1 || ticks < 0) {
        throw new IllegalArgumentException(
            "expected at least 1 term and 0 ticks, found " + terms + " and " + ticks);
      }
    }

    @Override
    public String toString() {
      return "emulate(" + variable + ":" + tiles + ":" + terms + ":" + ticks + ")";
    }
  }

  /** A contraction of two dense tensors over packed panels. */
  sealed interface Panels extends Directive {
    /** The label whose side tasks divide. */
    String variable();

    GemmTiles tiles();
  }

  /**
   * Loops over labels of a contraction around its packed panels: a product of matrices for each of
   * their coordinates. A label of the result that one operand alone has is fixed in each pass.
   */
  record Around(List<String> variables) implements Directive {
    public Around {
      variables = List.copyOf(variables);
    }

    @Override
    public String toString() {
      return "around(" + String.join(",", variables) + ")";
    }
  }
}
