package org.weft.jobs.decompose;

import static org.weft.jobs.output.Usage.usage;

import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.weft.decomposition.Checkpoints;
import org.weft.decomposition.HeldOut;
import org.weft.decomposition.ModelError;
import org.weft.decomposition.completion.Completion;
import org.weft.decomposition.completion.CoordinateSolver;
import org.weft.decomposition.completion.EntryBatch;
import org.weft.decomposition.completion.GradientSolver;
import org.weft.decomposition.completion.NormalSolver;
import org.weft.decomposition.completion.Rival;
import org.weft.decomposition.completion.Solver;
import org.weft.engine.Engine;
import org.weft.engine.EngineTensor;
import org.weft.engine.MethodResult;
import org.weft.engine.ProgressListener;
import org.weft.engine.model.FactorFiles;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.jobs.model.BestStart;
import org.weft.jobs.option.CommonOptions;
import org.weft.jobs.option.SeedOptions;
import org.weft.jobs.output.Console;
import org.weft.jobs.run.Session;
import org.weft.planner.job.Job;
import org.weft.storage.InputPlan;
import org.weft.storage.ModeNames;
import org.weft.storage.ReadOptions;
import org.weft.storage.TensorFiles;
import org.weft.storage.file.FileAccess;
import org.weft.storage.model.MatchedLabels;
import org.weft.storage.model.ModelOutput;
import org.weft.tensor.TensorShape;
import org.weft.text.Counts;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code weft complete}. */
@Command(
    name = "complete",
    sortOptions = false,
    description = {
      "Tensor completion: a CP model of the known entries.",
      "All cells that are not stored are unknown, not 0, unless --missing-weight says"
          + " otherwise. The model has a ridge, a mean and a bias for each slice.",
      "A hash of the coordinates decides which entries are held out. The command keeps the"
          + " model with the least error at the validation entries. The output folder has the"
          + " files of weft cpd. The last columns of the factors hold the biases, a column for"
          + " each mode, and the mean."
    },
    footer = {
      "",
      "Example: weft complete ratings.tns.gz --rank 10 --output model",
      "Example: weft complete train.tns --rank 10 --validate later.tns --output model"
    })
public final class CompleteCommand extends RankedCommand {
  private static final int MOST_BATCHES = 64;

  @Option(
      names = "--method",
      paramLabel = "M",
      description =
          "als solves the normal equations of each slice. ccd updates up to eight columns at a"
              + " time (CCD++ by blocks). sgd follows gradients of batches (default: als).")
  Algorithm algorithm = Algorithm.ALS;

  @Option(
      names = "--batches",
      paramLabel = "N",
      description =
          "With --method sgd: the number of batches of entries. A hash divides the entries"
              + " (default: 16).")
  int batches = 16;

  /** How the factors improve. */
  enum Algorithm {
    ALS,
    CCD,
    SGD
  }

  @Option(
      names = "--split",
      split = ",",
      paramLabel = "SHARE",
      description =
          "The shares of the entries that are held out: the first for validation, the second"
              + " for a test at the end (default: 0.1,0.1; with --validate: 0,0.1).")
  double @Nullable [] split;

  @Option(
      names = "--validate",
      paramLabel = "FILE",
      description =
          "A tensor of validation entries, instead of a share of IN. A label of FILE is the"
              + " same label of IN, whatever its coordinate. Entries with labels that IN lacks are"
              + " left out.")
  @Nullable String validate;

  private List<String> modeNames = List.of();

  @Option(
      names = "--ridge",
      split = ",",
      paramLabel = "X",
      description =
          "The weight of the ridge, relative to the sums of an average slice: 1 weighs as much"
              + " as the entries of the slice. If there are several ridges, each is tried in turn,"
              + " and the ridge with the least error is kept. A ridge that falls far behind ends"
              + " early (default: 0.01,0.001,0.1,1).")
  double[] ridges = {0.01, 0.001, 0.1, 1};

  @Option(
      names = "--missing-weight",
      paramLabel = "W",
      description =
          "With --method als: the weight of a cell that is not stored, whose value then counts"
              + " as 0. 0 means unknown. 1 is the weight of an entry, as in weft cpd (default: 0).")
  double missingWeight;

