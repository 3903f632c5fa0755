package org.weft.compiler.program.space;

import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/** A tensor of a running program, wherever it lies. Closing it frees it. */
public interface ProgramTensor extends AutoCloseable {
  TensorShape shape();

  ValueType valueType();

  @Override
  void close();
}
