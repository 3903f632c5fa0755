package org.weft.runtime;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/** Which mode sizes of a kernel's tensors have to agree, because they share a label. */
final class SizeRules {
  /** A mode with a label; {@code slot} is its place in the argument block. */
  private record Mode(String tensor, int mode, int slot) {
    @Override
    public String toString() {
      return "mode " + mode + " of " + tensor;
    }
  }

  /** {@code mode} has the size of {@code first}, or {@code size} when there is no first. */
  private record Rule(String label, Mode mode, Mode first, long size) {}

  private final List<Rule> rules = new ArrayList<>();

  SizeRules(KernelSignature signature) {
    Map<String, Mode> first = new HashMap<>();
    for (int tensor = 0; tensor < signature.tensors().size(); tensor++) {
      TensorParameter parameter = signature.tensors().get(tensor);
      for (List<ModeLabel> labels : parameter.accesses()) {
        for (int number = 0; number < labels.size(); number++) {
          int slot = signature.numberOf(Slot.Kind.MODE_SIZE, tensor, number);
          if (slot >= 0) {
            add(labels.get(number), new Mode(parameter.name(), number, slot), first);
          }
        }
      }
    }
  }

  private void add(ModeLabel label, Mode mode, Map<String, Mode> first) {
    Mode other = first.putIfAbsent(label.name(), mode);
    if (label.size() >= 0) {
      rules.add(new Rule(label.name(), mode, mode, label.size()));
    } else if (other != null && other.slot() != mode.slot()) {
      rules.add(new Rule(label.name(), mode, other, -1));
    }
  }

  /**
   * Returns when the sizes agree.
   *
   * @param words the argument block
   * @throws WeftException {@code SHAPE_MISMATCH} naming the label and both modes
   */
  void check(long[] words) {
    for (Rule rule : rules) {
      long found = words[rule.mode().slot()];
      boolean constant = rule.size() >= 0;
      long expected = constant ? rule.size() : words[rule.first().slot()];
      if (found != expected) {
        throw new WeftException(
            ErrorCode.SHAPE_MISMATCH,
            "the label "
                + rule.label()
                + " has size "
                + expected
                + (constant ? " in the compiled kernel" : " in " + rule.first())
                + " but size "
                + found
                + " in "
                + rule.mode()
                + "; tensors that share a label must agree on its size");
      }
    }
  }
}
