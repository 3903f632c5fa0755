package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.typesafe.config.ConfigFactory;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.weft.compiler.Schedule;
import org.weft.compiler.lang.SemiringOperator;
import org.weft.error.ErrorCode;
import org.weft.jobs.command.WorkflowCommand;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.ValueType;
import org.weft.tensor.level.LevelFormat;
import org.weft.tensor.level.LevelFormats;

/**
 * Reference pages name every error code, command, setting and variable, and none that does not
 * exist. The page of a command is what {@code --help} prints; {@code
 * -Dweft.test.jvm=-Dweft.golden.regenerate=true} writes all of them anew.
 */
class ReferencePagesTest {
  private static final Path COMMANDS = Pages.REFERENCE.resolve("commands");
  private static final String COMMON_PAGE = "options";
  private static final String COMMON = "Common options, explained by";

  private static List<String> commands() {
    return Commands.names().stream().filter(name -> !name.equals("help")).toList();
  }

  @Test
  void everyErrorCodeHasACauseAndARemedy() {
    Set<String> codes =
        Arrays.stream(ErrorCode.values())
            .map(code -> code.label() + " " + code.name())
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(
            found("errors.md", "(?m)^\\| (WEFT-\\d+) \\| `(\\w+)` \\| .{10,} \\| .{10,} \\|$")
                .map(row -> row.group(1) + " " + row.group(2)))
        .containsExactlyInAnyOrderElementsOf(codes);
  }

  @Test
  void everySettingIsExplained() {
    Path file = Pages.ROOT.resolve("conf/reference.conf");
    Set<String> settings =
        ConfigFactory.parseString("user.home = /home")
            .withFallback(ConfigFactory.parseFile(file.toFile()))
            .resolve()
            .getConfig("weft")
            .entrySet()
            .stream()
            .map(entry -> "weft." + entry.getKey().replace("\"", ""))
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(
            found("configuration.md", "(?m)^\\| `(weft\\.[\\w.-]+)` \\| .+ \\| .+ \\|$")
                .map(row -> row.group(1)))
        .containsExactlyInAnyOrderElementsOf(settings);
  }

  @Test
  void everyVariableIsExplained() {
    String read =
        Pages.text(Pages.ROOT.resolve("jobs/bin/weft"))
            + Pages.text(Pages.ROOT.resolve("conf/reference.conf"));
    Set<String> variables =
        Pattern.compile("\\bWEFT_[A-Z_]+\\b")
            .matcher(read)
            .results()
            .map(MatchResult::group)
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(found("configuration.md", "(?m)^\\| `(WEFT_\\w+)` \\|").map(row -> row.group(1)))
        .containsExactlyInAnyOrderElementsOf(variables);
  }

  @Test
  void everyCommandHasAPage() throws IOException {
    List<String> names = new ArrayList<>(commands());
    names.add(COMMON_PAGE);
    if (Boolean.getBoolean("weft.golden.regenerate")) {
      for (String name : names) {
        Files.writeString(page(name), generated(name));
      }
    }
    for (String name : names) {
      assertThat(Pages.text(page(name)))
          .as("write the page anew with -Dweft.test.jvm=-Dweft.golden.regenerate=true")
          .isEqualTo(generated(name));
    }
    try (Stream<Path> pages = Files.list(COMMANDS)) {
      assertThat(pages)
          .containsExactlyInAnyOrderElementsOf(
              names.stream().map(ReferencePagesTest::page).toList());
    }
    assertThat(
            found("commands.md", "(?m)^\\| \\[`(\\w+)`\\]\\(commands/\\1\\.md\\)")
                .map(row -> row.group(1)))
        .as("commands in the table at the top")
        .containsExactlyInAnyOrderElementsOf(commands());
  }

  @Test
  void everyFormatIsDrawn() {
    String refused =
        String.valueOf(
            catchThrowable(() -> TensorFormat.parse("Nope", 2, ValueType.DOUBLE)).getMessage());
    List<String> names =
        Pattern.compile("\\b(?!Nope)[A-Z][A-Za-z]+(?:\\([bck,]+\\))?(?=,)")
            .matcher(refused)
            .results()
            .map(name -> name.group().replaceFirst("\\(.*", ""))
            .toList();
    assertThat(names).contains("CSR", "HashVector");
    String page = Pages.text(Pages.REFERENCE.resolve("formats.md"));
    for (String name : names) {
      assertThat(page)
          .containsPattern("\\*\\*" + name + "(\\([\\w,]+\\))?\\*\\*[^`]*(`[^`]+`[^`]*)*\n```");
    }
  }

  @Test
  void everyLevelIsExplained() {
    assertThat(found("formats.md", "(?m)^\\| `([A-Z]{1,2})` \\| [a-z]").map(row -> row.group(1)))
        .containsExactlyInAnyOrderElementsOf(
            LevelFormats.all().stream().map(LevelFormat::symbol).toList());
  }

