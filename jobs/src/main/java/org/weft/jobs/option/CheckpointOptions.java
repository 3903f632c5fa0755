package org.weft.jobs.option;

import static org.weft.jobs.output.Usage.usage;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.weft.decomposition.Checkpoints;
import org.weft.decomposition.MethodState;
import org.weft.decomposition.rows.RowSource;
import org.weft.engine.EngineTensor;
import org.weft.jobs.model.CheckpointFolder;
import org.weft.jobs.output.Console;
import org.weft.planner.Forms;
import org.weft.planner.FormsChoice;
import org.weft.planner.JobPlan;
import org.weft.storage.file.FileAccess;
import org.weft.storage.file.OutputCommit;
import picocli.CommandLine.Option;

/** How a decomposition keeps its state, and goes on from it after an interruption. */
public final class CheckpointOptions {
  @Option(
      order = 62,
      names = "--checkpoint",
      paramLabel = "DIR",
      description =
          "Keep the state of the run in this folder. After a failure, --resume goes on from the"
              + " state.")
  @Nullable String checkpoint;

  @Option(
      order = 63,
      names = "--every",
      paramLabel = "T",
      description =
          "How often to keep the state, in iterations or time: 10it, 30s, 5m or 1h (default:"
              + " 10it).")
  @Nullable String every;

  @Option(
      order = 64,
      names = "--resume",
      description =
          "Go on from the state in --checkpoint. Give the arguments of the run that wrote the"
              + " state. Only --iterations, or --polish of arls, may be larger. The result has the"
              + " bits of a run that was not interrupted. Without a state, the run begins anew.")
  boolean resume;

  private CheckpointFolder.Every every() {
    return CheckpointFolder.Every.parse(every == null ? "10it" : every);
  }

  /** Refuses to keep a state in a run of this kind. */
  public void refuse(String run) {
    if (checkpoint != null) {
      throw usage("--checkpoint %s: leave it out of %s", checkpoint, run);
    }
  }

  /**
   * Refuses what cannot work, before the tensor is read.
   *
   * @param runs how many models are made
   * @param writes whether states will be written
   */
  public void check(FileAccess files, int runs, boolean overwrite, boolean writes)
      throws IOException {
    if (checkpoint == null && (resume || every != null)) {
      throw usage(
          "expected --checkpoint DIR with %s, found none",
          resume ? "--resume" : "--every " + every);
    }
    if (checkpoint != null && checkpoint.isBlank()) {
      throw FileAccess.emptyName();
    }
    every();
    for (int run = 0; writes && checkpoint != null && run < runs; run++) {
      boolean isPresent = folder(files, run, Map.of(), Map.of(), Map.of()).isPresent();
      if (!resume && !overwrite && isPresent) {
        throw usage(
            "--checkpoint %s: expected no state of an earlier run, found one; give --resume to go"
                + " on from it, or --overwrite to begin anew",
            checkpoint);
      }
      if (!isPresent) {
        probe(files, folderOf(run), resume || overwrite);
      }
    }
  }

  /** Refuses states in the folder of the model, which appears as a whole at the end. */
  public void requireOutside(FileAccess files, String output, int runs) {
    for (int run = 0; checkpoint != null && !checkpoint.isBlank() && run < runs; run++) {
      String model = files.path(output).toUri().normalize() + "/";
      String states = files.path(folderOf(run)).toUri().normalize() + "/";
      if (states.startsWith(model)) {
        throw usage(
            "--checkpoint %s: expected a folder outside of --output %s, which appears as a whole at"
                + " the end; name another folder",
            checkpoint, output);
      }
    }
  }

  /** A run that was killed before it named its first state may have left the folder with it. */
  private static void probe(FileAccess files, String folder, boolean begun) {
    if (begun) {
      OutputCommit.probe(files, CheckpointFolder.pointer(folder), true, false);
    } else {
      OutputCommit.probe(files, folder, false, true);
    }
  }

  private CheckpointFolder folder(
      FileAccess files,
      int run,
      Map<String, String> arguments,
      Map<String, String> defaults,
      Map<String, Integer> limits) {
    return new CheckpointFolder(files, folderOf(run), every(), arguments, defaults, limits);
  }

  private String folderOf(int run) {
    return checkpoint + "/start" + run;
  }

  /**
   * What the runs of a command have in common.
   *
   * @param arguments of which the bits of a model are a function, beside tensor and seed
   * @param defaults what they were in runs of versions that did not have them
   */
  public record Runs(
      CheckpointOptions options,
      FileAccess files,
      Map<String, String> arguments,
      Map<String, String> defaults,
      Console console) {
    /**
     * The checkpoints of a run.
     *
     * @param run counts from 0
     * @param plan of the run's job; only asked for if states are kept
     * @param limits arguments that say how far the run goes
     */
    public Checkpoints of(
        int run,
        long seed,
        EngineTensor tensor,
        Supplier<JobPlan> plan,
        Map<String, Integer> limits) {
      return of(run, seed, tensor, plan, limits, Optional::empty);
    }

    /**
     * The same for a run that begins with a state where it has not been interrupted.
     *
     * @param start is only asked for if there is no later one
     */
    public Checkpoints of(
        int run,
        long seed,
        EngineTensor tensor,
        Supplier<JobPlan> plan,
        Map<String, Integer> limits,
        Supplier<Optional<MethodState<RowSource>>> start) {
      if (options.checkpoint == null) {
        return Checkpoints.from(start.get());
      }
      Map<String, String> all = new LinkedHashMap<>(arguments);
      all.put("seed", Long.toString(seed));
      all.put("a tensor of shape", tensor.statistics().shape().toString());
      all.put("entries", Long.toString(tensor.statistics().entries()));
      JobPlan planned = plan.get();
      all.put("--csf", forms(planned));
      all.put("--dimension-tree", planned.groups().toString());
      Map<String, String> earlier = new LinkedHashMap<>(defaults);
      earlier.put("--dimension-tree", List.of().toString());
      CheckpointFolder folder = options.folder(files, run, all, earlier, limits);
      try {
        if (!options.resume || !folder.resume()) {
          folder.begin(start.get());
        } else {
          console.report("resume after iteration %d", folder.sweeps());
        }
      } catch (IOException e) {
        throw FileAccess.unavailable(options.folderOf(run), e);
      }
      return folder;
    }
  }

  /** The packed forms, which the number of iterations may decide and the bits depend on. */
  private static String forms(JobPlan plan) {
    FormsChoice choice = plan.forms();
    if (choice == null) {
      return Forms.ALL.name().toLowerCase(Locale.ROOT);
    }
    String root = choice.chosen() == Forms.ONE ? ", rooted at mode " + choice.root() : "";
    return choice.chosen().name().toLowerCase(Locale.ROOT) + root;
  }
}
