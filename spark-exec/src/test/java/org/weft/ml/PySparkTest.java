package org.weft.ml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.spark.LocalSpark;
import py4j.GatewayServer;

/**
 * The package {@code weft.ml} of Python against py4j's own gateway and Spark. PySpark is in no
 * registry that the build reaches: {@code src/test/python/pyspark} has what the package uses of it.
 */
class PySparkTest {
  @TempDir Path folder;

  @AfterAll
  static void stop() {
    LocalSpark.stop();
  }

  @BeforeAll
  static void start() throws InterruptedException {
    assumeTrue(hasPython(), "expected python3 on the PATH, found none");
    LocalSpark.restart(Map.of("spark.sql.shuffle.partitions", "2"));
    SparkSession.setActiveSession(LocalSpark.current());
  }

  @Test
  void estimatorsWorkThroughAGateway() throws Exception {
    assertThat(run("check_ml.py", folder.toString())).endsWith("done");
  }

  @Tag("long")
  @Test
  void sampledAndTuckerModelsWorkThroughAGateway() throws Exception {
    assertThat(run("check_ml_more.py", folder.toString())).endsWith("done");
  }

  @Test
  void theExampleOfThePageShowsBothComponents() throws Exception {
    String page = Files.readString(Path.of("../conf/reference/examples.md"));
    Path table = Files.writeString(folder.resolve("admissions.csv"), block(page, "csv"));
    String program = block(page, "python").replace("admissions.csv", table.toString());
    Path file = Files.writeString(folder.resolve("admissions.py"), program);

    assertThat(run("run_example.py", file.toString()))
        .containsPattern("fit 0\\.[6-9]\\d+\ndepartment A \\[")
        .contains("sex women [", "decision rejected [");
  }

  private static String block(String page, String kind) {
    int begin = page.indexOf('\n', page.indexOf("```" + kind + " ")) + 1;
    return page.substring(begin, page.indexOf("```", begin));
  }

  /** What a program of {@code src/test/python} says, which is given a gateway's port first. */
  private static String run(String program, String argument) throws Exception {
    GatewayServer gateway = new GatewayServer(null, 0);
    gateway.start();
    try {
      ProcessBuilder python =
          new ProcessBuilder(
                  "python3",
                  "src/test/python/" + program,
                  String.valueOf(gateway.getListeningPort()),
                  argument)
              .redirectErrorStream(true);
      python.environment().put("PYTHONPATH", "../jobs/src/main/python:src/test/python");
      python.environment().put("PYTHONDONTWRITEBYTECODE", "1");
      Process process = python.start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor()).as(said).isZero();
      return said.strip();
    } finally {
      gateway.shutdown();
    }
  }

  private static boolean hasPython() throws InterruptedException {
    try {
      return new ProcessBuilder("python3", "--version").start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    }
  }
}
