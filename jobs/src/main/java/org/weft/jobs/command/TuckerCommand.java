package org.weft.jobs.command;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.weft.decomposition.Ranks;
import org.weft.decomposition.Tucker;
import org.weft.engine.EngineTensor;
import org.weft.engine.MethodResult;
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
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weft tucker}. */
@Command(
    name = "tucker",
    sortOptions = false,
    description = {
      "Tucker decomposition by higher-order orthogonal iteration: T(i,j,k) is approximated by the"
          + " sum over p, q and r of G(p,q,r) * A(i,p) * B(j,q) * C(k,r), with orthonormal A, B and"
          + " C.",
      "The output folder holds mode0.npy, mode1.npy, ... (mode size x rank), core.npy (the ranks),"
          + " summary.json, and modeN.tsv for modes with labels."
    },
    footer = {"", "Example: weft tucker x.tns.gz --ranks 10,10,10 --output factors"})
public final class TuckerCommand extends WeftCommand {
  @Parameters(index = "0", paramLabel = "IN", description = InputNames.INPUT)
  String input = "";

  @Option(
      names = "--ranks",
      required = true,
      split = ",",
      paramLabel = "R",
      description =
          "Columns of each mode's factor: 10,10,10. At most the size of the mode, and the product"
              + " of the other ranks.")
  List<Integer> ranks = List.of();

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

  @Mixin LabelOptions labelFiles = new LabelOptions();

  @Mixin InputNames names = new InputNames();

  @Option(names = "--output", paramLabel = "DIR", description = "Folder; not needed to explain.")
  @Nullable String output;

  @Override
  protected void run(Console console) throws IOException {
    FileAccess files = CommonOptions.files();
    Tucker tucker = new Tucker(new Ranks(ranks), iterations, tolerance, seed, common.type);
    String target = planOnly() && output == null ? null : required(output, "--output DIR");
    if (target != null) {
      ModelOutput.check(files, target, common.overwrite);
    }
    InputPlan plan = TensorFiles.open(files, input, common.readOptions());
    tucker.ranks().checkOrder(plan.header().order());
    plan.header().shape().ifPresent(tucker::check);
    List<String> modeNames = names.of(files, input, plan.header().order());
    Map<Integer, Labels> labels = labelFiles.of(files, input, plan.header().order(), modeNames);
    try (Session session = Session.open(common, "weft tucker " + input, console, this::planned)) {
      EngineTensor tensor = session.read(input);
      tucker.check(tensor.statistics().shape());
      labelFiles.check(labels, tensor.statistics().shape());
      Job job = tucker.job(tensor.statistics().shape());
      if (target == null || planOnly()) {
        PlanReport.print(console, session.engine(), session.engine().plan(tensor, job), explain());
        return;
      }
      Caution.sayHours(console, session.engine(), tensor, job);
      long start = System.nanoTime();
      try (ModelOutput.Staged output = new ModelOutput(files, target, common.overwrite).begin()) {
        MethodResult<Tucker.Model> result =
            session
                .engine()
                .run(
                    tensor,
                    tucker,
                    console.progress(),
                    (model, site) -> output.factors(model.factors(), site));
        double seconds = (System.nanoTime() - start + tensor.readNanos()) * 1e-9;
        output.finish(
            new ModelOutput.Coupling(
                "core.npy",
                result.model().core(),
                ranks.stream().mapToLong(Integer::longValue).toArray()),
            labels,
            summary(modeNames, tensor, result, seconds));
        print(console, result, target);
      }
    }
  }

  private static void print(Console console, MethodResult<Tucker.Model> result, String target) {
    Tucker.Model model = result.model();
    console.result(
        "fit %.6f after %d iterations%s; wrote %s",
        model.fits().get(model.fits().size() - 1),
        model.fits().size(),
        model.converged() ? "" : " (not converged)",
        target);
    RunReport.print(console, result.report());
  }

  private ModelSummary summary(
      List<String> modeNames,
      EngineTensor tensor,
      MethodResult<Tucker.Model> result,
      double seconds) {
    Map<String, Object> method = new LinkedHashMap<>();
    method.put("method", "tucker");
    method.put("ranks", ranks);
    method.put("tolerance", tolerance);
    return ModelSummary.of(
        new ModelSummary.About(
            input,
            modeNames,
            spec.commandLine().getParseResult().originalArgs(),
            tensor.statistics(),
            common.type,
            seed,
            seconds),
        method,
        result.norm(),
        result.model().fits(),
        result.model().seconds(),
        result.model().converged(),
        Map.of(),
        result.report());
  }
}
