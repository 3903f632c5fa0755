package org.weft.it.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.SafeModeAction;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;

/** Asks the servers themselves whether the cluster is whole. */
final class ClusterProbe {
  private static final Pattern ALIVE_WORKERS = Pattern.compile("\"aliveworkers\"\\s*:\\s*(\\d+)");

  private static final Pattern APPLICATION = Pattern.compile("\"(app-[0-9]+-[0-9]+)\"");

  private ClusterProbe() {}

  /** Live DataNodes that the NameNode knows, or -1 while it does not answer or is in safe mode. */
  static int liveDataNodes(String hdfsUri) {
    Configuration configuration = new Configuration();
    ClusterSettings.hdfsClient(hdfsUri).forEach(configuration::set);
    configuration.set("ipc.client.connect.max.retries", "0");
    configuration.set("ipc.client.connect.max.retries.on.timeouts", "0"); // a stranger's port
    configuration.set("ipc.client.connect.timeout", "5000");
    configuration.set("ipc.client.rpc-timeout.ms", "5000");
    configuration.set("dfs.client.retry.policy.enabled", "false");
    try (FileSystem client = FileSystem.newInstance(URI.create(hdfsUri), configuration)) {
      DistributedFileSystem hdfs = (DistributedFileSystem) client;
      if (hdfs.setSafeMode(SafeModeAction.GET)) {
        return -1;
      }
      return hdfs.getDataNodeStats(HdfsConstants.DatanodeReportType.LIVE).length;
    } catch (IOException e) {
      return -1;
    }
  }

  /** Workers that the Master counts as alive, or -1 while it does not answer. */
  static int aliveWorkers(int masterWebPort) {
    try {
      Matcher matcher = ALIVE_WORKERS.matcher(masterState(masterWebPort));
      return matcher.find() ? Integer.parseInt(matcher.group(1)) : -1;
    } catch (IOException e) {
      return -1;
    }
  }

  /**
   * Polls until all members are there.
   *
   * @throws IllegalStateException after {@code limit}: it says how many answered
   */
  static void awaitWhole(
      int masterWebPort, String hdfsUri, Duration limit, Duration pause, Runnable check) {
    boolean whole =
        Waiting.until(
            limit,
            pause,
            () -> {
              check.run();
              return aliveWorkers(masterWebPort) == ClusterSettings.WORKERS
                  && liveDataNodes(hdfsUri) == ClusterSettings.DATA_NODES;
            });
    if (!whole) {
      throw new IllegalStateException(
          "the cluster is not whole after %s: %s of %d workers, %s of %d DataNodes"
              .formatted(
                  limit,
                  told("the Master at port " + masterWebPort, aliveWorkers(masterWebPort)),
                  ClusterSettings.WORKERS,
                  told("the NameNode at " + hdfsUri, liveDataNodes(hdfsUri)),
                  ClusterSettings.DATA_NODES));
    }
  }

  private static String told(String server, int count) {
    return count < 0 ? "no answer from " + server + ", so unknown how many" : "" + count;
  }

  /** Asks the Master to end every application that runs; returns how many there were. */
  static int killApplications(int masterWebPort) {
    try {
      String state = masterState(masterWebPort);
      int end = state.indexOf("\"completedapps\"");
      Matcher ids = APPLICATION.matcher(end < 0 ? state : state.substring(0, end));
      int killed = 0;
      while (ids.find()) {
        String form = "id=" + ids.group(1) + "&terminate=true";
        send(
            request(masterWebPort, "/app/kill/")
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString(form))
                .build());
        killed++;
      }
      return killed;
    } catch (IOException e) {
      throw new UncheckedIOException("the Master does not answer", e);
    }
  }

  private static String masterState(int masterWebPort) throws IOException {
    return send(request(masterWebPort, "/json/").build());
  }

  private static HttpRequest.Builder request(int masterWebPort, String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + masterWebPort + path))
        .timeout(Duration.ofSeconds(5));
  }

  private static String send(HttpRequest request) throws IOException {
    try {
      return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }
}
