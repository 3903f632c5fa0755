package org.weft.compiler.algebra;

/** An index variable: one dimension of the iteration space. Equal by name. */
public record IndexVar(String name) {
  @Override
  public String toString() {
    return name;
  }
}
