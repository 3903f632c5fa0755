package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Examples on pages do what the pages say. A block of kind {@code console} is a session: lines that
 * begin with {@code $} are run, what follows is what they print, and a line {@code ...} stands for
 * any lines. A block with a file's name after its kind is that file. A session of kind {@code
 * console spark} starts Spark, and runs in the long suites only.
 */
class RunnablePagesTest extends FolderCase {
  private static final Pattern FILE =
      Pattern.compile("(?<![\\w./-])([\\w-]+\\.(?:mtx|tns|weft|npy|yaml|csv|svg|ta|cpd))\\b");
  private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");

  static Stream<Path> pages() {
    return Pages.all().stream()
        .filter(page -> Pages.text(page).contains("\n```console"))
        .map(Pages.ROOT::relativize);
  }

  @ParameterizedTest
  @MethodSource("pages")
  void examplesPrintWhatThePageShows(Path page) {
    for (Pages.Block block : Pages.blocks(Pages.text(Pages.ROOT.resolve(page)))) {
      if (block.name().equals("spark")) {
        if (Boolean.getBoolean("weft.long")) {
          runSession(block.text());
        }
      } else if (!block.name().isEmpty()) {
        boolean program = block.name().endsWith(".ta");
        Run.write(folder, block.name(), program ? inFolder(block.text()) : block.text());
      } else if (block.kind().equals("console")) {
        runSession(block.text());
      }
    }
  }

  private void runSession(String text) {
    String joined = text.replace("\\\n", " ");
    for (String step : joined.split("(?m)^\\$ ", -1)) {
      if (!step.isBlank()) {
        int end = step.indexOf('\n');
        String expected = step.substring(end + 1);
        assertThat(said(step.substring(0, end)))
            .as("$ %s", step.substring(0, end))
            .matches(pattern(expected));
      }
    }
  }

  /** What a command says, without trailing blanks and without progress. */
  private String said(String command) {
    List<String> words = new ArrayList<>();
    Matcher matcher = WORD.matcher(command);
    while (matcher.find()) {
      words.add(inFolder(matcher.group(1) != null ? matcher.group(1) : matcher.group(2)));
    }
    String program = words.remove(0);
    if (program.equals("cat")) {
      return trimmed(Run.read(words.get(0)));
    }
    assertThat(program).as("pages run weft and cat").isEqualTo("weft");
    Run run = Run.of(words.toArray(String[]::new));
    String said = run.status() == 0 ? run.out() : run.out() + run.err();
    return trimmed(said.replace(folder + "/", ""));
  }

  private String inFolder(String text) {
    return FILE.matcher(text).replaceAll(Matcher.quoteReplacement(folder + "/") + "$1");
  }

  private static String trimmed(String text) {
    return text.lines().map(String::stripTrailing).collect(Collectors.joining("\n")).strip();
  }

  private static Pattern pattern(String expected) {
    String lines =
        trimmed(expected)
            .lines()
            .map(line -> line.equals("...") ? "(?:.*\\n)*?.*" : Pattern.quote(line))
            .collect(Collectors.joining("\\n"));
    return Pattern.compile(lines);
  }
}
