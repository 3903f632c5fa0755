package org.weft.compiler.lang;

/** {@code A(i,r) = e} or {@code A(i,r) += e}. */
public record Statement(Syntax.Access target, Assignment assignment, Syntax value) {
  /** How the right side changes the left. */
  public enum Assignment {
    ASSIGN,
    ADD
  }
}
