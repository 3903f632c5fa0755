package org.weft.jobs.command;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.weft.engine.EngineTensor;
import org.weft.engine.JobReport;
import org.weft.jobs.explain.PlanReport;
import org.weft.jobs.file.InputNames;
import org.weft.jobs.model.ModelOutput;
import org.weft.jobs.model.ModelSummary;
import org.weft.jobs.option.CommonOptions;
import org.weft.jobs.option.LabelOptions;
import org.weft.jobs.output.Caution;
import org.weft.jobs.output.Console;
import org.weft.jobs.output.RunReport;
import org.weft.jobs.run.Session;
import org.weft.planner.job.Job;
import org.weft.storage.FileAccess;
import org.weft.storage.InputPlan;
import org.weft.storage.Labels;
import org.weft.storage.TensorFiles;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStatistics;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A command that makes a model of components of one tensor, and writes its folder. */
public abstract class ModelCommand extends WeftCommand {
  @Parameters(index = "0", paramLabel = "IN", description = InputNames.INPUT)
  String input = "";

  @Option(
      names = "--rank",
      required = true,
      paramLabel = "R",
      description = "Number of components.")
  int rank;

  @Option(
      names = "--iterations",
      paramLabel = "N",
      description = "Most iterations (default: ${DEFAULT-VALUE}).")
  int iterations;

  @Option(
      names = "--seed",
      paramLabel = "S",
      description = "Seed of all that is random (default: ${DEFAULT-VALUE}).")
  long seed;

  @Mixin LabelOptions labelFiles = new LabelOptions();

  @Mixin InputNames names = new InputNames();

  @Option(names = "--output", paramLabel = "DIR", description = "Folder; not needed to explain.")
  @Nullable String output;

  private Map<Integer, Labels> labels = Map.of();

  /**
   * A model, whose factors are in the folder, and what a summary says of it.
   *
   * @param statistics of the tensor, or of the part of it that the model is made of
   * @param lambda weights of the columns' products
   * @param method its name and options
   * @param more about the model
   * @param line for the user, without the folder
   */
  @SuppressWarnings("ArrayRecordComponent")
  record Made(
      TensorStatistics statistics,
      double[] lambda,
      double norm,
      List<Double> fits,
      List<Double> seconds,
      boolean converged,
      Map<String, Object> method,
      Map<String, Object> more,
      JobReport report,
      String line) {}

  /** Checks options before anything is read. */
  abstract void check(FileAccess files, InputPlan plan) throws IOException;

  /** The job that a plan is shown of. */
  abstract Job job(TensorShape shape);

  /** Makes the model; its factors go into the folder. */
  abstract Made make(
      Session session, EngineTensor tensor, ModelOutput.Staged folder, Console console)
      throws IOException;

  @Override
  protected final void run(Console console) throws IOException {
    FileAccess files = CommonOptions.files();
    String target = planOnly() && output == null ? null : required(output, "--output DIR");
    if (target != null) {
      ModelOutput.check(files, target, common.overwrite);
    }
    InputPlan plan = TensorFiles.open(files, input, common.readOptions());
    check(files, plan);
    List<String> modeNames = names.of(files, input, plan.header().order());
    labels = labelFiles.of(files, input, plan.header().order(), modeNames);
    String application = "weft " + commandName() + " " + input;
    try (Session session = Session.open(common, application, console, this::planned)) {
      EngineTensor tensor = session.read(input);
      TensorShape shape = tensor.statistics().shape();
      checkLabels(shape);
      if (target == null || planOnly()) {
        PlanReport.print(
            console, session.engine(), session.engine().plan(tensor, job(shape)), explain());
        return;
      }
      Caution.sayRank(console, shape, rank);
      Caution.sayHours(console, session.engine(), tensor, job(shape));
      long start = System.nanoTime();
      try (ModelOutput.Staged folder = new ModelOutput(files, target, common.overwrite).begin()) {
        Made made = make(session, tensor, folder, console);
        double seconds = (System.nanoTime() - start + tensor.readNanos()) * 1e-9;
        folder.finish(
            ModelOutput.Coupling.lambda(made.lambda()), labels, summary(made, modeNames, seconds));
        console.result("%s; wrote %s", made.line(), target);
        RunReport.print(console, made.report());
      }
    }
  }

  /** Checks that there are labels for a model of this shape. */
  final void checkLabels(TensorShape shape) {
    labelFiles.check(labels, shape);
  }

  private ModelSummary summary(Made made, List<String> modeNames, double seconds) {
    Map<String, Object> more = new LinkedHashMap<>();
    more.put("lambda", made.lambda());
    more.putAll(made.more());
    return ModelSummary.of(
        new ModelSummary.About(
            input,
            modeNames,
            spec.commandLine().getParseResult().originalArgs(),
            made.statistics(),
            common.type,
            seed,
            seconds),
        made.method(),
        made.norm(),
        made.fits(),
        made.seconds(),
        made.converged(),
        more,
        made.report());
  }
}
