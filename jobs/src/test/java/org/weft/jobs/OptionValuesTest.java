package org.weft.jobs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.OutputStream;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.weft.jobs.output.Console;
import picocli.CommandLine.Model.OptionSpec;

/** A value that an option cannot have is said in Weft's words, whatever command has the option. */
class OptionValuesTest {
  @Test
  void aTextThatIsNoPairAndNoNumberIsToldWhatIsExpected() {
    everyOption(
        (command, option) -> {
          if (isPairOrNumber(option)) {
            String given = option.longestName();
            assertSaid("expected " + given + " ", command, given + "=nonsense");
            assertSaid("found 'nonsense'; see '", command, given + "=nonsense");
          }
        });
  }

  @Test
  void aValueOfAnOptionThatTakesNoneIsSaid() {
    everyOption(
        (command, option) -> {
          if (option.arity().max() == 0 && !option.usageHelp()) {
            String said = "expected " + option.longestName() + " without a value, found 'maybe'";
            assertSaid(said, command, option.longestName() + "=maybe");
          }
        });
  }

  @Test
  void anOptionThatComesAgainIsSaid() {
    everyOption(
        (command, option) -> {
          if (!option.isMultiValue() && !option.type().isEnum() && !option.usageHelp()) {
            String given = option.longestName() + (option.arity().max() == 0 ? "" : "=1");
            String said = "expected " + option.longestName() + " once, found it again";
            assertSaid(said, command, given, given);
          }
        });
  }

  private static void everyOption(BiConsumer<String, OptionSpec> test) {
    PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), false, UTF_8);
    new Weft(new Console(nowhere, nowhere))
        .allCommands()
        .getSubcommands()
        .forEach(
            (name, command) ->
                command.getCommandSpec().options().forEach(option -> test.accept(name, option)));
  }

  private static boolean isPairOrNumber(OptionSpec option) {
    Class<?> last = option.auxiliaryTypes()[option.auxiliaryTypes().length - 1];
    return Map.class.isAssignableFrom(option.type())
        || List.of(int.class, long.class, double.class, Integer.class, Long.class, Double.class)
            .contains(last);
  }

  private static void assertSaid(String said, String command, String... options) {
    Run run = Run.of(Stream.concat(Stream.of(command), Stream.of(options)).toArray(String[]::new));
    assertThat(run.err().strip().lines()).as(run.err()).hasSize(1);
    assertThat(run.err()).startsWith("weft: WEFT-100: ").contains(said);
    assertThat(run.err()).endsWith("; see 'weft " + command + " --help'\n");
    assertThat(run.status()).isEqualTo(2);
  }
}
