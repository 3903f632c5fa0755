package org.weft.decomposition;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.weft.decomposition.rows.RowAlgebra;
import org.weft.decomposition.rows.Rows;
import org.weft.decomposition.rows.Site;
import org.weft.decomposition.rows.Step;
import org.weft.tensor.ValueType;

/**
 * Factors in double precision, each with a copy in the tensor's type, which statements read. Where
 * that is double, too, the factor is its own copy.
 */
final class RoundedFactors {
  private final Site site;
  private final ValueType type;
  private final Rows[] exact;
  private final Rows[] rounded;

  RoundedFactors(Site site, ValueType type, int order) {
    this.site = site;
    this.type = type;
    this.exact = new Rows[order];
    this.rounded = new Rows[order];
  }

  /** In double precision, by mode. */
  List<Rows> exact() {
    return Collections.unmodifiableList(Arrays.asList(exact));
  }

  /** In the tensor's type, by mode. */
  List<Rows> rounded() {
    return Collections.unmodifiableList(Arrays.asList(rounded));
  }

  /** Takes a factor in place of the mode's, which it frees. */
  void replace(int mode, Rows factor) {
    if (exact[mode] != null) {
      exact[mode].close();
    }
    exact[mode] = factor;
    if (type == ValueType.DOUBLE) {
      rounded[mode] = factor;
      return;
    }
    if (rounded[mode] == null) {
      rounded[mode] = site.rows(mode, factor.columns(), type);
    }
    RowAlgebra algebra = new RowAlgebra(type, ValueType.DOUBLE, 0);
    site.run(
        Step.of(mode, "factor of mode " + mode + " as " + type.keyword())
            .rows("A", rounded[mode])
            .rows("M", factor)
            .then(algebra.copy("A", "M")));
  }
}
