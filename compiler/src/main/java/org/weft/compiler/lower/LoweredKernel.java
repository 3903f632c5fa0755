package org.weft.compiler.lower;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.weft.compiler.loop.LoopFunction;
import org.weft.compiler.lower.schedule.Lookup;

/**
 * A kernel as loops.
 *
 * @param function the loops and their signature
 * @param lookups where loops find rows of operands by stored coordinates
 * @param printers of every stage on the way; a stage is printed when it is asked for
 */
public record LoweredKernel(
    LoopFunction function, List<Lookup> lookups, Map<String, Supplier<String>> printers) {
  public LoweredKernel {
    lookups = List.copyOf(lookups);
    printers = new LinkedHashMap<>(printers);
  }

  /**
   * The printed form of every stage on the way, in order: algebra, iterationGraph, lattices, loops.
   */
  public Map<String, String> stages() {
    Map<String, String> stages = new LinkedHashMap<>();
    printers.forEach((name, printer) -> stages.put(name, printer.get()));
    return stages;
  }
}
