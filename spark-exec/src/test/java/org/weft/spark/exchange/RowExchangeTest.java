package org.weft.spark.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.apache.spark.network.client.RpcResponseCallback;
import org.junit.jupiter.api.Test;
import org.weft.spark.LocalSpark;
import org.weft.spark.resident.FactorBlocks;

/** The driver's end of the exchange. */
final class RowExchangeTest {
  @Test
  void isClosedWithTheApplication() throws Exception {
    LocalSpark.stop();
    LocalSpark.context();
    RowExchange exchange = FactorBlocks.exchange();
    InetAddress loopback = InetAddress.getLoopbackAddress();
    try (ServerSocket server = new ServerSocket(0, 1, loopback)) {
      RowPlace place = new RowPlace("1", loopback.getHostAddress(), server.getLocalPort());
      exchange.send(place, ByteBuffer.allocate(1), new Unanswered());
      assertThat(networkThreads()).isNotEmpty();
      LocalSpark.stop();
    }
    for (Thread thread : networkThreads()) {
      thread.join(Duration.ofMinutes(1).toMillis());
    }
    assertThat(networkThreads()).isEmpty();
    LocalSpark.context();
    assertThat(FactorBlocks.exchange()).isNotSameAs(exchange);
  }

  private static List<Thread> networkThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("weft-client"))
        .toList();
  }

  private record Unanswered() implements RpcResponseCallback {
    @Override
    public void onSuccess(ByteBuffer answer) {}

    @Override
    public void onFailure(Throwable e) {}
  }
}
