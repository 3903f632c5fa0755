package org.weft.compiler.program;

import java.util.List;
import java.util.Map;
import org.weft.compiler.lang.Syntax;
import org.weft.compiler.program.space.ProgramTensor;
import org.weft.compiler.program.space.TensorSpace;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.TensorShape;

/** Gives tensors that are filled or read their values. */
record FilledTensors(TensorSpace space, Shapes shapes, AddressedParts slices, Capacity capacity) {
  /** The value of {@code tensor}, made now if its fill was waiting for sizes. */
  ProgramTensor require(TensorVariable tensor, Syntax.Access access, Map<String, Long> hints) {
    ProgramTensor present = tensor.value();
    if (present != null) {
      return present;
    }
    Number fill = tensor.pendingFill();
    TensorShape shape = shapes.shape(tensor, access, hints);
    capacity.require(tensor, shape);
    if (fill != null && fill.doubleValue() != 0) {
      capacity.requireCells(tensor, shape);
    }
    ProgramTensor made = space.filled(shape, tensor.stored(), fill == null ? 0.0 : fill);
    tensor.countBy(slices.counting(access));
    tensor.store(made);
    return made;
  }

  /** Values in [0, 1), another series in every run. */
  void random(TensorVariable tensor, Syntax.Access access) {
    if (!tensor.isDense()) {
      throw new WeftException(
          ErrorCode.UNSUPPORTED_OPERATION,
          "random() fills dense tensors but "
              + tensor.name()
              + " is sparse; fill a Dense tensor, then assign it");
    }
    TensorShape shape = shapes.shape(tensor, access, Map.of());
    capacity.require(tensor, shape);
    tensor.countBy(slices.counting(access));
    tensor.store(space.random(shape, tensor.stored()));
  }

  /** Takes over what was read. */
  void read(TensorVariable tensor, TensorSpace.Input input, String what) {
    TensorShape shape = shapes.declared(tensor, input, what);
    capacity.require(tensor, shape);
    TensorSpace.Input sized = shape.equals(input.shape()) ? input : input.within(shape);
    tensor.store(space.store(sized, tensor.stored()), input.modes());
    tensor.countBy(List.of());
  }
}
