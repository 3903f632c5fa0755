package org.weft.spark;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/** Says which setting names the port or the address that a service of Spark does not get. */
final class PortFault {
  private static final Pattern SERVICE =
      Pattern.compile("Service '([^']+)' failed after (\\d+) retries \\(([^)]*)\\)");

  private static final Map<String, String> SETTINGS =
      Map.of(
          "sparkDriver", "spark.driver.port",
          "SparkUI", "spark.ui.port",
          "org.apache.spark.network.netty.NettyBlockTransferService",
              "spark.driver.blockManager.port, spark.blockManager.port");

  private PortFault() {}

  /**
   * The error for what a service said that does not start; null if that is about something else.
   */
  static @Nullable WeftException of(String message, Throwable cause) {
    Matcher service = SERVICE.matcher(message);
    if (!service.find()) {
      return null;
    }
    String name = service.group(1);
    String setting = SETTINGS.getOrDefault(name, name);
    if (message.contains("Cannot assign requested address")) {
      return new WeftException(
          ErrorCode.USAGE,
          "expected an address of this machine for Spark's service "
              + name
              + ", found one that it does not have; correct spark.driver.bindAddress,"
              + " spark.driver.host or SPARK_LOCAL_IP",
          cause);
    }
    return new WeftException(
        ErrorCode.CLUSTER_UNAVAILABLE,
        "expected a free port for "
            + setting
            + ", found all that were tried in use ("
            + service.group(3)
            + ", "
            + service.group(2)
            + " retries); name another one, or let Spark try more (spark.port.maxRetries), and run"
            + " again",
        cause);
  }
}
