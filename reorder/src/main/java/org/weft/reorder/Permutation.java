package org.weft.reorder;

import java.io.BufferedReader;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.io.Reader;
import java.io.Serializable;
import java.io.Writer;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.ArrayBytes;
import org.weft.runtime.ColumnPasses;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;
import org.weft.text.ByteOrderMark;

/**
 * A relabelling of one mode: old coordinate i becomes {@link #apply apply(i)}. A bijection on
 * {@code [0, size)}, size below 2^31. Immutable. Memory: 4 bytes per coordinate.
 *
 * <p>File form: one number per line; line n, counted from 0, is the new coordinate of n, counted
 * from 0. Empty lines and text after {@code #} are skipped.
 */
public final class Permutation implements Serializable {
  private static final long serialVersionUID = 1L;

  private final int[] label;

  private Permutation(int[] label) {
    this.label = label;
  }

  /** The relabelling that changes nothing. */
  public static Permutation identity(long size) {
    int[] label = new int[checkedSize(size)];
    Arrays.setAll(label, i -> i);
    return new Permutation(label);
  }

  /**
   * The relabelling {@code i -> newLabels[i]}.
   *
   * @throws WeftException MALFORMED_INPUT when that is not a bijection
   */
  public static Permutation of(int... newLabels) {
    requireBijection(newLabels);
    return new Permutation(newLabels.clone());
  }

  /**
   * The relabelling that puts coordinate {@code order[0]} first, {@code order[1]} second: the
   * inverse of {@link #of}.
   */
  public static Permutation ofOrder(int... order) {
    requireBijection(order);
    return new Permutation(inverted(order));
  }

  public long size() {
    return label.length;
  }

  /** The new coordinate of {@code coordinate}. */
  public long apply(long coordinate) {
    return label[Math.toIntExact(coordinate)];
  }

  /** The new coordinate of each old one; a copy. */
  public int[] labels() {
    return label.clone();
  }

  public Permutation inverse() {
    return new Permutation(inverted(label));
  }

  /** This relabelling and then {@code next}: {@code i -> next.apply(apply(i))}. */
  public Permutation andThen(Permutation next) {
    if (next.label.length != label.length) {
      throw new WeftException(
          ErrorCode.SHAPE_MISMATCH,
          "expected a permutation of "
              + label.length
              + " coordinates, found one of "
              + next.size());
    }
    int[] both = new int[label.length];
    for (int i = 0; i < both.length; i++) {
      both[i] = next.label[label[i]];
    }
    return new Permutation(both);
  }

  /** For a mode of at least the present size: added coordinates keep their place. */
  public Permutation extendedTo(long size) {
    if (size < label.length) {
      throw new IllegalArgumentException(label.length + " coordinates do not fit into " + size);
    }
    int[] larger = Arrays.copyOf(label, checkedSize(size));
    for (int i = label.length; i < larger.length; i++) {
      larger[i] = i;
    }
    return new Permutation(larger);
  }

  public boolean isIdentity() {
    for (int i = 0; i < label.length; i++) {
      if (label[i] != i) {
        return false;
      }
    }
    return true;
  }

  /** The entries of {@code block} with mode m relabelled by {@code modes.get(m)}. Shares values. */
  public static CooBlock relabel(CooBlock block, List<Permutation> modes) {
    if (modes.size() != block.order()) {
      throw new WeftException(
          ErrorCode.SHAPE_MISMATCH,
          "expected " + block.order() + " permutations, found " + modes.size());
    }
    Object[] columns = new Object[block.order()];
    for (int m = 0; m < columns.length; m++) {
      columns[m] = modes.get(m).relabel(block, m);
    }
    return block.hasLongValues()
        ? CooBlock.ofColumns(columns, block.longValues(), block.size())
        : CooBlock.ofColumns(columns, block.values(), block.size());
  }

  private int[] relabel(CooBlock block, int mode) {
    if (!block.isWide(mode)) {
      return ColumnPasses.lookUp(block.intColumn(mode), block.size(), label);
    }
    int[] column = new int[block.size()];
    for (int e = 0; e < column.length; e++) {
      column[e] = label[Math.toIntExact(block.coordinate(mode, e))];
    }
    return column;
  }

  /** One identity for each mode. */
  public static List<Permutation> identities(TensorShape shape) {
    return Arrays.stream(shape.toArray()).mapToObj(Permutation::identity).toList();
  }

  /** Writes the size and the labels. */
  public void writeTo(DataOutput out) throws IOException {
    out.writeInt(label.length);
    ArrayBytes.write(out, label, label.length);
  }

  /** Reads what {@link #writeTo(DataOutput)} wrote. */
  public static Permutation readFrom(DataInput in) throws IOException {
    int[] label = new int[checkedSize(in.readInt())];
    ArrayBytes.read(in, label);
    return new Permutation(label);
  }

  /** Writes the file form; the writer stays open. */
  public void writeText(Writer writer) throws IOException {
    for (int l : label) {
      writer.write(Integer.toString(l));
      writer.write('\n');
    }
  }

  /**
   * Reads the file form; the reader stays open.
   *
   * @param name of the source, for messages
   * @throws WeftException MALFORMED_INPUT with the line that is not a number, or the coordinate
   *     that makes it no bijection
   */
  public static Permutation readText(Reader reader, String name) throws IOException {
    BufferedReader lines = new BufferedReader(reader);
    int[] label = new int[1024];
    int size = 0;
    int number = 0;
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      number++;
      String read = number == 1 ? ByteOrderMark.strip(line) : line;
      int comment = read.indexOf('#');
      String text = read.substring(0, comment < 0 ? read.length() : comment).strip();
      if (text.isEmpty()) {
        continue;
      }
      if (size == label.length) {
        label = Arrays.copyOf(label, 2 * size);
      }
      label[size++] = parse(text, name, number);
    }
    label = Arrays.copyOf(label, size);
    requireBijection(label);
    return new Permutation(label);
  }

  private static int parse(String text, String name, int line) {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw new WeftException(
          ErrorCode.MALFORMED_INPUT,
          name + ":" + line + ": expected one coordinate, found '" + text + "'",
          e);
    }
  }

  private static int checkedSize(long size) {
    if (size < 0 || size > Integer.MAX_VALUE - 8) {
      throw new WeftException(
          ErrorCode.UNSUPPORTED_OPERATION,
          "expected a mode of less than 2^31 coordinates to permute, found " + size);
    }
    return (int) size;
  }

  private static int[] inverted(int[] label) {
    int[] inverse = new int[label.length];
    for (int i = 0; i < label.length; i++) {
      inverse[label[i]] = i;
    }
    return inverse;
  }

  private static void requireBijection(int[] label) {
    BitSet seen = new BitSet(label.length);
    for (int i = 0; i < label.length; i++) {
      int l = label[i];
      boolean outside = l < 0 || l >= label.length;
      if (outside || seen.get(l)) {
        throw new WeftException(
            ErrorCode.MALFORMED_INPUT,
            "expected a permutation of 0 to "
                + (label.length - 1)
                + ", found "
                + l
                + (outside ? "" : " a second time")
                + " as the new coordinate of "
                + i);
      }
      seen.set(l);
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Permutation that && Arrays.equals(label, that.label);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(label);
  }

  @Override
  public String toString() {
    return label.length <= 16
        ? "Permutation" + Arrays.toString(label)
        : "Permutation of " + label.length;
  }
}
