package org.weft.it.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;

/**
 * A NameNode with two DataNodes and a Spark Master with two Workers of one core each.
 *
 * <p>A suite may hurt the cluster ({@code kill...}); it then calls {@link #restore()} so that the
 * next one finds it whole.
 */
public interface TestCluster extends AutoCloseable {

  /** How long a submission may take before the harness ends it and the test fails. */
  Duration SUBMISSION_LIMIT = Duration.ofMinutes(4);

  /** {@code hdfs://127.0.0.1:port}, without a trailing slash. */
  String hdfsUri();

  /** {@code spark://127.0.0.1:port}. */
  String sparkMaster();

  /** Options of executors' JVMs: they live for seconds. Empty where the cluster has none. */
  String executorOptions();

  /** Starts {@code spark-submit} in client mode against this cluster and returns at once. */
  RunningSubmission start(SparkApplication application);

  /** Starts a submission and waits until it ends, {@link #SUBMISSION_LIMIT} at most. */
  default Submission submit(SparkApplication application) {
    return start(application).await(SUBMISSION_LIMIT);
  }

  /**
   * Kills one executor process with SIGKILL; its worker lives on and starts another.
   *
   * @return whether there was an executor to kill
   */
  default boolean killWorkerExecutor() {
    return IntStream.range(0, ClusterSettings.WORKERS).anyMatch(this::killWorkerExecutor);
  }

  /** The same for an executor of one worker. */
  boolean killWorkerExecutor(int worker);

  /**
   * Has the Master end every application that runs, as its web page does.
   *
   * @return how many there were
   */
  int killApplications();

  /** Kills one worker and its executors with SIGKILL. */
  default void killWorker() {
    requireKilled("worker", killWorker(0));
  }

  /**
   * Kills a worker and its executors with SIGKILL.
   *
   * @return whether it was running
   */
  boolean killWorker(int worker);

  /** Kills one DataNode with SIGKILL; every block has a replica on the other. */
  default void killDataNode() {
    requireKilled("DataNode", killDataNode(0));
  }

  /**
   * Kills a DataNode with SIGKILL.
   *
   * @return whether it was running
   */
  boolean killDataNode(int dataNode);

  private static void requireKilled(String server, boolean killed) {
    if (!killed) {
      throw new IllegalStateException("the " + server + " is not running; call restore() first");
    }
  }

  /** Starts again what was killed, and does not wait for it. */
  void revive();

  /** Starts again what was killed and waits until the cluster is whole. */
  void restore();

  /**
   * Files in which executors logged every class they loaded ({@code -Xlog:class+load}), one per
   * executor since the cluster's start; empty where the cluster cannot give them.
   */
  List<Path> executorClassLogs();

  /** Prints the end of every server's log to standard error. */
  void printLogs();

  @Override
  void close();

  /** Copies a local file to a file of this cluster's HDFS. */
  default void upload(Path local, String uri) throws IOException {
    try (FileSystem hdfs = fileSystem()) {
      hdfs.copyFromLocalFile(
          new org.apache.hadoop.fs.Path(local.toUri()), new org.apache.hadoop.fs.Path(uri));
    }
  }

  /** Copies a file of this cluster's HDFS to a local file, and returns that. */
  default Path download(String uri, Path local) throws IOException {
    try (FileSystem hdfs = fileSystem()) {
      hdfs.copyToLocalFile(
          false,
          new org.apache.hadoop.fs.Path(uri),
          new org.apache.hadoop.fs.Path(local.toUri()),
          true);
    }
    return local;
  }

  /** A client for this cluster's HDFS. */
  default FileSystem fileSystem() {
    try {
      Configuration configuration = new Configuration();
      ClusterSettings.hdfsClient(hdfsUri()).forEach(configuration::set);
      return FileSystem.newInstance(URI.create(hdfsUri()), configuration);
    } catch (IOException e) {
      throw new UncheckedIOException("no client for " + hdfsUri(), e);
    }
  }
}
