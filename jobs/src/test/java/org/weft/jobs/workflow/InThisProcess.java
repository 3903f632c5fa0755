package org.weft.jobs.workflow;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.weft.jobs.Weft;
import org.weft.storage.file.AbandonedOutputs;

/** The real commands in the test's process, which may be one that was killed. */
final class InThisProcess implements StepCommand {
  private static final Pattern ITERATION = Pattern.compile("iteration +([0-9]+) ");
  private static final Pattern RESUMED = Pattern.compile("resume after iteration ([0-9]+)");

  final List<String> ran = new ArrayList<>();

  /** The most iterations that a decomposition which was killed had to do again. */
  int mostLost;

  private int reached;

  @Override
  public int run(List<String> words, String owner, Duration timeout, Consumer<String> lines) {
    ran.add(String.join(" ", words));
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(said, true, StandardCharsets.UTF_8);
    System.setProperty(AbandonedOutputs.OWNER, owner);
    int status;
    try {
      status = Weft.run(words.toArray(new String[0]), out, out);
    } finally {
      System.clearProperty(AbandonedOutputs.OWNER);
    }
    if (words.get(0).equals("cpd")) {
      count(said.toString(StandardCharsets.UTF_8), status);
    }
    if (MortalFileSystem.isDead()) {
      throw new MortalFileSystem.Died();
    }
    said.toString(StandardCharsets.UTF_8).lines().forEach(lines);
    return status;
  }

  private void count(String said, int status) {
    int from = latest(RESUMED, said);
    int to = latest(ITERATION, said);
    if (from + to == 0) {
      return; // killed before it had read the checkpoint: what it would resume from is not known
    }
    mostLost = Math.max(mostLost, reached - from);
    boolean finished = status == 0 && !MortalFileSystem.isDead();
    reached = finished ? 0 : Math.max(reached, Math.max(from, to));
  }

  private static int latest(Pattern pattern, String text) {
    return pattern
        .matcher(text)
        .results()
        .mapToInt(found -> Integer.parseInt(found.group(1)))
        .max()
        .orElse(0);
  }
}
