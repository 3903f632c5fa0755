package org.weft.compiler.llvm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class LinkerTest {
  @Test
  void endedByTheSystemIsNoFaultOfTheKernels() {
    assertThat(Linker.failed(137, ""))
        .hasMessageContaining("ended by signal 9")
        .hasMessageNotContaining("bug");
  }

  @Test
  void itsOwnWordsAreAFaultOfTheKernels() {
    assertThat(Linker.failed(1, "undefined symbol: f"))
        .hasMessageContaining("undefined symbol: f; this is a bug in code generation");
  }
}
