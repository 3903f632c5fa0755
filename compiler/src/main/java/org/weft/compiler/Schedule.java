package org.weft.compiler;

import java.io.Serializable;
import java.util.List;

/**
 * How the loops of a kernel run.
 *
 * @param loopOrder index variables from the outermost loop in; empty leaves the order to the
 *     iteration graph
 * @param parallelOutermost the outermost loop is divided statically among the threads of the call
 */
public record Schedule(List<String> loopOrder, boolean parallelOutermost) implements Serializable {
  public Schedule {
    loopOrder = List.copyOf(loopOrder);
  }

  /** One thread, loop order from the iteration graph. */
  public static Schedule sequential() {
    return new Schedule(List.of(), false);
  }

  /** Outermost loop in parallel, loop order from the iteration graph. */
  public static Schedule parallel() {
    return new Schedule(List.of(), true);
  }

  public Schedule withLoopOrder(String... variables) {
    return new Schedule(List.of(variables), parallelOutermost);
  }

  /** {@code parallel, order i j k}; {@code sequential, order from the iteration graph}. */
  @Override
  public String toString() {
    String order = loopOrder.isEmpty() ? "from the iteration graph" : String.join(" ", loopOrder);
    return (parallelOutermost ? "parallel" : "sequential") + ", order " + order;
  }
}
