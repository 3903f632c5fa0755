package org.weft.jobs.option;

import static org.weft.jobs.output.Usage.usage;

import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.weft.engine.CpAlgorithm;
import org.weft.storage.model.StartNames;
import org.weft.text.Counts;
import picocli.CommandLine.Option;

/** How {@code weft cpd} improves the factors. */
public final class AlgorithmOptions {
  @Option(
      order = 40,
      names = "--method",
      paramLabel = "M",
      description =
          "als solves a least-squares problem for each mode in turn. hals updates a column at a time,"
              + " as --nonnegative does. arls decomposes the slices with the most entries, and then"
              + " the slices of the highest leverage. At the end arls does --polish iterations of als"
              + " or hals over all entries (default: als).")
  CpAlgorithm.Name algorithm = CpAlgorithm.Name.ALS;

  @Option(
      order = 41,
      names = "--sample",
      paramLabel = "SHARE",
      description =
          "With --method arls: each sample has about this share of the entries (default: 0.1).")
  @Nullable Double share;

  @Option(
      order = 42,
      names = "--polish",
      paramLabel = "N",
      description =
          "With --method arls: do N iterations over all entries at the end. --iterations counts"
              + " the iterations over each sample (default: 2; with --nonnegative, which takes"
              + " smaller steps: 10).")
  @Nullable Integer polish;

  /** What the options say. */
  public CpAlgorithm of() {
    OptionalInt iterations = polish == null ? OptionalInt.empty() : OptionalInt.of(polish);
    return new CpAlgorithm(algorithm, share == null ? CpAlgorithm.SHARE : share, iterations);
  }

  /**
   * What the bits of a result depend on.
   *
   * @param iterations of the sample
   */
  public Map<String, String> arguments(int iterations) {
    return of().isSampled()
        ? Map.of(
            "--method",
            "arls",
            "--sample",
            of().share() + ", " + Counts.plain(iterations, "iteration"))
        : Map.of();
  }

  /** Refuses what cannot work, before the tensor is read. */
  public void check(StartOptions starts, boolean append) {
    if (!of().isSampled() && (share != null || polish != null)) {
      throw usage(
          "expected --method arls with %s, found --method %s",
          share != null ? "--sample " + share : "--polish " + polish,
          algorithm.name().toLowerCase(Locale.ROOT));
    }
    if (of().isSampled() && !starts.init.equals(StartNames.RANDOM)) {
      throw usage(
          "expected --method arls with --init random, as the sample is the start, found %s",
          starts.init);
    }
    if (of().isSampled() && append) {
      throw usage("expected --append without --method arls, as an update begins with its model");
    }
  }
}
