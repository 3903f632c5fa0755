package org.weft.jobs.decompose;

import static org.weft.jobs.output.Usage.usage;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.weft.decomposition.cp.Cpd;
import org.weft.decomposition.cp.StreamingUpdate;
import org.weft.engine.CpAlgorithm;
import org.weft.engine.CpdResult;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.engine.EngineTensor;
import org.weft.engine.MethodResult;
import org.weft.engine.model.FactorFiles;
import org.weft.engine.model.RunSummary;
import org.weft.jobs.model.BestStart;
import org.weft.jobs.option.AlgorithmOptions;
import org.weft.jobs.option.AppendOptions;
import org.weft.jobs.option.CommonOptions;
import org.weft.jobs.option.ConstraintOptions;
import org.weft.jobs.option.ReorderOptions;
import org.weft.jobs.option.StartOptions;
import org.weft.jobs.output.Console;
import org.weft.jobs.run.Session;
import org.weft.planner.DimensionTree;
import org.weft.planner.Forms;
import org.weft.planner.JobPlan;
import org.weft.planner.job.Job;
import org.weft.spark.output.FactorTable;
import org.weft.storage.InputPlan;
import org.weft.storage.Labels;
import org.weft.storage.file.FileAccess;
import org.weft.storage.model.ModelOutput;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code weft cpd}. */
@Command(
    name = "cpd",
    sortOptions = false,
    description = {
      "CP decomposition by alternating least squares.",
      "The sum over r of lambda(r) * A(i,r) * B(j,r) * C(k,r) approximates T(i,j,k), and so"
          + " for any order.",
      "The output folder holds mode0.npy, mode1.npy, ... (mode size x R, columns of norm"
          + " 1), lambda.npy and summary.json. It also holds modeN.tsv for modes with labels."
          + " Columns of a simplex mode are not normalised. Then lambda comes from the columns of"
          + " the other modes."
    },
    footer = {
      "",
      "Example: weft cpd x.tns.gz --rank 16 --labels 0=authors.map.gz --output factors",
      "Example: weft cpd x.tns.gz --rank 8 --constrain 0=nonneg,2=smooth:0.1 --output factors",
      "Example: weft cpd day.tns --append factors --forget 0.98 --output today",
      "Example: weft cpd x.weft --rank 16 --output factors --factors-table factors.parquet"
    })
public final class CpdCommand extends ModelCommand {
  @Option(
      order = -2,
      names = "--rank",
      paramLabel = "R",
      description =
          "The number of components. With --append, the default is the rank of the model.")
  @Nullable Integer rank;

  @Option(
      names = "--tolerance",
      paramLabel = "T",
      description = "Stop when the fit changes by less than T (default: ${DEFAULT-VALUE}).")
  double tolerance;

  @Option(
      names = "--csf",
      paramLabel = "FORMS",
      description =
          "The packed forms of the tensor. all: one form for each mode. grid: one form for each"
              + " mode of each tile, so that many executors exchange less. one: one form for all"
              + " modes, which takes less memory. auto: the forms that fit into memory and are"
              + " predicted to take the least time (default: auto).")
  Forms forms = Forms.AUTO;

  @Option(
      names = "--dimension-tree",
      paramLabel = "WHEN",
      description =
          "Whether neighbouring modes share products, so that an iteration reads the entries"
              + " fewer times. auto: where sharing is predicted to be clearly faster. on: where the"
              + " products fit the memory. off: never (default: auto).")
  DimensionTree tree = DimensionTree.AUTO;

  @Mixin AlgorithmOptions how = new AlgorithmOptions();

  @Mixin ConstraintOptions constraints = new ConstraintOptions();

  @Mixin StartOptions starts = new StartOptions();

  @Mixin AppendOptions update = new AppendOptions();

  @Mixin ReorderOptions order = new ReorderOptions();

  @Option(
      names = "--factors-table",
      paramLabel = "DIR",
      description =
          "Also write the factors as a Parquet table with the columns mode, index, label,"
              + " component, weight and lambda. Modes, indices and components count from 0.")
  @Nullable String factorsTable;

  private CpAlgorithm algorithm = CpAlgorithm.ALS;
  private Cpd cpd = new Cpd(1, 1, 0, false, 0, ValueType.DOUBLE);

  @Override
  void check(FileAccess files, InputPlan plan, List<String> modeNames) throws IOException {
    int modes = plan.header().order();
    algorithm = how.of();
    boolean nonnegative = constraints.nonnegative || algorithm.isNonnegative();
    update.checkForget();
    how.check(starts, update.isOn());
    if (update.isOn()) {
      nonnegative =
          update.check(
              files, input, labels(), modes, modeNames, nonnegative, starts, constraints, order);
      rank = update.rank(rank);
    }
    cpd =
        new Cpd(
            rank(),
            iterations,
            tolerance,
            nonnegative,
            seed,
            common.type,
            constraints.of(input, modeNames, modes),
            constraints.ridge);
    cpd.check(modes);
    algorithm.check(cpd);
    if (factorsTable != null && needsOutputs()) {
      claim(files, factorsTable);
      FactorTable.check(files, factorsTable, common.overwrite);
    }
    if (order.permutations() != null && needsOutputs()) {
      claim(files, order.permutations());
    }
    order.check(files, input, common.overwrite, needsOutputs());
    starts.check(files, input, modes, modeNames, labels(), rank());
  }

