package org.weft.compiler.lower;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorAssignment;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.loop.LoopFunction;
import org.weft.runtime.KernelSignature;
import org.weft.runtime.ModeLabel;
import org.weft.runtime.TensorParameter;

/** Tells a kernel's callers which mode sizes have to agree: the loops rely on it. */
final class ModeLabels {
  private ModeLabels() {}

  /** {@code function} with the labels of {@code statement}, as it was written, in its signature. */
  static LoopFunction add(LoopFunction function, TensorAssignment statement) {
    KernelSignature signature = function.signature();
    List<TensorParameter> tensors = new ArrayList<>();
    for (TensorParameter tensor : signature.tensors()) {
      List<List<ModeLabel>> accesses =
          Stream.concat(Stream.of(statement.target()), statement.value().accesses().stream())
              .filter(access -> access.tensor().name().equals(tensor.name()))
              .map(access -> labels(access, statement))
              .distinct()
              .toList();
      tensors.add(new TensorParameter(tensor.name(), tensor.format(), tensor.role(), accesses));
    }
    KernelSignature labelled = new KernelSignature(signature.symbol(), tensors, signature.slots());
    return function.withSignature(labelled);
  }

  private static List<ModeLabel> labels(TensorExpr.Access access, TensorAssignment statement) {
    return access.variables().stream().map(variable -> label(variable, statement)).toList();
  }

  private static ModeLabel label(IndexVar variable, TensorAssignment statement) {
    Long size = statement.constantSizes().get(variable);
    return new ModeLabel(variable.name(), size == null ? -1 : size);
  }
}
