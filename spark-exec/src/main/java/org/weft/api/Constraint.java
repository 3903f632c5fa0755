package org.weft.api;

import java.util.Objects;
import org.weft.error.Given;

/**
 * What the factor of one mode of a CP model has to be like; see {@link CpdRun#constrain}. Weights
 * are relative to the tensor. Updates are by AO-ADMM (Huang, Sidiropoulos and Liavas 2016).
 */
public final class Constraint {
  /** No number is negative. */
  public static final Constraint NONNEGATIVE = parse("nonneg");

  /** No number is negative, and each row sums to 1: shares. */
  public static final Constraint SIMPLEX = parse("simplex");

  private final org.weft.decomposition.constraint.FactorConstraint rule;

  private Constraint(org.weft.decomposition.constraint.FactorConstraint rule) {
    this.rule = rule;
  }

  /** Sums of absolute values are charged: many zeros. {@code weight} is above 0. */
  public static Constraint sparse(double weight) {
    return parse("l1:" + weight);
  }

  /** As {@link #sparse}, and no number is negative. */
  public static Constraint sparseNonnegative(double weight) {
    return parse("nonneg-l1:" + weight);
  }

  /** Slices that follow each other are alike, as in a mode of time. {@code weight} is above 0. */
  public static Constraint smooth(double weight) {
    return parse("smooth:" + weight);
  }

  /**
   * Of text, as {@code weft cpd --constrain} takes it: {@code nonneg}, {@code simplex}, {@code
   * l1:W}, {@code nonneg-l1:W} or {@code smooth:W}.
   *
   * @throws org.weft.error.WeftException {@code USAGE}
   */
  public static Constraint parse(String text) {
    Given.required("text", text);
    return new Constraint(org.weft.decomposition.constraint.FactorConstraint.parse(text));
  }

  org.weft.decomposition.constraint.FactorConstraint rule() {
    return rule;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Constraint that && rule.equals(that.rule);
  }

  @Override
  public int hashCode() {
    return Objects.hash(rule);
  }

  @Override
  public String toString() {
    return rule.toString();
  }
}
