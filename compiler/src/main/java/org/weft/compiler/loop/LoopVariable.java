package org.weft.compiler.loop;

/** A named register. Equality is by name and type; a name is unique within a function. */
public record LoopVariable(String name, ScalarType type) {
  public LoopVariable {
    Names.requireIdentifier(name, "variable");
  }

  /** An integer register: a position, coordinate or count. */
  public static LoopVariable integer(String name) {
    return new LoopVariable(name, ScalarType.I64);
  }
}
