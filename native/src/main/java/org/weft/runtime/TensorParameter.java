package org.weft.runtime;

import java.io.Serializable;
import java.util.List;
import org.weft.tensor.TensorFormat;

/**
 * A tensor that a kernel reads or makes.
 *
 * @param name its name in the expression
 * @param accesses the labels of its modes, once for each access in the expression
 */
public record TensorParameter(
    String name, TensorFormat format, Role role, List<List<ModeLabel>> accesses)
    implements Serializable {
  public TensorParameter {
    accesses = accesses.stream().map(List::copyOf).toList();
  }

  /** A tensor whose modes have no labels. */
  public TensorParameter(String name, TensorFormat format, Role role) {
    this(name, format, role, List.of());
  }

  /** Who makes the arrays of a tensor. */
  public enum Role {
    /** Read by the kernel, borrowed for the call. */
    INPUT,
    /** Made by the caller, zeroed or to be added to; written by the kernel. */
    OUTPUT_DENSE,
    /** Made by the caller, whatever it holds; every cell is written by the kernel. */
    OUTPUT_OVERWRITTEN,
    /** Made by the kernel, owned by the caller afterwards. */
    OUTPUT_SPARSE
  }
}
