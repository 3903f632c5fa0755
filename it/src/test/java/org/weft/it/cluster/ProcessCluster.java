package org.weft.it.cluster;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The cluster as child JVMs on 127.0.0.1, from the jars in Maven's repository.
 *
 * <p>Six servers of 192-256 MiB heap: NameNode (formatted first), two DataNodes, Master, two
 * Workers. Only the NameNode's and the Master's ports are known beforehand ({@link LoopbackPorts});
 * the other servers bind port 0.
 */
public final class ProcessCluster implements TestCluster {
  private static final Duration START_LIMIT = Duration.ofMinutes(3);
  private static final Duration PAUSE = Duration.ofMillis(200);
  private static final int SERVER_HEAP_MEBIBYTES = 256;
  private static final String EXECUTOR_CLASS = "CoarseGrainedExecutorBackend";

  private final ClusterFolder folder = ClusterFolder.create();
  private final SparkSubmitter submitter = new SparkSubmitter(folder);
  private final Map<String, ChildProcess> servers = new LinkedHashMap<>();
  private final LoopbackPorts ports = LoopbackPorts.take(3);
  private final int nameNodePort = ports.ports().get(0);
  private final int masterPort = ports.ports().get(1);
  private final int masterWebPort = ports.ports().get(2);
  private final Thread hook = new Thread(this::killEverything, "cluster-shutdown");
  private int starts;
  private boolean closed;

  private ProcessCluster() {}

  /**
   * Starts all servers and waits until the NameNode and the Master count their members. When
   * another process has bound one of the ports first, the start is tried once more with other
   * ports.
   */
  public static ProcessCluster start() {
    return PortTakenException.tryTwice(ProcessCluster::startOnce);
  }

  private static ProcessCluster startOnce() {
    SparkHome.prepare();
    ProcessCluster cluster = new ProcessCluster();
    Runtime.getRuntime().addShutdownHook(cluster.hook);
    try {
      cluster.configure();
      cluster.format();
      cluster.restore();
      return cluster;
    } catch (RuntimeException | Error e) {
      cluster.printLogs();
      cluster.close();
      throw e;
    }
  }

  private void configure() {
    folder.writeHadoopConf(ClusterSettings.hdfsServer(hdfsUri(), folder.data("name").toString()));
    Map<String, String> defaults =
        ClusterSettings.sparkDefaults(sparkMaster(), SparkSubmitter.moduleOptions());
    defaults.put("spark.executor.extraJavaOptions", submitter.executorOptions());
    folder.writeSparkConf(defaults);
  }

  private void format() {
    ChildProcess format =
        startJvm("namenode-format", hadoopJvm(), "namenode.NameNode", "-format", "-nonInteractive");
    boolean ended = Waiting.until(START_LIMIT, PAUSE, () -> !format.isAlive());
    if (!ended || format.exitCode() != 0) {
      throw new IllegalStateException("NameNode -format failed:\n" + format.logTail(4000));
    }
  }

  @Override
  public synchronized void restore() {
    revive();
    ClusterProbe.awaitWhole(masterWebPort, hdfsUri(), START_LIMIT, PAUSE, this::checkAlive);
  }

  @Override
  public synchronized void revive() {
    Map<String, Runnable> starts = new LinkedHashMap<>();
    starts.put("namenode", () -> startServer("namenode", hadoopJvm(), "namenode.NameNode"));
    starts.put("master", this::startMaster);
    for (int i = 0; i < ClusterSettings.DATA_NODES; i++) {
      String name = "datanode-" + i;
      String data = "dfs.datanode.data.dir=file://" + folder.data(name);
      starts.put(name, () -> startServer(name, hadoopJvm(), "datanode.DataNode", "-D", data));
    }
    for (int i = 0; i < ClusterSettings.WORKERS; i++) {
      String name = "worker-" + i;
      starts.put(name, () -> startWorker(name));
    }
    starts.forEach(
        (name, start) -> {
          ChildProcess server = servers.get(name);
          if (server == null || !server.isAlive()) {
            start.run();
          }
        });
  }

  private void checkAlive() {
    for (ChildProcess server : servers.values()) {
      if (!server.isAlive()) {
        throw PortTakenException.ended(server.name(), server.logTail(20_000));
      }
    }
  }

