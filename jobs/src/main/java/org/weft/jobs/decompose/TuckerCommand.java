package org.weft.jobs.decompose;

import static org.weft.jobs.output.Usage.usage;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.weft.decomposition.OrthogonalIteration;
import org.weft.decomposition.Ranks;
import org.weft.decomposition.Resumable;
import org.weft.decomposition.TuckerMethod;
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

/** {@code weft tucker}. */
@Command(
    name = "tucker",
    sortOptions = false,
    description = {
      "Tucker decomposition by higher-order orthogonal iteration.",
      "The sum over p, q and r of G(p,q,r) * A(i,p) * B(j,q) * C(k,r) approximates"
          + " T(i,j,k), and so for any order. A, B and C are orthonormal. With --nonnegative, A,"
          + " B, C and G are nonnegative instead.",
      "The output folder holds mode0.npy, mode1.npy, ... (mode size x rank), core.npy (the"
          + " ranks) and summary.json. It also holds modeN.tsv for modes with labels."
    },
    footer = {"", "Example: weft tucker x.tns.gz --ranks 10,10,10 --output factors"})
public final class TuckerCommand extends ModelCommand {
  @Option(
      order = -2,
      names = "--ranks",
      required = true,
      split = ",",
      paramLabel = "R",
      description =
          "The columns of the factor matrix of each mode, as in 10,10,10. A rank is at most the"
              + " size of the mode, and at most the product of the other ranks.")
  List<Integer> ranks = List.of();

  @Option(
      names = "--tolerance",
      paramLabel = "T",
      description = "Stop when the fit changes by less than T (default: ${DEFAULT-VALUE}).")
  double tolerance;

  @Option(
      names = "--nonnegative",
      description =
          "Constrain core and factors to be nonnegative, by HALS from random factors. Columns"
              + " have norm 1 and are not orthonormal.")
  boolean nonnegative;

  @Option(
      order = 61,
      names = "--init",
      paramLabel = "HOW",
      description =
          "The initial factors: sthosvd or random. sthosvd takes the leading singular vectors"
              + " of random samples of the tensor, mode by mode (default: sthosvd; with"
              + " --nonnegative: random).")
  OrthogonalIteration.@Nullable Start init;

  @Mixin SeedOptions starts = new SeedOptions();

  private TuckerMethod tucker() {
    return new TuckerMethod(nonnegative, Optional.ofNullable(init));
  }

  private Resumable<OrthogonalIteration.Model> method(long from) {
    return tucker().of(new Ranks(ranks), iterations, tolerance, from, common.type);
  }

  @Override
  void check(FileAccess files, InputPlan plan, List<String> modeNames) {
    starts.check();
    if (!tucker().isPossible()) {
      throw usage(
          "expected --init random with --nonnegative, found --init %s", tucker().startName());
    }
    Resumable<OrthogonalIteration.Model> method = method(seed);
    method.checkOrder(plan.header().order());
    plan.header().shape().ifPresent(method::check);
  }

  @Override
  int rank() {
    return 0;
  }

  @Override
  int runs() {
    return starts.starts;
  }

  @Override
  Job job(TensorShape shape) {
    method(seed).check(shape);
    return method(seed).job(shape);
  }

  private Map<String, String> arguments() {
    Map<String, String> arguments = options("--ranks", "--nonnegative", "--tolerance");
    arguments.put("--init", tucker().startName());
    return arguments;
  }

  @Override
  Made make(Session session, EngineTensor tensor, ModelOutput.Staged folder, Console console) {
    BestStart<MethodResult<OrthogonalIteration.Model>> best =
        starts.run(
            session.engine(),
            tensor,
            seed,
            this::method,
            kept(console, arguments()),
            iterations,
            model -> new SeedOptions.Ended(model.fits(), model.converged()),
            (model, site) -> FactorFiles.write(folder, model.factors(), site),
            console);
    MethodResult<OrthogonalIteration.Model> result = best.best();
    OrthogonalIteration.Model model = result.model();
    Map<String, Object> options = new LinkedHashMap<>();
    options.put("method", "tucker");
    options.put("ranks", ranks);
    options.put("nonnegative", nonnegative);
    options.put("start", tucker().startName());
    options.put("tolerance", tolerance);
    return new Made(
        tensor.statistics(),
        ModelOutput.Coupling.core(
            model.core(), ranks.stream().mapToInt(Integer::intValue).toArray()),
        result.norm(),
        model.fits(),
        model.seconds(),
        model.converged(),
        options,
        Map.of("starts", best.all()),
        result.report(),
        line(model.fits(), model.converged()));
  }
}
