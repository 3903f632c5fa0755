package org.weft.it.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.weft.it.cluster.ClusterExtension;
import org.weft.it.cluster.TestCluster;

/**
 * {@code weft COMMAND --master spark://...} on executors that have Spark and nothing else, without
 * {@code spark-submit}. There is a folder of settings, as clusters have one.
 */
@ExtendWith(ClusterExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class LauncherOnClusterIT {
  private final TestCluster cluster;
  private Path folder = Path.of("");
  private Path launcher = Path.of("");

  LauncherOnClusterIT(TestCluster cluster) {
    this.cluster = cluster;
  }

  @BeforeAll
  void install(@TempDir Path temp) throws IOException {
    folder = temp;
    launcher = Installed.in(temp);
    Path local = Files.writeString(temp.resolve("t.tns"), "1 1 1 2\n40 30 1 3\n7 2 20 1\n");
    cluster.upload(local, uri("t.tns"));
  }

  private String uri(String name) {
    return cluster.hdfsUri() + "/launcher/" + name;
  }

  @Test
  void aCommandBringsItsClassesAlong() throws Exception {
    run("cpd", uri("t.tns"), "--rank", "2", "--iterations", "2", "--output", uri("model"));
    try (FileSystem hdfs = cluster.fileSystem()) {
      assertThat(hdfs.exists(new org.apache.hadoop.fs.Path(uri("model/summary.json")))).isTrue();
    }
  }

  /** No setting says how many come: the master does, when it grants them. */
  @Test
  void aPlanCountsAllExecutorsThatAreGranted() throws Exception {
    run("explain", "--json", "cpd", uri("t.tns"), "--rank", "2");
    assertThat(text(folder.resolve("said.txt"))).containsPattern("\"executors\" *: *2");
  }

  private void run(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(launcher.toString()));
    command.addAll(List.of(arguments));
    command.addAll(List.of("--master", cluster.sparkMaster()));
    Path said = folder.resolve("said.txt");
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.redirectErrorStream(true).redirectOutput(said.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("WEFT_"));
    builder.environment().put("WEFT_KERNEL_CACHE", folder.resolve("kernels").toString());
    builder
        .environment()
        .put(
            "WEFT_JAVA_OPTS",
            "-Dspark.driver.host=127.0.0.1 -Dspark.driver.bindAddress=127.0.0.1"
                + " -Dspark.executor.memory=1g -Dspark.cores.max=2 -XX:TieredStopAtLevel=1");
    // WEFT_JAVA_OPTS has no quotes for a value of several words.
    builder
        .environment()
        .put("JDK_JAVA_OPTIONS", "\"-Dspark.executor.extraJavaOptions=" + executorOptions() + "\"");
    builder
        .environment()
        .put("WEFT_CONF_DIR", Files.createDirectories(folder.resolve("conf")).toString());
    assertThat(builder.start().waitFor())
        .as(() -> String.join(" ", command) + "\n" + text(said))
        .isZero();
  }

  /**
   * Those that make a JVM start soon; classes that this launcher's executors load are not logged.
   */
  private String executorOptions() {
    return Stream.of(cluster.executorOptions().split(" "))
        .filter(option -> !option.startsWith("-Xlog:class+load"))
        .collect(Collectors.joining(" "));
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return e.toString();
    }
  }
}
