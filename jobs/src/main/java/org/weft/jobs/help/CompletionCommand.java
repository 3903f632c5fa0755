package org.weft.jobs.help;

import static org.weft.jobs.output.Usage.usage;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.weft.jobs.command.WeftCommand;
import org.weft.jobs.output.Console;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ScopeType;

/** {@code weft completion}. */
@Command(
    name = "completion",
    sortOptions = false,
    description = {
      "Print a script that completes commands in a shell, or a manual page.",
      "The script for bash or zsh completes commands, options and their values.",
      "'man' prints the manual page of weft. 'man COMMAND' prints the page of the command. The text"
          + " is the text of --help."
    },
    footer = {
      "",
      "Example: source <(weft completion bash)",
      "Example: weft completion zsh > ~/.weft-completion && echo 'source ~/.weft-completion' >>"
          + " ~/.zshrc",
      "Example: weft completion man cpd > ~/.local/share/man/man1/weft-cpd.1"
    })
public final class CompletionCommand extends WeftCommand {
  /** What picocli writes to have bash offer no file names where it knows no other words. */
  private static final String NO_FILES = "  type compopt &>/dev/null && compopt +o default\n\n";

  /** What can be printed. */
  enum What {
    BASH,
    ZSH,
    MAN
  }

  @Parameters(index = "0", paramLabel = "WHAT", description = "What to print: bash, zsh or man.")
  What what = What.BASH;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "COMMAND",
      description = "With man: the command of the page, such as cpd.")
  String command = "";

  @Override
  protected void run(Console console) {
    CommandLine line = root().allCommands();
    if (what != What.MAN) {
      if (!command.isEmpty()) {
        throw usage("expected no command after %s, found '%s'", what, command);
      }
      complete(line.getCommandSpec());
      console.text(AutoComplete.bash("weft", line).replace(NO_FILES, ""));
      return;
    }
    CommandLine page = command.isEmpty() ? line : line.getSubcommands().get(command);
    if (page == null) {
      throw usage("expected a command of weft, found '%s'; see weft --help", command);
    }
    console.text(ManPage.of(page));
  }

  /** A shell completes the common options everywhere, and values as the help writes them. */
  private static void complete(CommandSpec spec) {
    for (OptionSpec option : List.copyOf(spec.options())) {
      if (option.scopeType() == ScopeType.INHERIT || option.inherited()) {
        continue;
      }
      OptionSpec.Builder shown = option.toBuilder().hidden(false);
      if (option.type().isEnum()) {
        shown.completionCandidates(values(option.type()));
      }
      spec.remove(option);
      spec.addOption(shown.build());
    }
    for (PositionalParamSpec parameter : List.copyOf(spec.positionalParameters())) {
      if (parameter.type().isEnum()) {
        spec.remove(parameter);
        spec.addPositional(
            parameter.toBuilder().completionCandidates(values(parameter.type())).build());
      }
    }
    spec.subcommands().values().forEach(sub -> complete(sub.getCommandSpec()));
  }

  private static List<String> values(Class<?> type) {
    return Arrays.stream(type.getEnumConstants())
        .map(value -> value.toString().toLowerCase(Locale.ROOT))
        .toList();
  }
}
