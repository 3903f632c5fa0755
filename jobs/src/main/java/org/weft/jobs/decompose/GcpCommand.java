package org.weft.jobs.decompose;

import static org.weft.jobs.output.Usage.usage;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.weft.decomposition.gcp.Gcp;
import org.weft.decomposition.gcp.ZeroSamples;
import org.weft.decomposition.loss.Loss;
import org.weft.engine.Engine;
import org.weft.engine.EngineTensor;
import org.weft.engine.MethodResult;
import org.weft.engine.ProgressListener;
import org.weft.engine.entries.SampledZeros;
import org.weft.engine.model.FactorFiles;
import org.weft.jobs.model.BestStart;
import org.weft.jobs.option.SeedOptions;
import org.weft.jobs.output.Console;
import org.weft.jobs.run.Session;
import org.weft.planner.job.Job;
import org.weft.storage.InputPlan;
import org.weft.storage.file.FileAccess;
import org.weft.storage.model.ModelOutput;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code weft gcp}. */
@Command(
    name = "gcp",
    sortOptions = false,
    description = {
      "Generalised CP decomposition, for a loss that you choose.",
      "The model has the least sum of losses f(x, m) over all cells, found by Adam or"
          + " L-BFGS. The losses are gaussian, poisson, bernoulli-odds, bernoulli-logit, gamma,"
          + " rayleigh, huber:D, negative-binomial:R, beta:B, or an expression in x and m.",
      "Cells that are not stored are zeros. For a small tensor, all zeros count. For a"
          + " large tensor, a sample of the zeros counts. Gradients use other samples than the"
          + " loss, new ones in each iteration. With --zeros 0, cells that are not stored are"
          + " unknown. The output folder has the files of weft cpd."
    },
    footer = {
      "",
      "Example: weft gcp links.tns.gz --rank 10 --loss bernoulli-odds --output model",
      "Example: weft gcp x.tns --rank 5 --loss '(x-m)^2' --zeros 0 --output model"
    })
public final class GcpCommand extends RankedCommand {
  private static final String ALL = "all";
  private static final String AUTO = "auto";
  private static final double FEW_CELLS = 1e6;
  private static final int FEW_ZEROS = 100_000;

  @Option(
      order = -2,
      names = "--loss",
      required = true,
      paramLabel = "F",
      description =
          "The name of a loss, or an expression such as '(x-m)^2'. x is the entry, and m is the"
              + " model's value.")
  String lossText = "";

  @Option(
      names = "--nonnegative",
      description =
          "Constrain factors to be nonnegative. Most losses with a name are defined for"
              + " nonnegative factors only and need no option.")
  boolean nonnegative;

  @Option(
      names = "--zeros",
      paramLabel = "N",
      description =
          "The cells without entries that count: all, a sample of N for each entry, or 0 where"
              + " they are unknown. auto is all for a tensor of at most a million cells. Otherwise"
              + " auto is a sample of as many cells as there are entries, and of at least 100,000"
              + " (default: auto).")
  String zeros = AUTO;

  @Option(
      names = "--optimizer",
      paramLabel = "O",
      description =
          "adam takes short steps along averaged gradients. lbfgs searches along quasi-Newton"
              + " directions. Where most cells are 0, or with bernoulli-logit, adam may find a better"
              + " model (default: adam).")
  Gcp.Optimizer optimizer = Gcp.Optimizer.ADAM;

  @Option(
      names = "--inner",
      paramLabel = "N",
      description = "Take N steps in an iteration (default: 20).")
  int inner = 20;

  @Option(
      names = "--rate",
      paramLabel = "X",
      description =
          "The length of a step of adam, relative to the numbers of the factors (default:"
              + " 0.05).")
  double rate = 0.05;

  @Option(
      names = "--tolerance",
      paramLabel = "T",
      description =
          "Stop when an iteration lowers the loss by less than the part T (default:"
              + " ${DEFAULT-VALUE}).")
  double tolerance;

  @Mixin SeedOptions starts = new SeedOptions();

  private Gcp method(double zeroWeight, long from, Optional<ZeroSamples> samples) {
    return new Gcp(
        rank,
        Loss.parse(lossText, nonnegative),
        optimizer,
        iterations,
        inner,
        rate,
        tolerance,
        zeroWeight,
        from,
        common.type,
        samples);
  }

  private Gcp method() {
    return method(1, seed, Optional.empty());
  }

  @Override
  void check(FileAccess files, InputPlan plan, List<String> modeNames) {
    starts.check();
    method().checkOrder(plan.header().order());
    if (optimizer != Gcp.Optimizer.ADAM
        && spec.commandLine().getParseResult().hasMatchedOption("--rate")) {
      throw usage("expected --optimizer adam with --rate, found lbfgs");
    }
    if (!zeros.matches("auto|all|[0-9]{1,6}")) {
      throw usage("expected --zeros auto, all or a number from 0 to 999999, found '%s'", zeros);
    }
  }

