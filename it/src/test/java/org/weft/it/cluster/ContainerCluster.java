package org.weft.it.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.Container;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.images.builder.Transferable;
import org.testcontainers.utility.DockerImageName;

/**
 * The cluster as containers, started with Testcontainers.
 *
 * <p>Every container uses the host's network, so that the driver, which runs on the host, and the
 * servers reach one another on 127.0.0.1 as in {@link ProcessCluster}. The images are {@code
 * -Dweft.it.image.hadoop} (default {@value #HADOOP_IMAGE}) and {@code -Dweft.it.image.spark}
 * (default {@value #SPARK_IMAGE}); they must hold the versions of the parent POM and Java 17.
 *
 * <p>This class has been compiled and its skip has been run; it has not been run against a Docker
 * engine, because the machines it was written on have none.
 */
public final class ContainerCluster implements TestCluster {
  static final String HADOOP_IMAGE = "apache/hadoop:3.5.0";
  static final String SPARK_IMAGE = "apache/spark:4.2.0-scala2.13-java17-ubuntu";

  private static final Duration START_LIMIT = Duration.ofMinutes(5);
  private static final String CONF = "/tmp/weft-conf";

  private final ClusterFolder folder = ClusterFolder.create();
  private final SparkSubmitter submitter = new SparkSubmitter(folder);
  private final Map<String, GenericContainer<?>> servers = new LinkedHashMap<>();
  private final LoopbackPorts ports = LoopbackPorts.take(3);
  private final int nameNodePort = ports.ports().get(0);
  private final int masterPort = ports.ports().get(1);
  private final int masterWebPort = ports.ports().get(2);

  private ContainerCluster() {}

  /** Starts the containers, or skips the calling test with a printed reason without Docker. */
  public static ContainerCluster startOrSkip() {
    if (!DockerClientFactory.instance().isDockerAvailable()) {
      String reason = "skipped: no Docker engine answers, so the container cluster cannot run";
      System.out.println(reason);
      Assumptions.abort(reason);
    }
    ContainerCluster cluster = new ContainerCluster();
    try {
      cluster.folder.writeHadoopConf(
          ClusterSettings.hdfsServer(cluster.hdfsUri(), "/tmp/weft-name"));
      cluster.folder.writeSparkConf(
          ClusterSettings.sparkDefaults(cluster.sparkMaster(), SparkSubmitter.moduleOptions()));
      cluster.restore();
      return cluster;
    } catch (RuntimeException | Error e) {
      cluster.printLogs();
      cluster.close();
      throw e;
    }
  }

  private static String image(String kind, String otherwise) {
    return System.getProperty("weft.it.image." + kind, otherwise);
  }

  private GenericContainer<?> hadoop(String command) {
    return container(image("hadoop", HADOOP_IMAGE))
        .withEnv("HADOOP_CONF_DIR", CONF)
        .withEnv("HADOOP_USER_NAME", "weft")
        .withEnv("HADOOP_HEAPSIZE_MAX", "192")
        .withCopyToContainer(
            Transferable.of(
                ClusterSettings.toXml(ClusterSettings.hdfsServer(hdfsUri(), "/tmp/weft-name"))),
            CONF + "/hdfs-site.xml")
        .withCopyToContainer(
            Transferable.of(ClusterSettings.toXml(ClusterSettings.hdfsClient(hdfsUri()))),
            CONF + "/core-site.xml")
        .withCommand("bash", "-c", command);
  }

  private GenericContainer<?> spark(String command) {
    return container(image("spark", SPARK_IMAGE))
        .withEnv("SPARK_LOCAL_IP", "127.0.0.1")
        .withEnv("SPARK_NO_DAEMONIZE", "1")
        .withEnv("SPARK_DAEMON_MEMORY", "256m")
        .withEnv("SPARK_MASTER_OPTS", "-Dspark.port.maxRetries=0")
        .withCreateContainerCmdModifier(create -> create.withEntrypoint("bash", "-c"))
        .withCommand("exec /opt/spark/bin/spark-class org.apache.spark.deploy." + command);
  }

