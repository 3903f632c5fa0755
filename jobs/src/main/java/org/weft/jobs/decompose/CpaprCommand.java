package org.weft.jobs.decompose;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.weft.decomposition.count.CpApr;
import org.weft.engine.EngineTensor;
import org.weft.engine.MethodResult;
import org.weft.engine.model.FactorFiles;
import org.weft.jobs.model.BestStart;
import org.weft.jobs.option.SeedOptions;
import org.weft.jobs.output.Console;
import org.weft.jobs.run.Session;
import org.weft.planner.job.Job;
import org.weft.storage.InputPlan;
import org.weft.storage.file.FileAccess;
import org.weft.storage.model.ModelOutput;
import org.weft.tensor.TensorShape;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code weft cpapr}. */
@Command(
    name = "cpapr",
    sortOptions = false,
    description = {
      "CP decomposition of counts by alternating Poisson regression.",
      "The updates are multiplicative, or Newton's method for each row. Cells that are not"
          + " stored are counts of 0.",
      "The output folder has the files of weft cpd. Columns of the factors sum to 1: they are the"
          + " probabilities of the slices in a component. lambda.npy has the expected count of"
          + " each component."
    },
    footer = {"", "Example: weft cpapr counts.tns.gz --rank 10 --output model"})
public final class CpaprCommand extends RankedCommand {
  @Option(
      names = "--method",
      paramLabel = "M",
      description =
          "The updates of a factor. mu multiplies. pdnr is damped Newton with R x R numbers for"
              + " each slice. pqnr is quasi-Newton with a few rows of R numbers (default: mu).")
  CpApr.Update update = CpApr.Update.MU;

  @Option(
      names = "--inner",
      paramLabel = "N",
      description = "Update a mode at most N times in an iteration (default: 10).")
  int inner = 10;

  @Option(
      names = "--kkt",
      paramLabel = "T",
      description =
          "Stop when the Karush-Kuhn-Tucker conditions hold to the tolerance T. For the"
              + " conditions, counts are divided by the root mean square of the stored counts. 0 runs"
              + " all iterations (default: 1e-4).")
  double tolerance = 1e-4;

  @Mixin SeedOptions starts = new SeedOptions();

  private CpApr method(long from) {
    return new CpApr(update, rank, iterations, inner, tolerance, from, common.type);
  }

  @Override
  void check(FileAccess files, InputPlan plan, List<String> modeNames) {
    starts.check();
    method(seed).checkOrder(plan.header().order());
  }

  @Override
  int runs() {
    return starts.starts;
  }

  @Override
  Job job(TensorShape shape) {
    return method(seed).job(shape);
  }

  @Override
  Made make(Session session, EngineTensor tensor, ModelOutput.Staged folder, Console console) {
    tensor.requireValues("counts of at least 0", x -> x >= 0 && x <= Double.MAX_VALUE);
    BestStart<MethodResult<CpApr.Model>> best =
        starts.run(
            session.engine(),
            tensor,
            seed,
            this::method,
            kept(console, options("--rank", "--method", "--inner", "--kkt")),
            iterations,
            model -> new SeedOptions.Ended(model.logLikelihoods(), model.converged()),
            (model, site) -> FactorFiles.write(folder, model.factors(), site),
            console);
    MethodResult<CpApr.Model> result = best.best();
    CpApr.Model model = result.model();
    double likelihood = model.logLikelihoods().get(model.logLikelihoods().size() - 1);
    Map<String, Object> options = new LinkedHashMap<>();
    options.put("method", "cpapr");
    options.put("update", update.name().toLowerCase(Locale.ROOT));
    options.put("rank", rank);
    options.put("inner", inner);
    options.put("tolerance", tolerance);
    options.put("measure", method(seed).measure());
    Map<String, Object> more = new LinkedHashMap<>();
    more.put("lambda", model.lambda());
    more.put("starts", best.all());
    more.put("kkt_violations", model.violations());
    more.put("updates", model.updates());
    return new Made(
        tensor.statistics(),
        ModelOutput.Coupling.lambda(model.lambda()),
        result.norm(),
        model.logLikelihoods(),
        model.seconds(),
        model.converged(),
        options,
        more,
        result.report(),
        String.format(
            Locale.ROOT,
            "log-likelihood %.6f after %s",
            likelihood,
            iterations(model.logLikelihoods().size(), model.converged())));
  }
}
