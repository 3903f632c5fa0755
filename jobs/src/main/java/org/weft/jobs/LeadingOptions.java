package org.weft.jobs;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.weft.jobs.option.CommonOptions;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Common options before the name of a command: {@code weft -v cpd x.tns} is {@code weft cpd -v
 * x.tns}. The command line is put into the second order, which is the one that commands parse.
 */
final class LeadingOptions {
  private LeadingOptions() {}

  /** The words of a command line with its leading common options behind the command's name. */
  static String[] moved(String[] words) {
    if (words.length == 0 || !words[0].startsWith("-")) {
      return words;
    }
    int command = 0;
    Map<String, OptionSpec> common =
        CommandSpec.forAnnotatedObject(new CommonOptions()).optionsMap();
    while (command < words.length && words[command].startsWith("-")) {
      OptionSpec option = common.get(words[command].replaceFirst("=.*", ""));
      if (option == null || option.usageHelp()) {
        return words;
      }
      boolean separate = option.arity().max() > 0 && !words[command].contains("=");
      command += separate ? 2 : 1;
    }
    if (command >= words.length) {
      return words;
    }
    List<String> all = List.of(words);
    List<String> rest = new ArrayList<>(all.subList(command, words.length));
    rest.addAll(lengthOfName(rest), all.subList(0, command));
    return rest.toArray(String[]::new);
  }

  /** Words up to the command's name and with it: 2 for {@code explain cpd}, 0 for no command. */
  private static int lengthOfName(List<String> words) {
    CommandLine parent = new CommandLine(CommandSpec.create());
    Commands.addTo(parent, words.toArray(String[]::new));
    int length = 0;
    for (int at = 0; at < words.size() && !parent.getSubcommands().isEmpty(); at++) {
      CommandLine named = parent.getSubcommands().get(words.get(at));
      if (named != null) {
        parent = named;
        length = at + 1;
      } else if (at == 0) {
        return 0;
      }
    }
    return length;
  }
}