  @Mixin SeedOptions starts = new SeedOptions();

  @Option(names = "--no-biases", description = "Make a model without the mean and without biases.")
  boolean plain;

  @Option(
      names = "--tolerance",
      paramLabel = "T",
      description =
          "An error counts as smaller if the relative change is more than T (default:"
              + " ${DEFAULT-VALUE}).")
  double tolerance;

  @Option(
      names = "--patience",
      paramLabel = "N",
      description = "Stop after N iterations without a smaller error (default: 20).")
  int patience = 20;

  @Override
  void check(FileAccess files, InputPlan plan, List<String> names) throws IOException {
    modeNames =
        IntStream.range(0, plan.header().order())
            .mapToObj(mode -> names.isEmpty() ? ModeNames.unnamed(mode) : names.get(mode))
            .toList();
    double[] shares = shares();
    if (shares.length != 2
        || !Arrays.stream(shares).allMatch(share -> share >= 0)
        || !(shares[0] + shares[1] < 1)) {
      throw usage(
          "expected --split of two shares of at least 0 that leave entries to learn from, as"
              + " 0.1,0.1; found %s",
          Arrays.stream(shares).mapToObj(Double::toString).collect(Collectors.joining(",")));
    }
    if (validate != null && shares[0] > 0) {
      throw usage("expected --split 0,... with --validate, which decides; found %s", shares[0]);
    }
    starts.check();
    if (ridges.length == 0) {
      throw usage("expected a --ridge, found none");
    }
    if (missingWeight != 0 && algorithm != Algorithm.ALS) {
      throw usage(
          "expected --method als with --missing-weight, found %s",
          algorithm.toString().toLowerCase(Locale.ROOT));
    }
    if (algorithm != Algorithm.SGD
        && spec.commandLine().getParseResult().hasMatchedOption("--batches")) {
      throw usage(
          "expected --method sgd with --batches, found %s",
          algorithm.toString().toLowerCase(Locale.ROOT));
    }
    if (batches < 1 || batches > MOST_BATCHES) {
      throw usage("expected --batches from 1 to %d, found %d", MOST_BATCHES, batches);
    }
    for (double ridge : ridges) {
      method(solver(List.of()), ridge, seed, Optional.empty(), Rival.NONE)
          .checkOrder(plan.header().order());
    }
    if (validate != null) {
      ReadOptions read = common.readOptions().forOneOfSeveral(validate);
      int order = TensorFiles.open(files, validate, read).header().order();
      if (order != plan.header().order()) {
        throw usage(
            "--validate %s: expected %s as %s has, found %d",
            validate, Counts.plain(plan.header().order(), "mode"), input, order);
      }
    }
  }

  private double[] shares() {
    return split != null ? split : new double[] {validate == null ? 0.1 : 0, 0.1};
  }

  private Solver solver(List<EntryBatch> shares) {
    return switch (algorithm) {
      case ALS -> new NormalSolver(missingWeight);
      case CCD -> new CoordinateSolver();
      case SGD -> new GradientSolver(shares, seed);
    };
  }

  private Completion method(
      Solver solver, double ridge, long from, Optional<ModelError> heldOut, Rival rival) {
    return new Completion(
        solver,
        rank,
        !plain,
        iterations,
        patience,
        tolerance,
        ridge,
        from,
        common.type,
        heldOut,
        rival);
  }

  private Completion method(Solver solver) {
    return method(solver, ridges[0], seed, Optional.empty(), Rival.NONE);
  }

  @Override
  List<String> moreInputs() {
    return validate == null ? List.of() : List.of(validate);
  }

  @Override
  int runs() {
    return ridges.length * starts.starts;
  }

  @Override
  Job job(TensorShape shape) {
    return method(solver(List.of())).job(shape);
  }

  /** Disjoint entries of one shape. */
  private record Parts(EngineTensor training, EngineTensor validation, EngineTensor test) {}

