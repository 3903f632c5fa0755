package org.weft.it.cluster;

import java.util.function.Supplier;

/** A server ended at its start because another process listens on its port. */
final class PortTakenException extends IllegalStateException {
  private static final long serialVersionUID = 1;

  /** Characters of the log in the message. */
  private static final int SHOWN = 4000;

  PortTakenException(String message) {
    super(message);
  }

  /** The exception for a server that ended at start, by what its log says. */
  static IllegalStateException ended(String server, String log) {
    String end = log.substring(Math.max(0, log.length() - SHOWN));
    String message = server + " ended at start:\n" + end;
    return log.contains("java.net.BindException")
        ? new PortTakenException(message)
        : new IllegalStateException(message);
  }

  /** What {@code start} makes; it runs a second time if a port was taken at the first. */
  static <T> T tryTwice(Supplier<T> start) {
    try {
      return start.get();
    } catch (PortTakenException e) {
      System.err.println("starting once more with other ports: " + e.getMessage());
      return start.get();
    }
  }
}
