package org.weft.compiler.lower;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.weft.compiler.loop.LoopFunction;

/**
 * A kernel as loops.
 *
 * @param function the loops and their signature
 * @param stages printed form of every stage on the way, in order: algebra, iterationGraph,
 *     lattices, loops
 */
public record LoweredKernel(LoopFunction function, Map<String, String> stages) {
  public LoweredKernel {
    stages = Collections.unmodifiableMap(new LinkedHashMap<>(stages));
  }
}
