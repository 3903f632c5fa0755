package org.weft.ml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
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

  @Test
  void estimatorsWorkThroughAGateway() throws Exception {
    assumeTrue(hasPython(), "expected python3 on the PATH, found none");
    LocalSpark.restart(Map.of("spark.sql.shuffle.partitions", "2"));
    SparkSession.setActiveSession(LocalSpark.current());
    GatewayServer gateway = new GatewayServer(null, 0);
    gateway.start();
    try {
      ProcessBuilder python =
          new ProcessBuilder(
                  "python3",
                  "src/test/python/check_ml.py",
                  String.valueOf(gateway.getListeningPort()),
                  folder.toString())
              .redirectErrorStream(true);
      python.environment().put("PYTHONPATH", "../jobs/src/main/python:src/test/python");
      python.environment().put("PYTHONDONTWRITEBYTECODE", "1");
      Process process = python.start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor()).as(said).isZero();
      assertThat(said.strip()).endsWith("done");
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
