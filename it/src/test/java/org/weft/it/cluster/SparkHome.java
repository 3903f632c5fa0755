package org.weft.it.cluster;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * {@code target/spark-home}, the {@code SPARK_HOME} of all clusters of a build: {@code jars}
 * (symbolic links), an empty {@code conf}, and archives of the classes that Spark loads.
 *
 * <p>The JVM maps classes from an archive instead of parsing and verifying them: a driver with two
 * executors takes a third less of processor time. The JVM uses an archive only where the class path
 * begins as the archive's does, without folders that hold files. So {@code conf} is empty, and
 * servers and drivers have their configuration behind the jars.
 */
final class SparkHome {
  private static final Path ROOT = Path.of("target", "spark-home").toAbsolutePath();
  private static final int REHEARSAL_ENTRIES = 2_000;

  private SparkHome() {}

  /** Lays out the folder unless another process of this build has done so. */
  static void prepare() {
    try {
      Files.createDirectories(ROOT.resolve("jars"));
      Files.createDirectories(emptyConf());
      try (FileChannel file =
          FileChannel.open(
              ROOT.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
        file.lock();
        for (Path jar : ClusterFolder.classPath("spark")) {
          link(ROOT.resolve("jars").resolve(jar.getFileName()), jar);
        }
        archive();
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot lay out " + ROOT, e);
    }
  }

  private static void link(Path link, Path jar) throws IOException {
    try {
      Files.createSymbolicLink(link, jar);
    } catch (FileAlreadyExistsException e) {
      return; // of an earlier run
    }
  }

  static Path root() {
    return ROOT;
  }

  /** The configuration folder of executors: their settings come from the driver. */
  static Path emptyConf() {
    return ROOT.resolve("conf");
  }

  /** The class path that Spark's launcher gives an executor, with the given jars before it. */
  static String classPath(List<Path> before) {
    List<String> parts = new ArrayList<>();
    before.forEach(jar -> parts.add(jar.toString()));
    parts.add(emptyConf() + "/");
    try (Stream<Path> jars = Files.list(ROOT.resolve("jars"))) {
      jars.filter(jar -> jar.getFileName().toString().startsWith("slf4j-api-"))
          .forEach(jar -> parts.add(jar.toString()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    parts.add(ROOT + "/jars/*");
    return String.join(File.pathSeparator, parts);
  }

  /** Options of a JVM whose class path begins with {@link #classPath}. */
  static List<String> archiveOptions(List<Path> before) {
    Path archive = archive(before);
    return Files.exists(archive)
        ? List.of(
            "-XX:SharedArchiveFile=" + archive,
            "-Xshare:auto",
            "-Xlog:cds=off",
            "-Xlog:cds+dynamic=off")
        : List.of();
  }

  private static Path archive(List<Path> before) {
    return ROOT.resolve(before.isEmpty() ? "spark.jsa" : "driver.jsa");
  }

  /**
   * Makes the archives at the same time; without one everything works more slowly. Only the long
   * suites submit so often that drivers gain what their archive takes.
   */
  private static void archive() throws IOException {
    Path tensor = ROOT.resolve("rehearsal.tns");
    Files.writeString(tensor, tensor());
    List<ChildProcess> rehearsals = new ArrayList<>();
    List<List<Path>> classPaths = new ArrayList<>(List.of(List.of()));
    if (Boolean.getBoolean("weft.long")) {
      classPaths.add(List.of(WeftJars.driver()));
    }
    for (List<Path> before : classPaths) {
      Path archive = archive(before);
      if (!Files.exists(archive) || isNewer(WeftJars.driver(), archive)) {
        Files.deleteIfExists(archive);
        rehearsals.add(rehearse(before, archive, tensor));
      }
    }
    for (ChildProcess rehearsal : rehearsals) {
      int status = rehearsal.waitFor();
      if (status != 0) {
        System.err.println(
            "no class archive: %s ended with status %d%n%s"
                .formatted(rehearsal.name(), status, rehearsal.logTail(2_000)));
      }
    }
  }

  private static boolean isNewer(Path file, Path than) throws IOException {
    return Files.getLastModifiedTime(file).compareTo(Files.getLastModifiedTime(than)) > 0;
  }

  private static String tensor() {
    return Stream.iterate(1, n -> n + 1)
        .limit(REHEARSAL_ENTRIES)
        .map(n -> "%d %d %d 1.5".formatted(n % 90 + 1, n % 41 + 1, n % 17 + 1))
        .collect(Collectors.joining("\n"));
  }

  private static ChildProcess rehearse(List<Path> before, Path archive, Path tensor) {
    String name = archive.getFileName().toString().replace(".jsa", "");
    List<String> command = new ArrayList<>(List.of(SparkSubmitter.JAVA, "-Xmx1g"));
    command.addAll(SparkSubmitter.COMPILATION);
    command.add("-XX:+UseSerialGC");
    command.add("-XX:ArchiveClassesAtExit=" + archive);
    command.addAll(List.of(SparkSubmitter.moduleOptions().split(" ")));
    command.addAll(List.of("-cp", classPath(before), "org.apache.spark.deploy.SparkSubmit"));
    command.addAll(List.of("--master", "local[2]", "--conf", "spark.ui.enabled=false"));
    command.addAll(List.of("--jars", WeftJars.driver().toString()));
    command.addAll(List.of("--class", "org.weft.jobs.Weft", WeftJars.executor().toString()));
    command.addAll(List.of("cpd", tensor.toString(), "--rank", "4", "--iterations", "2"));
    command.addAll(List.of("--output", ROOT.resolve("rehearsal-" + name).toString()));
    command.add("--overwrite");
    return ChildProcess.start(
        "rehearsal-" + name,
        command,
        ROOT,
        Map.of("SPARK_LOCAL_IP", "127.0.0.1", "SPARK_SCALA_VERSION", "2.13"),
        ROOT.resolve("rehearsal-" + name + ".log"));
  }
}
