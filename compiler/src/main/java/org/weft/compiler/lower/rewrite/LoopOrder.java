package org.weft.compiler.lower.rewrite;

import java.util.List;
import org.weft.compiler.algebra.DistributeReduction;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.tensor.LevelSpec;
import org.weft.tensor.level.LevelCapability;

/** A loop order as the factoring of products sees it. */
public record LoopOrder(List<IndexVar> loops) implements DistributeReduction.Loops {
  @Override
  public boolean isInside(IndexVar inner, IndexVar outer) {
    return loops.indexOf(inner) > loops.indexOf(outer);
  }

  @Override
  public boolean isDense(TensorExpr.Access access, IndexVar variable) {
    for (int level = 0; level < access.variables().size(); level++) {
      LevelSpec spec = access.tensor().format().level(level);
      boolean random =
          spec.properties().full() && spec.format().capabilities().contains(LevelCapability.LOCATE);
      if (access.variableAt(level).equals(variable) && !random) {
        return false;
      }
    }
    return true;
  }
}