  private List<String> hadoopJvm() {
    String jars =
        ClusterFolder.classPath("hadoop").stream()
            .map(Path::toString)
            .collect(Collectors.joining(File.pathSeparator));
    List<String> command = new ArrayList<>(List.of(SparkSubmitter.JAVA, "-Xmx192m"));
    command.add("-XX:+UseSerialGC");
    command.add("-XX:TieredStopAtLevel=1"); // starts sooner; servers here do little
    command.addAll(SparkSubmitter.VERIFICATION);
    command.add("-Djava.net.preferIPv4Stack=true");
    command.addAll(List.of("-cp", folder.hadoopConf() + File.pathSeparator + jars));
    return command;
  }

  private void startServer(String name, List<String> jvm, String mainClass, String... arguments) {
    servers.put(name, startJvm(name, jvm, mainClass, arguments));
  }

  private ChildProcess startJvm(
      String name, List<String> jvm, String mainClass, String... arguments) {
    List<String> command = new ArrayList<>(jvm);
    command.add("org.apache.hadoop.hdfs.server." + mainClass);
    command.addAll(List.of(arguments));
    return spawn(name, command);
  }

  private ChildProcess spawn(String name, List<String> command) {
    Path log = folder.log(name + "-" + starts++);
    return ChildProcess.start(name, command, folder.data(name), submitter.serverEnvironment(), log);
  }

  private void startMaster() {
    List<String> command = submitter.sparkJvm(SERVER_HEAP_MEBIBYTES, List.of());
    command.add(1, "-XX:TieredStopAtLevel=1");
    command.add(1, "-Dspark.port.maxRetries=0"); // else it moves to the next port without a word
    command.add(1, "-Dspark.master.rest.enabled=false"); // has one port for all clusters, 6066
    command.add("org.apache.spark.deploy.master.Master");
    command.addAll(List.of("--host", "127.0.0.1", "--port", "" + masterPort));
    command.addAll(List.of("--webui-port", "" + masterWebPort));
    servers.put("master", spawn("master", command));
  }

  private void startWorker(String name) {
    List<String> command = submitter.sparkJvm(SERVER_HEAP_MEBIBYTES, List.of());
    command.add(1, "-XX:TieredStopAtLevel=1");
    command.add("org.apache.spark.deploy.worker.Worker");
    command.addAll(List.of("--host", "127.0.0.1", "--port", "0", "--webui-port", "0"));
    command.addAll(List.of("--cores", "" + ClusterSettings.CORES_PER_WORKER, "--memory", "4g"));
    command.addAll(List.of("--work-dir", folder.logs().resolve(name).toString(), sparkMaster()));
    servers.put(name, spawn(name, command));
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
    return submitter.executorOptions();
  }

  @Override
  public synchronized boolean killWorkerExecutor(int worker) {
    for (ProcessHandle executor : servers.get("worker-" + worker).descendants(EXECUTOR_CLASS)) {
      if (executor.destroyForcibly()) {
        executor.onExit().orTimeout(START_LIMIT.toSeconds(), TimeUnit.SECONDS).join();
        return true;
      }
    }
    return false;
  }

  @Override
  public int killApplications() {
    return ClusterProbe.killApplications(masterWebPort);
  }

  @Override
  public synchronized boolean killWorker(int worker) {
    return killServer("worker-" + worker);
  }

  @Override
  public synchronized boolean killDataNode(int dataNode) {
    return killServer("datanode-" + dataNode);
  }

  private boolean killServer(String name) {
    ChildProcess server = servers.get(name);
    if (server == null || !server.isAlive()) {
      return false;
    }
    server.killTree();
    return true;
  }

  @Override
  public List<Path> executorClassLogs() {
    try (Stream<Path> files = Files.list(folder.logs())) {
      return files
          .filter(file -> file.getFileName().toString().startsWith("executor-classes-"))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public synchronized void printLogs() {
    System.err.println("logs of the cluster are in " + folder.logs());
    servers.forEach(
        (name, server) ->
            System.err.println(
                "--- "
                    + name
                    + (server.isAlive() ? "" : " (ended)")
                    + "\n"
                    + server.logTail(3000)));
  }

  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    ClusterSession.endCommon();
    killEverything();
    folder.delete();
    ports.close();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      return; // the JVM is going down: the hook is running or has run
    }
  }

  private void killEverything() {
    submitter.killAll();
    List<ChildProcess> reverse = new ArrayList<>(servers.values());
    Collections.reverse(reverse);
    reverse.forEach(ChildProcess::killTree);
  }
}
