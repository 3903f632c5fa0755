package org.weft.jobs.codesign;

import java.util.Collection;
import java.util.List;
import java.util.OptionalDouble;

/**
 * What a design would do for some contractions, after the model of COMET's dense paper: {@code host
 * * flops + products of tiles * seconds of one}. Tiles at the edges count as whole ones.
 *
 * @param host seconds that the host spends for an operation on packing, loops and transposition
 * @param emulated measured seconds, one for each contraction; none if nothing was measured
 */
public record Prediction(
    Design design, List<MatrixProduct> products, double host, List<Double> emulated) {
  public Prediction {
    products = List.copyOf(products);
    emulated = List.copyOf(emulated);
  }

  /** A prediction beside which nothing was measured. */
  public Prediction(Design design, List<MatrixProduct> products, double host) {
    this(design, products, host, List.of());
  }

  /** The same beside measured seconds, one for each contraction; NaN where there is none. */
  public Prediction beside(List<Double> seconds) {
    return new Prediction(design, products, host, seconds);
  }

  /** Measured seconds of one call; empty if there are none. */
  OptionalDouble emulatedSeconds(MatrixProduct product) {
    int at = products.indexOf(product);
    boolean has = at >= 0 && at < emulated.size() && !emulated.get(at).isNaN();
    return has ? OptionalDouble.of(emulated.get(at)) : OptionalDouble.empty();
  }

  /** 10^9 operations a second of one contraction as measured. */
  OptionalDouble emulatedGigaFlops(MatrixProduct product) {
    OptionalDouble seconds = emulatedSeconds(product);
    return seconds.isPresent()
        ? OptionalDouble.of(product.flops() / seconds.getAsDouble() * 1e-9)
        : seconds;
  }

  /** Geometric mean of the measured speeds; empty unless all were measured. */
  OptionalDouble emulatedGigaFlops() {
    double sum = 0;
    for (MatrixProduct product : products) {
      OptionalDouble speed = emulatedGigaFlops(product);
      if (speed.isEmpty()) {
        return speed;
      }
      sum += Math.log(speed.getAsDouble());
    }
    return OptionalDouble.of(Math.exp(sum / products.size()));
  }

  /**
   * Seconds that the host spent for an operation as measured: what is left of a measured time when
   * the tiles are taken away; geometric mean. Empty if nothing is left, or nothing was measured.
   */
  OptionalDouble emulatedHost() {
    double sum = 0;
    int count = 0;
    for (MatrixProduct product : products) {
      double left = emulatedSeconds(product).orElse(0) - tileSeconds(product);
      if (left > 0) {
        sum += Math.log(left / product.flops());
        count++;
      }
    }
    return count == 0 ? OptionalDouble.empty() : OptionalDouble.of(Math.exp(sum / count));
  }

  /** Seconds of one call. */
  double seconds(MatrixProduct product) {
    return host * product.flops() + tileSeconds(product);
  }

  private double tileSeconds(MatrixProduct product) {
    double tiles =
        product.batch()
            * Math.ceil(product.m() / design.m())
            * Math.ceil(product.n() / design.n())
            * Math.ceil(product.k() / design.k());
    return tiles * design.tileSeconds();
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

  /** Seconds of all calls, one after the other. */
  double seconds() {
    return products.stream().mapToDouble(p -> p.calls() * seconds(p)).sum();
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
