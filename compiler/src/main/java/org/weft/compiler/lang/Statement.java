package org.weft.compiler.lang;

import org.jspecify.annotations.Nullable;

/** {@code A(i,r) = e}, {@code A(i,r) += e}, {@code A(i,r)<M> = e}. */
public record Statement(
    Syntax.Access target, @Nullable Mask mask, Assignment assignment, Syntax value) {

  /** How the right side changes the left. */
  public enum Assignment {
    ASSIGN("="),
    ADD("+="),
    SUBTRACT("-=");

    private final String text;

    Assignment(String text) {
      this.text = text;
    }

    /** How the assignment is written. */
    public String text() {
      return text;
    }
  }
}
