package org.weft.it.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
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
  boolean killWorkerExecutor();

  /**
   * Has the Master end every application that runs, as its web page does.
   *
   * @return how many there were
   */
  int killApplications();

  /** Kills one worker and its executors with SIGKILL. */
  void killWorker();

  /** Kills one DataNode with SIGKILL; every block has a replica on the other. */
  void killDataNode();

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
