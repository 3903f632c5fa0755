package org.weft.jobs.command;

import static org.weft.jobs.output.Usage.usage;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;
import org.apache.hadoop.fs.Path;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.Schedule;
import org.weft.decomposition.rows.RowSource;
import org.weft.engine.EngineTensor;
import org.weft.engine.JobReport;
import org.weft.engine.OutputTarget;
import org.weft.jobs.explain.Analysis;
import org.weft.jobs.explain.PlanReport;
import org.weft.jobs.explain.Trial;
import org.weft.jobs.file.InputNames;
import org.weft.jobs.file.KeptModes;
import org.weft.jobs.option.CommonOptions;
import org.weft.jobs.option.NamedMode;
import org.weft.jobs.option.ReorderOptions;
import org.weft.jobs.output.Caution;
import org.weft.jobs.output.Console;
import org.weft.jobs.output.RunReport;
import org.weft.jobs.run.Session;
import org.weft.planner.JobPlan;
import org.weft.planner.job.Job;
import org.weft.storage.InputPlan;
import org.weft.storage.Labels;
import org.weft.storage.ModeNames;
import org.weft.storage.TensorFiles;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.TensorShape;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Commands that multiply one tensor along one mode into one output: mttkrp, ttm, ttv. */
abstract class TensorJobCommand extends SparkCommand {
  @Parameters(index = "0", paramLabel = "IN", description = InputNames.INPUT)
  String input = "";

  @Option(
      names = "--mode",
      required = true,
      paramLabel = "N",
      description = "The mode of the tensor: its number from 0, or its name.")
  String modeText = "";

  /** The number of the mode, once the names of the modes are known. */
  int mode;

  @Option(
      names = "--seed",
      paramLabel = "S",
      description = "The seed of the random operands (default: ${DEFAULT-VALUE}).")
  long seed;

  @Mixin InputNames names = new InputNames();

  @Mixin ReorderOptions order = new ReorderOptions();

  @Option(
      names = "--schedule",
      paramLabel = "TEXT",
      description =
          "The schedule of the kernel's loops, such as 'parallel(i) unroll(k,4)' (default: Weft"
              + " chooses). 'weft explain' shows the labels.")
  @Nullable String schedule;

  @Option(
      names = "--output",
      paramLabel = "OUT",
      description = "The file of the result. 'weft explain' needs none.")
  @Nullable String output;

  /**
   * A job whose factors are at hand.
   *
   * @param factors by mode
   */
  record BoundJob(Job job, IntFunction<RowSource> factors) {}

  /** Checks options and opens the operands that are files; the shape is known later. */
  abstract void prepare(FileAccess files, int order);

  abstract BoundJob bind(TensorShape shape);

  /** The tensor's mode for each mode of the result; -1 for one that the tensor does not have. */
  abstract List<Integer> resultModes(int order);

  /** Refuses an extension that cannot hold the result of a tensor of this order. */
  void checkExtension(String target, int order) {}

  final void requireRank(@Nullable Integer rank) {
    if (rank != null && rank < 1) {
      throw usage("expected --rank of at least 1, found %d", rank);
    }
  }

  /**
   * A sparse result of {@code order} modes goes to a tensor file; a matrix also to Matrix Market.
   */
  final void requireSparseFile(String target, int order) {
    if (target.endsWith(".npy")) {
      throw usage(
          "%s: the result of weft %s is sparse: expected a name that ends in .tns, .tns.gz, .wtb"
              + " or, for a matrix, .mtx",
          target, commandName());
    }
    requireMatrix(target, order);
  }

  @Override
  protected void run(Console console) throws IOException {
    FileAccess files = CommonOptions.files();
    checkAnalysis(output);
    String target = planOnly() && output == null ? null : required(output, "--output OUT");
    if (target != null) {
      checkTensorOutput(files, target);
    }
    if (order.permutations() != null && needsOutputs()) {
      claim(files, order.permutations());
    }
    order.check(files, input, common.overwrite, needsOutputs());
    InputPlan plan = TensorFiles.open(files, input, common.readOptions());
    int modes = plan.header().order();
    List<String> modeNames = names.of(files, input, modes);
    mode = NamedMode.number(input, "--mode", modeText, modeNames, modes);
    if (target != null) {
      checkExtension(target, modes);
    }
    prepare(files, modes);
    Optional<Schedule> loops = Optional.ofNullable(schedule).map(Schedule::parse);
    String application = "weft " + commandName() + " " + input;
    try (Session session =
        Session.open(
            common,
            application,
            console,
            options -> planned(options.planning(p -> p.withSchedule(loops))))) {
      EngineTensor file = session.read(input);
      BoundJob onFile = bind(file.statistics().shape());
      EngineTensor tensor = order.apply(session.engine(), file, onFile.job(), files, console);
      boolean sameShape = tensor.statistics().shape().equals(file.statistics().shape());
      BoundJob bound = sameShape ? onFile : bind(tensor.statistics().shape());
      if (isAnalysed()) {
        analyse(console, files, session, tensor, bound);
        return;
      }
      if (target == null || planOnly()) {
        PlanReport.print(
            console, session.engine(), session.engine().plan(tensor, bound.job()), explain());
        return;
      }
      Caution.say(console, session.engine(), tensor, bound.job());
      OutputTarget out = target(files, target, modeNames, tensor, console);
      JobReport report =
          session.engine().run(tensor, bound.job(), bound.factors(), out, console.progress());
      console.result("wrote %s", target);
      order.write(tensor, files, common.overwrite, console);
      RunReport.print(console, report);
    }
  }

  private void analyse(
      Console console, FileAccess files, Session session, EngineTensor tensor, BoundJob bound)
      throws IOException {
    console.setVerbosity(true, common.verbose);
    try (Trial trial = Trial.begin(files, output)) {
      String result = output == null ? "result" + extension() : new Path(output).getName();
      OutputTarget out = new OutputTarget(trial.uri(result), true);
      JobReport report =
          session.engine().run(tensor, bound.job(), bound.factors(), out, console.progress());
      JobPlan plan = session.engine().plan(tensor, bound.job()); // what it compiles is there by now
      PlanReport.print(console, session.engine(), new Analysis(plan, report, 1), explain());
    }
  }

  /** Of a file that holds the result, whichever it is. */
  abstract String extension();

  /** With the names and labels of the modes that the result has from the tensor. */
  private OutputTarget target(
      FileAccess files, String uri, List<String> names, EngineTensor tensor, Console console) {
    List<Integer> kept = resultModes(tensor.statistics().shape().order());
    Map<Integer, Labels> own = order.labels(tensor, TensorFiles.labels(files, input));
    Map<Integer, Labels> labels = new HashMap<>();
    List<String> result = new ArrayList<>();
    for (int at = 0; at < kept.size(); at++) {
      int from = kept.get(at);
      boolean named = from >= 0 && !names.isEmpty() && ModeNames.isNamed(names.get(from), from);
      result.add(named ? names.get(from) : "");
      Labels known = own.get(from);
      if (known != null) {
        labels.put(at, known);
      }
    }
    boolean any = result.stream().anyMatch(name -> !name.isEmpty());
    List<String> distinct = any ? ModeNames.distinct(result) : List.of();
    InputNames.noteDropped(console, uri, distinct, labels);
    return new OutputTarget(
        uri,
        common.overwrite,
        new KeptModes(distinct, labels).written(uri, common.type, common.zeroBased));
  }
}
