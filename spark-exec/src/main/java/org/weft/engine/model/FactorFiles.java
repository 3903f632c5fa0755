package org.weft.engine.model;

import java.util.List;
import org.weft.decomposition.rows.Factor;
import org.weft.decomposition.rows.Site;
import org.weft.storage.model.ModelOutput;

/** Factors of a run as files of a model's folder. */
public final class FactorFiles {
  private FactorFiles() {}

  /** Has the factors written where they lie, in place of others. */
  public static void write(ModelOutput.Staged folder, List<Factor> factors, Site site) {
    site.write(factors, folder.factorFiles(factors.size()));
  }
}
