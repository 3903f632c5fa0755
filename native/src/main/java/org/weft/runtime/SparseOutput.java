package org.weft.runtime;

import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.ElementType;
import org.weft.memory.MemoryScope;
import org.weft.memory.NativeArray;
import org.weft.runtime.Slot.Kind;
import org.weft.tensor.LevelSpec;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;

/**
 * Takes over the arrays that a kernel made for one sparse output. At any time a slot of the block
 * holds 0 or a block of native memory that nobody else owns.
 *
 * <p>Lengths follow from the counts, as the level formats say: a compressed level {@code l} with
 * {@code n(l)} positions has {@code n(l - 1) + 1} elements in {@code pos} and {@code n(l)} in
 * {@code crd}, where {@code n(-1) = 1}; there are as many values as positions of the last level. A
 * full level has {@code n(l - 1)} times the mode size positions, a branchless one {@code n(l - 1)};
 * for others the kernel writes {@code POSITIONS}.
 */
final class SparseOutput {
  private static final int NO_SLOT = -1;

  private final KernelSignature signature;
  private final TensorParameter parameter;
  private final int[] positions;
  private final int[] pos;
  private final int[] crd;
  private final int vals;

  /** Finds the slots of tensor number {@code tensor}. */
  SparseOutput(KernelSignature signature, int tensor) {
    this.signature = signature;
    this.parameter = signature.tensors().get(tensor);
    int count = parameter.format().levelCount();
    positions = new int[count];
    pos = new int[count];
    crd = new int[count];
    for (int level = 0; level < count; level++) {
      LevelSpec spec = parameter.format().level(level);
      boolean counted =
          parameter.format().coordinate(level).isCounted()
              || !spec.properties().full() && !spec.properties().branchless();
      positions[level] = counted ? slot(Kind.POSITIONS, tensor, level) : NO_SLOT;
      pos[level] = spec.format().hasPos() ? slot(Kind.POS, tensor, level) : NO_SLOT;
      crd[level] = spec.format().hasCrd() ? slot(Kind.CRD, tensor, level) : NO_SLOT;
    }
    vals = slot(Kind.VALS, tensor, -1);
  }

  private int slot(Kind kind, int tensor, int level) {
    int number = signature.numberOf(kind, tensor, level);
    if (number < 0) {
      throw new IllegalArgumentException(
          "the argument block of '"
              + signature.symbol()
              + "' has no slot "
              + new Slot(kind, tensor, level)
              + ", which sparse output "
              + parameter.name()
              + " of format "
              + parameter.format()
              + " needs");
    }
    return number;
  }

  TensorParameter parameter() {
    return parameter;
  }

  /** Moves the arrays into a child of {@code owner}; if that fails, what was moved is freed. */
  TensorStorage take(ArgumentBlock block, TensorShape shape, MemoryScope owner) {
    MemoryScope scope = owner.child(parameter.name());
    try {
      int count = parameter.format().levelCount();
      long[] counts = new long[count];
      @Nullable NativeArray[] posArrays = new NativeArray[count];
      @Nullable NativeArray[] crdArrays = new NativeArray[count];
      long parents = 1;
      for (int level = 0; level < count; level++) {
        LevelSpec spec = parameter.format().level(level);
        counts[level] = count(block, shape, level, parents);
        if (pos[level] != NO_SLOT) {
          posArrays[level] =
              adopt(
                  block,
                  pos[level],
                  spec.posWidth().elementType(),
                  spec.format().posLength(parents),
                  counts[level],
                  scope);
        }
        if (crd[level] != NO_SLOT) {
          crdArrays[level] =
              adopt(
                  block,
                  crd[level],
                  spec.crdWidth().elementType(),
                  spec.format().crdLength(parents, counts[level]),
                  counts[level],
                  scope);
        }
        parents = counts[level];
      }
      ElementType valueType = parameter.format().valueType().elementType();
      NativeArray values = adopt(block, vals, valueType, parents, parents, scope);
      return TensorStorage.ofArrays(
          scope, shape, parameter.format(), counts, posArrays, crdArrays, values);
    } catch (RuntimeException e) {
      scope.close();
      throw e;
    }
  }

  private long count(ArgumentBlock block, TensorShape shape, int level, long parents) {
    if (positions[level] != NO_SLOT) {
      long count = block.get(positions[level]);
      if (count < 0) {
        throw failure("a count of at least 0 for level " + level, Long.toString(count));
      }
      return count;
    }
    boolean full = parameter.format().level(level).properties().full();
    return full
        ? TensorShape.positions(parents, parameter.format().levelSize(shape, level))
        : parents;
  }

  /**
   * An array of a level with {@code positions} positions; without positions the kernel may leave it
   * out.
   */
  private NativeArray adopt(
      ArgumentBlock block,
      int slot,
      ElementType type,
      long length,
      long positions,
      MemoryScope scope) {
    long address = block.get(slot);
    if (address == 0 && positions > 0) {
      throw failure(
          "the address of " + length + " elements in " + signature.slots().get(slot), "null");
    }
    if (address == 0) {
      return scope.allocate(type, length);
    }
    NativeArray array = scope.adopt(address, type, length, () -> NativeRuntime.release(address));
    block.set(slot, 0);
    return array;
  }

  /** Frees the arrays that the kernel made and nobody took over. */
  void release(ArgumentBlock block) {
    for (int level = 0; level < pos.length; level++) {
      release(block, pos[level]);
      release(block, crd[level]);
    }
    release(block, vals);
  }

  private static void release(ArgumentBlock block, int slot) {
    if (slot != NO_SLOT && block.get(slot) != 0) {
      NativeRuntime.release(block.get(slot));
      block.set(slot, 0);
    }
  }

  private WeftException failure(String expected, String found) {
    return new WeftException(
        ErrorCode.KERNEL_FAILURE,
        "kernel '"
            + signature.symbol()
            + "' made sparse output "
            + parameter.name()
            + " wrongly: expected "
            + expected
            + ", found "
            + found);
  }
}
