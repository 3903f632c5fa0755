package org.weft.it.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * The folder of one cluster: {@code spark/conf}, {@code hadoop/conf}, {@code data} and {@code
 * logs}.
 *
 * <p>The class paths come from the files that the builds of {@code it/hadoop} and its neighbours
 * leave; logs live under {@code target/cluster-logs}, so that they outlast the run.
 */
final class ClusterFolder {
  private static final AtomicInteger COUNT = new AtomicInteger();

  private final Path root;
  private final Path logs;

  private ClusterFolder(Path root, Path logs) {
    this.root = root;
    this.logs = logs;
  }

  static ClusterFolder create() {
    try {
      Path root = Files.createTempDirectory("weft-cluster");
      Path logs =
          Path.of(
                  "target",
                  "cluster-logs",
                  ProcessHandle.current().pid() + "-" + COUNT.getAndIncrement())
              .toAbsolutePath();
      Files.createDirectories(logs);
      Files.createDirectories(root.resolve("spark/conf"));
      for (String server : List.of("hdfs", "datanode", "static")) { // the jars carry no web pages
        Files.createDirectories(root.resolve("hadoop/conf/webapps").resolve(server));
      }
      Files.createDirectories(root.resolve("data"));
      return new ClusterFolder(root, logs);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot lay out the cluster's folder", e);
    }
  }

  /** The jars that a process of the given kind, {@code hadoop} or {@code spark}, runs with. */
  static List<Path> classPath(String kind) {
    Path file = Path.of(kind, "target", "classpath.txt").toAbsolutePath();
    try {
      return Stream.of(Files.readString(file).strip().split(":")).map(Path::of).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(
          "expected the class path of the "
              + kind
              + " processes in "
              + file
              + "; build it with: mvn generate-resources -pl it/"
              + kind,
          e);
    }
  }

  Path sparkConf() {
    return root.resolve("spark/conf");
  }

  Path hadoopConf() {
    return root.resolve("hadoop/conf");
  }

  Path data(String name) {
    try {
      return Files.createDirectories(root.resolve("data").resolve(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Path logs() {
    return logs;
  }

  Path log(String name) {
    return logs.resolve(name + ".log");
  }

  void write(Path file, String text) {
    try {
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write " + file, e);
    }
  }

  void writeHadoopConf(Map<String, String> settings) {
    write(hadoopConf().resolve("core-site.xml"), ClusterSettings.toXml(settings));
    write(hadoopConf().resolve("hdfs-site.xml"), ClusterSettings.toXml(settings));
    write(
        hadoopConf().resolve("log4j.properties"),
        """
        log4j.rootLogger=INFO,console
        log4j.appender.console=org.apache.log4j.ConsoleAppender
        log4j.appender.console.target=System.err
        log4j.appender.console.layout=org.apache.log4j.PatternLayout
        log4j.appender.console.layout.ConversionPattern=%d{ISO8601} %p %c{1}: %m%n
        """);
  }

  void writeSparkConf(Map<String, String> defaults) {
    write(sparkConf().resolve("spark-defaults.conf"), ClusterSettings.toProperties(defaults));
    write(
        sparkConf().resolve("log4j2.properties"),
        """
        rootLogger.level = info
        rootLogger.appenderRef.stderr.ref = console
        appender.console.type = Console
        appender.console.name = console
        appender.console.target = SYSTEM_ERR
        appender.console.layout.type = PatternLayout
        appender.console.layout.pattern = %d{HH:mm:ss.SSS} %p %c{1}: %m%n%ex
        """);
  }

  /** Deletes everything but the logs. */
  void delete() {
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
          Files.delete(file);
        }
      }
    } catch (IOException | UncheckedIOException e) {
      System.err.println("left behind: " + root + " (" + e + ")");
    }
  }
}
