package org.weft.jobs.option;

import static org.weft.jobs.output.Usage.usage;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigValue;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.weft.compiler.program.check.NearestNames;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Refuses settings that cannot be read, and those of a configuration file that nothing reads: a
 * misspelt one would leave the default in force without a word.
 */
public final class SettingsCheck {
  static final String SHIPPED = "reference.conf";
  private static final String OPTIONS = "options";
  private static final List<String> TEXTS = List.of("master", "kernel-cache");
  private static final Set<String> NAMES = Set.of("master", "kernel-cache", OPTIONS, "spark");

  private SettingsCheck() {}

  /**
   * Checks the settings of this process.
   *
   * @param commands {@code weft}, whose commands have the options that settings may name
   * @throws WeftException {@code USAGE}
   */
  public static void run(Supplier<CommandLine> commands) {
    try {
      check(OptionDefaults.settings(), commands);
    } catch (ConfigException e) {
      throw new WeftException(
          ErrorCode.USAGE,
          "expected settings that can be read: "
              + String.valueOf(e.getMessage()).lines().findFirst().orElse("")
              + "; correct the file or the value",
          e);
    }
  }

  private static void check(Config settings, Supplier<CommandLine> commands) {
    for (Map.Entry<String, ConfigValue> entry : settings.root().entrySet()) {
      // What other files of Weft take from -Dweft.NAME=VALUE is none of these settings.
      if (!NAMES.contains(entry.getKey()) && entry.getValue().origin().lineNumber() > 0) {
        throw unknown("weft.", entry, NAMES);
      }
    }
    TEXTS.forEach(settings::getString);
    Config options = settings.getConfig(OPTIONS);
    Set<String> known = new HashSet<>();
    for (Map.Entry<String, ConfigValue> entry : options.root().entrySet()) {
      if (entry.getValue().origin().description().contains(SHIPPED)) {
        continue;
      }
      if (known.isEmpty()) { // to look at all commands takes longer than a small job
        addOptions(commands.get(), known);
      }
      if (!known.contains(entry.getKey())) {
        throw unknown("weft.options.", entry, known);
      }
      options.getString("\"" + entry.getKey() + "\"");
    }
  }

  private static void addOptions(CommandLine line, Set<String> names) {
    for (OptionSpec option : line.getCommandSpec().options()) {
      names.add(OptionDefaults.nameOf(option));
    }
    for (CommandLine command : line.getSubcommands().values()) {
      addOptions(command, names);
    }
  }

  private static WeftException unknown(
      String above, Map.Entry<String, ConfigValue> entry, Collection<String> known) {
    return usage(
        "%s: expected %s after %s, found '%s'%s",
        entry.getValue().origin().description(),
        known.size() == NAMES.size()
            ? "one of " + String.join(", ", new TreeSet<>(known))
            : "the name of an option",
        above,
        entry.getKey(),
        NearestNames.nearest(entry.getKey(), known)
            .map(near -> ", did you mean " + near + "?")
            .orElse(""));
  }
}
