package org.weft.compiler.differential;

import org.weft.error.WeftException;

/** What became of a case. */
sealed interface Outcome {
  /** The result is right. */
  record Passed() implements Outcome {}

  /** The compiler says that it cannot; {@link Refusals} decides whether it may. */
  record Refused(WeftException reason) implements Outcome {}

  /** A wrong result or an error that should not be. */
  record Failed(Throwable problem) implements Outcome {
    /** What a smaller case must have in common to show the same bug. */
    String kind() {
      Throwable root = problem;
      while (root.getCause() != null) {
        root = root.getCause();
      }
      String message = root.getMessage() == null ? "" : root.getMessage();
      int words = message.indexOf(' ');
      return root.getClass().getSimpleName()
          + (root instanceof WeftException weft ? weft.code().label() : "")
          + ":"
          + (words < 0 ? message : message.substring(0, words));
    }
  }
}
