package org.weft.jobs.command;

import static org.weft.jobs.output.Usage.usage;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.weft.engine.EngineOptions;
import org.weft.error.WeftException;
import org.weft.jobs.chart.Picture;
import org.weft.jobs.explain.ExplainCommand;
import org.weft.jobs.explain.PlanReport;
import org.weft.jobs.explain.Trial;
import org.weft.jobs.file.OutputPlaces;
import org.weft.jobs.option.CommonOptions;
import org.weft.jobs.output.Console;
import org.weft.jobs.output.LoudLog;
import org.weft.jobs.process.Surroundings;
import org.weft.jobs.run.Session;
import org.weft.storage.TensorFiles;
import org.weft.storage.file.Devices;
import org.weft.storage.file.FileAccess;
import org.weft.storage.file.OutputCommit;
import org.weft.tensor.ValueType;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** What all commands share: the common options, the console, and whether to act or to explain. */
public abstract class WeftCommand implements Callable<Integer> {
  @Mixin protected CommonOptions common = new CommonOptions();
  @Spec protected CommandSpec spec = CommandSpec.create();

  private final OutputPlaces claimed = new OutputPlaces();

  /** Does the work; errors are {@link WeftException}. */
  protected abstract void run(Console console) throws IOException;

  @Override
  public final Integer call() {
    Console console = root().console();
    console.watchSignals();
    console.setVerbosity(common.quiet, common.verbose);
    if (common.quiet && common.verbose) {
      throw usage("expected -q or -v, found both");
    }
    if (common.partitions < 0) {
      throw usage("expected --partitions of at least 0, found %d", common.partitions);
    }
    if (common.threads < 0) {
      throw usage("expected --threads of at least 0, found %d", common.threads);
    }
    common.refuseNonsense();
    ExplainCommand explanation = explain();
    if (explanation != null) {
      explanation.cluster.refuseNonsense();
      requirePlan(explanation);
    }
    if (!runsOnSpark() && spec.commandLine().getParseResult().hasMatchedOption("--master")) {
      Session.requireOneProcess(common, commandName());
    }
    boolean fraction = common.type == ValueType.DOUBLE || common.type == ValueType.FLOAT;
    if (!fraction && !computesIntegers()) {
      throw usage("expected --type double or float, found " + common.type.keyword());
    }
    if (common.verbose) {
      Surroundings.addSpark();
    }
    @Nullable LoudLog log = common.verbose ? new LoudLog() : null;
    try {
      run(console);
    } catch (IOException e) {
      throw FileAccess.unavailable("weft " + commandName(), e);
    } finally {
      if (log != null) {
        log.close();
      }
    }
    console.clearBar();
    return 0;
  }

  /** What {@code weft} itself gives to its commands. */
  protected final CommandRoot root() {
    return (CommandRoot) spec.root().userObject();
  }

  /** Whether {@code --type} may also be {@code int} or {@code long}. */
  protected boolean computesIntegers() {
    return false;
  }

  /** Whether the command runs on Spark where {@code --master} names one. */
  protected boolean runsOnSpark() {
    return false;
  }

  /** The {@code explain} before this command, if there is one. */
  protected final @Nullable ExplainCommand explain() {
    CommandSpec parent = spec.parent();
    return parent != null && parent.userObject() instanceof ExplainCommand explain ? explain : null;
  }

  /** Options about plans are for commands that have one. */
  private void requirePlan(ExplainCommand explain) {
    if ((explain.json || explain.usesEngine()) && !PlanReport.COMMANDS.contains(commandName())) {
      throw usage(
          "explain %s works with %s; leave it out",
          explain.json ? "--json" : explain.analyze ? "--analyze" : "--executors",
          String.join(", ", PlanReport.COMMANDS));
    }
  }

  /** Options of an engine for the cluster that {@code explain} describes, if it does. */
  protected final EngineOptions planned(EngineOptions engine) {
    ExplainCommand explain = explain();
    return explain == null ? engine : explain.cluster.applied(engine);
  }

  /** Whether to say what would be done instead of doing it. */
  protected final boolean planOnly() {
    return common.dryRun || explain() != null;
  }

