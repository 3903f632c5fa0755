package org.weft.jobs.option;

import static org.weft.jobs.output.Usage.usage;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.apache.hadoop.fs.Path;
import org.jspecify.annotations.Nullable;
import org.weft.decomposition.Checkpoints;
import org.weft.decomposition.OrthogonalIteration;
import org.weft.decomposition.Ranks;
import org.weft.decomposition.cp.CpState;
import org.weft.decomposition.cp.Cpd;
import org.weft.decomposition.rows.Factor;
import org.weft.decomposition.rows.RowSource;
import org.weft.decomposition.rows.Site;
import org.weft.engine.CpAlgorithm;
import org.weft.engine.CpdResult;
import org.weft.engine.Engine;
import org.weft.engine.EngineTensor;
import org.weft.engine.FileRows;
import org.weft.engine.ProgressListener;
import org.weft.engine.SampledStart;
import org.weft.engine.model.StartRows;
import org.weft.jobs.model.BestStart;
import org.weft.jobs.output.Console;
import org.weft.planner.JobPlan;
import org.weft.storage.Labels;
import org.weft.storage.file.FileAccess;
import org.weft.storage.model.MatchedLabels;
import org.weft.storage.model.ModelFolder;
import org.weft.storage.model.StartNames;
import org.weft.storage.npy.NpyRows;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.TensorShape;
import org.weft.text.Counts;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Where a decomposition starts, and how often. */
public final class StartOptions {
  private static final String RANDOM = StartNames.RANDOM;
  private static final int NVECS_SWEEPS = 2;

  @Mixin SeedOptions seeds = new SeedOptions();

  @Option(
      order = 61,
      names = "--init",
      paramLabel = "HOW",
      description =
          "The initial factors: random, nvecs, or an earlier model. nvecs takes the leading"
              + " singular vectors of each mode, by two iterations of weft tucker. A model is the"
              + " folder of an earlier weft cpd of the same rank, or a pointer to the folder. If"
              + " tensor and model have labels, a slice gets the row of its label. Slices that the"
              + " model lacks get random rows (default: random).")
  public String init = RANDOM;

  @Option(
      order = 61,
      names = "--or-random",
      description = "With --init MODEL: begin at random if the model does not exist.")
  boolean orRandom;

  /** The tensor beside the model to start from; null without a model. */
  private @Nullable MatchedLabels matched;

  /** How many models are made. */
  public int count() {
    return seeds.starts;
  }

  /** Whether nothing was asked for. */
  boolean areDefault() {
    return seeds.starts == 1 && init.equals(RANDOM);
  }

  /**
   * Refuses what cannot work, before the tensor is read.
   *
   * @param modes of the tensor
   * @param names of its modes, if they have names
   * @param labels of the tensor's modes, by which rows of a model are found
   */
  public void check(
      FileAccess files,
      String input,
      int modes,
      List<String> names,
      Map<Integer, Labels> labels,
      int rank)
      throws IOException {
    if (orRandom && !StartNames.isFolder(init)) {
      throw usage("expected --init MODEL with --or-random, found --init %s", init);
    }
    Path model = files.path(init);
    if (orRandom && StartNames.isFolder(init) && !files.fileSystem(model).exists(model)) {
      init = RANDOM;
    }
    seeds.check();
    if (seeds.starts > 1 && !init.equals(RANDOM)) {
      throw usage(
          "expected --starts 1 with --init %s, from which all starts are the same, found %d",
          init, seeds.starts);
    }
    if (init.equals(StartNames.NVECS) && modes < 2) {
      throw usage(
          "--init nvecs: expected a tensor of at least 2 modes, found %d; give --init random",
          modes);
    }
    if (StartNames.isFolder(init)) {
      ModelFolder folder = ModelFolder.open(files, init);
      int found = folder.lambda().length;
      if (found != rank) {
        throw usage(
            "--init %s: expected a model of --rank %d, found one of rank %d", init, rank, found);
      }
      if (folder.order() != modes) {
        throw usage(
            "--init %s: expected a model of %s, found %d",
            init, Counts.plain(modes, "mode"), folder.order());
      }
      matched = MatchedLabels.of(input, names, labels, init, folder);
    }
  }

