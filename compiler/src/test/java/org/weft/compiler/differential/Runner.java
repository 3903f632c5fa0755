package org.weft.compiler.differential;

import java.util.List;

/** A way to execute cases. */
interface Runner {
  /** A case that is compiled, if it could be. */
  interface Prepared {
    /** Runs it on the entries of {@code filled}, which is the same case otherwise. */
    Outcome run(Case filled);
  }

  /** Compiles the cases; the answers are in their order. */
  List<Prepared> prepare(List<Case> cases);

  /** Compiles and runs one case on its own entries. */
  default Outcome run(Case subject) {
    return prepare(List.of(subject)).get(0).run(subject);
  }
}