  private static GenericContainer<?> container(String image) {
    return new GenericContainer<>(DockerImageName.parse(image)).withNetworkMode("host");
  }

  @Override
  public synchronized void restore() {
    revive();
    ClusterProbe.awaitWhole(
        masterWebPort, hdfsUri(), START_LIMIT, Duration.ofMillis(500), () -> {});
  }

  @Override
  public synchronized void revive() {
    Map<String, GenericContainer<?>> wanted = new LinkedHashMap<>();
    wanted.put("namenode", hadoop("hdfs namenode -format -nonInteractive && exec hdfs namenode"));
    for (int i = 0; i < ClusterSettings.DATA_NODES; i++) {
      wanted.put(
          "datanode-" + i,
          hadoop("exec hdfs datanode -D dfs.datanode.data.dir=file:///tmp/weft-data-" + i));
    }
    wanted.put(
        "master",
        spark(
            "master.Master --host 127.0.0.1 --port %d --webui-port %d"
                .formatted(masterPort, masterWebPort)));
    for (int i = 0; i < ClusterSettings.WORKERS; i++) {
      wanted.put(
          "worker-" + i,
          spark(
              "worker.Worker --host 127.0.0.1 --port 0 --webui-port 0 --cores %d --memory 4g %s"
                  .formatted(ClusterSettings.CORES_PER_WORKER, sparkMaster())));
    }
    wanted.forEach(
        (name, container) -> {
          GenericContainer<?> present = servers.get(name);
          if (present == null || !present.isRunning()) {
            container.start();
            servers.put(name, container);
          }
        });
  }

  @Override
  public String hdfsUri() {
    return "hdfs://127.0.0.1:" + nameNodePort;
  }

  @Override
  public String sparkMaster() {
    return "spark://127.0.0.1:" + masterPort;
  }

  @Override
  public RunningSubmission start(SparkApplication application) {
    ClusterSession.endCommon();
    return submitter.start(application);
  }

  @Override
  public String executorOptions() {
    return "";
  }

  @Override
  public synchronized boolean killWorkerExecutor(int worker) {
    GenericContainer<?> container = servers.get("worker-" + worker);
    return container != null && container.isRunning() && killExecutorIn(container);
  }

  private static boolean killExecutorIn(GenericContainer<?> worker) {
    String script =
        "for p in /proc/[0-9]*; do"
            + " if tr '\\0' ' ' < $p/cmdline | grep -q 'java.*CoarseGrainedExecutorBackend';"
            + " then kill -9 ${p#/proc/} && exit 0; fi; done; exit 1";
    try {
      Container.ExecResult result = worker.execInContainer("bash", "-c", script);
      return result.getExitCode() == 0;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot run a command in a worker container", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  @Override
  public int killApplications() {
    return ClusterProbe.killApplications(masterWebPort);
  }

  @Override
  public synchronized boolean killWorker(int worker) {
    return kill("worker-" + worker);
  }

  @Override
  public synchronized boolean killDataNode(int dataNode) {
    return kill("datanode-" + dataNode);
  }

  private boolean kill(String name) {
    GenericContainer<?> server = servers.remove(name);
    if (server == null) {
      return false;
    }
    server.getDockerClient().killContainerCmd(server.getContainerId()).exec();
    server.stop();
    return true;
  }

  @Override
  public List<Path> executorClassLogs() {
    return List.of();
  }

  @Override
  public synchronized void printLogs() {
    servers.forEach(
        (name, server) -> {
          String log = server.getLogs();
          System.err.println(
              "--- " + name + "\n" + log.substring(Math.max(0, log.length() - 3000)));
        });
  }

  @Override
  public synchronized void close() {
    ClusterSession.endCommon();
    submitter.killAll();
    servers.values().forEach(GenericContainer::stop);
    folder.delete();
    ports.close();
  }
}
