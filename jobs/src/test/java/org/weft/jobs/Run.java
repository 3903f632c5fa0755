package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** One command line run in this process: its exit status and what it said. */
record Run(int status, String out, String err) {
  private static final Pattern STEP = Pattern.compile("^\\[(\\d+)/(\\d+)] ");

  static Run of(String... arguments) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int status =
        Weft.run(
            arguments,
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8));
    Run run =
        new Run(status, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    run.requireStepsInOrder();
    return run;
  }

  /** Of words that blanks divide; each {@code %s} is the next of {@code values}, blanks too. */
  static Run line(String line, Object... values) {
    String[] words = line.split(" ");
    int next = 0;
    for (int at = 0; at < words.length; at++) {
      while (words[at].contains("%s")) {
        words[at] =
            words[at].replaceFirst("%s", Matcher.quoteReplacement(values[next++].toString()));
      }
    }
    if (next != values.length) {
      throw new IllegalArgumentException(line + ": " + next + " of " + values.length + " values");
    }
    return of(words);
  }

  /** Checks the exit status, and returns this. */
  Run succeeds() {
    assertThat(status).as(err).isZero();
    return this;
  }

  /** Checks the exit status and some of the words about it, and returns this. */
  Run fails(int expected, CharSequence... words) {
    assertThat(status).as(err).isEqualTo(expected);
    assertThat(err).contains(words);
    return this;
  }

  /** Steps of progress are numbered from 1 without gaps, and agree on how many there are. */
  private void requireStepsInOrder() {
    int last = 0;
    int total = 0;
    for (String line : err.lines().toList()) {
      Matcher step = STEP.matcher(line);
      if (step.find()) {
        int number = Integer.parseInt(step.group(1));
        int of = Integer.parseInt(step.group(2));
        boolean begins = number == 1;
        boolean goesOn = of == total && (number == last || number == last + 1);
        if (!begins && !goesOn || number > of) {
          throw new AssertionError("steps of progress have a gap before " + line + "\n" + err);
        }
        last = number;
        total = of;
      }
    }
  }

  static String write(Path folder, String name, String text) {
    try {
      return Files.writeString(folder.resolve(name), text).toString();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static String read(String file) {
    try {
      return Files.readString(Path.of(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Every name in {@code folder}, hidden ones included, sorted. */
  static List<String> names(Path folder) {
    try (Stream<Path> children = Files.list(folder)) {
      return children.map(p -> p.getFileName().toString()).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
