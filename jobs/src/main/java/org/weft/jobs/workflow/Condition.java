package org.weft.jobs.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.fs.Path;
import org.weft.storage.file.FileAccess;

/**
 * The condition {@code when} of a step.
 *
 * <pre>
 * condition: all (" or " all)*
 * all:       test (" and " test)*
 * test:      "exists" URI | "missing" URI | operand ("==" "!=" "<" "<=" ">" ">=") operand
 * operand:   number | text | URI "#" JSON pointer into that file
 * </pre>
 *
 * Numbers compare as numbers, all else as text. What a file does not have compares with nothing.
 */
record Condition(String text, List<List<Test>> anyOf) {
  private static final Pattern COMPARISON =
      Pattern.compile("(\\S+)\\s+(==|!=|<=|>=|<|>)\\s+(\\S+)");
  private static final Pattern PRESENCE = Pattern.compile("(exists|missing)\\s+(\\S+)");
  private static final Pattern NUMBER = Pattern.compile("[-+]?[0-9.]+([eE][-+]?[0-9]+)?");

  /** One test. */
  record Test(String operator, String left, String right) {}

  /** Of text whose parameters are filled in. */
  static Condition parse(String text) throws Words.Misspelt {
    List<List<Test>> any = new ArrayList<>();
    List<String> wrong = new ArrayList<>();
    for (String all : text.strip().split("\\s+or\\s+")) {
      List<Test> tests = new ArrayList<>();
      for (String test : all.split("\\s+and\\s+")) {
        try {
          tests.add(test(test.strip()));
        } catch (Words.Misspelt e) {
          wrong.addAll(e.said());
        }
      }
      any.add(tests);
    }
    if (!wrong.isEmpty()) {
      throw new Words.Misspelt(wrong);
    }
    return new Condition(text.strip(), any);
  }

  private static Test test(String text) throws Words.Misspelt {
    Matcher presence = PRESENCE.matcher(text);
    if (presence.matches()) {
      return new Test(presence.group(1), presence.group(2), "");
    }
    Matcher comparison = COMPARISON.matcher(text);
    if (comparison.matches()) {
      return new Test(comparison.group(2), comparison.group(1), comparison.group(3));
    }
    throw new Words.Misspelt(
        "expected a test such as 'exists URI', 'missing URI' or 'FILE.json#/drift <= 0.2', joined"
            + " by and, or; found '"
            + text
            + "'");
  }

  /**
   * Why it does not hold now; empty if it holds. Of each of the alternatives, the first test that
   * fails and what was found instead.
   */
  Optional<String> unmet(FileAccess files) throws IOException {
    List<String> found = new ArrayList<>();
    for (List<Test> all : anyOf) {
      Optional<String> failed = Optional.empty();
      for (Test test : all) {
        failed = failed.isPresent() ? failed : unmet(files, test);
      }
      if (failed.isEmpty()) {
        return Optional.empty();
      }
      found.add(failed.get());
    }
    return Optional.of(text + " does not hold: " + String.join(", and ", found));
  }

  private static Optional<String> unmet(FileAccess files, Test test) throws IOException {
    if (test.operator().equals("exists") || test.operator().equals("missing")) {
      Path path = files.path(test.left());
      boolean exists = files.fileSystem(path).exists(path);
      return exists == test.operator().equals("exists")
          ? Optional.empty()
          : Optional.of(test.left() + (exists ? " exists" : " is missing"));
    }
    String left = value(files, test.left());
    String right = value(files, test.right());
    if (!left.isEmpty() && !right.isEmpty() && holds(left, test.operator(), right)) {
      return Optional.empty();
    }
    String compared =
        Stream.of(Map.entry(test.left(), left), Map.entry(test.right(), right))
            .filter(operand -> operand.getKey().contains("#/"))
            .map(Condition::found)
            .collect(Collectors.joining(" and "));
    return Optional.of(
        compared.isEmpty()
            ? test.left() + " " + test.operator() + " " + test.right() + " is false"
            : compared);
  }

  private static String found(Map.Entry<String, String> operand) {
    return operand.getKey()
        + (operand.getValue().isEmpty() ? " has no value" : " is " + operand.getValue());
  }

  private static boolean holds(String left, String operator, String right) {
    boolean numbers = NUMBER.matcher(left).matches() && NUMBER.matcher(right).matches();
    int order =
        numbers
            ? Double.compare(Double.parseDouble(left), Double.parseDouble(right))
            : left.compareTo(right);
    return switch (operator) {
      case "==" -> order == 0;
      case "!=" -> order != 0;
      case "<" -> order < 0;
      case "<=" -> order <= 0;
      case ">" -> order > 0;
      default -> order >= 0;
    };
  }

  /** Of an operand; empty if a file does not have it. */
  private static String value(FileAccess files, String operand) throws IOException {
    int hash = operand.indexOf("#/");
    if (hash < 0) {
      return operand;
    }
    Path path = files.path(operand.substring(0, hash));
    try (InputStream in = files.fileSystem(path).open(path)) {
      JsonNode found = new ObjectMapper().readTree(in).at(operand.substring(hash + 1));
      return found.isValueNode() && !found.isNull() ? found.asText() : "";
    } catch (FileNotFoundException e) {
      return "";
    }
  }
}
