package org.weft.jobs.help;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.weft.jobs.command.WeftCommand;
import org.weft.jobs.option.CommonOptions;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * The {@link CommonOptions} in help: each command names them, and {@code weft help options}
 * explains them.
 */
public final class CommonHelp {
  private static final String SECTION = "commonOptions";
  private static final String TOPIC = "options";

  private CommonHelp() {}

  /** Adds the section to the help of all commands below {@code line}. */
  public static void addTo(CommandLine line) {
    for (CommandLine command : line.getSubcommands().values()) {
      addTo(command);
    }
    if (line.getCommandSpec().userObject() instanceof WeftCommand) {
      List<String> keys = new ArrayList<>(line.getHelpSectionKeys());
      keys.add(keys.indexOf(UsageMessageSpec.SECTION_KEY_FOOTER_HEADING), SECTION);
      line.setHelpSectionKeys(keys);
      line.getHelpSectionMap().put(SECTION, new Section());
    }
  }

  /** Adds the topic, a command that shows the options. */
  public static void addTopic(CommandLine line) {
    CommandSpec topic =
        CommandSpec.wrapWithoutInspection(
            (Runnable)
                () ->
                    Objects.requireNonNull(line.getSubcommands().get(TOPIC)).usage(line.getOut()));
    topic
        .usageMessage()
        .hidden(true)
        .description("The options that every command has.")
        .sortOptions(false);
    topic.usageMessage().customSynopsis("weft COMMAND [OPTIONS] ...");
    options().forEach(o -> topic.addOption(o.toBuilder().hidden(false).usageHelp(false).build()));
    line.addSubcommand(TOPIC, topic);
  }

  private static List<OptionSpec> options() {
    return CommandSpec.forAnnotatedObject(new CommonOptions()).options();
  }

  /**
   * Lists the options. No lambda: an archive of classes that has one lacks the parts of picocli
   * that it is made from, and each command would read and verify them.
   */
  private static final class Section implements IHelpSectionRenderer {
    @Override
    public String render(Help help) {
      String names =
          options().stream().map(OptionSpec::longestName).collect(Collectors.joining(" "));
      CommandLine.Model.CommandSpec spec = help.commandSpec();
      Help.TextTable lines =
          Help.TextTable.forColumnWidths(help.colorScheme(), spec.usageMessage().width());
      lines.addRowValues("Common options, explained by 'weft help options':");
      lines.indentWrappedLines = 2;
      lines.addRowValues("  " + names);
      return System.lineSeparator() + lines;
    }
  }
}
