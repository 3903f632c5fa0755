package org.weft.jobs.workflow;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.weft.compiler.program.check.NearestNames;

/**
 * Text with parameters, {@code ${name}}, and its division into words as a shell does it: at spaces,
 * but for those in single or double quotes. {@code $$} is a dollar sign.
 */
final class Words {
  /** In its place stands the step's key, which depends on everything else. */
  static final String STEP_KEY = "step.key";

  private static final Pattern PARAMETER = Pattern.compile("\\$(\\$|\\{([^}]*)\\}|)");

  private static final Pattern PLAIN = Pattern.compile("[\\w@%+=:,./${}-]+");

  private Words() {}

  /** What is wrong with a text: one mistake or more. */
  static final class Misspelt extends Exception {
    private static final long serialVersionUID = 1L;

    private final ArrayList<String> said;

    Misspelt(String said) {
      this(List.of(said));
    }

    Misspelt(List<String> said) {
      super(String.join("; ", said));
      this.said = new ArrayList<>(said);
    }

    List<String> said() {
      return List.copyOf(said);
    }
  }

  /** The words of a command line. */
  static List<String> split(String text) throws Misspelt {
    List<String> words = new ArrayList<>();
    StringBuilder word = new StringBuilder();
    boolean open = false;
    char quote = 0;
    for (int at = 0; at < text.length(); at++) {
      char c = text.charAt(at);
      if (quote != 0) {
        if (c == quote) {
          quote = 0;
        } else {
          word.append(c);
        }
      } else if (c == '\'' || c == '"') {
        quote = c;
        open = true;
      } else if (Character.isWhitespace(c)) {
        if (open) {
          words.add(word.toString());
        }
        word.setLength(0);
        open = false;
      } else {
        word.append(c);
        open = true;
      }
    }
    if (quote != 0) {
      throw new Misspelt("expected the quote " + quote + " to be closed, found the end");
    }
    if (open) {
      words.add(word.toString());
    }
    return words;
  }

  /** What stands for the value of a parameter that has none. */
  static String unknown(String name) {
    return "${" + name + "}";
  }

  /** {@code words} as a shell would take them. */
  static String line(List<String> words) {
    return words.stream()
        .map(word -> PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'")
        .collect(Collectors.joining(" "));
  }

  /**
   * One spelling of the name of a file or folder, however it is written: {@code ./a//b/} is {@code
   * a/b}. A scheme and a host stay as they are.
   */
  static String location(String uri) {
    int scheme = uri.indexOf("://");
    int path = scheme < 0 ? 0 : Math.max(uri.indexOf('/', scheme + 3), 0);
    String root = uri.substring(0, path) + (uri.startsWith("/", path) ? "/" : "");
    if (scheme >= 0 && path == 0) {
      return uri;
    }
    String below =
        Arrays.stream(uri.substring(path).split("/"))
            .filter(name -> !name.isEmpty() && !name.equals("."))
            .collect(Collectors.joining("/"));
    return root + (root.isEmpty() && below.isEmpty() && !uri.isEmpty() ? "." : below);
  }

  /** {@code text} with the values of its parameters. */
  static String filled(String text, Map<String, String> values) throws Misspelt {
    Matcher matcher = PARAMETER.matcher(text);
    StringBuilder filled = new StringBuilder();
    List<String> wrong = new ArrayList<>();
    while (matcher.find()) {
      String value = "";
      try {
        value = matcher.group(1).equals("$") ? "$" : value(matcher.group(2), values);
      } catch (Misspelt e) {
        wrong.addAll(e.said());
      }
      matcher.appendReplacement(filled, Matcher.quoteReplacement(value));
    }
    if (!wrong.isEmpty()) {
      throw new Misspelt(wrong);
    }
    return matcher.appendTail(filled).toString();
  }

  private static String value(String name, Map<String, String> values) throws Misspelt {
    if (name == null) {
      throw new Misspelt("expected ${NAME} or $$ after a dollar sign");
    }
    String value = values.get(name);
    if (value == null) {
      throw new Misspelt(
          "expected one of the parameters "
              + String.join(", ", new TreeSet<>(values.keySet()))
              + ", found ${"
              + name
              + "}"
              + NearestNames.nearest(name, values.keySet())
                  .map(n -> "; did you mean " + n + "?")
                  .orElse(""));
    }
    return value;
  }
}
