package org.weft.compiler.loop;

import java.util.ArrayList;
import java.util.List;
import org.weft.runtime.KernelSignature;
import org.weft.runtime.Slot;
import org.weft.runtime.TensorParameter;
import org.weft.tensor.LevelCoordinate;
import org.weft.tensor.TensorFormat;

/**
 * Makes a function checked: its argument block gets the length of every array that the caller
 * passes, and the size of every level whose coordinates it reads. Code generation guards every
 * access of a function that has them, also to workspaces and growing arrays, whose lengths the
 * function knows itself.
 */
public final class BoundsChecks {
  private BoundsChecks() {}

  /** {@code function} with checks; a function that is checked already is returned as it is. */
  public static LoopFunction guard(LoopFunction function) {
    if (isChecked(function)) {
      return function;
    }
    KernelSignature signature = function.signature();
    List<Slot> slots = new ArrayList<>(signature.slots());
    for (BufferBinding binding : function.buffers()) {
      if (binding.buffer().kind() == Buffer.Kind.GROWABLE) {
        continue;
      }
      Slot slot = signature.slots().get(binding.slot());
      slots.add(new Slot(lengthOf(slot.kind()), slot.tensor(), slot.level()));
      if (slot.kind() == Slot.Kind.CRD && isBounded(signature.tensors().get(slot.tensor()), slot)) {
        slots.add(new Slot(Slot.Kind.LEVEL_SIZE, slot.tensor(), slot.level()));
      }
    }
    KernelSignature longer = new KernelSignature(signature.symbol(), signature.tensors(), slots);
    return function.withSignature(longer);
  }

  /** Whether accesses of {@code function} are to be guarded. */
  public static boolean isChecked(LoopFunction function) {
    return function.signature().slots().stream()
        .anyMatch(slot -> slot.kind() == Slot.Kind.VALS_LENGTH);
  }

  /** The kind of slot that holds the length of an array. */
  public static Slot.Kind lengthOf(Slot.Kind array) {
    return switch (array) {
      case POS -> Slot.Kind.POS_LENGTH;
      case CRD -> Slot.Kind.CRD_LENGTH;
      case VALS -> Slot.Kind.VALS_LENGTH;
      default -> throw new IllegalArgumentException(array + " is no array");
    };
  }

  /**
   * Whether every coordinate in the array is below the level's size: the level stores a mode, and
   * it and the levels it shares positions with are segmented and compact, so that there is no
   * padding and no free bucket.
   */
  private static boolean isBounded(TensorParameter tensor, Slot slot) {
    TensorFormat format = tensor.format();
    int level = slot.level();
    if (!(format.coordinate(level) instanceof LevelCoordinate.Mode)) {
      return false;
    }
    while (level > 0 && format.level(level).properties().branchless()) {
      level--;
    }
    return format.level(level).format().hasPos() && format.level(level).properties().compact();
  }
}
