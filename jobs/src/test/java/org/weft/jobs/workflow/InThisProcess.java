package org.weft.jobs.workflow;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.weft.jobs.Weft;

/** The real commands in the test's process, which may be one that was killed. */
final class InThisProcess implements StepCommand {
  final List<String> ran = new ArrayList<>();

  @Override
  public int run(List<String> words, Duration timeout, Consumer<String> lines) {
    ran.add(String.join(" ", words));
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(said, true, StandardCharsets.UTF_8);
    int status = Weft.run(words.toArray(new String[0]), out, out);
    if (MortalFileSystem.isDead()) {
      throw new MortalFileSystem.Died();
    }
    said.toString(StandardCharsets.UTF_8).lines().forEach(lines);
    return status;
  }
}
