package org.weft.it.differential;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.weft.it.cluster.ClusterSession;
import org.weft.jobs.Weft;

/** The {@code weft} command in this process, Spark in local mode. */
final class WeftCommand {
  static {
    System.setProperty("spark.ui.enabled", "false");
    System.setProperty("spark.driver.host", "127.0.0.1");
    System.setProperty("spark.driver.bindAddress", "127.0.0.1");
    System.setProperty("spark.memory.offHeap.size", "1g");
  }

  private WeftCommand() {}

  /** Runs a command line quietly on two threads and fails unless its exit status is 0. */
  static String run(Object... arguments) {
    Outcome outcome = tryRun(arguments);
    if (outcome.status() != 0) {
      throw new AssertionError(outcome.transcript());
    }
    return outcome.out();
  }

  /** As {@link #run}, without Spark. */
  static String runAlone(Object... arguments) {
    Outcome outcome = outcome(words(arguments));
    if (outcome.status() != 0) {
      throw new AssertionError(outcome.transcript());
    }
    return outcome.out();
  }

  static Outcome tryRun(Object... arguments) {
    ClusterSession.endCommon(); // a process has one Spark at a time
    List<String> words = words(arguments);
    words.addAll(List.of("--master", "local[2]"));
    return outcome(words);
  }

  private static List<String> words(Object... arguments) {
    List<String> words = new ArrayList<>();
    for (Object argument : arguments) {
      words.add(argument.toString());
    }
    return words;
  }

  private static Outcome outcome(List<String> words) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int status =
        Weft.run(
            words.toArray(new String[0]),
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8));
    return new Outcome(
        String.join(" ", words),
        status,
        out.toString(StandardCharsets.UTF_8),
        err.toString(StandardCharsets.UTF_8));
  }

  /** How a command ended. */
  record Outcome(String command, int status, String out, String err) {
    String transcript() {
      return "weft " + command + "\nexit " + status + "\n--- out\n" + out + "\n--- err\n" + err;
    }
  }
}
