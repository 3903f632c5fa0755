package org.weft.jobs.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.jobs.process.ClassArchive;

class ExecutorArchiveTest {
  private static final String PROPERTY = "weft.executor.archive";
  private static final String HERE = "spark://127.0.0.1:7077";

  @TempDir private Path folder;
  private Path archive;

  @BeforeEach
  void name() {
    archive = folder.resolve("executor.jsa");
    System.setProperty(PROPERTY, archive.toString());
  }

  @AfterEach
  void forget() {
    System.clearProperty(PROPERTY);
  }

  private static String options(String master) {
    SparkConf conf = new SparkConf(false).set("spark.master", master);
    conf.set("spark.executor.defaultJavaOptions", "-Xmx1g");
    ExecutorArchive.of(conf);
    return conf.get("spark.executor.defaultJavaOptions");
  }

  private void write() {
    ClassArchive.write(archive, file -> Files.writeString(file, "classes"));
  }

  @Test
  void executorsLoadFromAnArchiveThatIsWhole() {
    write();
    assertThat(options(HERE))
        .startsWith("-Xmx1g -XX:SharedArchiveFile=" + archive)
        .doesNotContain("Record");
  }

  @Test
  void executorsNoteTheirClassesForAnArchiveThatIsMissing() {
    assertThat(options(HERE)).startsWith("-Xmx1g ").endsWith("RecordDynamicDumpInfo");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "local[2]",
        "yarn",
        "spark://192.0.2.77:7077",
        "spark://no.such.host.invalid:7077",
        "spark://127.0.0.1:7077,192.0.2.77:7077"
      })
  void clustersOfOtherMachinesHaveNone(String master) {
    write();
    assertThat(options(master)).isEqualTo("-Xmx1g");
  }

  /** A JVM that is to record classes and has an archive on top of the JDK's ends as it starts. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "-XX:SharedArchiveFile=/opt/weft/executor.jsa",
        "-Xmx1g -XX:+RecordDynamicDumpInfo",
        "-XX:ArchiveClassesAtExit=/tmp/a.jsa",
        "-XX:+AutoCreateSharedArchive",
        "-Xshare:off -Xmx1g"
      })
  void executorsWhoseOptionsAreAboutArchivesKeepThem(String options) {
    for (String name : List.of("extra", "default")) {
      SparkConf conf = new SparkConf(false).set("spark.master", HERE);
      conf.set("spark.executor." + name + "JavaOptions", options);
      String before = conf.toDebugString();
      ExecutorArchive.of(conf);
      write();
      ExecutorArchive.of(conf);
      assertThat(conf.toDebugString()).isEqualTo(before);
    }
  }

  @Test
  void aNameThatOptionsWouldBreakIsNotUsed() {
    System.setProperty(PROPERTY, folder.resolve("a b.jsa").toString());
    assertThat(options(HERE)).isEqualTo("-Xmx1g");
    System.clearProperty(PROPERTY);
    assertThat(options(HERE)).isEqualTo("-Xmx1g");
  }

  @Test
  void aSourceThatFailsLeavesNothing() throws IOException {
    ClassArchive.write(
        archive,
        file -> {
          throw new IOException("no classes");
        });
    ClassArchive.write(archive, file -> {});
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files).isEmpty();
    }
  }
}
