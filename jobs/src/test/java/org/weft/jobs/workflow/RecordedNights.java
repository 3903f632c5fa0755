package org.weft.jobs.workflow;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.weft.error.WeftException;
import org.weft.storage.file.FileAccess;

/** The state of a workflow that ran twice; a step of the second run fails. */
public final class RecordedNights {
  private static final String TEXT =
      """
      name: nightly
      parameters: {dir: , day: , failures: "0"}
      steps:
        - id: day
          run: join ${dir}/a-long-name-of-a-file-of-one-day-${day} ${dir}/in
          in: ${dir}/in
          out: ${dir}/a-long-name-of-a-file-of-one-day-${day}
        - {id: model, run: "fail 1 ${failures} '<b>' ${day}", retries: 1, backoff: 1ms}
        - id: page
          run: note ${dir}/page-${day} text
          needs: model
          out: ${dir}/page-${day}
      """;

  private RecordedNights() {}

  /** Writes the state, and returns its folder. */
  public static String in(Path dir) throws IOException {
    Files.writeString(dir.resolve("in"), "x");
    FileAccess files = FileAccess.plain();
    String folder = dir.resolve("nights").toString();
    StateFolder state = new StateFolder(files, folder);
    for (int night = 0; night < 2; night++) {
      Map<String, String> parameters =
          Map.of("dir", dir.toString(), "day", "d" + night, "failures", "" + 9 * night);
      WorkflowFile file = WorkflowReader.read("nightly.yaml", TEXT, parameters, Fakes::anyCommand);
      WorkflowRun run = new WorkflowRun(state, new Fakes(files), line -> {}, Optional.empty(), "1");
      try {
        run.start("nightly.yaml", file);
      } catch (WeftException e) {
        if (night == 0) {
          throw e;
        }
      }
    }
    return folder;
  }
}
