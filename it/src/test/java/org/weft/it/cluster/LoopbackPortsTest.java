package org.weft.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Which ports clusters get, and what a start does when another process has taken one. */
final class LoopbackPortsTest {
  private static final int LOCKED = 7;

  @Test
  void portsOfLivingClustersAreDifferentAndBelowTheKernelsOwn() {
    List<LoopbackPorts> taken = new ArrayList<>();
    Set<Integer> ports = new HashSet<>();
    for (int i = 0; i < 100; i++) {
      LoopbackPorts three = LoopbackPorts.take(3);
      taken.add(three);
      ports.addAll(three.ports());
    }
    taken.forEach(LoopbackPorts::close);

    assertThat(ports)
        .hasSize(300)
        .allMatch(port -> port >= LoopbackPorts.FIRST && port <= LoopbackPorts.LAST);
  }

  @Test
  void aPortWithAListenerIsNotFree() throws IOException {
    try (LoopbackPorts one = LoopbackPorts.take(1)) {
      int port = one.ports().get(0);
      assertThat(LoopbackPorts.isFree(port)).isTrue();
      try (ServerSocket listener = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        assertThat(LoopbackPorts.isFree(listener.getLocalPort())).isFalse();
      }
    }
  }

  @Test
  void anotherProcessCannotLockAHeldPort() throws Exception {
    LoopbackPorts one = LoopbackPorts.take(1);
    int port = one.ports().get(0);
    assertThat(lockedElsewhere(port)).isTrue();

    one.close();

    assertThat(lockedElsewhere(port)).isFalse();
  }

  private static boolean lockedElsewhere(int port) throws IOException, InterruptedException {
    String classPath = System.getProperty("java.class.path");
    Process process =
        new ProcessBuilder(
                SparkSubmitter.JAVA, "-cp", classPath, LoopbackPortsTest.class.getName(), "" + port)
            .inheritIO()
            .start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isIn(0, LOCKED);
    return process.exitValue() == LOCKED;
  }

  /** The other process: ends with {@link #LOCKED} if it cannot lock the port. */
  public static void main(String[] port) {
    System.exit(LoopbackPorts.lock(Integer.parseInt(port[0])).isPresent() ? 0 : LOCKED);
  }

  @Test
  void aStartIsTriedOnceMoreWhenAPortWasTaken() {
    AtomicInteger starts = new AtomicInteger();

    int second =
        PortTakenException.tryTwice(
            () -> {
              if (starts.incrementAndGet() == 1) {
                throw PortTakenException.ended(
                    "master",
                    "java.net.BindException: Failed to bind to /127.0.0.1:26881: Service 'MasterUI'");
              }
              return starts.get();
            });

    assertThat(second).isEqualTo(2);
  }

  @Test
  void aStartThatFailsForAnotherReasonIsNotRepeated() {
    AtomicInteger starts = new AtomicInteger();

    assertThatThrownBy(
            () ->
                PortTakenException.tryTwice(
                    () -> {
                      starts.incrementAndGet();
                      throw PortTakenException.ended("namenode", "OutOfMemoryError");
                    }))
        .hasMessageContaining("namenode ended at start")
        .hasMessageContaining("OutOfMemoryError");
    assertThat(starts).hasValue(1);
  }
}
