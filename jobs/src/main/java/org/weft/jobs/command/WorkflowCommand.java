package org.weft.jobs.command;

import static org.weft.jobs.output.Usage.usage;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.weft.jobs.option.CommonOptions;
import org.weft.jobs.output.Console;
import org.weft.jobs.process.SoftwareVersions;
import org.weft.jobs.workflow.Workflows;
import org.weft.text.Counts;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code weft workflow ...}: steps that are weft commands, run in order, each once. */
@Command(
    name = "workflow",
    description = {
      "Run the weft commands of a YAML file in order, and go on after a failure.",
      "For the same inputs, each command runs once. The state of the workflow is a folder"
          + " on any file system."
    },
    synopsisSubcommandLabel = "COMMAND",
    footer = {
      "",
      "Exit status: 0 done, 1 a step failed and a retry may help, 2 the file, a command or"
          + " an input is wrong, 3 another process runs the workflow, 4 an input changed during"
          + " the run, 5 a step took too long.",
      "Example: weft workflow run nightly.yaml --set date=2026-11-20"
    })
public final class WorkflowCommand implements Runnable {
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help and exit.")
  private boolean help;

  @CommandLine.Spec
  private CommandLine.Model.CommandSpec spec = CommandLine.Model.CommandSpec.create();

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "expected a command after workflow, found none");
  }

  /** With its subcommands. */
  public static CommandLine line() {
    CommandLine line = new CommandLine(new WorkflowCommand());
    List.of(new Start(), new Resume(), new Status(), new Explain(), new Draw(), new Gc())
        .forEach(line::addSubcommand);
    return line;
  }

  /** What all have: the file and its state. */
  abstract static class Action extends WeftCommand {
    @Parameters(index = "0", paramLabel = "FILE", description = "The YAML file of the workflow.")
    String file = "";

    @Option(
        names = "--state",
        paramLabel = "DIR",
        description = "The folder of the state (default: FILE with .state instead of .yaml).")
    @Nullable String state;

    final Workflows workflows() {
      return new Workflows(CommonOptions.files(), file, state, root()::misuse);
    }
  }

  /** An action that reads the file with parameters. */
  abstract static class WithParameters extends Action {
    @Option(
        names = "--set",
        paramLabel = "NAME=VALUE",
        description = "The value of a parameter of the file. Repeatable.")
    Map<String, String> parameters = new LinkedHashMap<>();
  }

  /** {@code weft workflow run}. */
  @Command(
      name = "run",
      sortOptions = false,
      description = {
        "Run a workflow.",
        "If any run did a step before, by the same command from the same inputs, the step is"
            + " not done again."
      },
      footer = {"", "Example: weft workflow run nightly.yaml --set date=2026-11-20"})
  static final class Start extends WithParameters {
    @Option(
        names = "--metrics",
        paramLabel = "FILE",
        description =
            "At the end of the run, write its metrics to this file, in Prometheus's text format.")
    @Nullable String metrics;

    @Override
    protected void run(Console console) throws IOException {
      if (planOnly()) {
        workflows().explain(parameters).forEach(line -> console.result("%s", line));
        return;
      }
      String run =
          workflows()
              .run(
                  parameters,
                  line -> console.report("%s", line),
                  Optional.ofNullable(metrics),
                  SoftwareVersions.program());
      console.result("done: run %s", run);
    }
  }

  /** {@code weft workflow resume}. */
  @Command(
      name = "resume",
      sortOptions = false,
      description = {
        "Go on with a run that failed or was interrupted.",
        "The run keeps its parameters and the text of the file at its start. Steps that are"
            + " done are kept, and all other steps run. If an input that no step makes has changed"
            + " since the run began, nothing runs. Then start a new run."
      },
      footer = {"", "Example: weft workflow resume nightly.yaml"})
  static final class Resume extends Action {
    @Option(
        names = "--run",
        paramLabel = "RUN",
        description = "The name of the run (default: the latest run).")
    String run = "";

    @Option(
        names = "--metrics",
        paramLabel = "FILE",
        description =
            "At the end of the run, write its metrics to this file, in Prometheus's text format.")
    @Nullable String metrics;

    @Override
    protected void run(Console console) throws IOException {
      String resumed =
          workflows()
              .resume(
                  run,
                  line -> console.report("%s", line),
                  Optional.ofNullable(metrics),
                  SoftwareVersions.program());
      console.result("done: run %s", resumed);
    }
  }

  /** {@code weft workflow status}. */
  @Command(
      name = "status",
      sortOptions = false,
      description = "Show which steps of a run are done, at work, failed or still to come.",
      footer = {"", "Example: weft workflow status nightly.yaml --log"})
  static final class Status extends Action {
    @Option(
        names = "--run",
        paramLabel = "RUN",
        description = "The name of the run (default: the latest run).")
    String run = "";

    @Option(names = "--log", description = "Also show the log of the run, line by line.")
    boolean log;

    @Override
    protected void run(Console console) {
      workflows().status(run).forEach(line -> console.result("%s", line));
      if (log) {
        workflows().log(run).forEach(line -> console.result("%s", line));
      }
    }
  }

  /** {@code weft workflow explain}. */
  @Command(
      name = "explain",
      sortOptions = false,
      description = {
        "Show for each step whether the step would run, and why.",
        "The reason says what differs from the last time the step was done."
      },
      footer = {"", "Example: weft workflow explain nightly.yaml --set date=2026-11-20"})
  static final class Explain extends WithParameters {
    @Override
    protected void run(Console console) {
      workflows().explain(parameters).forEach(line -> console.result("%s", line));
    }
  }

  /** {@code weft workflow graph}. */
  @Command(
      name = "graph",
      sortOptions = false,
      description = "Print the steps as a graph in the language of Graphviz.",
      footer = {
        "",
        "Example: weft workflow graph nightly.yaml --set date=x | dot -Tsvg > graph.svg"
      })
  static final class Draw extends WithParameters {
    @Override
    protected void run(Console console) {
      console.text(workflows().graph(parameters));
    }
  }

  /** {@code weft workflow gc}. */
  @Command(
      name = "gc",
      sortOptions = false,
      description = {
        "Remove old runs from the state of a workflow.",
        "Records whose outputs are gone or replaced are removed, too. Outputs stay."
      },
      footer = {"", "Example: weft workflow gc nightly.yaml --keep 30"})
  static final class Gc extends Action {
    @Option(
        names = "--keep",
        paramLabel = "N",
        description = "Keep the N latest runs (default: ${DEFAULT-VALUE}).")
    int keep = 10;

    @Override
    protected void run(Console console) {
      if (keep < 1) {
        throw usage("expected --keep of at least 1, found %d", keep);
      }
      List<String> removed = workflows().gc(keep, planOnly());
      removed.forEach(name -> console.result("%s", name));
      long runs = removed.stream().filter(name -> name.startsWith("runs/")).count();
      console.result(
          "%s %s and %s",
          planOnly() ? "would remove" : "removed",
          Counts.plain(runs, "run"),
          Counts.plain(removed.size() - runs, "record"));
    }
  }
}