  @Test
  void everyDirectiveIsExplained() {
    String refused = String.valueOf(catchThrowable(() -> Schedule.parse("nope(i)")).getMessage());
    Matcher directives = Pattern.compile("expected ([\\w, ]+), found").matcher(refused);
    assertThat(directives.find()).as(refused).isTrue();
    assertThat(found("schedules.md", "(?m)^\\| `(\\w+)").map(row -> row.group(1)).distinct())
        .containsExactlyInAnyOrder(directives.group(1).split(", | or "));
    assertThat(
            sessions("schedules.md")
                .results()
                .flatMap(s -> Arrays.stream(s.group(1).split("[^a-z]+")))
                .distinct())
        .as("directives in examples")
        .contains(directives.group(1).split(", | or "));
  }

  @Test
  void everyOperatorIsExplained() {
    String page = Pages.text(Pages.REFERENCE.resolve("language.md"));
    assertThat(page).contains(listed("add", SemiringOperator.ADDITIVE));
    assertThat(page).contains(listed("mul", SemiringOperator.MULTIPLICATIVE));
    assertThat(page).contains(listed("op", SemiringOperator.ELEMENTWISE));
  }

  @Test
  void everyMemberOfAManifestIsExplained() throws ClassNotFoundException {
    String page = Pages.text(Pages.ROOT.resolve("storage-hdfs/FORMAT.md"));
    Class<?> manifest = Class.forName("org.weft.storage.container.Manifest");
    for (RecordComponent member : manifest.getRecordComponents()) {
      assertThat(page).contains("| `" + member.getName() + "` |");
    }
    for (Class<?> nested : manifest.getDeclaredClasses()) {
      if (nested.isRecord()) {
        for (RecordComponent member : nested.getRecordComponents()) {
          assertThat(page).containsPattern("\\b" + member.getName() + "\\b");
        }
      }
    }
  }

  @Test
  void everyWordIsDefinedOnce() {
    List<String> words =
        found("glossary.md", "(?m)^\\| ([^|]+?) \\| [A-Z0-9`].+\\. \\|$")
            .flatMap(row -> Arrays.stream(row.group(1).split(", ")))
            .toList();
    assertThat(words).doesNotHaveDuplicates().contains("mode", "fiber", "MTTKRP", "panel", "piece");
    assertThat(
            Pages.text(Pages.REFERENCE.resolve("glossary.md"))
                .lines()
                .filter(l -> l.startsWith("| ")))
        .hasSize(
            (int) found("glossary.md", "(?m)^\\| ([^|]+?) \\| [A-Z0-9`].+\\. \\|$").count() + 2);
  }

  @Test
  void theFrontPageHasTheTwoCommandsToRun() {
    assertThat(Pages.text(Pages.ROOT.resolve("README.md")))
        .containsPattern("(?m)^mvn -B verify\\b")
        .containsPattern("(?m)^jobs/bin/weft demo\\b");
    assertThat(Pages.text(Pages.ROOT.resolve(".ci/run")))
        .containsPattern("(?m)^mvn -B verify( &)?$");
  }

  private static String listed(String part, Set<SemiringOperator> operators) {
    return "`"
        + part
        + "` is one of `"
        + operators.stream().map(SemiringOperator::text).collect(Collectors.joining(" "))
        + "`";
  }

  private static Matcher sessions(String page) {
    return Pattern.compile("--schedule '([^']+)'")
        .matcher(Pages.text(Pages.REFERENCE.resolve(page)));
  }

  private static Path page(String command) {
    return COMMANDS.resolve(command + ".md");
  }

  private static String generated(String name) {
    boolean common = name.equals(COMMON_PAGE);
    return (common ? "# Options of every command\n" : "# weft " + name + "\n")
        + fenced((common ? Run.of("help", name) : Run.of(name, "--help")).out())
        + actions(name)
        + (common ? "" : "\n[Options of every command](" + COMMON_PAGE + ".md)\n")
        + "\n[All commands](../commands.md)\n";
  }

  /** A command of commands has the help of each. */
  private static String actions(String name) {
    return name.equals("workflow")
        ? WorkflowCommand.line().getSubcommands().keySet().stream()
            .map(action -> fenced(Run.of(name, action, "--help").out()))
            .collect(Collectors.joining())
        : "";
  }

  private static String fenced(String help) {
    return "\n```\n" + help.split(COMMON, 2)[0].strip() + "\n```\n";
  }

  private static Stream<MatchResult> found(String page, String pattern) {
    return Pattern.compile(pattern).matcher(Pages.text(Pages.REFERENCE.resolve(page))).results();
  }
}
