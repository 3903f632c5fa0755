package org.weft.compiler.program;

import org.weft.compiler.program.space.StoredAs;
import org.weft.compiler.program.space.TensorSpace;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.FormatLimits;
import org.weft.tensor.TensorShape;
import org.weft.text.Bytes;

/** Refuses tensors that a space cannot hold before it reads, fills or computes them. */
record Capacity(TensorSpace space) {
  /** Less than this is asked for without a look at the machine. */
  private static final double SMALL_BYTES = 256 << 20;

  /** Refuses a tensor whose format does not suit its shape, or is dense and too large. */
  void require(TensorVariable tensor, TensorShape shape) {
    StoredAs stored = tensor.stored();
    if (tensor.isDense()) {
      requireCells(tensor, shape);
    }
    FormatLimits.require(shape, stored.of(shape, 0), space.partitions());
  }

  /** Refuses a tensor with a value in every cell, whatever its format, that memory cannot hold. */
  void requireCells(TensorVariable tensor, TensorShape shape) {
    double bytes = shape.cells() * tensor.stored().valueType().elementType().bytes();
    long available = bytes < SMALL_BYTES ? Long.MAX_VALUE : space.availableBytes();
    if (bytes > available) {
      throw new WeftException(
          ErrorCode.OUT_OF_MEMORY,
          tensor.name()
              + " of "
              + shape
              + " would have a value in every cell, "
              + Bytes.text(bytes)
              + ", of which "
              + Bytes.text(available)
              + " are available; declare it sparse and store fewer cells, or use a larger machine"
              + " or more executors");
    }
  }
}
