package org.weft.compiler.lower.schedule;

import org.jspecify.annotations.Nullable;
import org.weft.compiler.Directive;
import org.weft.compiler.loop.LoopTraits;

/**
 * How one loop is emitted.
 *
 * @param split the blocks it is cut into; null for none
 * @param blocks traits of the loop over blocks
 * @param inner traits of the loop itself, inside a block
 */
public record LoopPlan(Directive.@Nullable Split split, LoopTraits blocks, LoopTraits inner) {
  public static final LoopPlan SERIAL = new LoopPlan(null, LoopTraits.SERIAL, LoopTraits.SERIAL);

  /** Whether the loop itself is to run in parallel, not one over its blocks. */
  public boolean isParallel() {
    return split == null && inner.parallel();
  }

  public boolean splitBy(Directive.SplitBy by) {
    return split != null && split.by() == by;
  }

  public long factor() {
    if (split == null) {
      throw new IllegalStateException("the loop is not split");
    }
    return split.factor();
  }
}
