package org.weft.planner.distributed;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.weft.compiler.algebra.TensorVar;
import org.weft.compiler.eval.OperandOutline;
import org.weft.compiler.eval.StatementAlgebra;
import org.weft.planner.machine.Resources;
import org.weft.statistics.TensorStatistics;

/**
 * A request with an operand, here a slot, for each way in which a tensor is labelled.
 *
 * @param tensors the tensor behind each slot
 * @param statistics of each slot
 */
record SlottedRequest(
    DistributedPlanner.Request asked,
    StatementAlgebra algebra,
    Map<String, String> tensors,
    Map<String, TensorStatistics> statistics) {
  private static final int TASKS_PER_SLOT = 2;

  Resources resources() {
    return asked.resources();
  }

  int parts() {
    return asked.parts() > 0 ? asked.parts() : TASKS_PER_SLOT * asked.resources().slots();
  }

  /** The better candidate first: one that fits the memory, then the faster. */
  Comparator<Candidate> best() {
    double memory = (double) resources().memoryBytesPerExecutor() / resources().tasksPerExecutor();
    return Comparator.<Candidate>comparingInt(c -> c.memoryBytes() <= memory ? 0 : 1)
        .thenComparingDouble(Candidate::seconds);
  }

  String tensor(String slot) {
    return Objects.requireNonNull(tensors.get(slot), slot);
  }

  TensorStatistics statistics(String slot) {
    return Objects.requireNonNull(statistics.get(slot), slot);
  }

  static SlottedRequest of(DistributedPlanner.Request request) {
    StatementAlgebra algebra = request.algebra();
    Map<List<Object>, String> names = new LinkedHashMap<>();
    Map<String, String> tensors = new LinkedHashMap<>();
    Map<String, OperandOutline> operands = new LinkedHashMap<>();
    Map<String, TensorStatistics> statistics = new LinkedHashMap<>();
    StatementAlgebra slotted =
        algebra.withAccesses(
            access -> {
              String tensor = access.tensor().name();
              OperandOutline outline =
                  Objects.requireNonNull(algebra.operands().get(tensor), tensor);
              String slot =
                  names.computeIfAbsent(
                      List.of(tensor, access.variables()),
                      key -> unused(tensor, tensors.keySet(), algebra.operands().keySet()));
              tensors.put(slot, tensor);
              operands.put(slot, outline);
              statistics.put(
                  slot, Objects.requireNonNull(request.statistics().get(tensor), tensor));
              TensorVar read = new TensorVar(slot, outline.format(), TensorVar.Kind.OPERAND);
              return access.of(read);
            },
            operands);
    // The operands were found while the accesses were visited.
    StatementAlgebra complete = slotted.withSizes(operands, algebra.sizes());
    return new SlottedRequest(request, complete, tensors, statistics);
  }

  /** The tensor's own name for its first slot, one that nothing else has for the others. */
  private static String unused(String tensor, Set<String> slots, Set<String> operands) {
    if (!slots.contains(tensor)) {
      return tensor;
    }
    int copy = 2;
    while (slots.contains(tensor + "_" + copy) || operands.contains(tensor + "_" + copy)) {
      copy++;
    }
    return tensor + "_" + copy;
  }
}