  @Override
  Made make(Session session, EngineTensor all, ModelOutput.Staged folder, Console console) {
    Engine engine = session.engine();
    Parts parts = parts(engine, all, console);
    console.note(
        "%,d training, %,d validation, %,d test entries",
        parts.training().statistics().entries(),
        parts.validation().statistics().entries(),
        parts.test().statistics().entries());
    return judged(
        engine,
        parts.validation(),
        validation ->
            judged(
                engine,
                parts.test(),
                test ->
                    solved(
                        engine,
                        parts.training(),
                        solver ->
                            new Choice(solver, validation, test, console)
                                .of(engine, parts, folder, console))));
  }

  private <T> T solved(Engine engine, EngineTensor training, Function<Solver, T> work) {
    if (algorithm != Algorithm.SGD) {
      return work.apply(solver(List.of()));
    }
    return new EntryBatches(batches, columns(training), common.type, seed + 1)
        .of(engine, training, shares -> work.apply(solver(shares)));
  }

  private int columns(EngineTensor tensor) {
    int order = tensor.statistics().shape().order();
    return method(solver(List.of())).columns(order);
  }

  private Parts parts(Engine engine, EngineTensor all, Console console) {
    SplitEntries split = new SplitEntries(engine, all, input, shares(), seed);
    String file = validate;
    if (file == null) {
      TensorShape shape = all.originalStatistics().shape();
      return new Parts(split.training(shape), split.validation(shape), split.test(shape));
    }
    MatchedLabels.Moves moves = matched(file).moves();
    EngineTensor given = engine.read(file, common.readOptions().forOneOfSeveral(file), common.type);
    TensorShape shape =
        SplitEntries.union(
            all.originalStatistics().shape(), moves.shape(given.originalStatistics().shape()));
    checkLabels(shape);
    EngineTensor training = split.training(shape);
    EngineTensor validation =
        engine.select(given, given.uri() + ", all entries", shape, moves::found);
    requireSome(validation, given, console);
    split.requireApart(file, validation, training);
    return new Parts(training, validation, split.test(shape));
  }

  /** The labels of validation entries beside those of the tensor. */
  private MatchedLabels matched(String file) {
    FileAccess files = CommonOptions.files();
    List<String> theirs = ModeNames.of(files, file, modeNames.size(), List.of());
    MatchedLabels matched =
        new MatchedLabels(file, input, modeNames, TensorFiles.labels(files, file), labels());
    matched.requireOrder(theirs);
    return matched;
  }

  private void requireSome(EngineTensor found, EngineTensor given, Console console) {
    long entries = found.statistics().entries();
    long lost = given.statistics().entries() - entries;
    if (entries == 0) {
      throw new WeftException(
          ErrorCode.MALFORMED_INPUT,
          String.format(
              Locale.ROOT,
              "--validate %s: expected entries%s, found none; give another file, or --split",
              validate,
              lost == 0 ? "" : " whose labels " + input + " has"));
    }
    if (lost > 0) {
      console.note(
          "entries of %s left out, with labels that %s lacks: %,d", given.uri(), input, lost);
    }
  }

  /** Gives work a judge by the entries of a tensor, if it has any. */
  private <T> T judged(Engine engine, EngineTensor tensor, Function<Optional<ModelError>, T> work) {
    if (tensor.statistics().entries() == 0) {
      return work.apply(Optional.empty());
    }
    HeldOut<T> judge =
        new HeldOut<>(columns(tensor), common.type, error -> work.apply(Optional.of(error)));
    return engine.run(tensor, judge, ProgressListener.NONE, (made, site) -> {}).model();
  }

  /** A model, and what decided about it. */
  private record Chosen(MethodResult<Completion.Model> result, double ridge) {}

  /** Makes models of several ridges and starts, and keeps the one that is best. */
  private final class Choice {
    private final Solver solver;
    private final Optional<ModelError> validation;
    private final Optional<ModelError> test;
    private final BestStart<Chosen> best;
    private double testError = Double.NaN;
    private Rival rival = Rival.NONE;

    Choice(
        Solver solver,
        Optional<ModelError> validation,
        Optional<ModelError> test,
        Console console) {
      this.solver = solver;
      this.validation = validation;
      this.test = test;
      this.best = new BestStart<>(console, ridges.length * starts.starts);
    }

