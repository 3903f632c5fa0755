package org.weft.jobs.decompose;

import static org.weft.jobs.output.Usage.usage;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.engine.EngineTensor;
import org.weft.engine.JobReport;
import org.weft.engine.model.RunSummary;
import org.weft.jobs.command.SparkCommand;
import org.weft.jobs.explain.Analysis;
import org.weft.jobs.explain.PlanReport;
import org.weft.jobs.explain.Trial;
import org.weft.jobs.file.InputNames;
import org.weft.jobs.option.CheckpointOptions;
import org.weft.jobs.option.CommonOptions;
import org.weft.jobs.option.LabelOptions;
import org.weft.jobs.option.OptionDefaults;
import org.weft.jobs.output.Caution;
import org.weft.jobs.output.Console;
import org.weft.jobs.output.GivenLine;
import org.weft.jobs.output.RunReport;
import org.weft.jobs.process.SoftwareVersions;
import org.weft.jobs.run.Session;
import org.weft.planner.JobPlan;
import org.weft.planner.job.Job;
import org.weft.statistics.TensorStatistics;
import org.weft.storage.InputPlan;
import org.weft.storage.Labels;
import org.weft.storage.TensorFiles;
import org.weft.storage.file.FileAccess;
import org.weft.storage.model.ModelOutput;
import org.weft.storage.model.ModelSummary;
import org.weft.tensor.TensorShape;
import org.weft.text.Counts;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A command that makes a model of one tensor, and writes its folder. */
public abstract class ModelCommand extends SparkCommand {
  /** How help describes the folder of a model. */
  static final String FOLDER =
      "The folder of a model that weft cpd, tucker, complete, cpapr or gcp wrote, or a"
          + " pointer to it.";

  @Parameters(index = "0", paramLabel = "IN", description = InputNames.INPUT)
  String input = "";

  @Option(
      names = "--iterations",
      paramLabel = "N",
      description = "Stop after this many iterations (default: ${DEFAULT-VALUE}).")
  int iterations;

  @Option(
      names = "--seed",
      paramLabel = "S",
      description = "The seed of all random numbers (default: ${DEFAULT-VALUE}).")
  long seed;

  @Mixin LabelOptions labelFiles = new LabelOptions();

  @Mixin InputNames names = new InputNames();

  @Option(
      names = "--output",
      paramLabel = "DIR",
      description = "The folder of the model to write. 'weft explain' and --dry-run need none.")
  @Nullable String output;

  @Mixin CheckpointOptions checkpoints = new CheckpointOptions();

  private Map<Integer, Labels> labels = Map.of();

  /**
   * A model, whose factors are in the folder, and what a summary says of it.
   *
   * @param statistics of the tensor, or of the part of it that the model is made of
   * @param coupling weights of the columns' products, or a core
   * @param method its name and options
   * @param more about the model
   * @param line for the user, without the folder
   */
  @SuppressWarnings("ArrayRecordComponent")
  record Made(
      TensorStatistics statistics,
      ModelOutput.Coupling coupling,
      double norm,
      List<Double> fits,
      List<Double> seconds,
      boolean converged,
      Map<String, Object> method,
      Map<String, Object> more,
      JobReport report,
      String line) {}

  /** Checks options before entries are read. */
  abstract void check(FileAccess files, InputPlan plan, List<String> modeNames) throws IOException;

  /** Columns of all factors; 0 if modes have their own number. */
  abstract int rank();

  /** How many models are made, of which the best is kept. */
  int runs() {
    return 1;
  }

  /** The job that a plan is shown of; checks that the method applies to a tensor of the shape. */
  abstract Job job(TensorShape shape);

  /** A job that takes no less time than a model. */
  Job mostWork(TensorShape shape) {
    return job(shape);
  }

  /** Makes the model; its factors go into the folder. */
  abstract Made make(
      Session session, EngineTensor tensor, ModelOutput.Staged folder, Console console)
      throws IOException;

  /** What is read beside the tensor. */
  List<String> moreInputs() {
    return List.of();
  }

  /** Options of the engine. */
  EngineOptions engine(EngineOptions options) {
    return planned(options);
  }

  /** The tensor as it is decomposed. */
  EngineTensor prepared(Session session, EngineTensor file, Console console) throws IOException {
    return file;
  }

  /** Whether a sample of the entries is decomposed first. */
  boolean isSampled(EngineTensor tensor) {
    return false;
  }

  /** The plans of what the command would do, one after the other, by what each is of. */
  Map<String, JobPlan> plans(Engine engine, EngineTensor tensor) {
    return Map.of("", engine.plan(tensor, job(tensor.statistics().shape())));
  }

  /** Labels of the tensor's modes, in the order of its file. */
  final Map<Integer, Labels> labels() {
    return labels;
  }

  /** Labels of the results. */
  Map<Integer, Labels> resultLabels(EngineTensor tensor, Map<Integer, Labels> known) {
    return known;
  }

  /** Does what comes after the folder is there. */
  void finished(Session session, Published model, Console console) throws IOException {}

  /** A model whose folder is there. */
  record Published(
      ModelOutput folder, EngineTensor tensor, Made made, Map<Integer, Labels> labels) {}