  @Override
  int runs() {
    return starts.starts;
  }

  @Override
  Job job(TensorShape shape) {
    return method().job(shape);
  }

  private static double cells(TensorShape shape) {
    double cells = 1;
    for (int mode = 0; mode < shape.order(); mode++) {
      cells *= shape.size(mode);
    }
    return cells;
  }

  @Override
  Made make(Session session, EngineTensor tensor, ModelOutput.Staged folder, Console console) {
    Loss.Data data = method().loss().data();
    tensor.requireValues(data.toString(), data::allows);
    TensorShape shape = tensor.originalStatistics().shape();
    String how = zeros.equals(AUTO) && cells(shape) <= FEW_CELLS ? ALL : zeros;
    EngineTensor sample = tensor;
    Optional<ZeroSamples> samples = Optional.empty();
    double weight = 1;
    if (how.equals(ALL)) {
      sample = whole(session, tensor, shape);
    } else if (!how.equals("0")) {
      // Entries of one cell draw the same zeros.
      long entries = Math.max(1, tensor.statistics().entries() - tensor.duplicates());
      how = how.equals(AUTO) ? Long.toString((FEW_ZEROS + entries - 1) / entries) : how;
      int each = Integer.parseInt(how);
      weight = SampledZeros.weight(shape, entries * each);
      Engine engine = session.engine();
      sample = sample(engine, tensor, each, 0);
      samples =
          Optional.of(
              (number, work) -> {
                EngineTensor drawn = sample(engine, tensor, each, number);
                try {
                  engine.run(drawn, work, ProgressListener.NONE, (done, site) -> {});
                } finally {
                  engine.release(drawn);
                }
              });
    }
    console.note("zeros: %s, weight %.4g", how, weight);
    double zeroWeight = weight;
    Optional<ZeroSamples> drawn = samples;
    Map<String, String> own =
        options(
            "--rank", "--loss", "--nonnegative", "--optimizer", "--inner", "--rate", "--tolerance");
    own.put("--zeros", how);
    BestStart<MethodResult<Gcp.Model>> best =
        starts.run(
            session.engine(),
            sample,
            seed,
            from -> method(zeroWeight, from, drawn),
            kept(console, own),
            iterations,
            model -> new SeedOptions.Ended(gains(model), model.converged()),
            (model, site) -> FactorFiles.write(folder, model.factors(), site),
            console);
    return made(tensor, best, how, weight);
  }

  private EngineTensor sample(Engine engine, EngineTensor tensor, int each, int number) {
    TensorShape shape = tensor.originalStatistics().shape();
    return engine.select(
        tensor,
        "entries and zeros of " + input,
        shape,
        SampledZeros.among(shape, each, seed, number));
  }

  private EngineTensor whole(Session session, EngineTensor tensor, TensorShape shape) {
    if (cells(shape) > 32 * FEW_CELLS) {
      throw usage(
          "--zeros all: expected a tensor of at most %,.0f cells, found %,.0f; give a number",
          32 * FEW_CELLS, cells(shape));
    }
    List<CooBlock> blocks = new ArrayList<>(tensor.collect(SampledZeros.among(shape, 0, 0)));
    blocks.add(SampledZeros.all(shape));
    return session.engine().of("all cells of " + input, shape, blocks, common.type);
  }

  private static List<Double> gains(Gcp.Model model) {
    return model.losses().stream().map(loss -> -loss).toList();
  }

  private Made made(
      EngineTensor tensor, BestStart<MethodResult<Gcp.Model>> best, String how, double weight) {
    MethodResult<Gcp.Model> result = best.best();
    Gcp.Model model = result.model();
    Map<String, Object> options = new LinkedHashMap<>();
    options.put("method", "gcp");
    options.put("rank", rank);
    options.put("loss", lossText);
    options.put("nonnegative", method().loss().nonnegative());
    options.put("zeros", how);
    options.put("zero_weight", weight);
    options.put("inner", inner);
    options.put("optimizer", optimizer.name().toLowerCase(Locale.ROOT));
    options.put("rate", rate);
    options.put("tolerance", tolerance);
    options.put("measure", method().measure());
    Map<String, Object> more = new LinkedHashMap<>();
    more.put("lambda", model.lambda());
    more.put("losses", model.losses());
    more.put("failures", model.failures());
    more.put("starts", best.all());
    return new Made(
        tensor.statistics(),
        ModelOutput.Coupling.lambda(model.lambda()),
        result.norm(),
        gains(model),
        model.seconds(),
        model.converged(),
        options,
        more,
        result.report(),
        String.format(
            Locale.ROOT,
            "loss %.6g after %s",
            model.losses().get(model.losses().size() - 1),
            iterations(model.losses().size(), model.converged())));
  }
}
