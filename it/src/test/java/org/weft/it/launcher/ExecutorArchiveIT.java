package org.weft.it.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.weft.it.cluster.ClusterExtension;
import org.weft.it.cluster.TestCluster;

/**
 * The launcher and a standalone cluster of this machine: where executors get their classes from.
 */
@ExtendWith(ClusterExtension.class)
final class ExecutorArchiveIT {
  private static final String SAID = "executors' classes";

  private final TestCluster cluster;
  @TempDir private Path installed;

  ExecutorArchiveIT(TestCluster cluster) {
    this.cluster = cluster;
  }

  /** What a job on the cluster prints; its executors log the classes that they load. */
  private String job(String name) throws IOException, InterruptedException {
    Path said = installed.resolve(name + ".txt");
    Path logs = Files.createDirectories(installed.resolve(name));
    ProcessBuilder builder =
        new ProcessBuilder(
                installed.resolve("jobs/bin/weft").toString(),
                "stats",
                "x.tns",
                "--master",
                cluster.sparkMaster())
            .directory(installed.toFile())
            .redirectErrorStream(true)
            .redirectOutput(said.toFile());
    builder.environment().keySet().removeIf(key -> key.startsWith("WEFT_"));
    builder
        .environment()
        .put(
            "WEFT_JAVA_OPTS",
            "-Dspark.executor.extraJavaOptions=-Xlog:class+load:file=" + logs + "/%p.log");
    int status = builder.start().waitFor();
    String all = Files.readString(said);
    assertThat(status).as(all).isZero();
    return all;
  }

  /** Classes of Spark that each executor of a job has loaded from the archive, at least. */
  private long fromArchive(String name) throws IOException {
    long least = Long.MAX_VALUE;
    try (DirectoryStream<Path> logs = Files.newDirectoryStream(installed.resolve(name))) {
      for (Path log : logs) {
        try (Stream<String> lines = Files.lines(log)) {
          least =
              Math.min(
                  least,
                  lines
                      .filter(line -> line.contains(" org.apache.spark."))
                      .filter(line -> line.contains("shared objects file (top)"))
                      .count());
        }
      }
    }
    return least;
  }

  @Tag("long")
  @Test
  void executorsLoadTheirClassesFromTheArchiveThatTheFirstJobWrote()
      throws IOException, InterruptedException {
    Installed.in(installed);
    Files.writeString(installed.resolve("x.tns"), "1 1 1 1.5\n2 3 1 2\n3 1 2 -1\n");
    Path archive = installed.resolve("jobs/target/weft/executor.jsa");

    assertThat(job("first")).contains(SAID);
    assertThat(archive).exists();
    assertThat(fromArchive("first")).isZero();

    assertThat(job("second")).doesNotContain(SAID);
    assertThat(fromArchive("second")).isGreaterThan(500);

    byte[] bytes = Files.readAllBytes(archive);
    Files.delete(archive);
    Files.write(archive, Arrays.copyOf(bytes, bytes.length / 2));
    assertThat(job("third")).contains(SAID);
    assertThat(Files.size(archive)).isGreaterThan(bytes.length / 2);

    bytes = Files.readAllBytes(archive);
    Arrays.fill(bytes, 1 << 20, 5 << 20, (byte) 1);
    Files.delete(archive);
    Files.write(archive, bytes); // an executor that loads it ends by a signal
    assertThat(job("fourth")).contains(SAID);
  }
}
