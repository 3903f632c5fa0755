package org.weft.it.cluster;

import java.io.File;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.spark.launcher.JavaModuleOptions;

/**
 * Runs {@code org.apache.spark.deploy.SparkSubmit} in client mode, one child JVM a submission. The
 * heap is what {@code spark.driver.memory} says, in MiB: {@code 512m}.
 */
final class SparkSubmitter {
  static final String JAVA =
      Path.of(System.getProperty("java.home"), "bin", "java").toAbsolutePath().toString();

  /** Drivers and executors live for seconds: they are compiled as this process is. */
  static final List<String> COMPILATION = ofThisProcess("-XX:TieredStopAtLevel=");

  /** Whether they verify classes. An archive is made by a process that does. */
  static final List<String> VERIFICATION =
      ofThisProcess("-XX:+UnlockDiagnosticVMOptions", "-XX:-BytecodeVerificationRemote");

  private final ClusterFolder folder;
  private final List<ChildProcess> drivers = new ArrayList<>();

  SparkSubmitter(ClusterFolder folder) {
    this.folder = folder;
  }

  private static List<String> ofThisProcess(String... starts) {
    return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(option -> Arrays.stream(starts).anyMatch(option::startsWith))
        .toList();
  }

  /** Options of executors, which log the classes they load; {@code %p} is the process id. */
  String executorOptions() {
    List<String> options = new ArrayList<>(COMPILATION);
    options.addAll(VERIFICATION);
    options.add("-XX:+UseSerialGC");
    options.addAll(SparkHome.archiveOptions(List.of()));
    options.add("-Xlog:class+load=info:file=" + folder.logs().resolve("executor-classes-%p.log"));
    return String.join(" ", options);
  }

  static String moduleOptions() {
    return JavaModuleOptions.defaultModuleOptions();
  }

  /** The environment of drivers. */
  private Map<String, String> driverEnvironment() {
    Map<String, String> environment = serverEnvironment();
    environment.put("SPARK_CONF_DIR", folder.sparkConf().toString());
    environment.put("HADOOP_CONF_DIR", folder.hadoopConf().toString());
    return environment;
  }

  /** The environment of servers, which executors inherit. */
  Map<String, String> serverEnvironment() {
    Map<String, String> environment = new TreeMap<>();
    environment.put("SPARK_HOME", SparkHome.root().toString());
    environment.put("SPARK_CONF_DIR", SparkHome.emptyConf().toString());
    environment.put("SPARK_SCALA_VERSION", "2.13");
    environment.put("SPARK_LOCAL_IP", "127.0.0.1");
    environment.put("SPARK_PUBLIC_DNS", "127.0.0.1");
    environment.put("HADOOP_USER_NAME", "weft");
    environment.put("WEFT_KERNEL_CACHE", folder.logs().resolve("kernels").toString());
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    return environment;
  }

  /** A Spark JVM's command up to its main class. */
  List<String> sparkJvm(int heapMebibytes, List<Path> before) {
    List<String> classPath = new ArrayList<>(List.of(SparkHome.classPath(before)));
    classPath.add(folder.sparkConf().toString());
    classPath.add(folder.hadoopConf().toString());
    List<String> command = new ArrayList<>(List.of(JAVA, "-Xmx" + heapMebibytes + "m"));
    command.add("-XX:+UseSerialGC");
    command.addAll(VERIFICATION);
    command.addAll(SparkHome.archiveOptions(before));
    command.addAll(List.of(moduleOptions().split(" ")));
    command.addAll(List.of("-cp", String.join(File.pathSeparator, classPath)));
    return command;
  }

  synchronized RunningSubmission start(SparkApplication application) {
    String name = "driver-" + drivers.size();
    String heap = application.conf().getOrDefault("spark.driver.memory", "1024m");
    int mebibytes = Integer.parseInt(heap.substring(0, heap.length() - 1));
    Path temporary = folder.data(name);
    List<String> command = sparkJvm(mebibytes, application.driverClassPath());
    command.addAll(1, COMPILATION);
    command.add(1, "-Djava.io.tmpdir=" + temporary);
    command.add("org.apache.spark.deploy.SparkSubmit");
    command.addAll(List.of("--deploy-mode", "client", "--class", application.mainClass()));
    if (!application.driverClassPath().isEmpty()) {
      command.add("--driver-class-path");
      command.add(
          application.driverClassPath().stream()
              .map(Path::toString)
              .collect(Collectors.joining(File.pathSeparator)));
    }
    application
        .conf()
        .forEach((key, value) -> command.addAll(List.of("--conf", key + "=" + value)));
    command.add(application.jar().toString());
    command.addAll(application.arguments());
    Path output = folder.log(name + ".out");
    Path error = folder.log(name);
    ChildProcess driver =
        ChildProcess.start(
            name, command, folder.data("drivers"), driverEnvironment(), output, error);
    drivers.add(driver);
    return new RunningSubmission(driver, output, error, temporary);
  }

  synchronized void killAll() {
    drivers.stream().filter(ChildProcess::isAlive).forEach(ChildProcess::killTree);
  }
}
