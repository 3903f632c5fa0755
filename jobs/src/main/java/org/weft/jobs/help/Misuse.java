package org.weft.jobs.help;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.program.check.NearestNames;
import org.weft.jobs.command.CommandRoot;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** What to say of a command line that cannot be understood: one line. */
public final class Misuse {
  /** What picocli says of a value that lacks the equals sign. */
  private static final Pattern NO_PAIR =
      Pattern.compile(
          "^Value for option option '(\\S+)' \\((.*?)\\)"
              + " should be in KEY=VALUE(?:\\[,KEY=VALUE])?(?:\\.\\.\\.)? format but was (.*)$");

  /** What picocli says of a value that is not among an option's names. */
  private static final Pattern NO_NAME =
      Pattern.compile(
          "^Invalid value for (?:option|positional parameter at index \\d+) ['(](\\S+?)[')]"
              + "(?: \\(.*?\\))?: expected one of \\[(.*)] \\(case-(?:in)?sensitive\\)"
              + " but was '(.*)'$");

  /** What picocli says of a text that is no number. */
  private static final Pattern NO_NUMBER =
      Pattern.compile(
          "^Invalid value for option '(\\S+)'(?: \\(.*?\\))?: '(.*)' is not an? (int|long|double)$");

  /** What picocli says of a value after an option that takes none. */
  private static final Pattern NO_FLAG =
      Pattern.compile("^Invalid value for option '(\\S+)': '(.*)' is not a boolean$");

  /** What picocli says of an option that comes again. */
  private static final Pattern TWICE =
      Pattern.compile("^option '(\\S+)'(?: \\(.*\\))? should be specified only once$");

  /** What picocli's command {@code help} says of a command that it does not know. */
  private static final Pattern NO_COMMAND = Pattern.compile("^Unknown subcommand '(.*)'\\.$");

  /** What picocli says of words that no parameter takes. */
  private static final Pattern UNMATCHED =
      Pattern.compile("Unmatched arguments? (?:at|from) index \\d+: (.*)");

  private static final String OPERANDS_FILE = "; an operand's file is given with --input NAME=FILE";

  private static final String EXAMPLE = "Example: ";

  /** An option of so many characters may have a wrong last one: {@code --iters}. */
  private static final int LEAST = 5;

  /** So many options fit a line. */
  private static final int FEW = 10;

  /** So many commands that have an option are worth naming. */
  private static final int FEW_OWNERS = 3;

  /** So many letters in common are a word. */
  private static final int WORD = 4;

  private Misuse() {}

  /** The message for {@code e}, which came up with {@code arguments}. */
  public static String message(ParameterException e, String[] arguments) {
    CommandSpec spec = e.getCommandLine().getCommandSpec();
    String see = "; see '" + spec.qualifiedName() + " --help'";
    if (e instanceof UnmatchedArgumentException unmatched && !spec.subcommands().isEmpty()) {
      String word = unmatched.getUnmatched().get(0);
      if (!word.startsWith("-")) { // the options after it are those of the command that is meant
        return unknownCommand(word, spec);
      }
    }
    String option = unknownOption(e, spec, arguments);
    if (option != null) {
      String meant = meantOption(option, spec);
      return "unknown option "
          + option
          + (meant.isEmpty() ? elsewhere(option, spec) : meant)
          + named(option)
          + see;
    }
    if (e instanceof UnmatchedArgumentException unmatched) {
      String early = optionOfAParent(unmatched.getUnmatched().get(0), spec);
      if (early != null) {
        return early + see;
      }
    }
    if (e instanceof UnmatchedArgumentException unmatched && !spec.subcommands().isEmpty()) {
      String word = unmatched.getUnmatched().get(0);
      return unknownCommand(word, spec);
    }
    if (e instanceof MissingParameterException missing && !missing.getMissing().isEmpty()) {
      return expected(missing.getMissing(), spec) + ", found none" + example(spec) + see;
    }
    String message = e.getMessage() == null ? "" : e.getMessage().replaceAll("\\s*\\R\\s*", " ");
    Matcher unknown = NO_COMMAND.matcher(message);
    if (unknown.matches()) {
      return unknownCommand(unknown.group(1), spec.root());
    }
    message = NO_PAIR.matcher(message).replaceFirst("expected $1 $2, found '$3'");
    Matcher unmatched = UNMATCHED.matcher(message);
    if (unmatched.matches()) {
      String words = unmatched.group(1);
      message =
          "expected nothing after the last argument, found "
              + words
              + (isOperand(words, spec) ? OPERANDS_FILE : resultsPath(spec, arguments));
    }
    message = NO_NAME.matcher(message).replaceFirst(Misuse::names);
    message = NO_NUMBER.matcher(message).replaceFirst(Misuse::number);
    message = NO_FLAG.matcher(message).replaceFirst("expected $1 without a value, found '$2'");
    message = TWICE.matcher(message).replaceFirst("expected $1 once, found it again");
    return message + see;
  }

