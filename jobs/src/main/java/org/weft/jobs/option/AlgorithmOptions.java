package org.weft.jobs.option;

import static org.weft.jobs.output.Usage.usage;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.weft.decomposition.cp.Cpd;
import org.weft.engine.EngineTensor;
import org.weft.engine.SampledStart;
import org.weft.storage.model.StartNames;
import picocli.CommandLine.Option;

/** How {@code weft cpd} improves the factors. */
public final class AlgorithmOptions {
  @Option(
      order = 40,
      names = "--method",
      paramLabel = "M",
      description =
          "als solves least-squares problems in turn; hals is what --nonnegative takes for them;"
              + " arls decomposes the slices with the most entries, then --polish iterations of als"
              + " or hals follow over all entries (default: als).")
  Algorithm algorithm = Algorithm.ALS;

  @Option(
      order = 41,
      names = "--sample",
      paramLabel = "SHARE",
      description =
          "With --method arls: about the share of the entries in these slices (default: 0.1).")
  double share = 0.1;

  @Option(
      order = 42,
      names = "--polish",
      paramLabel = "N",
      description =
          "With --method arls: iterations over all entries, --iterations being those of the sample"
              + " (default: 3, or 10 with --nonnegative, which takes smaller steps).")
  @Nullable Integer polish;

  /** Methods by their names. */
  enum Algorithm {
    ALS,
    HALS,
    ARLS
  }

  public boolean isNonnegative() {
    return algorithm == Algorithm.HALS;
  }

  boolean isSampled() {
    return algorithm == Algorithm.ARLS;
  }

  /**
   * What the bits of a result depend on.
   *
   * @param iterations of the sample
   */
  public Map<String, String> arguments(int iterations) {
    return isSampled()
        ? Map.of("--method", "arls", "--sample", share + ", " + iterations + " iterations")
        : Map.of();
  }

  /** What a summary calls it. */
  public String name(boolean nonnegative) {
    Algorithm named = algorithm == Algorithm.ALS && nonnegative ? Algorithm.HALS : algorithm;
    return named.name().toLowerCase(Locale.ROOT);
  }

  /** Iterations over all entries. */
  int polish(boolean nonnegative) {
    return polish != null ? polish : nonnegative ? 10 : 3;
  }

  /** Refuses what cannot work, before the tensor is read. */
  public void check(StartOptions starts, ConstraintOptions constraints, boolean append) {
    if (!(share > 0 && share <= 1) || polish(false) < 1) {
      throw usage(
          "expected --sample above 0 and at most 1 and --polish of at least 1, found %s and %d",
          share, polish(false));
    }
    if (isSampled() && !starts.init.equals(StartNames.RANDOM)) {
      throw usage(
          "expected --method arls with --init random, as the sample is the start, found %s",
          starts.init);
    }
    if (isSampled() && !constraints.given.isEmpty()) {
      throw usage(
          "expected --method als with --constrain, or --method arls with --nonnegative, found"
              + " --method arls with --constrain");
    }
    if (isSampled() && append) {
      throw usage("expected --append without --method arls, as an update begins with its model");
    }
  }

  /** The start from a sample, if there is to be one and the tensor is larger than it. */
  Optional<SampledStart> sample(EngineTensor tensor, Cpd cpd) {
    return isSampled() ? SampledStart.of(tensor, cpd, share) : Optional.empty();
  }
}
