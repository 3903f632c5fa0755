package org.weft.planner.tune;

import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorStorage;

/**
 * A statement to tune, with its operands.
 *
 * @param expression one statement in index notation with {@code =}
 * @param operands the tensors on its right side, by name; borrowed
 * @param fixed operands whose format is given and is not to be changed
 * @param resultFormat how the result is stored
 * @param sizes sizes of labels that only the result has
 * @param threads threads that a kernel may use
 */
public record TuningTask(
    String expression,
    Map<String, TensorStorage> operands,
    Set<String> fixed,
    TensorFormat resultFormat,
    Map<String, Long> sizes,
    int threads) {
  public TuningTask {
    operands = Collections.unmodifiableMap(new TreeMap<>(operands));
    fixed = Set.copyOf(fixed);
    sizes = Collections.unmodifiableMap(new TreeMap<>(sizes));
  }
}
