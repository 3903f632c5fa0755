package org.weft.runtime;

import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.MachineMemory;
import org.weft.tensor.LevelSpec;
import org.weft.text.Bytes;

/** What a kernel reports: the numbers of {@code weft_status} in {@code weft_runtime.h}. */
enum KernelStatus {
  OK(0),
  OUT_OF_MEMORY(1),
  WIDTH_OVERFLOW(2),
  BOUNDS(3),
  MISFIT(4);

  private final long number;

  KernelStatus(long number) {
    this.number = number;
  }

  /** Throws what a status number other than 0 means. */
  static void check(KernelSignature signature, long status, long detail) {
    if (status == OK.number) {
      return;
    }
    String kernel = "kernel '" + signature.symbol() + "'";
    if (status == OUT_OF_MEMORY.number) {
      throw new WeftException(
          ErrorCode.OUT_OF_MEMORY,
          kernel
              + " found no memory for its result or a workspace; now "
              + Bytes.text(MachineMemory.availableBytes())
              + " are available. Compute fewer cells, by a mask or in more partitions, or use a"
              + " larger machine");
    }
    if (status == WIDTH_OVERFLOW.number) {
      throw new WeftException(ErrorCode.WIDTH_OVERFLOW, overflow(kernel, signature, detail));
    }
    if (status == BOUNDS.number) {
      throw BoundsViolation.of(detail).exception(signature);
    }
    if (status == MISFIT.number) {
      throw new WeftException(ErrorCode.INVALID_FORMAT, misfit(signature, detail));
    }
    throw new WeftException(
        ErrorCode.KERNEL_FAILURE,
        kernel
            + " returned status "
            + status
            + " (detail "
            + detail
            + "), expected 0 to 4; driver and executors may run different versions");
  }

  private static String misfit(KernelSignature signature, long detail) {
    TensorParameter parameter = signature.tensors().get((int) (detail >>> 32));
    int level = (int) detail;
    LevelSpec spec = parameter.format().level(level);
    return "level "
        + (level + 1)
        + " ("
        + spec
        + ") of "
        + parameter.format()
        + " stores "
        + (spec.properties().compact() ? "exactly one coordinate" : "at most one coordinate")
        + " under each position above it, which the entries do not have; put it below a non-unique"
        + " level (CN), or use a compressed level (CU)";
  }

  /** {@code detail} is {@code tensor << 32 | level}. */
  private static String overflow(String kernel, KernelSignature signature, long detail) {
    int tensor = (int) (detail >>> 32);
    int level = (int) detail;
    String text = kernel + " made a coordinate or a position that does not fit ";
    if (tensor < 0 || tensor >= signature.tensors().size()) {
      return text + "tensor number " + tensor + ", level " + level;
    }
    TensorParameter parameter = signature.tensors().get(tensor);
    text += "level " + level + " of tensor " + parameter.name();
    if (level >= 0 && level < parameter.format().levelCount()) {
      LevelSpec spec = parameter.format().level(level);
      text +=
          " (pos "
              + spec.posWidth().bits()
              + " bits, crd "
              + spec.crdWidth().bits()
              + " bits); declare the level wider or use more partitions";
    }
    return text;
  }
}
