package org.weft.compiler.program.space;

import org.weft.compiler.lang.Program;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * How a program declares that a tensor is stored.
 *
 * @param format as text
 */
public record StoredAs(String format, int order, ValueType valueType) {
  public static StoredAs of(Program.TensorDeclaration declaration) {
    return new StoredAs(declaration.format(), declaration.modes().size(), declaration.valueType());
  }

  /** The format without the widths that depend on the entries. */
  public TensorFormat parsed() {
    return TensorFormat.parse(format, order, valueType);
  }

  /** The format with the narrowest widths that hold the entries where none are stated. */
  public TensorFormat of(TensorShape shape, long entries) {
    return TensorFormat.parse(format, shape, entries, valueType);
  }
}
