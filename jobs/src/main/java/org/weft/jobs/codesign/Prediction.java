package org.weft.jobs.codesign;

import java.util.Collection;
import java.util.List;
import java.util.OptionalDouble;

/**
 * What a design would do for some contractions, after the model of COMET's dense paper: {@code host
 * * flops + products of tiles * seconds of one}. Tiles at the edges count as whole ones.
 *
 * @param host seconds that the host spends for an operation on packing, loops and transposition
 */
public record Prediction(Design design, List<MatrixProduct> products, double host) {
  public Prediction {
    products = List.copyOf(products);
  }

  double seconds(MatrixProduct product) {
    double tiles =
        product.batch()
            * Math.ceil(product.m() / design.m())
            * Math.ceil(product.n() / design.n())
            * Math.ceil(product.k() / design.k());
    return host * product.flops() + tiles * design.tileSeconds();
  }

  /** 10^9 operations a second of one contraction. */
  double gigaFlops(MatrixProduct product) {
    return product.flops() / seconds(product) * 1e-9;
  }

  /** Geometric mean over the contractions. */
  double gigaFlops() {
    double sum = 0;
    for (MatrixProduct product : products) {
      sum += Math.log(gigaFlops(product));
    }
    return Math.exp(sum / products.size());
  }

  /** Seconds of all contractions, one after the other. */
  double seconds() {
    return products.stream().mapToDouble(this::seconds).sum();
  }

  /** Of the accelerator alone; empty if its power is not stated. */
  OptionalDouble perWatt() {
    return per(design.power());
  }

  /** Of the accelerator alone; empty if its area is not stated. */
  OptionalDouble perArea() {
    return per(design.area());
  }

  private OptionalDouble per(OptionalDouble unit) {
    return unit.isPresent()
        ? OptionalDouble.of(gigaFlops() / unit.getAsDouble())
        : OptionalDouble.empty();
  }

  /**
   * Whether no other is as good in speed, speed for a watt and speed for an area, and better in one
   * of them. What is not stated counts as worse than anything stated.
   */
  boolean isOnFront(Collection<Prediction> all) {
    return all.stream().noneMatch(other -> other.beats(this));
  }

  private boolean beats(Prediction other) {
    double[] mine = {gigaFlops(), perWatt().orElse(0), perArea().orElse(0)};
    double[] theirs = {other.gigaFlops(), other.perWatt().orElse(0), other.perArea().orElse(0)};
    boolean better = false;
    for (int at = 0; at < mine.length; at++) {
      if (mine[at] < theirs[at]) {
        return false;
      }
      better |= mine[at] > theirs[at];
    }
    return better;
  }
}
