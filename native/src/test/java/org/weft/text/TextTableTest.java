package org.weft.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class TextTableTest {
  @Test
  void namesStandToTheLeftAndNumbersToTheRight() {
    String text =
        new TextTable("<<>")
            .row("kernel", "tensor", "ms", "GB/s")
            .row("spmv", "a", "1.25", "8")
            .row("mttkrp", "longer", "100.00", "")
            .text();

    assertThat(text)
        .isEqualTo(
            """
            kernel  tensor      ms  GB/s
            spmv    a         1.25     8
            mttkrp  longer  100.00
            """);
  }

  @Test
  void widthsCountCharactersAndRowsMayBeShort() {
    assertThat(
            new TextTable("<")
                .row("a\uD83D\uDE00", "b") // one character of two code units
                .row("xyz")
                .row("", "c")
                .lines())
        .containsExactly("a\uD83D\uDE00   b", "xyz", "     c");
  }

  @Test
  void aTableWithoutRowsIsEmpty() {
    assertThat(new TextTable("<>").text()).isEmpty();
  }
}
