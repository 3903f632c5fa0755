package org.weft.reorder;

import java.util.ArrayList;
import java.util.List;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/**
 * LexiOrder (Li, Ucar, Catalyurek, Sun, Barker and Vuduc, "Efficient and effective sparse tensor
 * reordering", ICS 2019): sorts the slices of each mode in turn so that the tensor, matricised with
 * the mode's slices as rows and the other modes' coordinates in lexicographic order as columns, has
 * its rows in decreasing lexicographic order, that is, entries gather at the top left.
 *
 * <p>Rows are sorted by partition refinement (Paige and Tarjan 1987): the columns are walked from
 * the first, and every class of so far equal rows is split into those with an entry in the column
 * and, after them, those without. Cost of a sweep {@code O(order (order entries + sum of mode
 * sizes))}: no comparison sort. Sweeps stop early when nothing changes.
 */
final class LexiOrder implements Reorderer {
  /** Sweeps over all modes unless said otherwise: more change little (Li et al., section 5). */
  static final int SWEEPS = 5;

  private final int sweeps;

  LexiOrder(int sweeps) {
    if (sweeps < 1) {
      throw new WeftException(ErrorCode.USAGE, "lexi: expected at least 1 sweep, found " + sweeps);
    }
    this.sweeps = sweeps;
  }

  @Override
  public String name() {
    return "lexi:" + sweeps;
  }

  @Override
  public List<Permutation> reorder(TensorShape shape, List<CooBlock> blocks) {
    EntryTable entries = new EntryTable(shape, blocks);
    List<Permutation> permutations = new ArrayList<>(Permutation.identities(shape));
    for (int sweep = 0; sweep < sweeps; sweep++) {
      boolean changed = false;
      for (int mode = 0; mode < entries.order(); mode++) {
        Permutation step = sortedRows(entries, mode);
        if (!step.isIdentity()) {
          permutations.set(mode, permutations.get(mode).andThen(step));
          changed = true;
        }
      }
      if (!changed) {
        break;
      }
    }
    return permutations;
  }

  /** Sorts the slices of one mode and relabels the entries. */
  private static Permutation sortedRows(EntryTable entries, int mode) {
    MatricisedEntries matrix = MatricisedEntries.of(entries, mode);
    RowClasses classes = new RowClasses(entries.modeSize(mode));
    for (int at = 0; at < matrix.size(); at++) {
      classes.mark(matrix.row(at));
      if (matrix.endsColumn(at)) {
        classes.split();
      }
    }
    int[] label = classes.labels();
    entries.relabel(mode, label);
    return Permutation.of(label);
  }

  /**
   * An ordered partition of rows. A class is a segment of {@code order}; marked rows move to the
   * front of their segment, and {@link #split} makes the fronts classes of their own. A row that is
   * alone in its class has left the game.
   */
  private static final class RowClasses {
    private static final int ALONE = -1;

    private final int[] order; // rows, class after class
    private final int[] position; // of a row in order
    private final int[] classOf; // of a row, or ALONE
    private final int[] start; // of a class in order
    private final int[] end;
    private final int[] marked; // rows at the front of a class
    private final int[] touched; // classes with marked rows
    private int touchedCount;
    private int classes;

    RowClasses(int rows) {
      order = new int[rows];
      position = new int[rows];
      classOf = new int[rows];
      for (int r = 0; r < rows; r++) {
        order[r] = r;
        position[r] = r;
      }
      start = new int[rows + 1];
      end = new int[rows + 1];
      marked = new int[rows + 1];
      touched = new int[rows + 1];
      end[0] = rows;
      classes = 1;
    }

    void mark(int row) {
      int c = classOf[row];
      if (c == ALONE) {
        return;
      }
      int front = start[c] + marked[c];
      int at = position[row];
      if (at < front) {
        return; // a duplicate entry: marked already
      }
      if (marked[c]++ == 0) {
        touched[touchedCount++] = c;
      }
      int other = order[front];
      order[at] = other;
      position[other] = at;
      order[front] = row;
      position[row] = front;
    }

    void split() {
      for (int t = 0; t < touchedCount; t++) {
        int c = touched[t];
        int front = start[c] + marked[c];
        marked[c] = 0;
        if (front == end[c]) {
          continue;
        }
        if (front - start[c] == 1) {
          classOf[order[start[c]]] = ALONE;
        } else {
          int fresh = classes++;
          start[fresh] = start[c];
          end[fresh] = front;
          for (int p = start[c]; p < front; p++) {
            classOf[order[p]] = fresh;
          }
        }
        start[c] = front;
        if (end[c] - front == 1) {
          classOf[order[front]] = ALONE;
        }
      }
      touchedCount = 0;
    }

    /** The place of each row: class after class, equal rows as they came. */
    int[] labels() {
      int[] next = start.clone();
      int[] label = position.clone();
      for (int row = 0; row < label.length; row++) {
        int c = classOf[row];
        label[row] = c == ALONE ? position[row] : next[c]++;
      }
      return label;
    }
  }
}
