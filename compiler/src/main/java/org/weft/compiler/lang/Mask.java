package org.weft.compiler.lang;

/**
 * The mask of a result, {@code C[i,k]<M, push>}: the result has an entry only where {@code tensor}
 * has one. A mask written without labels has those of the result.
 */
public record Mask(Syntax.Access tensor, Strategy strategy, SourceSpan span) {
  /** How the mask takes part in the loops. */
  public enum Strategy {
    /** The mask filters scattered contributions. */
    PUSH,
    /** The loops run over the entries of the mask. */
    PULL,
    /** The compiler chooses. */
    AUTO
  }
}