  /** Whether to run the job for what it takes, and keep nothing of it. */
  protected final boolean isAnalysed() {
    ExplainCommand explain = explain();
    return explain != null && explain.analyze && !common.dryRun;
  }

  /** Refuses, before any work, to analyse what is not there or has no place to write. */
  protected final void checkAnalysis(@Nullable String output) {
    ExplainCommand explain = explain();
    if (explain == null || !isAnalysed()) {
      return;
    }
    if (explain.cluster.isNamed()) {
      throw usage("--analyze runs %s where it is: leave --executors out", commandName());
    }
    Trial.requirePlace(output, Session.namesMaster(common));
  }

  /** The command line without its options: {@code weft mttkrp}. */
  protected final String commandName() {
    return spec.name();
  }

  /**
   * Whether outputs must be such that they can be written: a command that is explained has none.
   */
  protected final boolean needsOutputs() {
    return explain() == null;
  }

  /** Refuses the place of another output of this command, and what {@link OutputPlaces} does. */
  protected final void claim(FileAccess files, String uri) {
    if (!claimed.add(files, uri) && !Devices.isDevice(files, uri)) {
      throw usage("%s: expected another place for each output, found two with this one", uri);
    }
  }

  /**
   * Refuses output files that could not be written or published, before any work; one that nobody
   * asked for is null.
   */
  protected final void checkOutput(FileAccess files, @Nullable String... uris) {
    for (String uri : uris) {
      if (uri != null && needsOutputs()) {
        claim(files, uri);
        OutputCommit.probe(files, uri, common.overwrite, false);
      }
    }
  }

  /** As {@link #checkOutput} for an output folder. */
  protected final void checkFolder(FileAccess files, String uri) {
    if (needsOutputs()) {
      claim(files, uri);
      OutputCommit.probe(files, uri, common.overwrite, true);
    }
  }

  /** As {@link #checkOutput} for a tensor file, whose name also chooses the format. */
  protected final void checkTensorOutput(FileAccess files, String uri) {
    if (needsOutputs()) {
      claim(files, uri);
      TensorFiles.checkOutput(files, uri, common.overwrite);
    } else {
      TensorFiles.requireWritableExtension(uri);
    }
  }

  /** Refuses Matrix Market, which holds matrices, for a result of another order. */
  protected final void requireMatrix(String target, int order) {
    if (order != 2 && TensorFiles.hasExtension(target, ".mtx")) {
      throw usage(
          "%s: the result has order %d, and Matrix Market holds matrices: expected a name that ends"
              + " in .tns, .tns.gz or .wtb",
          target, order);
    }
  }

  /** Writes a text file as one commit, and says so. */
  protected final void write(Console console, FileAccess files, String uri, String text)
      throws IOException {
    write(console, files, uri, text, null, null);
  }

  /**
   * Writes a text and a picture, each if there is a file for it, and says so. The text is published
   * after the picture: if one fails, there is none of them.
   */
  protected final void write(
      Console console,
      FileAccess files,
      @Nullable String report,
      String text,
      @Nullable String plot,
      @Nullable Picture picture)
      throws IOException {
    if (report == null) {
      drawIfAsked(console, files, plot, picture);
      return;
    }
    try (OutputCommit commit = OutputCommit.begin(files, report, common.overwrite)) {
      try (OutputStream out = commit.create()) {
        out.write(text.getBytes(StandardCharsets.UTF_8));
      }
      drawIfAsked(console, files, plot, picture);
      commit.commit();
    }
    console.note("wrote %s", report);
  }

  private void drawIfAsked(
      Console console, FileAccess files, @Nullable String plot, @Nullable Picture picture)
      throws IOException {
    if (plot != null && picture != null) {
      draw(files, plot, picture);
      console.note("wrote %s", plot);
    }
  }

  /** Draws a picture into a file, as one commit. */
  protected final void draw(FileAccess files, String uri, Picture picture) throws IOException {
    try (OutputCommit commit = OutputCommit.begin(files, uri, common.overwrite)) {
      try (OutputStream out = commit.create()) {
        picture.write(uri, out);
      }
      commit.commit();
    }
  }

  protected final String required(@Nullable String value, String option) {
    if (value == null) {
      throw usage("expected %s, found none; see 'weft %s --help'", option, commandName());
    }
    return value;
  }
}
