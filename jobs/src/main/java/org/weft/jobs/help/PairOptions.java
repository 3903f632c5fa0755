package org.weft.jobs.help;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/**
 * Checks options of the form {@code --input NAME=FILE}: each name is there once, and so is its
 * file, whose home folder a shell would have named.
 */
public final class PairOptions {
  private PairOptions() {}

  /**
   * Checks the options of a command line.
   *
   * @throws ParameterException naming the option and what was given
   */
  public static void check(ParseResult line) {
    for (ParseResult at = line; at != null; at = at.subcommand()) {
      for (OptionSpec option : at.matchedOptions()) {
        if (option.typeInfo().isMap()) {
          check(at, option);
        }
      }
    }
  }

  private static void check(ParseResult line, OptionSpec option) {
    Map<String, String> byName = new LinkedHashMap<>();
    for (String pair : pairs(option)) {
      String name = pair.substring(0, Math.max(0, pair.indexOf('='))).strip();
      String other = byName.put(name, pair);
      if (name.isEmpty() || isFileMissing(option, pair)) {
        throw refused(line, option, "%s, found '%s'", option.paramLabel(), pair);
      }
      if (isFile(option) && isOfHome(pair.substring(pair.indexOf('=') + 1))) {
        throw refused(
            line,
            option,
            "%s with a path, found '%s'; a shell replaces ~ at the start of a word alone, write"
                + " %s=\"$HOME\"%s",
            option.paramLabel(),
            pair,
            name,
            pair.substring(pair.indexOf('~') + 1));
      }
      if (other != null) {
        throw refused(line, option, "of %s once, found '%s' and '%s'", name, other, pair);
      }
    }
  }

  private static boolean isFile(OptionSpec option) {
    return option.paramLabel().endsWith("=FILE");
  }

  /** {@code ~bob/x.tns} and {@code ~x.tns} may be names of files. */
  private static boolean isOfHome(String path) {
    return path.equals("~") || path.startsWith("~/");
  }

  private static boolean isFileMissing(OptionSpec option, String pair) {
    return isFile(option) && pair.endsWith("=");
  }

  /** As they were typed: picocli keeps names and values apart elsewhere. */
  private static List<String> pairs(OptionSpec option) {
    List<String> pairs = new ArrayList<>();
    for (String given : option.originalStringValues()) {
      pairs.addAll(
          option.splitRegex().isEmpty()
              ? List.of(given)
              : List.of(given.split(option.splitRegex())));
    }
    return pairs;
  }

  private static ParameterException refused(
      ParseResult line, OptionSpec option, String expected, Object... found) {
    return new ParameterException(
        line.commandSpec().commandLine(),
        "expected " + option.longestName() + " " + String.format(Locale.ROOT, expected, found));
  }
}
