package org.weft.jobs.option;

import static org.weft.jobs.output.Usage.usage;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.weft.decomposition.constraint.FactorConstraint;
import picocli.CommandLine.Option;

/** What the factors of a CP decomposition have to be like. */
public final class ConstraintOptions {
  @Option(names = "--nonnegative", description = "Constrain all factors to be nonnegative.")
  public boolean nonnegative;

  @Option(
      names = "--constrain",
      split = ",",
      paramLabel = "MODE=HOW",
      description =
          "Constraints of modes, by name or by number from 0. nonneg: all numbers are at least"
              + " 0. simplex: rows are at least 0 and sum to 1. l1:W and nonneg-l1:W: many numbers"
              + " are 0. smooth:W: slices that follow each other are alike. The weight W is relative"
              + " to the tensor. Example: 0=nonneg,day=smooth:0.1.")
  List<String> given = List.of();

  @Option(
      names = "--ridge",
      paramLabel = "X",
      description =
          "The weight of the ridge, relative to the diagonal of each least-squares problem"
              + " (default: 0).")
  public double ridge;

  /**
   * Constraints by mode.
   *
   * @param names of the modes; empty if they have none
   */
  public Map<Integer, FactorConstraint> of(String uri, List<String> names, int order) {
    Map<Integer, FactorConstraint> constraints = new TreeMap<>();
    for (String text : given) {
      String[] parts = text.split("=", 2);
      if (parts.length < 2 || parts[0].isBlank()) {
        throw usage("expected --constrain MODE=HOW such as 0=nonneg, found '%s'", text);
      }
      int mode = NamedMode.number(uri, "--constrain of a mode from", parts[0], names, order);
      if (constraints.put(mode, FactorConstraint.parse(parts[1])) != null) {
        throw usage("--constrain: expected one constraint of mode %d, found several", mode);
      }
    }
    if (nonnegative && !constraints.isEmpty()) {
      throw usage(
          "expected --nonnegative, which is of all modes, or --constrain, found both; nonneg is a"
              + " constraint of one mode");
    }
    return constraints;
  }
}
