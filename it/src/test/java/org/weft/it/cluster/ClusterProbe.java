package org.weft.it.cluster;

import java.io.IOException;
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

  private ClusterProbe() {}

  /** Live DataNodes that the NameNode knows, or -1 while it does not answer or is in safe mode. */
  static int liveDataNodes(String hdfsUri) {
    Configuration configuration = new Configuration();
    ClusterSettings.hdfsClient(hdfsUri).forEach(configuration::set);
    configuration.set("ipc.client.connect.max.retries", "0");
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
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + masterWebPort + "/json/"))
            .timeout(Duration.ofSeconds(5))
            .build();
    try {
      String body =
          HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body();
      Matcher matcher = ALIVE_WORKERS.matcher(body);
      return matcher.find() ? Integer.parseInt(matcher.group(1)) : -1;
    } catch (IOException e) {
      return -1;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return -1;
    }
  }
}