  /** Whether the first of {@code words} names an operand, of a command that reads operands. */
  private static boolean isOperand(String words, CommandSpec spec) {
    return words.matches("'\\w+=.*") && spec.optionsMap().containsKey("--input");
  }

  /** How to give the path of a result, where a word too many may be meant as one. */
  private static String resultsPath(CommandSpec spec, String[] arguments) {
    OptionSpec output = spec.optionsMap().get("--output");
    boolean given =
        output == null
            || Arrays.stream(arguments)
                .map(word -> word.replaceFirst("=.*", ""))
                .anyMatch(List.of(output.names())::contains);
    return given ? "" : "; the result's path is given with --output";
  }

  /** The names as they are on the pages, in lower case. */
  private static String names(MatchResult found) {
    return Matcher.quoteReplacement(
        String.format(
            Locale.ROOT,
            "expected %s as one of %s, found '%s'",
            found.group(1),
            found.group(2).toLowerCase(Locale.ROOT),
            found.group(3)));
  }

  private static String number(MatchResult found) {
    return Matcher.quoteReplacement(
        String.format(
            Locale.ROOT,
            "expected %s as a %snumber, found '%s'",
            found.group(1),
            found.group(3).equals("double") ? "" : "whole ",
            found.group(2)));
  }

  /**
   * The options or parameters that have to be there, as a command line has them. Of parameters,
   * picocli names the first one only; all required ones after it are missing, too.
   */
  private static String expected(List<ArgSpec> missing, CommandSpec spec) {
    List<? extends ArgSpec> all =
        missing.get(0) instanceof PositionalParamSpec first
            ? spec.positionalParameters().stream()
                .filter(p -> p.required() && p.index().min() >= first.index().min())
                .toList()
            : missing;
    return all.stream()
        .map(
            argument ->
                argument instanceof OptionSpec option
                    ? option.longestName() + " " + option.paramLabel()
                    : argument.paramLabel())
        .collect(Collectors.joining(" and ", "expected ", ""));
  }

  /** The first example of the command's help. */
  private static String example(CommandSpec spec) {
    return Arrays.stream(spec.usageMessage().footer())
        .filter(line -> line.startsWith(EXAMPLE))
        .findFirst()
        .map(line -> "; for example: " + line.substring(EXAMPLE.length()))
        .orElse("");
  }

  /** The option that no command has: also where it makes a parameter seem to be missing. */
  private static @Nullable String unknownOption(
      ParameterException e, CommandSpec spec, String[] arguments) {
    List<String> candidates =
        e instanceof UnmatchedArgumentException unmatched
            ? unmatched.getUnmatched()
            : e instanceof MissingParameterException ? Arrays.asList(arguments) : List.of();
    int end = candidates.indexOf("--");
    return candidates.stream()
        .limit(end < 0 ? candidates.size() : end)
        .filter(word -> word.matches("--?[A-Za-z].*"))
        .map(word -> word.replaceFirst("=.*", ""))
        .filter(word -> !isKnown(word, spec))
        .findFirst()
        .orElse(null);
  }