  /**
   * Decomposes.
   *
   * @param algorithm which may begin with a sample
   * @param runs what is kept of each run
   * @param keep takes the factors of each start that is better than those before
   */
  public BestStart<CpdResult> run(
      FileAccess files,
      Engine engine,
      EngineTensor tensor,
      Cpd cpd,
      CpAlgorithm algorithm,
      CheckpointOptions.Runs runs,
      BiConsumer<List<Factor>, Site> keep,
      Console console)
      throws IOException {
    BestStart<CpdResult> best = new BestStart<>(console, seeds.starts);
    Optional<CpState> model =
        init.equals(StartNames.NVECS)
            ? Optional.of(vectors(engine, tensor, cpd))
            : model(files, cpd, tensor.statistics().shape());
    for (int start = 0; start < seeds.starts; start++) {
      int number = start;
      Cpd seeded = cpd.withSeed(cpd.seed() + start);
      Runnable run =
          () -> {
            Map<String, Object> outcome = new LinkedHashMap<>();
            Optional<SampledStart> sample = algorithm.sample(tensor, seeded);
            Cpd whole = sample.isPresent() ? algorithm.polished(seeded) : seeded;
            Supplier<Optional<CpState>> begin =
                () ->
                    sample.isEmpty()
                        ? model
                        : Optional.of(
                            sampled(engine, tensor, seeded, sample.get(), outcome, console));
            Map<String, Integer> limits =
                Map.of(sample.isPresent() ? "--polish" : "--iterations", whole.maxIterations());
            Supplier<JobPlan> plan =
                () -> engine.plan(tensor, whole.job(tensor.statistics().shape()));
            Checkpoints checkpoints =
                runs.of(
                    number,
                    seeded.seed(),
                    tensor,
                    plan,
                    limits,
                    () -> begin.get().map(CpState::begun));
            CpdResult result =
                engine.cpd(
                    tensor,
                    whole,
                    checkpoints,
                    console.progress(),
                    (found, site) -> {
                      if (best.isBetter(
                          new SeedOptions.Ended(found.fits(), found.converged()).fit())) {
                        keep.accept(found.factors(), site);
                      }
                    });
            SeedOptions.Ended ended = new SeedOptions.Ended(result.fits(), result.converged());
            outcome.putAll(ended.outcome(seeded.seed()));
            best.add(result, ended.fit(), outcome);
          };
      best.attempt("seed " + seeded.seed(), Map.of("seed", seeded.seed()), run);
    }
    best.end("fit");
    return best;
  }

  private static CpState sampled(
      Engine engine,
      EngineTensor tensor,
      Cpd cpd,
      SampledStart start,
      Map<String, Object> outcome,
      Console console) {
    console.report("a sample of %s", start.box().shape());
    SampledStart.Found found = start.find(engine, tensor, cpd, console.progress());
    outcome.putAll(found.outcome());
    console.report("all entries");
    return found.state();
  }

  /** The model to start from, grown to the tensor's shape. */
  private Optional<CpState> model(FileAccess files, Cpd cpd, TensorShape shape) throws IOException {
    MatchedLabels known = matched;
    if (known == null) {
      return Optional.empty();
    }
    ModelFolder folder = ModelFolder.open(files, init);
    List<RowSource> grown = new ArrayList<>();
    for (int mode = 0; mode < shape.order(); mode++) {
      NpyRows rows = folder.rows(mode, cpd.rank());
      long size = shape.size(mode);
      Optional<long[]> places = known.places(mode);
      grown.add(
          places.isPresent()
              ? StartRows.at(FileRows.of(rows).collect(), places.get(), size, cpd, mode)
              : grown(mode, rows, size, cpd));
    }
    return Optional.of(CpState.of(grown, folder.lambda()));
  }

  /**
   * Leading left singular vectors, at most as many as a mode has slices; other columns are random.
   * Their absolute values where factors have to be nonnegative, as a vector's sign is arbitrary.
   */
  private static CpState vectors(Engine engine, EngineTensor tensor, Cpd cpd) {
    TensorShape shape = tensor.originalStatistics().shape();
    int least = (int) Math.min(cpd.rank(), LongStream.of(shape.toArray()).min().orElse(1));
    Ranks ranks = new Ranks(Collections.nCopies(shape.order(), least));
    OrthogonalIteration tucker =
        new OrthogonalIteration(
            ranks, OrthogonalIteration.Start.STHOSVD, NVECS_SWEEPS, 0, cpd.seed(), cpd.valueType());
    List<DenseMatrix> found = new ArrayList<>();
    double[] weights = new double[cpd.rank()];
    engine.run(
        tensor,
        tucker,
        ProgressListener.NONE,
        (model, site) -> {
          found.clear();
          model.factors().forEach(factor -> found.add(site.collect(factor.rows())));
          Arrays.fill(weights, site.unit());
        });
    List<RowSource> factors = new ArrayList<>();
    for (int mode = 0; mode < found.size(); mode++) {
      boolean signs = !cpd.nonnegative() && !cpd.constraints().containsKey(mode);
      factors.add(RowSource.of(filled(found.get(mode), cpd, mode, signs)));
    }
    return CpState.of(factors, weights);
  }

  private static DenseMatrix filled(DenseMatrix vectors, Cpd cpd, int mode, boolean signs) {
    DenseMatrix filled = DenseMatrix.zeros(vectors.rows(), cpd.rank());
    double scale = 1 / Math.sqrt(Math.max(1, vectors.rows())); // of numbers in a column of norm 1
    double[] row = new double[cpd.rank()];
    double[] own = new double[vectors.columns()];
    for (long i = 0; i < vectors.rows(); i++) {
      DenseMatrix.randomRow(cpd.seed(mode), i, row, 0, row.length);
      vectors.copyRow(i, own, 0);
      for (int r = 0; r < row.length; r++) {
        double vector = r < own.length ? own[r] : scale * row[r];
        row[r] = signs ? vector : Math.abs(vector);
      }
      filled.setRow(i, row, 0);
    }
    return filled;
  }

  /** Rows that the tensor has more are random, of about the size of those in a unit column. */
  private RowSource grown(int mode, NpyRows factor, long size, Cpd cpd) {
    if (factor.rows() > size) {
      throw usage(
          "--init %s: expected a model of at most %s in mode %d, the size of the tensor, found"
              + " %d",
          init, Counts.plain(size, "row"), mode, factor.rows());
    }
    return new FileRows(factor, size, cpd.seed(mode), StartRows.scale(factor.rows()));
  }
}
