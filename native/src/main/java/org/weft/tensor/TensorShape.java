package org.weft.tensor;

import java.io.Serializable;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/** Mode sizes of a tensor, in the tensor's own mode order. Order 0 is a scalar; a size may be 0. */
public final class TensorShape implements Serializable {
  private static final long serialVersionUID = 1L;

  private final long[] sizes;

  private TensorShape(long[] sizes) {
    for (long size : sizes) {
      if (size < 0) {
        throw new IllegalArgumentException("mode size must not be negative: " + size);
      }
    }
    this.sizes = sizes;
  }

  public static TensorShape of(long... sizes) {
    return new TensorShape(sizes.clone());
  }

  /** Number of modes. */
  public int order() {
    return sizes.length;
  }

  public long size(int mode) {
    return sizes[mode];
  }

  public long[] toArray() {
    return sizes.clone();
  }

  /**
   * {@code parents * size}: the positions of a full level of {@code size} below {@code parents}
   * positions.
   *
   * @throws WeftException {@code OUT_OF_MEMORY} from 2^63 on, which no machine holds
   */
  public static long positions(long parents, long size) {
    if (Math.multiplyHigh(parents, size) != 0 || parents * size < 0) {
      throw new WeftException(
          ErrorCode.OUT_OF_MEMORY,
          String.format(
              Locale.ROOT,
              "a level that stores every coordinate would have %d x %d positions; store it in a"
                  + " sparse format",
              parents,
              size));
    }
    return parents * size;
  }

  /** Product of the mode sizes as a double: it may exceed every integer type. */
  public double cells() {
    double cells = 1;
    for (long size : sizes) {
      cells *= size;
    }
    return cells;
  }

  /** This shape with {@code mode} removed. */
  public TensorShape without(int mode) {
    long[] rest = new long[sizes.length - 1];
    for (int m = 0, at = 0; m < sizes.length; m++) {
      if (m != mode) {
        rest[at++] = sizes[m];
      }
    }
    return new TensorShape(rest);
  }

  /** This shape with the size of {@code mode} replaced. */
  public TensorShape with(int mode, long size) {
    long[] changed = sizes.clone();
    changed[mode] = size;
    return new TensorShape(changed);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TensorShape that && Arrays.equals(sizes, that.sizes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(sizes);
  }

  /** {@code 6111 x 4035 x 35 x 17}; {@code scalar} for order 0. */
  @Override
  public String toString() {
    return sizes.length == 0
        ? "scalar"
        : Arrays.stream(sizes).mapToObj(Long::toString).collect(Collectors.joining(" x "));
  }
}