  /** What to say of an option that belongs before the name of the command. */
  private static @Nullable String optionOfAParent(String word, CommandSpec spec) {
    String option = word.replaceFirst("=.*", "");
    for (CommandSpec at = spec.parent(); at != null; at = at.parent()) {
      if (at.optionsMap().containsKey(option)) {
        String before = at.qualifiedName();
        return String.format(
            Locale.ROOT,
            "expected %s before the command, as in '%s %s%s ...'",
            option,
            before,
            option,
            spec.qualifiedName().substring(before.length()));
      }
    }
    return null;
  }

  /** Whether this command or one that it belongs to has the option, or all options of a cluster. */
  private static boolean isKnown(String option, CommandSpec spec) {
    for (CommandSpec at = spec; at != null; at = at.parent()) {
      if (at.optionsMap().containsKey(option)) {
        return true;
      }
    }
    return option.length() > 2
        && option.charAt(1) != '-'
        && option.chars().skip(1).allMatch(letter -> isKnown("-" + (char) letter, spec));
  }

  private static String unknownCommand(String word, CommandSpec spec) {
    if (!spec.equals(spec.root()) && allCommands(spec).containsKey(word)) {
      return spec.qualifiedName()
          + " does not take "
          + word
          + "; see '"
          + spec.qualifiedName()
          + " --help' for the commands that it takes";
    }
    return "unknown command '"
        + word
        + "'"
        + meant(word, spec.subcommands().keySet())
        + "; see '"
        + spec.qualifiedName()
        + " --help'";
  }

  /** How to name a file that looks like an option. */
  private static String named(String option) {
    return option.matches("-[^-].*[./].*") ? "; write ./" + option + " for a file" : "";
  }

  /** The option that may have been meant: a near one, or else the shortest that begins like it. */
  private static String meantOption(String option, CommandSpec spec) {
    boolean oneDash = option.length() > 2 && option.charAt(1) != '-';
    if (oneDash && spec.optionsMap().containsKey("-" + option)) {
      return ", did you mean -" + option + "?";
    }
    String near = meant(option, spec.optionsMap().keySet());
    String begun =
        option.substring(0, Math.max(Math.min(option.length(), LEAST), option.length() - 1));
    return !near.isEmpty() || option.length() < LEAST - 1
        ? near
        : spec.optionsMap().keySet().stream()
            .filter(name -> name.startsWith(begun))
            .min(Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder()))
            .or(() -> ofWord(option, spec))
            .map(name -> ", did you mean " + name + "?")
            .orElse("");
  }

  /** The option that begins with a word of {@code option}: --max-iter, --random-seed. */
  private static Optional<String> ofWord(String option, CommandSpec spec) {
    List<String> words =
        Arrays.stream(option.split("-")).filter(word -> word.length() >= WORD).toList();
    return spec.optionsMap().keySet().stream()
        .filter(name -> words.stream().anyMatch(word -> name.startsWith("--" + word)))
        .min(Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder()));
  }

  private static Map<String, CommandLine> allCommands(CommandSpec spec) {
    return ((CommandRoot) spec.root().userObject()).allCommands().getSubcommands();
  }

  /** The commands that have the option, or the options that this command has instead. */
  private static String elsewhere(String option, CommandSpec spec) {
    List<String> owners =
        allCommands(spec).values().stream()
            .map(CommandLine::getCommandSpec)
            .filter(command -> command.optionsMap().containsKey(option))
            .map(CommandSpec::qualifiedName)
            .toList();
    return owners.isEmpty() || owners.size() > FEW_OWNERS
        ? owned(spec)
        : owned(spec)
            + "; "
            + String.join(", ", owners)
            + (owners.size() == 1 ? " has" : " have")
            + " it";
  }

  /** The options that the command has beside those of all commands, if they are few. */
  private static String owned(CommandSpec spec) {
    List<String> names =
        spec.options().stream().filter(o -> !o.hidden()).map(OptionSpec::longestName).toList();
    return names.isEmpty() || names.size() > FEW
        ? ""
        : "; " + spec.qualifiedName() + " has " + String.join(", ", names);
  }

  /** What may have been meant; nothing for a single letter, of which every other is near. */
  private static String meant(String word, Collection<String> known) {
    return NearestNames.nearest(word, known)
        .filter(name -> name.length() > 2)
        .map(name -> ", did you mean " + name + "?")
        .orElse("");
  }
}
