package org.weft.jobs.workflow;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.hadoop.fs.Path;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.jobs.report.RunFigures;
import org.weft.storage.file.FileAccess;
import org.weft.text.Counts;
import org.weft.text.TextTable;

/** One workflow and its state: what the commands {@code weft workflow ...} do. */
public final class Workflows {
  /** Actions on a workflow that need it for themselves. */
  private static final Set<String> CHANGES = Set.of("run", "resume", "gc");

  private final FileAccess files;
  private final String file;
  private final String state;
  private final Function<List<String>, Optional<String>> check;

  /**
   * @param file the workflow's file
   * @param state the folder of its state; null for one beside the file, named after it
   * @param check what is wrong with the words of a command, if anything
   */
  public Workflows(
      FileAccess files,
      String file,
      @org.jspecify.annotations.Nullable String state,
      Function<List<String>, Optional<String>> check) {
    this.files = files;
    this.file = file;
    this.state = state == null ? file.replaceFirst("\\.ya?ml$", "") + ".state" : state;
    this.check = words -> endless(words).or(() -> check.apply(words));
  }

  /** What is wrong with a command that would not end, or wait for this workflow's own end. */
  private Optional<String> endless(List<String> words) {
    String command = words.get(0);
    if (command.equals("resident")) {
      return Optional.of("expected a command that ends by itself, found 'resident'");
    }
    if (command.equals("workflow")
        && words.stream().anyMatch(CHANGES::contains)
        && words.stream().anyMatch(this::isThisFile)) {
      return Optional.of(
          "expected a step that does not run its own workflow, found '"
              + String.join(" ", words)
              + "'");
    }
    return Optional.empty();
  }

  private boolean isThisFile(String word) {
    String name = file.substring(file.lastIndexOf('/') + 1);
    return word.endsWith(name) && place(word).equals(place(file));
  }

  private URI place(String uri) {
    return files.path(uri).toUri().normalize();
  }

  private StateFolder folder() {
    return new StateFolder(files, state);
  }

  private WorkflowFile read(Map<String, String> parameters) {
    Path path = files.path(file);
    try (InputStream in = files.fileSystem(path).open(path)) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return WorkflowReader.read(file, text, parameters, check);
    } catch (FileNotFoundException e) {
      throw new WeftException(
          ErrorCode.INPUT_NOT_FOUND,
          file + ": expected a workflow file, found nothing; check the path",
          e);
    } catch (IOException e) {
      throw FileAccess.unavailable(file, e);
    }
  }

  /**
   * Runs the workflow.
   *
   * @return the run's name
   */
  public String run(
      Map<String, String> parameters,
      Consumer<String> people,
      Optional<String> metrics,
      String version)
      throws IOException {
    return runner(people, metrics, version).start(file, read(parameters));
  }

  /**
   * Goes on with a run.
   *
   * @param run its name; empty for the latest
   * @return the run's name
   */
  public String resume(
      String run, Consumer<String> people, Optional<String> metrics, String version)
      throws IOException {
    return runner(people, metrics, version)
        .resume(run, (text, parameters) -> WorkflowReader.read(file, text, parameters, check));
  }

  private WorkflowRun runner(Consumer<String> people, Optional<String> metrics, String version) {
    return new WorkflowRun(folder(), new StepProcess(), people, metrics, version);
  }

  /** Whether a folder is the state of a workflow. */
  public static boolean isState(FileAccess files, String folder) {
    Path path = files.path(folder);
    try { // not all file systems can be asked for what is below a file, such as a pointer
      return files.fileSystem(path).getFileStatus(path).isDirectory()
          && !new StateFolder(files, folder).names(StateNames.RUNS).isEmpty();
    } catch (FileNotFoundException e) {
      return false;
    } catch (IOException e) {
      throw FileAccess.unavailable(folder, e);
    }
  }

  /** A run for a page. */
  public RunFigures figures(String run) {
    StateFolder folder = folder();
    Records.Run found = WorkflowRun.find(folder, run);
    return new RunHistory(folder).figures(found, said(folder, found), log(found.id()));
  }

  private static String said(StateFolder folder, Records.Run run) {
    String how =
        run.status() != null
            ? "ended " + RunHistory.seconds(run.ended()) + " with status " + run.status()
            : Lease.isHeld(folder) ? "is running" : "was interrupted; weft workflow resume goes on";
    return "run " + run.id() + " of " + run.workflow() + " " + how;
  }

  /** Lines about a run: where each of its steps is. */
  public List<String> status(String run) {
    StateFolder folder = folder();
    Records.Run found = WorkflowRun.find(folder, run);
    List<String> lines = new ArrayList<>();
    lines.add(said(folder, found));
    lines.add("parameters " + found.parameters());
    TextTable steps = new TextTable("<<>><");
    for (Records.StepRun step : WorkflowRun.steps(folder, found).values()) {
      steps.row(
          step.state().name().toLowerCase(Locale.ROOT),
          step.id(),
          Counts.plain(step.attempts(), "attempt"),
          String.format(Locale.ROOT, "%.1f s", step.seconds()),
          step.reason());
    }
    lines.addAll(steps.lines());
    return lines;
  }

  /** The log of a run for people. */
  public List<String> log(String run) {
    StateFolder folder = folder();
    Records.Run found = WorkflowRun.find(folder, run);
    List<String> lines = new ArrayList<>();
    for (String name : folder.names(StateNames.RUNS + "/" + found.id())) {
      if (name.endsWith(".jsonl")) {
        Path path = files.path(folder.at(StateNames.RUNS + "/" + found.id() + "/" + name));
        try (InputStream in = files.fileSystem(path).open(path)) {
          new String(in.readAllBytes(), StandardCharsets.UTF_8)
              .lines()
              .forEach(line -> lines.add(Events.text(line)));
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    }
    return lines;
  }

  /** What a run would do, and why. */
  public List<String> explain(Map<String, String> parameters) {
    return new WorkflowExplanation(folder(), read(parameters)).lines();
  }

  /** Steps as a graph in the language of Graphviz. */
  public String graph(Map<String, String> parameters) {
    return Graph.dot(read(parameters));
  }

  /**
   * Removes old runs and records of no use.
   *
   * @param keep runs that stay
   * @return what was removed, or would be
   */
  public List<String> gc(int keep, boolean pretend) {
    StateFolder folder = folder();
    try (Lease lease = Lease.take(folder, "gc")) {
      lease.check();
      return new Garbage(folder).collect(keep, pretend);
    }
  }
}
