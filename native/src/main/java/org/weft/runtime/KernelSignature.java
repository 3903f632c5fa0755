package org.weft.runtime;

import java.io.Serializable;
import java.util.List;

/**
 * What the argument block of a kernel contains, slot by slot. Made by the compiler, carried by the
 * plan.
 *
 * @param symbol name of the kernel's function in its library
 * @param tensors the tensors of the expression; slots refer to them by position
 * @param slots the argument block; {@code RUNTIME}, {@code STATUS}, {@code STATUS_DETAIL} come
 *     first
 */
public record KernelSignature(String symbol, List<TensorParameter> tensors, List<Slot> slots)
    implements Serializable {

  private static final List<Slot.Kind> FIRST =
      List.of(Slot.Kind.RUNTIME, Slot.Kind.STATUS, Slot.Kind.STATUS_DETAIL);

  public KernelSignature {
    tensors = List.copyOf(tensors);
    slots = List.copyOf(slots);
    List<Slot.Kind> first = slots.stream().limit(FIRST.size()).map(Slot::kind).toList();
    if (!first.equals(FIRST)) {
      throw new IllegalArgumentException(
          "the argument block of '" + symbol + "' starts with " + first + ", expected " + FIRST);
    }
    for (Slot slot : slots.subList(FIRST.size(), slots.size())) {
      if (FIRST.contains(slot.kind()) || slot.tensor() < 0 || slot.tensor() >= tensors.size()) {
        throw new IllegalArgumentException(
            "the argument block of '" + symbol + "' has " + slot + " for tensors " + tensors);
      }
    }
  }

  /** Whether it does not matter what dense outputs hold before a run. */
  public boolean overwrites() {
    return tensors.stream().noneMatch(tensor -> tensor.role() == TensorParameter.Role.OUTPUT_DENSE);
  }

  /** The slot's number in the block, or -1. */
  int numberOf(Slot.Kind kind, int tensor, int level) {
    for (int number = FIRST.size(); number < slots.size(); number++) {
      Slot slot = slots.get(number);
      if (slot.kind() == kind
          && slot.tensor() == tensor
          && (kind == Slot.Kind.VALS || slot.level() == level)) {
        return number;
      }
    }
    return -1;
  }
}
