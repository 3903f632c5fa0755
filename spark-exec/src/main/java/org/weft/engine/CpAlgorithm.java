package org.weft.engine;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import org.weft.decomposition.cp.Cpd;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/**
 * How the factors of a CP decomposition improve.
 *
 * @param share about, of the entries in each sample that {@link Name#ARLS} decomposes first
 * @param polish iterations over all entries after those; empty for as many as mostly suffice
 */
public record CpAlgorithm(Name name, double share, OptionalInt polish) {
  /** Of the entries. */
  public static final double SHARE = 0.1;

  /** Least-squares problems in turn. */
  public static final CpAlgorithm ALS = new CpAlgorithm(Name.ALS, SHARE, OptionalInt.empty());

  /** Least squares take long steps, HALS shorter ones. */
  private static final int POLISH = 2;

  private static final int POLISH_NONNEGATIVE = 10;

  /** Algorithms by their names. */
  public enum Name {
    /** Alternating least squares. */
    ALS,
    /** Hierarchical alternating least squares, for nonnegative factors. */
    HALS,
    /** One of these from a {@link SampledStart} on. */
    ARLS;

    /**
     * The one that a text names.
     *
     * @throws WeftException {@code USAGE}
     */
    public static Name of(String text) {
      return Arrays.stream(values())
          .filter(name -> name.text().equals(text.toLowerCase(Locale.ROOT)))
          .findFirst()
          .orElseThrow(
              () ->
                  usage(
                      "a method among "
                          + Arrays.stream(values())
                              .map(Name::text)
                              .collect(Collectors.joining(", ")),
                      "'" + text + "'"));
    }

    /** In lower case. */
    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  public CpAlgorithm {
    if (!(share > 0 && share <= 1)) {
      throw usage("a sample above 0 and at most 1", Double.toString(share));
    }
    if (polish.isPresent() && polish.getAsInt() < 1) {
      throw usage("a polish of at least 1 iteration", Integer.toString(polish.getAsInt()));
    }
  }

  private static WeftException usage(String expected, String found) {
    return new WeftException(ErrorCode.USAGE, "cpd: expected " + expected + ", found " + found);
  }

  /** Whether factors are nonnegative. */
  public boolean isNonnegative() {
    return name == Name.HALS;
  }

  public boolean isSampled() {
    return name == Name.ARLS;
  }

  /** What a summary calls it. */
  public String text(Cpd cpd) {
    return (name == Name.ALS && cpd.nonnegative() ? Name.HALS : name).text();
  }

  /**
   * Checks that it can make a decomposition.
   *
   * @throws WeftException {@code USAGE}
   */
  public void check(Cpd cpd) {
    if (isSampled() && !cpd.constraints().isEmpty()) {
      throw usage(
          "method als with constraints of modes, or method arls with nonnegative factors",
          "method arls with constraints of modes");
    }
  }

  /** The start from a sample, if there is to be one and the tensor is larger than it. */
  public Optional<SampledStart> sample(EngineTensor tensor, Cpd cpd) {
    return isSampled() ? SampledStart.of(tensor, cpd, share) : Optional.empty();
  }

  /** What runs over all entries after a sample. */
  public Cpd polished(Cpd cpd) {
    return cpd.withIterations(polish.orElse(cpd.nonnegative() ? POLISH_NONNEGATIVE : POLISH));
  }
}
