package org.weft.planner.distributed;

import java.io.Serializable;
import java.util.List;
import org.weft.runtime.KernelImage;
import org.weft.tensor.TensorFormat;

/**
 * A statement as machine code, with how its operands are stored: all that a process without the
 * compiler needs to compute it.
 *
 * @param operands the storages to pack, some operands in several forms
 * @param steps in order; the last one makes the result
 * @param resultLabels of the result's modes
 */
public record CompiledStatement(List<Packed> operands, List<Step> steps, List<String> resultLabels)
    implements Serializable {
  public CompiledStatement {
    operands = List.copyOf(operands);
    steps = List.copyOf(steps);
    resultLabels = List.copyOf(resultLabels);
  }

  /**
   * An operand as one kernel reads it.
   *
   * @param slot the operand of the statement
   * @param name that steps use
   * @param labels of its modes, which give the sizes
   * @param nonzeros whether zeros are left out
   */
  public record Packed(
      String slot, String name, TensorFormat format, List<String> labels, boolean nonzeros)
      implements Serializable {
    public Packed {
      labels = List.copyOf(labels);
    }
  }

  /** Makes a storage of storages. */
  public sealed interface Step extends Serializable {
    /** The name of what it makes. */
    String result();
  }

  /**
   * A kernel.
   *
   * @param reads names of the storages it is bound to
   * @param labels of the result's modes
   */
  public record Compute(KernelImage image, List<String> reads, String result, List<String> labels)
      implements Step {
    public Compute {
      reads = List.copyOf(reads);
      labels = List.copyOf(labels);
    }
  }

  /**
   * The same entries in another format: unpacked and packed.
   *
   * @param drops whether stored zeros of the source are padding and mean nothing
   */
  public record Repack(String source, String result, TensorFormat format, boolean drops)
      implements Step {}
}
