package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The programs of the page of examples but the one in Python, which {@code PySparkTest} runs. */
class ExamplesTest extends FolderCase {
  private static final Pattern FILE = Pattern.compile("admissions\\.(?:csv|weft|cpd|html)");

  @BeforeEach
  void saveTheTable() {
    Run.write(folder, "admissions.csv", block("csv").text());
  }

  private static Pages.Block block(String kind) {
    return Pages.blocks(Pages.text(Pages.REFERENCE.resolve("examples.md"))).stream()
        .filter(block -> block.kind().equals(kind))
        .findFirst()
        .orElseThrow();
  }

  private String inFolder(String text) {
    return FILE.matcher(text).replaceAll(Matcher.quoteReplacement(folder + "/") + "$0");
  }

  @Test
  void theShellMakesAPage() {
    List<String> said = new ArrayList<>();
    for (String line : inFolder(block("sh").text()).lines().toList()) {
      assertThat(line).startsWith("weft ");
      Run run = Run.of(line.substring("weft ".length()).split(" ")).succeeds();
      said.add(run.out());
    }
    assertThat(said.get(2)).containsPattern("(?s)component 0.*A .*men.*B ");
    assertThat(Run.read(folder.resolve("admissions.html").toString()))
        .contains("department", "rejected", "</html>");
  }

  @Test
  void javaAndSqlMakeTables() throws Exception {
    try (SparkSession spark =
        SparkSession.builder()
            .master("local[2]")
            .config("spark.ui.enabled", false)
            .config("spark.sql.shuffle.partitions", 2)
            .config("spark.sql.adaptive.enabled", false)
            .getOrCreate()) {
      assertThat(runJava()).containsPattern("fit 0\\.[6-9]").contains("|rejected", "|A ");

      List<Row> report = List.of();
      for (String statement : inFolder(block("sql").text()).split(";\\s*\\n")) {
        report = spark.sql(statement).collectAsList();
      }
      assertThat(report).hasSize(6);
      assertThat(report)
          .filteredOn(row -> row.getString(1).equals("department"))
          .extracting(row -> row.getString(2).substring(0, 1))
          .containsExactlyInAnyOrder("A", "C");
    }
  }

  /** What the program prints. */
  private String runJava() throws IOException, ReflectiveOperationException {
    Pages.Block program = block("java");
    String source = Run.write(folder, program.name(), inFolder(program.text()));
    ByteArrayOutputStream complaints = new ByteArrayOutputStream();
    int status =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                complaints,
                "-proc:none",
                "-cp",
                System.getProperty("java.class.path"),
                "-d",
                folder.toString(),
                source);
    assertThat(status).as("%s", complaints).isZero();
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    PrintStream before = System.out;
    try (URLClassLoader classes = new URLClassLoader(new URL[] {folder.toUri().toURL()})) {
      System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
      scala.Console.withOut(
          printed,
          (scala.Function0<Object>)
              () -> {
                try {
                  return classes
                      .loadClass(program.name().replace(".java", ""))
                      .getMethod("main", String[].class)
                      .invoke(null, (Object) new String[0]);
                } catch (ReflectiveOperationException e) {
                  throw new IllegalStateException(e);
                }
              });
    } finally {
      System.setOut(before);
    }
    return printed.toString(StandardCharsets.UTF_8);
  }
}
