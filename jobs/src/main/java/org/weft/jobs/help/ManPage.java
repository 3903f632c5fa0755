package org.weft.jobs.help;

import java.util.Arrays;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** The help of a command as a manual page, in the macros of {@code man}. */
final class ManPage {
  private final CommandSpec spec;
  private final StringBuilder page = new StringBuilder();

  private ManPage(CommandSpec spec) {
    this.spec = spec;
  }

  static String of(CommandLine command) {
    return new ManPage(command.getCommandSpec()).text(command);
  }

  private String text(CommandLine command) {
    String name = spec.qualifiedName("-");
    List<String> description = Arrays.asList(spec.usageMessage().description());
    page.append(".TH \"").append(name.toUpperCase(java.util.Locale.ROOT)).append("\" 1\n");
    section("NAME");
    line(name + " - " + firstSentence(String.join(" ", description)));
    section("SYNOPSIS");
    page.append(".nf\n");
    command.getHelp().synopsis(0).lines().forEach(this::line);
    page.append(".fi\n");
    section("DESCRIPTION");
    for (String paragraph : description) {
      page.append(".PP\n");
      line(paragraph);
    }
    arguments();
    commands(command);
    section("EXAMPLES AND NOTES");
    for (String note : spec.usageMessage().footer()) {
      if (!note.isEmpty()) {
        page.append(".PP\n");
        line(note);
      }
    }
    return page.toString();
  }

  private void arguments() {
    if (!spec.positionalParameters().isEmpty()) {
      section("ARGUMENTS");
      for (PositionalParamSpec parameter : spec.positionalParameters()) {
        argument(parameter.paramLabel(), parameter);
      }
    }
    if (!spec.options().isEmpty()) {
      section("OPTIONS");
      for (OptionSpec option : spec.options()) {
        boolean flag = option.arity().max() == 0;
        argument(
            String.join(", ", option.names()) + (flag ? "" : " " + option.paramLabel()), option);
      }
    }
  }

  private void argument(String name, ArgSpec argument) {
    page.append(".TP\n.B ").append(escaped(name)).append('\n');
    for (String text : argument.description()) {
      line(text);
    }
  }

  private void commands(CommandLine command) {
    if (!command.getSubcommands().isEmpty()) {
      section("COMMANDS");
      command
          .getSubcommands()
          .forEach(
              (name, sub) -> {
                if (!sub.getCommandSpec().usageMessage().hidden()) {
                  page.append(".TP\n.B ").append(escaped(name)).append('\n');
                  line(
                      firstSentence(
                          String.join(" ", sub.getCommandSpec().usageMessage().description())));
                }
              });
    }
  }

  private static String firstSentence(String text) {
    int end = text.indexOf(". ");
    return end < 0 ? text : text.substring(0, end + 1);
  }

  private void section(String title) {
    page.append(".SH \"").append(title).append("\"\n");
  }

  private void line(String text) {
    String plain = Ansi.OFF.string(text);
    page.append(plain.startsWith(".") || plain.startsWith("'") ? "\\&" : "");
    page.append(escaped(plain)).append('\n');
  }

  private static String escaped(String text) {
    return text.replace("\\", "\\e").replace("-", "\\-");
  }
}
