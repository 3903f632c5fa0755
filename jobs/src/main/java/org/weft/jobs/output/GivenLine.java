package org.weft.jobs.output;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A command as it was given, so that a shell takes it again. */
public final class GivenLine {
  private static final Pattern PLAIN = Pattern.compile("[\\p{L}\\p{M}\\p{N}_@%+=:,./^-]+");

  private GivenLine() {}

  /** {@code weft} and its arguments: those that a shell would take apart are in quotes. */
  public static String of(List<String> arguments) {
    return arguments.stream()
        .map(GivenLine::quoted)
        .collect(Collectors.joining(" ", "weft ", ""))
        .strip();
  }

  private static String quoted(String word) {
    return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
  }
}