    Made of(Engine engine, Parts parts, ModelOutput.Staged folder, Console console) {
      for (double ridge : ridges) {
        for (int start = 0; start < starts.starts; start++) {
          long from = seed + start;
          best.attempt(
              String.format(Locale.ROOT, "ridge %s, seed %d", ridge, from),
              Map.of("ridge", ridge, "seed", from),
              () -> attempt(engine, parts.training(), ridge, from, folder, console));
        }
      }
      best.end("fit");
      return made(parts, best.best().result());
    }

    private void attempt(
        Engine engine,
        EngineTensor training,
        double ridge,
        long from,
        ModelOutput.Staged folder,
        Console console) {
      Completion completion = method(solver, ridge, from, validation, rival);
      Map<String, String> own =
          options("--rank", "--method", "--batches", "--no-biases", "--tolerance", "--patience");
      own.put("--missing-weight", "" + missingWeight);
      own.put("--split", Arrays.toString(shares()));
      own.put("--validate", "" + validate);
      own.put("--ridge", "" + ridge);
      Checkpoints kept =
          kept(console, own)
              .of(
                  best.all().size(),
                  from,
                  training,
                  () -> engine.plan(training, completion.job(training.statistics().shape())),
                  Map.of("--iterations", iterations));
      MethodResult<Completion.Model> result =
          engine.run(
              training,
              completion.keeping(kept),
              console.progress(),
              (model, site) -> {
                if (best.isBetter(-model.error())) {
                  testError = test.map(judge -> judge.rmse(model.rows())).orElse(Double.NaN);
                  FactorFiles.write(folder, model.factors(), site);
                }
              });
      Map<String, Object> outcome = new LinkedHashMap<>();
      outcome.put("ridge", ridge);
      outcome.put("seed", from);
      outcome.put("fit", result.model().fits().get(result.model().best() - 1));
      outcome.put("rmse", result.model().error());
      outcome.put("fits", result.model().fits());
      outcome.put("iterations", result.model().fits().size());
      outcome.put("converged", result.model().converged());
      if (!result.model().converged() && result.model().fits().size() < iterations) {
        console.note("ended early, far behind the best start");
      }
      if (best.isBetter(-result.model().error())) {
        rival = new Rival(result.model().fits());
      }
      best.add(new Chosen(result, ridge), -result.model().error(), outcome);
    }

    private Made made(Parts parts, MethodResult<Completion.Model> result) {
      Completion.Model model = result.model();
      double training = model.rmse().get(model.best() - 1);
      Map<String, Object> options = new LinkedHashMap<>();
      options.put("method", "complete");
      options.put("algorithm", algorithm.name().toLowerCase(Locale.ROOT));
      if (algorithm == Algorithm.SGD) {
        options.put("batches", batches);
      }
      options.put("rank", model.lambda().length);
      options.put("components", rank);
      options.put("biases", !plain);
      options.put("missing_weight", missingWeight);
      options.put("ridge", best.best().ridge());
      options.put("split", shares());
      options.put("validate", Optional.ofNullable(validate).orElse(""));
      options.put("patience", patience);
      options.put("tolerance", tolerance);
      Map<String, Object> more = new LinkedHashMap<>();
      more.put("lambda", model.lambda());
      more.put("starts", best.all());
      more.put("best_iteration", model.best());
      more.put("rmse_training", model.rmse());
      more.put("rmse_validation", model.heldOut());
      if (!Double.isNaN(testError)) {
        more.put("rmse_test", testError);
      }
      more.put("mean", model.mean());
      String held = model.heldOut().isEmpty() ? "" : error(", %.6g of validation", model.error());
      String tested = Double.isNaN(testError) ? "" : error(", %.6g of test", testError);
      return new Made(
          parts.training().statistics(),
          ModelOutput.Coupling.lambda(model.lambda()),
          result.norm(),
          model.fits(),
          model.seconds(),
          model.converged(),
          options,
          more,
          result.report(),
          String.format(
              Locale.ROOT,
              "RMSE %.6g of training%s%s entries after %s, the best of %d",
              training,
              held,
              tested,
              Counts.plain(model.best(), "iteration"),
              model.fits().size()));
    }

    private static String error(String format, double value) {
      return String.format(Locale.ROOT, format, value);
    }
  }
}
