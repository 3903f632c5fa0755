package org.weft.reorder;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.CooBlock;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.TensorShape;

/**
 * A permutation for every mode of a tensor, and what it does to whatever has coordinates of those
 * modes: entries, operands and results. Coordinates before are <em>old</em>, those after
 * <em>new</em>. Immutable.
 *
 * @param modes the permutations, by mode
 */
public record Relabelling(List<Permutation> modes) implements Serializable {
  public Relabelling {
    modes = new ArrayList<>(modes); // a List.of would need a serialiser of its own
  }

  /** Changes nothing. */
  public static Relabelling identity(TensorShape shape) {
    return new Relabelling(Permutation.identities(shape));
  }

  public Permutation mode(int mode) {
    return modes.get(mode);
  }

  public int order() {
    return modes.size();
  }

  /** The mode sizes that the permutations have. */
  public TensorShape shape() {
    return TensorShape.of(modes.stream().mapToLong(Permutation::size).toArray());
  }

  /** The new coordinate of every old one, for the modes that change: what a container keeps. */
  public Map<Integer, int[]> labels() {
    Map<Integer, int[]> labels = new HashMap<>();
    for (int m = 0; m < order(); m++) {
      if (!mode(m).isIdentity()) {
        labels.put(m, mode(m).labels());
      }
    }
    return labels;
  }

  /** What {@link #labels} gave, for a tensor of this shape. */
  public static Relabelling ofLabels(TensorShape shape, Map<Integer, int[]> labels) {
    List<Permutation> modes = new ArrayList<>();
    for (int m = 0; m < shape.order(); m++) {
      int[] label = labels.get(m);
      modes.add(label == null ? Permutation.identity(shape.size(m)) : Permutation.of(label));
    }
    return new Relabelling(modes);
  }

  public boolean isIdentity() {
    return modes.stream().allMatch(Permutation::isIdentity);
  }

  /** From new coordinates back to old ones. */
  public Relabelling inverse() {
    return new Relabelling(modes.stream().map(Permutation::inverse).toList());
  }

  /** This relabelling and then {@code next}. */
  public Relabelling andThen(Relabelling next) {
    if (next.order() != order()) {
      throw new WeftException(
          ErrorCode.SHAPE_MISMATCH,
          "expected a relabelling of " + order() + " modes, found one of " + next.order());
    }
    List<Permutation> both = new ArrayList<>();
    for (int m = 0; m < order(); m++) {
      both.add(mode(m).andThen(next.mode(m)));
    }
    return new Relabelling(both);
  }

  /** For modes of at least the present sizes: added coordinates keep their place. */
  public Relabelling extendedTo(TensorShape shape) {
    List<Permutation> larger = new ArrayList<>();
    for (int m = 0; m < order(); m++) {
      larger.add(mode(m).extendedTo(shape.size(m)));
    }
    return new Relabelling(larger);
  }

  /** The entries with new coordinates. Shares values; cost {@code O(order size)}. */
  public CooBlock apply(CooBlock block) {
    return Permutation.relabel(block, modes);
  }

  /**
   * An operand of {@code mode}, or the part of a result that has the mode's coordinates as rows:
   * row i becomes row {@code mode(mode).apply(i)}.
   *
   * @param matrix mode size x R
   */
  public DenseMatrix applyToRows(int mode, DenseMatrix matrix) {
    Permutation permutation = mode(mode);
    if (matrix.rows() != permutation.size()) {
      throw new WeftException(
          ErrorCode.SHAPE_MISMATCH,
          String.format(
              Locale.ROOT,
              "expected a matrix of %d rows for mode %d, found %d",
              permutation.size(),
              mode,
              matrix.rows()));
    }
    DenseMatrix moved = DenseMatrix.zeros(matrix.rows(), matrix.columns());
    double[] row = new double[matrix.columns()];
    for (long i = 0; i < matrix.rows(); i++) {
      matrix.copyRow(i, row, 0);
      moved.setRow(permutation.apply(i), row, 0);
    }
    return moved;
  }

  public void writeTo(DataOutput out) throws IOException {
    out.writeInt(order());
    for (Permutation permutation : modes) {
      permutation.writeTo(out);
    }
  }

  /** Reads what {@link #writeTo} wrote. */
  public static Relabelling readFrom(DataInput in) throws IOException {
    int order = in.readInt();
    List<Permutation> modes = new ArrayList<>();
    for (int m = 0; m < order; m++) {
      modes.add(Permutation.readFrom(in));
    }
    return new Relabelling(modes);
  }
}
