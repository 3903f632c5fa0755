package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Settings that nothing reads, and such as cannot be read. */
class SettingsCheckTest extends FolderCase {
  private static final String FILE = "config.file";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "weft.options.itertions = 20 | .conf: 1: expected the name of an option after weft.options., found 'itertions', did you mean iterations?",
        "weft.options.o = x          | found 'o'",
        "weft.optoins.rank = 3       | .conf: 1: expected one of kernel-cache, master, options, spark after weft., found 'optoins', did you mean options?",
        "weft.options.rank = [1]     | expected settings that can be read: ",
        "weft.options = 3            | expected settings that can be read: ",
        "weft { options {            | expected settings that can be read: "
      })
  void areRefusedBeforeTheCommandRuns(String text, String expected) {
    Run run = with(text);
    assertThat(run.err()).startsWith("weft: WEFT-100: ").contains(expected);
    assertThat(run.err().strip().lines()).hasSize(1);
    assertThat(run.err()).doesNotContain("com.typesafe").doesNotContain("arg[");
    assertThat(run.status()).isEqualTo(2);
  }

  /** Of another command, of Spark, and what is none of Weft's. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "weft.options.rank = 20",
        "weft.options.checkpoint = x",
        "weft.spark { spark.executor.memory = 8g }",
        "weft.spark { \"spark.executor.memory\" = 8g }",
        "other.key = [1]"
      })
  void othersAreLeftAlone(String text) {
    Run run = with(text);
    assertThat(run.err()).contains("expected SHAPE OUT");
  }

  @Test
  void propertiesOfTheProcessAreNamedToo() {
    System.setProperty("weft.options.itertions", "20");
    try {
      assertThat(Run.of("gc", "nothing").err()).contains("did you mean iterations?");
    } finally {
      System.clearProperty("weft.options.itertions");
    }
  }

  private Run with(String text) {
    Path file = folder.resolve("application.conf");
    Run.write(folder, "application.conf", text + "\n");
    System.setProperty(FILE, file.toString());
    try {
      return Run.of("generate", "3x3");
    } finally {
      System.clearProperty(FILE);
    }
  }
}
