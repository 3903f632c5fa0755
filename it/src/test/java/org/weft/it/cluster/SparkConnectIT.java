package org.weft.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Statements and decompositions asked by a client of Spark Connect, whose class path has nothing of
 * Weft. The server has both assemblies.
 */
@Tag("long")
final class SparkConnectIT {
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final Duration PAUSE = Duration.ofMillis(200);
  private static final String SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer";

  private final ClusterFolder cluster = ClusterFolder.create();
  private final SparkSubmitter submitter = new SparkSubmitter(cluster);
  private final List<ChildProcess> processes = new ArrayList<>();

  @TempDir private Path folder;

  @AfterEach
  void end() {
    processes.stream().filter(ChildProcess::isAlive).forEach(ChildProcess::killTree);
    cluster.delete();
  }

  @Test
  void aClientNeedsNoClassOfWeft() throws IOException {
    Path matrix = folder.resolve("a.mtx");
    Files.writeString(
        matrix, "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 5\n1 2 2\n2 2 3\n");
    Path queries = JobJar.of(folder.resolve("queries.jar"), ConnectQueries.class);

    int port = PortTakenException.tryTwice(this::startServer);
    ChildProcess client =
        start(
            "client",
            Stream.concat(ClusterFolder.classPath("connect-client").stream(), Stream.of(queries)),
            List.of(),
            ConnectQueries.class.getName(),
            "" + port,
            matrix.toString());

    assertThat(client.waitFor()).as(client.logTail(20_000)).isZero();
    assertThat(client.logTail(20_000).lines())
        .containsSubsequence(
            "0 0 25.0", "0 1 16.0", "1 1 9.0", "10.0", "item a", "item b", "shop n")
        .anyMatch(line -> line.matches("shop n 0 0 1\\.0+ 5\\.0+ .*"))
        .anyMatch(line -> line.contains("expected ')', found the end of the text"));
  }

  /** The port of a server that accepts connections. */
  private int startServer() {
    int port;
    try (LoopbackPorts ports = LoopbackPorts.take(1)) {
      port = ports.ports().get(0);
    }
    ChildProcess server =
        start(
            "server",
            Stream.concat(
                Stream.of(WeftJars.driver(), WeftJars.executor()),
                ClusterFolder.classPath("connect").stream()),
            List.of(
                "-Dspark.app.name=connect",
                "-Dspark.master=local[2]",
                "-Dspark.ui.enabled=false",
                "-Dspark.connect.grpc.binding.address=127.0.0.1",
                "-Dspark.connect.grpc.binding.port=" + port,
                "-Dspark.sql.warehouse.dir=" + folder.resolve("warehouse")),
            SERVER);
    assertThat(Waiting.until(LIMIT, PAUSE, () -> !server.isAlive() || accepts(port))).isTrue();
    if (!server.isAlive()) {
      throw PortTakenException.ended("server", server.logTail(20_000));
    }
    return port;
  }

  private static boolean accepts(int port) {
    try (Socket socket = new Socket("127.0.0.1", port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  private ChildProcess start(
      String name,
      Stream<Path> classPath,
      List<String> options,
      String mainClass,
      String... arguments) {
    List<String> command = new ArrayList<>(List.of(SparkSubmitter.JAVA, "-Xmx1g"));
    command.addAll(List.of(SparkSubmitter.moduleOptions().split(" ")));
    command.addAll(options);
    command.add("-cp");
    command.add(classPath.map(Path::toString).collect(Collectors.joining(File.pathSeparator)));
    command.add(mainClass);
    command.addAll(List.of(arguments));
    Path log = cluster.log("connect-" + name + "-" + processes.size());
    Map<String, String> environment = submitter.serverEnvironment();
    ChildProcess process = ChildProcess.start(name, command, folder, environment, log);
    processes.add(process);
    return process;
  }
}
