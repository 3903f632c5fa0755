package org.weft.it.cluster;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/** The settings both clusters share: small, loopback only, quick to notice a dead server. */
final class ClusterSettings {
  static final int DATA_NODES = 2;
  static final int WORKERS = 2;
  static final int CORES_PER_WORKER = 1;

  private ClusterSettings() {}

  /** What an HDFS client needs. */
  static Map<String, String> hdfsClient(String hdfsUri) {
    Map<String, String> settings = new TreeMap<>();
    settings.put("fs.defaultFS", hdfsUri);
    settings.put("dfs.replication", "" + DATA_NODES);
    settings.put("dfs.blocksize", "" + (4 << 20)); // several blocks for a tensor of a few MiB
    settings.put("dfs.client.block.write.replace-datanode-on-failure.policy", "NEVER");
    settings.put("dfs.client.use.datanode.hostname", "false");
    return settings;
  }

  /** Settings of every HDFS server, the client's included. */
  static Map<String, String> hdfsServer(String hdfsUri, String nameFolder) {
    Map<String, String> settings = new TreeMap<>(hdfsClient(hdfsUri));
    settings.put("dfs.namenode.rpc-address", hdfsUri.substring("hdfs://".length()));
    settings.put("dfs.namenode.rpc-bind-host", "127.0.0.1");
    settings.put("dfs.namenode.http-address", "127.0.0.1:0");
    settings.put("dfs.namenode.name.dir", "file://" + nameFolder);
    settings.put("dfs.namenode.datanode.registration.ip-hostname-check", "false");
    settings.put("dfs.namenode.safemode.min.datanodes", "" + DATA_NODES);
    settings.put("dfs.namenode.safemode.extension", "0");
    settings.put("dfs.namenode.heartbeat.recheck-interval", "1000");
    settings.put("dfs.namenode.handler.count", "4");
    settings.put("dfs.namenode.acls.enabled", "false");
    settings.put("dfs.permissions.enabled", "false");
    settings.put("dfs.heartbeat.interval", "1");
    settings.put("dfs.datanode.address", "127.0.0.1:0");
    settings.put("dfs.datanode.http.address", "127.0.0.1:0");
    settings.put("dfs.datanode.ipc.address", "127.0.0.1:0");
    settings.put("dfs.datanode.handler.count", "4");
    return settings;
  }

  /** Spark properties of every submission; an application's own come over them. */
  static Map<String, String> sparkDefaults(String master, String moduleOptions) {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("spark.master", master);
    settings.put("spark.driver.host", "127.0.0.1");
    settings.put("spark.driver.bindAddress", "127.0.0.1");
    settings.put("spark.ui.enabled", "false");
    settings.put("spark.executor.memory", "1g");
    settings.put("spark.executor.cores", "" + CORES_PER_WORKER);
    settings.put("spark.cores.max", "" + WORKERS * CORES_PER_WORKER);
    settings.put("spark.scheduler.minRegisteredResourcesRatio", "1.0");
    settings.put("spark.scheduler.maxRegisteredResourcesWaitingTime", "30s");
    settings.put("spark.network.timeout", "60s");
    settings.put("spark.executor.heartbeatInterval", "5s");
    settings.put("spark.driver.extraJavaOptions", moduleOptions);
    return settings;
  }

  static String toXml(Map<String, String> settings) {
    StringBuilder xml = new StringBuilder("<?xml version=\"1.0\"?>\n<configuration>\n");
    settings.forEach(
        (key, value) ->
            xml.append("  <property><name>")
                .append(key)
                .append("</name><value>")
                .append(value)
                .append("</value></property>\n"));
    return xml.append("</configuration>\n").toString();
  }

  static String toProperties(Map<String, String> settings) {
    StringBuilder text = new StringBuilder();
    settings.forEach((key, value) -> text.append(key).append(' ').append(value).append('\n'));
    return text.toString();
  }
}
