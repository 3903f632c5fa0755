package org.weft.planner.tune;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.weft.compiler.Schedule;
import org.weft.tensor.TensorFormat;

/** One way to run a statement: how its operands are stored, and how its loops run. */
public record Variant(Map<String, TensorFormat> formats, Schedule schedule) {
  public Variant {
    formats = Collections.unmodifiableMap(new TreeMap<>(formats));
  }

  /** {@code A={D, CU[8,8]} x={D}}. */
  public String formatsText() {
    return formats.entrySet().stream()
        .map(e -> e.getKey() + "=" + e.getValue())
        .collect(Collectors.joining(" "));
  }

  @Override
  public String toString() {
    return formatsText() + "; " + schedule;
  }
}
