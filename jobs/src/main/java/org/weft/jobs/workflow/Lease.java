package org.weft.jobs.workflow;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/**
 * The right to write a state, of one process at a time. Each holder makes a file of the next
 * number, where none may be; the highest number counts, so that two who find the same lease expired
 * cannot both take it, and one who was taken for dead notices at its next write. The holder puts
 * off the end of its lease as long as it lives. On the host that asks, the process itself shows
 * whether it lives, whatever clocks say: they may jump, and a process may have been stopped.
 */
final class Lease implements AutoCloseable {
  static final Duration LASTS = Duration.ofSeconds(60);

  /**
   * In the file of a process, counted from 0 after the name of its program; the first is a state.
   */
  private static final int START_FIELD = 19;

  /** The state of a process that has ended and that its parent has not collected. */
  private static final String ENDED = "Z";

  private static final Pattern NAME = Pattern.compile("lease-([0-9]{1,18})\\.json");

  private final StateFolder state;
  private final long number;
  private final String owner = UUID.randomUUID().toString();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final String run;
  private @Nullable Thread renewing;

  /**
   * @param processStart of the process, as ids are used again: in ticks since the host began
   * @param released whether its holder gave it back
   */
  record Held(
      String owner,
      String host,
      long process,
      String processStart,
      String run,
      String expires,
      boolean released) {}

  private Lease(StateFolder state, long number, String run) {
    this.state = state;
    this.number = number;
    this.run = run;
  }

  /**
   * Takes the lease.
   *
   * @param run what for
   * @throws WeftException {@code WORKFLOW_LOCKED} if another process has it
   */
  static Lease take(StateFolder state, String run) {
    long newest = newest(state);
    if (newest > 0) {
      Optional<Held> held = state.read(name(newest), Held.class);
      if (held.isPresent() && isAlive(held.get())) {
        throw locked(state, held.get());
      }
    }
    Lease lease = new Lease(state, newest + 1, run);
    if (!state.create(name(lease.number), lease.held(false))) {
      throw lease.lost();
    }
    lease.check();
    for (String old : state.names("")) {
      Matcher matcher = NAME.matcher(old);
      if (matcher.matches() && Long.parseLong(matcher.group(1)) < lease.number) {
        state.remove(old);
      }
    }
    lease.renew();
    return lease;
  }

  /** Whether a process has the lease of a state. */
  static boolean isHeld(StateFolder state) {
    long newest = newest(state);
    return newest > 0 && state.read(name(newest), Held.class).map(Lease::isAlive).orElse(false);
  }

  private static String name(long number) {
    return "lease-" + number + ".json";
  }

  private static long newest(StateFolder state) {
    List<String> names = state.names("");
    return names.stream()
        .map(NAME::matcher)
        .filter(Matcher::matches)
        .map(m -> Long.valueOf(m.group(1)))
        .max(Comparator.naturalOrder())
        .orElse(0L);
  }

  private Held held(boolean released) {
    ProcessHandle self = ProcessHandle.current();
    return new Held(
        owner,
        host(),
        self.pid(),
        start(self),
        run,
        Instant.now().plus(LASTS).toString(),
        released);
  }

  /**
   * When a process began; empty if it has ended, even if its parent has not collected it. The time
   * of day at which it began would change with the clock.
   */
  private static String start(ProcessHandle process) {
    try {
      String text = Files.readString(Path.of("/proc/" + process.pid() + "/stat"));
      String[] fields = text.substring(text.lastIndexOf(')') + 1).strip().split(" ");
      return fields[0].equals(ENDED) ? "" : fields[START_FIELD];
    } catch (IOException e) {
      return ""; // nobody knows the process any more
    }
  }

  private static String host() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "unknown";
    }
  }

  private static boolean isAlive(Held held) {
    if (held.released()) {
      return false;
    }
    if (!held.host().equals(host())) {
      return Instant.parse(held.expires()).isAfter(Instant.now());
    }
    return ProcessHandle.of(held.process())
        .filter(process -> start(process).equals(held.processStart()))
        .isPresent();
  }

  private static WeftException locked(StateFolder state, Held held) {
    return new WeftException(
        ErrorCode.WORKFLOW_LOCKED,
        String.format(
            Locale.ROOT,
            "%s: expected no other run of the workflow, found run %s in process %d on %s%s; wait for"
                + " its end",
            state.uri(),
            held.run(),
            held.process(),
            held.host(),
            held.host().equals(host()) ? "" : ", whose lease lasts until " + held.expires()));
  }

  private WeftException lost() {
    return new WeftException(
        ErrorCode.WORKFLOW_LOCKED,
        state.uri()
            + ": another process took the lease of the workflow; the state keeps the steps that are"
            + " done, wait until the other process ends");
  }

  /**
   * Before each write of the state.
   *
   * @throws WeftException {@code WORKFLOW_LOCKED} if this process has the lease no longer
   */
  void check() {
    if (newest(state) > number) {
      throw lost();
    }
  }

  private void renew() {
    Thread thread =
        new Thread(
            () -> {
              try {
                while (!closed.await(LASTS.toMillis() / 4, TimeUnit.MILLISECONDS)) {
                  try {
                    check();
                    state.write(name(number), held(false));
                  } catch (WeftException | UncheckedIOException e) {
                    // The next write of the state says so, or the next renewal works.
                    System.getLogger(Lease.class.getName())
                        .log(System.Logger.Level.WARNING, "could not renew the lease", e);
                  }
                }
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            },
            "weft-lease");
    thread.setDaemon(true);
    thread.start();
    renewing = thread;
  }

  /** Gives the lease back. */
  @Override
  public void close() {
    closed.countDown();
    Thread thread = renewing;
    try {
      if (thread != null) {
        thread.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (newest(state) == number) {
      state.write(name(number), held(true));
    }
  }
}
