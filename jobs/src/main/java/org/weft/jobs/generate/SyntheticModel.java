package org.weft.jobs.generate;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage.EntryVisitor;
import org.weft.text.Counts;

/**
 * What a synthetic tensor looks like: mode sizes, nonzeros, and skew per mode.
 *
 * <p>The named models have the mode sizes and nonzeros of table 2 of COMET's paper (section 8.1)
 * and of FROSTT's uber and lbnl-network. That table prints freebase-music's second mode as
 * 223,344,784: its first and second mode are the same entities, 23,344,784 of them, and so they are
 * here.
 *
 * <p>Skew is the exponent a of a power law: coordinate c of a mode is drawn with density
 * proportional to (c + 1)^-a, so coordinate 0 is the most frequent; a = 0 is uniform. The exponents
 * model the kind of each mode (entities and words 0.9 to 1, dates and hours 0.2 to 0.3); they are
 * not fitted to the original files.
 *
 * @param name as typed
 * @param sizes mode sizes
 * @param nonzeros stored entries
 * @param exponents skew per mode
 */
public record SyntheticModel(String name, TensorShape sizes, long nonzeros, List<Double> exponents)
    implements Generated {
  private static final double MOST_NONZEROS = 0x1p53;
  private static final List<SyntheticModel> NAMED =
      List.of(
          model("nell-1", 143_599_552, sizes(2_902_330, 2_143_368, 25_495_389), .9, .9, .9),
          model("nell-2", 76_879_419, sizes(12_092, 9_184, 28_818), 1, .9, 1),
          model("delicious-3d", 140_126_181, sizes(532_924, 17_262_471, 2_480_308), .6, .7, 1),
          model("flickr-3d", 112_890_310, sizes(319_686, 28_153_045, 1_607_191), .7, .6, 1),
          model("vast-2015-mc1-3d", 26_021_854, sizes(165_427, 11_374, 2), .4, .6, 0),
          model("freebase-music", 99_546_551, sizes(23_344_784, 23_344_784, 166), .7, .9, 1),
          model("uber", 3_309_490, sizes(183, 24, 1_140, 1_717), .2, .3, .8, .9),
          model(
              "lbnl-network",
              1_698_825,
              sizes(1_605, 4_198, 1_631, 4_209, 868_131),
              .9,
              .9,
              .9,
              .9,
              .2));

  public SyntheticModel {
    exponents = List.copyOf(exponents);
    if (exponents.size() != sizes.order()) {
      throw new IllegalArgumentException("one exponent per mode: " + exponents);
    }
  }

  private static SyntheticModel model(
      String name, long nonzeros, TensorShape sizes, double... exponents) {
    return new SyntheticModel(name, sizes, nonzeros, Arrays.stream(exponents).boxed().toList());
  }

  private static TensorShape sizes(long... sizes) {
    return TensorShape.of(sizes);
  }

  /** The names of the models, in table order. */
  public static List<String> names() {
    return NAMED.stream().map(SyntheticModel::name).toList();
  }

  /**
   * The model of {@code text}: a name of {@link #names()}, or mode sizes such as {@code 50x40x30},
   * which are uniform and, until {@link #withNonzeros} says otherwise, full.
   *
   * @throws WeftException {@code USAGE}
   */
  public static SyntheticModel of(String text) {
    for (SyntheticModel model : NAMED) {
      if (model.name.equals(text.toLowerCase(Locale.ROOT))) {
        return model;
      }
    }
    List<Long> sizes = new ArrayList<>();
    try {
      for (String size : text.split("[x×]", -1)) {
        sizes.add(Long.parseLong(size));
      }
    } catch (NumberFormatException e) {
      sizes.clear();
    }
    if (sizes.isEmpty() || Collections.min(sizes) < 1) {
      throw new WeftException(
          ErrorCode.USAGE,
          "expected a shape, found '"
              + text
              + "'; use one of "
              + String.join(", ", names())
              + ", "
              + String.join(", ", MatrixModel.names())
              + ", or positive mode sizes such as 50x40x30");
    }
    TensorShape shape = TensorShape.of(sizes.stream().mapToLong(Long::longValue).toArray());
    List<Double> uniform = Collections.nCopies(shape.order(), 0.0);
    return new SyntheticModel(text, shape, (long) shape.cells(), uniform);
  }

  @Override
  public void generate(long seed, EntryVisitor sink) {
    SkewedTensor.generate(this, seed, sink);
  }

  @Override
  public String describe() {
    return "skew exponents " + exponents;
  }

  /** This model with another count of nonzeros. */
  @Override
  public SyntheticModel withNonzeros(long count) {
    if (count < 1 || count > sizes.cells()) {
      throw new WeftException(
          ErrorCode.USAGE,
          "expected 1 to "
              + Counts.plain((long) sizes.cells(), "nonzero")
              + " in "
              + sizes
              + ", found "
              + count);
    }
    return new SyntheticModel(name, sizes, count, exponents);
  }

  /**
   * This model at {@code factor} times its nonzeros. Every mode size is multiplied by {@code
   * factor^(1/order)} and rounded up, so that the density stays and the proportions of the modes
   * stay.
   */
  @Override
  public SyntheticModel scaled(double factor) {
    if (!(factor > 0) || Double.isInfinite(factor)) {
      throw new WeftException(
          ErrorCode.USAGE, "expected --scale above 0, found " + factor + "; 0.01 is a hundredth");
    }
    if (factor == 1) {
      return this;
    }
    if (nonzeros * factor > MOST_NONZEROS) {
      throw new WeftException(
          ErrorCode.USAGE,
          "expected --scale for at most 2^53 nonzeros, found " + factor + " times " + nonzeros);
    }
    double side = Math.pow(factor, 1.0 / sizes.order());
    long[] scaled = sizes.toArray();
    for (int m = 0; m < scaled.length; m++) {
      scaled[m] = Math.max(1, (long) Math.ceil(scaled[m] * side - 1e-9));
    }
    TensorShape shape = TensorShape.of(scaled);
    long count = Math.max(1, Math.round(nonzeros * factor));
    return new SyntheticModel(name, shape, (long) Math.min(count, shape.cells()), exponents);
  }
}
