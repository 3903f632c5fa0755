package org.weft.jobs.command;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.weft.decomposition.Cpd;
import org.weft.engine.CpdResult;
import org.weft.engine.EngineTensor;
import org.weft.jobs.explain.PlanReport;
import org.weft.jobs.file.InputNames;
import org.weft.jobs.model.ModelOutput;
import org.weft.jobs.model.ModelSummary;
import org.weft.jobs.option.CommonOptions;
import org.weft.jobs.option.LabelOptions;
import org.weft.jobs.option.ReorderOptions;
import org.weft.jobs.option.StartOptions;
import org.weft.jobs.output.Caution;
import org.weft.jobs.output.Console;
import org.weft.jobs.output.RunReport;
import org.weft.jobs.run.Session;
import org.weft.planner.Forms;
import org.weft.planner.job.Job;
import org.weft.spark.output.FactorTable;
import org.weft.storage.FileAccess;
import org.weft.storage.InputPlan;
import org.weft.storage.Labels;
import org.weft.storage.TensorFiles;
import org.weft.storage.npy.NpyRows;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weft cpd}. */
@Command(
    name = "cpd",
    sortOptions = false,
    description = {
      "CP decomposition by alternating least squares: T(i,j,k) is approximated by the sum over r of"
          + " lambda(r) * A(i,r) * B(j,r) * C(k,r).",
      "The output folder holds mode0.npy, mode1.npy, ... (mode size x R, columns of norm 1),"
          + " lambda.npy, summary.json, and modeN.tsv for modes with labels."
    },
    footer = {
      "",
      "Example: weft cpd x.tns.gz --rank 16 --labels 0=authors.map.gz --output factors",
      "Example: weft cpd x.weft --rank 16 --output factors --factors-table factors.parquet"
    })
public final class CpdCommand extends WeftCommand {
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
      names = "--tolerance",
      paramLabel = "T",
      description = "Stop when the fit changes by less (default: ${DEFAULT-VALUE}).")
  double tolerance;

  @Option(
      names = "--seed",
      paramLabel = "S",
      description = "Seed of the initial factors (default: ${DEFAULT-VALUE}).")
  long seed;

  @Option(names = "--nonnegative", description = "Constrain all factors to be nonnegative.")
  boolean nonnegative;

  @Option(
      names = "--csf",
      paramLabel = "FORMS",
      description =
          "Packed forms of the tensor: all (one for each mode), one (for all modes, which takes"
              + " less memory), or auto: all if they fit, unless one is much faster altogether"
              + " (default: auto).")
  Forms forms = Forms.AUTO;

  @Mixin LabelOptions labelFiles = new LabelOptions();

  @Mixin InputNames names = new InputNames();

  @Mixin StartOptions starts = new StartOptions();

  @Mixin ReorderOptions order = new ReorderOptions();

  @Option(names = "--output", paramLabel = "DIR", description = "Folder; not needed to explain.")
  @Nullable String output;

  @Option(
      names = "--factors-table",
      paramLabel = "DIR",
      description =
          "Also write the factors as a Parquet table: mode, index, label, component, weight,"
              + " lambda; modes, indices and components count from 0.")
  @Nullable String factorsTable;

  @Override
  protected void run(Console console) throws IOException {
    FileAccess files = CommonOptions.files();
    Cpd cpd = new Cpd(rank, iterations, tolerance, nonnegative, seed, common.type);
    String target = planOnly() && output == null ? null : required(output, "--output DIR");
    if (target != null) {
      ModelOutput.check(files, target, common.overwrite);
    }
    if (factorsTable != null) {
      FactorTable.check(files, factorsTable, common.overwrite);
    }
    order.check(files, input, common.overwrite);
    starts.check(files, rank, common.overwrite);
    InputPlan plan = TensorFiles.open(files, input, common.readOptions());
    List<String> modeNames = names.of(files, input, plan.header().order());
    Map<Integer, Labels> labels = labelFiles.of(files, input, plan.header().order(), modeNames);
    try (Session session =
        Session.open(
            common,
            "weft cpd " + input,
            console,
            options -> planned(options.planning(p -> p.withForms(forms))))) {
      EngineTensor file = session.read(input);
      Job job = cpd.job(file.statistics().shape());
      EngineTensor tensor = order.apply(session.engine(), file, job, files, console);
      labelFiles.check(labels, tensor.statistics().shape());
      if (target == null || planOnly()) {
        PlanReport.print(console, session.engine(), session.engine().plan(tensor, job), explain());
        return;
      }
      Caution.say(console, session.engine(), tensor, job);
      decompose(session, tensor, cpd, target, modeNames, order.labels(tensor, labels), console);
    }
  }

  private void decompose(
      Session session,
      EngineTensor tensor,
      Cpd cpd,
      String target,
      List<String> modeNames,
      Map<Integer, Labels> labels,
      Console console)
      throws IOException {
    FileAccess files = CommonOptions.files();
    ModelOutput output = new ModelOutput(files, target, common.overwrite);
    long start = System.nanoTime();
    CpdResult result;
    try (ModelOutput.Staged folder = output.begin()) {
      StartOptions.Best best =
          starts.run(files, session.engine(), tensor, cpd, arguments(), folder::factors, console);
      result = best.result();
      Map<String, Object> outcome = best.outcome(starts.init);
      outcome.put("machine", ModelSummary.machine(session.engine()));
      ModelSummary.About about =
          new ModelSummary.About(
              input,
              modeNames,
              spec.commandLine().getParseResult().originalArgs(),
              tensor.statistics(),
              common.type,
              seed,
              (System.nanoTime() - start) * 1e-9 + tensor.readNanos() * 1e-9);
      folder.finish(
          ModelOutput.Coupling.lambda(result.lambda()),
          labels,
          ModelSummary.cpd(about, cpd, result, outcome));
    }
    if (factorsTable != null) {
      List<NpyRows> factors = output.written(tensor.statistics().shape().order());
      session.writeFactors(files, factorsTable, common.overwrite, factors, result.lambda(), labels);
      console.result("wrote %s", factorsTable);
    }
    console.result(
        "fit %.6f after %d iterations%s; wrote %s",
        result.fits().isEmpty() ? 0 : result.fits().get(result.fits().size() - 1),
        result.fits().size(),
        result.converged() ? "" : " (not converged)",
        target);
    order.write(tensor, files, common.overwrite, console);
    RunReport.print(console, result.report());
  }

  /** What the bits of the result depend on beside the job. */
  private Map<String, String> arguments() {
    Map<String, String> arguments = new LinkedHashMap<>();
    arguments.put("input", input);
    arguments.put("--csf", forms.toString());
    arguments.put("--reorder", order.isOn() ? order.reorder + ":" + order.entries : "none");
    arguments.put("--threads", Integer.toString(common.threads));
    arguments.put("--partitions", Integer.toString(common.partitions));
    arguments.put("--reproducible", Boolean.toString(common.reproducible));
    arguments.put("Spark", Boolean.toString(Session.namesMaster(common)));
    return arguments;
  }
}
