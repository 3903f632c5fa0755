package org.weft.compiler.program;

import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.weft.compiler.eval.StatementInput;
import org.weft.compiler.lang.Syntax;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.MemoryScope;
import org.weft.memory.NativeArray;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/** Makes the storages of tensors that are filled, read, or empty. */
final class Tensors {
  private final Environment environment;
  private final Shapes shapes;
  private final MemoryScope scope;

  Tensors(Environment environment, Shapes shapes, MemoryScope scope) {
    this.environment = environment;
    this.shapes = shapes;
    this.scope = scope;
  }

  /** The storage of {@code tensor}, made now if its fill was waiting for sizes. */
  TensorStorage require(TensorVariable tensor, Syntax.Access access, Map<String, Long> hints) {
    TensorStorage present = tensor.storage();
    if (present != null) {
      return present;
    }
    Double fill = tensor.pendingFill();
    TensorShape shape = shapes.shape(tensor, access, hints);
    TensorStorage made = filled(tensor, shape, fill == null ? 0 : fill);
    tensor.store(made);
    return made;
  }

  /** Every cell {@code value}; none stored if that is 0 and the format is sparse. */
  private TensorStorage filled(TensorVariable tensor, TensorShape shape, double value) {
    TensorFormat format = tensor.declaration().parsedFormat();
    TensorFormat rowMajor = TensorFormat.dense(shape.order(), format.valueType());
    if (format.equals(rowMajor)) {
      TensorStorage dense = TensorStorage.dense(scope, shape, format.valueType());
      if (value != 0) {
        NativeArray values = dense.vals();
        for (long p = 0; p < values.length(); p++) {
          values.setDouble(p, value);
        }
      }
      return dense;
    }
    if (value == 0 && !format.isDense()) {
      return empty(tensor, shape);
    }
    try (TensorStorage dense = TensorStorage.dense(scope, shape, format.valueType())) {
      for (long p = 0; p < dense.vals().length(); p++) {
        dense.vals().setDouble(p, value);
      }
      return environment.evaluator().convert(scope, dense, format);
    }
  }

  private TensorStorage empty(TensorVariable tensor, TensorShape shape) {
    TensorFormat format = format(tensor, shape, 0);
    return Packing.pack(scope, shape, format, List.of(noEntries(shape.order())));
  }

  private static CooBlock noEntries(int order) {
    return new CooBlock.Builder(order, 0).build();
  }

  /** The declared format, with the narrowest widths that hold the entries where none are stated. */
  private static TensorFormat format(TensorVariable tensor, TensorShape shape, long entries) {
    return TensorFormat.parse(
        tensor.declaration().format(), shape, entries, tensor.declaration().valueType());
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
    TensorStorage dense = filled(tensor, shape, 0);
    SplittableRandom random = new SplittableRandom();
    for (long p = 0; p < dense.vals().length(); p++) {
      dense.vals().setDouble(p, random.nextDouble());
    }
    tensor.store(dense);
  }

  /** Takes over what was read. */
  void read(TensorVariable tensor, ProgramFiles.Entries entries, String what) {
    shapes.requireDeclared(tensor, entries.shape(), what);
    tensor.store(
        Packing.pack(
            scope,
            entries.shape(),
            format(tensor, entries.shape(), entries.count()),
            entries.blocks()),
        entries.modes());
  }

  /** A scalar as an operand. */
  TensorStorage scalar(MemoryScope parent, Scalar value) {
    boolean integer = value.value() instanceof Long;
    TensorStorage storage =
        TensorStorage.dense(parent, TensorShape.of(), integer ? ValueType.LONG : ValueType.DOUBLE);
    if (integer) {
      storage.vals().setLong(0, value.value().longValue());
    } else {
      storage.vals().setDouble(0, value.asDouble());
    }
    return storage;
  }

  /** A tensor of no modes as a scalar. */
  static Scalar scalarOf(TensorStorage storage) {
    boolean integer = !storage.format().valueType().elementType().isFloating();
    return Scalar.computed(
        integer ? (Number) storage.vals().getLong(0) : (Number) storage.vals().getDouble(0));
  }

  /** Evaluates below the frame's scope. */
  TensorStorage evaluate(StatementInput input) {
    environment.statements().accept(input);
    return environment.evaluator().evaluate(scope, input);
  }
}
