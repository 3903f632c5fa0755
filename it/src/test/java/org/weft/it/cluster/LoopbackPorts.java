package org.weft.it.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * TCP ports of 127.0.0.1 that belong to one cluster until it closes.
 *
 * <p>A port that is only known to be free can be lost before its server binds it. Ports are
 * therefore below the range from which the kernel serves bindings of port 0 and outgoing
 * connections (32768-60999), and a locked file per port keeps clusters of other processes away.
 */
final class LoopbackPorts implements AutoCloseable {
  static final int FIRST = 20_000;
  static final int LAST = 31_999;

  /** Ports of this process: closing any channel of a locked file would release its lock. */
  private static final Set<Integer> HELD = new HashSet<>();

  private static final int TRIES = 1_000;

  private final SortedMap<Integer, FileChannel> locks = new TreeMap<>();

  private LoopbackPorts() {}

  /** Takes {@code count} different ports that nobody listens on. */
  static LoopbackPorts take(int count) {
    LoopbackPorts taken = new LoopbackPorts();
    for (int tries = 0; taken.locks.size() < count; tries++) {
      if (tries == TRIES) {
        taken.close();
        throw new IllegalStateException(
            "no free port on 127.0.0.1 between %d and %d in %d tries"
                .formatted(FIRST, LAST, TRIES));
      }
      taken.tryPort(ThreadLocalRandom.current().nextInt(FIRST, LAST + 1));
    }
    return taken;
  }

  /** The ports, in ascending order. */
  List<Integer> ports() {
    return List.copyOf(locks.keySet());
  }

  private void tryPort(int port) {
    synchronized (HELD) {
      if (HELD.contains(port)) {
        return;
      }
      Optional<FileChannel> lock = lock(port);
      if (lock.isEmpty()) {
        return;
      }
      if (!isFree(port)) {
        close(lock.get());
        return;
      }
      HELD.add(port);
      locks.put(port, lock.get());
    }
  }

  /** The locked file of a port, or nothing if another process has locked it. */
  static Optional<FileChannel> lock(int port) {
    try {
      Path file = file(port);
      Files.createDirectories(file.getParent());
      FileChannel channel =
          FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      if (channel.tryLock() == null) {
        channel.close();
        return Optional.empty();
      }
      return Optional.of(channel);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot lock port " + port, e);
    }
  }

  /** In a folder of the machine, as ports are, and not of the process. */
  private static Path file(int port) {
    return Path.of("/tmp", "weft-ports-" + System.getProperty("user.name"), port + ".lock");
  }

  static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static void close(FileChannel lock) {
    try {
      lock.close();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot release the lock of a port", e);
    }
  }

  @Override
  public void close() {
    synchronized (HELD) {
      locks.values().forEach(LoopbackPorts::close);
      HELD.removeAll(locks.keySet());
      locks.clear();
    }
  }
}