  @Override
  protected final void run(Console console) throws IOException {
    FileAccess files = CommonOptions.files();
    checkAnalysis(output);
    String target = planOnly() && output == null ? null : required(output, "--output DIR");
    if (target != null && needsOutputs()) {
      claim(files, target);
      checkpoints.requireOutside(files, target, runs());
      ModelOutput.check(files, target, common.overwrite);
    }
    InputPlan plan = TensorFiles.open(files, input, common.readOptions());
    List<String> modeNames = names.of(files, input, plan.header().order());
    labels = labelFiles.of(files, input, plan.header().order(), modeNames);
    check(files, plan, modeNames);
    checkpoints.check(files, runs(), common.overwrite, needsOutputs());
    if (isAnalysed()) {
      checkpoints.refuse("explain --analyze, which keeps nothing");
      requireOneRun(runs() == 1);
    }
    String application = "weft " + commandName() + " " + input;
    try (Session session = Session.open(common, application, console, this::engine)) {
      EngineTensor tensor = prepared(session, session.read(input), console);
      TensorShape shape = tensor.statistics().shape();
      Job job = job(shape);
      checkLabels(shape);
      if (isAnalysed()) {
        analyse(session, tensor, console);
        return;
      }
      if (target == null || planOnly()) {
        PlanReport.print(console, session.engine(), plans(session.engine(), tensor), explain());
        return;
      }
      Caution.sayRank(console, shape, rank());
      Caution.sayHours(
          console,
          session.engine(),
          tensor,
          mostWork(shape),
          runs(),
          () -> plans(session.engine(), tensor).values());
      publish(
          session, tensor, new ModelOutput(files, target, common.overwrite), modeNames, console);
    }
  }

  private void analyse(Session session, EngineTensor tensor, Console console) throws IOException {
    requireOneRun(!isSampled(tensor));
    console.setVerbosity(true, common.verbose);
    FileAccess files = CommonOptions.files();
    try (Trial trial = Trial.begin(files, output);
        ModelOutput.Staged folder = new ModelOutput(files, trial.uri("model"), true).begin()) {
      Made made = make(session, tensor, folder, console);
      Map<String, JobPlan> plans = plans(session.engine(), tensor); // compiled by now
      JobPlan plan = plans.values().iterator().next();
      Analysis analysis = new Analysis(plan, made.report(), made.fits().size());
      PlanReport.print(console, session.engine(), analysis, explain());
    }
  }

  private static void requireOneRun(boolean one) {
    if (!one) {
      throw usage(
          "--analyze measures one run over all entries: give --starts 1, one value of --ridge and no"
              + " --method arls");
    }
  }

  private void publish(
      Session session,
      EngineTensor tensor,
      ModelOutput target,
      List<String> modeNames,
      Console console)
      throws IOException {
    long start = System.nanoTime();
    Map<Integer, Labels> own = resultLabels(tensor, labels);
    Made made;
    try (ModelOutput.Staged folder = target.begin()) {
      made = make(session, tensor, folder, console);
      double seconds = (System.nanoTime() - start + tensor.readNanos()) * 1e-9;
      folder.finish(made.coupling(), own, summary(made, modeNames, seconds));
    }
    console.result("%s; wrote %s", made.line(), target.uri());
    finished(session, new Published(target, tensor, made, own), console);
    RunReport.print(console, made.report());
  }

  /**
   * What is kept of the runs of this command.
   *
   * @param own options of which the bits of a model are a function, beside those of all commands
   */
  final CheckpointOptions.Runs kept(Console console, Map<String, String> own) {
    Map<String, String> arguments = new LinkedHashMap<>(own);
    arguments.put("input", input);
    arguments.put("--type", common.type.keyword());
    arguments.put("--threads", Integer.toString(common.threads));
    arguments.put("--partitions", Integer.toString(common.partitions));
    arguments.put("--reproducible", Boolean.toString(common.reproducible));
    arguments.put("Spark", Boolean.toString(Session.namesMaster(common)));
    return new CheckpointOptions.Runs(
        checkpoints, CommonOptions.files(), arguments, defaults(arguments), console);
  }

  /** What options of this command are where they are not given. */
  private Map<String, String> defaults(Map<String, String> arguments) {
    Map<String, String> found = new LinkedHashMap<>();
    for (Map.Entry<String, String> argument : arguments.entrySet()) {
      CommandLine.Model.OptionSpec option = spec.findOption(argument.getKey());
      if (option == null) {
        continue;
      }
      boolean given = spec.commandLine().getParseResult().hasMatchedOption(option);
      found.put(
          argument.getKey(),
          given || OptionDefaults.setting(option) != null
              ? text(option.initialValue())
              : argument.getValue());
    }
    return found;
  }

  /** Options of this command by their names, as they were given or by default. */
  final Map<String, String> options(String... optionNames) {
    Map<String, String> found = new LinkedHashMap<>();
    for (String option : optionNames) {
      found.put(option, text(spec.findOption(option).getValue()));
    }
    return found;
  }

  private static String text(@Nullable Object value) {
    return value instanceof double[] numbers ? Arrays.toString(numbers) : "" + value;
  }

  /** Checks that there are labels for a model of this shape. */
  final void checkLabels(TensorShape shape) {
    labelFiles.check(labels, shape);
  }

  private ModelSummary summary(Made made, List<String> modeNames, double seconds) {
    List<String> inputs = new ArrayList<>(List.of(input));
    inputs.addAll(moreInputs());
    return RunSummary.of(
        new RunSummary.About(
            inputs,
            modeNames,
            GivenLine.of(spec.commandLine().getParseResult().originalArgs()),
            made.statistics(),
            common.type,
            seed,
            seconds,
            SoftwareVersions.all()),
        made.method(),
        made.norm(),
        made.fits(),
        made.seconds(),
        made.converged(),
        made.more(),
        made.report());
  }

  /** What a result says of the fit. */
  static String line(List<Double> fits, boolean converged) {
    return String.format(
        Locale.ROOT,
        "fit %.6f after %s",
        fits.isEmpty() ? 0 : fits.get(fits.size() - 1),
        iterations(fits.size(), converged));
  }

  static String iterations(int count, boolean converged) {
    return Counts.plain(count, "iteration") + (converged ? "" : " (not converged)");
  }
}
