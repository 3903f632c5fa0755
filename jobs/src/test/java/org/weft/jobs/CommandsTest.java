package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A command line that names a command is given that one only, and nobody can tell. */
class CommandsTest {
  private static List<String> commands() {
    return Commands.names().stream().filter(name -> !name.equals("help")).toList();
  }

  @ParameterizedTest
  @MethodSource("commands")
  void helpIsThatOfTheCommandAmongAll(String command) {
    Run alone = Run.of(command, "--help").succeeds();
    assertThat(alone.out()).isEqualTo(Run.of("help", command).out()).isNotEmpty();
    assertThat(Run.of("--help").out()).contains("  " + command + " ");
  }

  private static List<String> readers() {
    return List.of("mttkrp ttm ttv cpd tucker complete cpapr stats convert reorder spy".split(" "));
  }

  /** What reads a tensor reads every format, and says so. */
  @ParameterizedTest
  @MethodSource("readers")
  void helpNamesTheFormatsOfInputs(String command) {
    assertThat(Run.of(command, "--help").out().replaceAll("\\s+", " "))
        .contains(".weft", ".tns", ".mtx");
  }

  @ParameterizedTest
  @ValueSource(strings = {"cpd", "eval", "spy"})
  void explainHasOneCommandOrAll(String command) {
    assertThat(Run.of("explain", "--help").out()).contains("  " + command + " ");
    Run alone = Run.of("explain", "--llvm", command, "--help").succeeds();
    assertThat(alone.out()).contains("--llvm", "--asm", "weft explain " + command);
  }

  @Test
  void mistakesAreThoseOfAllCommands() {
    assertThat(Run.of("cdp", "x").err()).contains("did you mean cpd?");
    assertThat(Run.of("explain", "cdp").err()).contains("did you mean cpd?");
    assertThat(Run.of("explain").err()).contains("expected a command after explain");
    assertThat(Run.of("explain", "gc").status()).isEqualTo(2);
    assertThat(Run.of("cpd", "x", "--rnk", "3").err()).contains("did you mean --rank?");
    assertThat(Run.of("cpd", "--version").status()).isEqualTo(2);
  }
}
