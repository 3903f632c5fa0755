package org.weft.it.nightly;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How far a night has come, from what its starts say one after the other. No start does again what
 * is done: a step that ended well does not run again, and a decomposition goes on from the last
 * checkpoint, of which there is one after each iteration.
 */
final class NightProgress {
  private static final Pattern LINE =
      Pattern.compile(
          "\\[(?<done>[a-z]+)\\] done \\([0-9.]+ s\\)"
              + "|\\[(?<runs>[a-z]+)\\] runs weft .*"
              + "|\\[model\\] resume after iteration (?<from>[0-9]+)"
              + "|\\[model\\] iteration +(?<at>[0-9]+) .*");

  private final Set<String> done = new HashSet<>();
  private int reached;
  private int resumes;

  /** Takes what a start of the night said. */
  void add(String output) {
    output.lines().map(LINE::matcher).filter(Matcher::matches).forEach(line -> add(line, output));
  }

  private void add(Matcher line, String output) {
    if (line.group("done") != null) {
      done.add(line.group("done"));
    } else if (line.group("runs") != null) {
      assertThat(done).as("steps done before\n%s", output).doesNotContain(line.group("runs"));
    } else if (line.group("from") != null) {
      resumes++;
      requireNear(Integer.parseInt(line.group("from")) + 1, output);
    } else {
      int iteration = Integer.parseInt(line.group("at"));
      requireNear(iteration, output);
      reached = Math.max(reached, iteration);
    }
  }

  /** An iteration may be told and its checkpoint not be written: one is done again at most. */
  private void requireNear(int iteration, String output) {
    assertThat(iteration)
        .as("an iteration after iteration %d\n%s", reached, output)
        .isGreaterThanOrEqualTo(reached);
  }

  /** Decompositions that went on from a checkpoint. */
  int resumes() {
    return resumes;
  }
}
