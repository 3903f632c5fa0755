package org.weft.runtime;

import java.io.Serializable;
import org.weft.tensor.TensorFormat;

/** A tensor that a kernel reads or makes: its name in the expression, its format, its role. */
public record TensorParameter(String name, TensorFormat format, Role role) implements Serializable {
  /** Who makes the arrays of a tensor. */
  public enum Role {
    /** Read by the kernel, borrowed for the call. */
    INPUT,
    /** Made by the caller, zeroed or to be added to; written by the kernel. */
    OUTPUT_DENSE,
    /** Made by the kernel, owned by the caller afterwards. */
    OUTPUT_SPARSE
  }
}
