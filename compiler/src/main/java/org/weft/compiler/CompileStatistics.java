package org.weft.compiler;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;

/**
 * What a {@link TensorCompiler} has done since it was made.
 *
 * @param kernels kernels asked for, cached ones included
 * @param memoryHits libraries found in memory
 * @param diskHits libraries found in the cache directory
 * @param compiled libraries compiled
 * @param stageMillis wall-clock milliseconds per stage, in pipeline order: {@code lower}, {@code
 *     cache}, {@code load} (LLVM itself), {@code build}, {@code optimise}, {@code emit}, {@code
 *     link}
 */
public record CompileStatistics(
    long kernels, long memoryHits, long diskHits, long compiled, Map<String, Double> stageMillis) {
  public CompileStatistics {
    stageMillis = Collections.unmodifiableMap(new LinkedHashMap<>(stageMillis));
  }

  /** One line for reports. */
  @Override
  public String toString() {
    StringJoiner stages = new StringJoiner(", ");
    stageMillis.forEach(
        (stage, millis) -> stages.add(String.format(Locale.ROOT, "%s %.1f ms", stage, millis)));
    return String.format(
        Locale.ROOT,
        "%d kernels; %d libraries compiled, %d from disk, %d from memory; %s",
        kernels,
        compiled,
        diskHits,
        memoryHits,
        stages);
  }
}