  @Override
  int rank() {
    if (rank == null) {
      throw usage("expected --rank R, the number of components, found none");
    }
    return rank;
  }

  @Override
  int runs() {
    return starts.count();
  }

  @Override
  Job job(TensorShape shape) {
    return update.isOn() ? update.method(cpd).job(shape) : cpd.job(shape);
  }

  /** All entries are more than a sample of them. */
  @Override
  Job mostWork(TensorShape shape) {
    return algorithm.isSampled()
        ? cpd.withIterations(Math.max(iterations, algorithm.polished(cpd).maxIterations()))
            .job(shape)
        : job(shape);
  }

  @Override
  boolean isSampled(EngineTensor tensor) {
    return !update.isOn() && algorithm.sample(tensor, cpd).isPresent();
  }

  @Override
  Map<String, JobPlan> plans(Engine engine, EngineTensor tensor) {
    if (!isSampled(tensor)) {
      return super.plans(engine, tensor);
    }
    EngineTensor part = algorithm.sample(tensor, cpd).orElseThrow().sample(engine, tensor);
    Map<String, JobPlan> plans = new LinkedHashMap<>();
    plans.put("a sample", engine.plan(part, cpd.job(part.statistics().shape())));
    Job all = algorithm.polished(cpd).job(tensor.statistics().shape());
    plans.put("all entries", engine.plan(tensor, all));
    return plans;
  }

  @Override
  EngineOptions engine(EngineOptions options) {
    return planned(options.planning(p -> p.withForms(forms).withTree(tree)));
  }

  @Override
  EngineTensor prepared(Session session, EngineTensor file, Console console) throws IOException {
    if (update.isOn()) {
      return update.fresh(session.engine(), file, console);
    }
    Job job = job(file.statistics().shape());
    return order.apply(session.engine(), file, job, CommonOptions.files(), console);
  }

  @Override
  Map<Integer, Labels> resultLabels(EngineTensor tensor, Map<Integer, Labels> known) {
    return order.labels(tensor, known);
  }

  @Override
  Made make(Session session, EngineTensor tensor, ModelOutput.Staged folder, Console console)
      throws IOException {
    if (update.isOn()) {
      return updated(session, tensor, folder, console);
    }
    BestStart<CpdResult> best =
        starts.run(
            CommonOptions.files(),
            session.engine(),
            tensor,
            cpd,
            algorithm,
            kept(console, arguments()),
            (factors, site) -> FactorFiles.write(folder, factors, site),
            console);
    CpdResult result = best.best();
    Map<String, Object> more = new LinkedHashMap<>();
    more.put("lambda", result.lambda());
    more.put("init", starts.init);
    more.put("starts", best.all());
    more.put("machine", RunSummary.machine(session.engine()));
    return new Made(
        tensor.statistics(),
        ModelOutput.Coupling.lambda(result.lambda()),
        result.norm(),
        result.fits(),
        result.seconds(),
        result.converged(),
        RunSummary.method(cpd, algorithm),
        more,
        result.report(),
        line(result.fits(), result.converged()));
  }

  private Made updated(
      Session session, EngineTensor fresh, ModelOutput.Staged folder, Console console)
      throws IOException {
    MethodResult<StreamingUpdate.Model> result =
        update.run(session.engine(), fresh, cpd, kept(console, arguments()), folder, console);
    StreamingUpdate.Model model = result.model();
    Map<String, Object> more = new LinkedHashMap<>();
    more.put("lambda", model.lambda());
    more.putAll(update.outcome());
    more.put("machine", RunSummary.machine(session.engine()));
    return new Made(
        fresh.statistics(),
        ModelOutput.Coupling.lambda(model.lambda()),
        result.norm(),
        model.fits(),
        model.seconds(),
        model.converged(),
        RunSummary.method(cpd),
        more,
        result.report(),
        line(model.fits(), model.converged()) + " to the new cells");
  }

  @Override
  void finished(Session session, Published model, Console console) throws IOException {
    FileAccess files = CommonOptions.files();
    if (factorsTable != null) {
      int modes = model.tensor().statistics().shape().order();
      session.writeFactors(
          files,
          factorsTable,
          common.overwrite,
          model.folder().written(modes),
          model.made().coupling().values(),
          model.labels());
      console.result("wrote %s", factorsTable);
    }
    order.write(model.tensor(), files, common.overwrite, console);
  }

  private Map<String, String> arguments() {
    Map<String, String> arguments = options("--rank", "--tolerance", "--init");
    arguments.put("--nonnegative", Boolean.toString(cpd.nonnegative()));
    arguments.put("--constrain", cpd.constraints().toString());
    arguments.put("--ridge", Double.toString(cpd.ridge()));
    arguments.putAll(how.arguments(iterations));
    arguments.put("--reorder", order.found());
    if (update.isOn()) {
      arguments.putAll(update.arguments());
    }
    return arguments;
  }
}
