package org.weft.jobs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.OutputStream;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.weft.jobs.output.Console;
import picocli.CommandLine.Model.OptionSpec;

/** A value that an option cannot have is said in Weft's words, whatever command has the option. */
class OptionValuesTest {
  @Test
  void aTextThatIsNoPairAndNoNumberIsToldWhatIsExpected() {
    PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), false, UTF_8);
    new Weft(new Console(nowhere, nowhere))
        .allCommands()
        .getSubcommands()
        .forEach(
            (name, command) ->
                command.getCommandSpec().options().stream()
                    .filter(OptionValuesTest::isPairOrNumber)
                    .forEach(option -> assertExpectationIsSaid(name, option)));
  }

  private static boolean isPairOrNumber(OptionSpec option) {
    Class<?> last = option.auxiliaryTypes()[option.auxiliaryTypes().length - 1];
    return Map.class.isAssignableFrom(option.type())
        || List.of(int.class, long.class, double.class, Integer.class, Long.class, Double.class)
            .contains(last);
  }

  private static void assertExpectationIsSaid(String command, OptionSpec option) {
    String given = option.longestName();
    Run run = Run.of(command, given + "=nonsense");
    assertThat(run.err().strip().lines()).as(run.err()).hasSize(1);
    assertThat(run.err())
        .startsWith("weft: WEFT-100: expected " + given + " ")
        .contains("found 'nonsense'; see 'weft " + command + " --help'");
    assertThat(run.status()).isEqualTo(2);
  }
}
