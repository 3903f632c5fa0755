package org.weft.jobs.option;

import static org.weft.jobs.output.Usage.usage;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.LongFunction;
import org.weft.decomposition.Checkpoints;
import org.weft.decomposition.Resumable;
import org.weft.decomposition.rows.Site;
import org.weft.engine.Engine;
import org.weft.engine.EngineTensor;
import org.weft.engine.MethodResult;
import org.weft.jobs.model.BestStart;
import org.weft.jobs.output.Console;
import picocli.CommandLine.Option;

/** From how many seeds a method starts. */
public final class SeedOptions {
  @Option(
      order = 60,
      names = "--starts",
      paramLabel = "N",
      description =
          "Start N times, from the seeds S, S+1, ..., because one start may end in a local"
              + " optimum. The best model is kept. summary.json has the fits of all starts (default:"
              + " 1).")
  public int starts = 1;

  /** Refuses what cannot work, before the tensor is read. */
  public void check() {
    if (starts < 1) {
      throw usage("expected --starts of at least 1, found %d", starts);
    }
  }

  /**
   * How a start has ended.
   *
   * @param fits or what else rises, after each iteration
   */
  public record Ended(List<Double> fits, boolean converged) {
    double fit() {
      return fits.isEmpty() ? 0 : fits.get(fits.size() - 1);
    }

    /** What a summary says of the start. */
    Map<String, Object> outcome(long seed) {
      Map<String, Object> outcome = new LinkedHashMap<>();
      outcome.put("seed", seed);
      outcome.put("fit", fit());
      outcome.put("fits", fits);
      outcome.put("iterations", fits.size());
      outcome.put("converged", converged);
      return outcome;
    }
  }

  /**
   * Runs a method from each seed.
   *
   * @param first seed
   * @param method from a seed
   * @param runs what is kept of each run
   * @param iterations of a run, at most
   * @param keep takes each model that is better than those before, where its rows are
   */
  public <M> BestStart<MethodResult<M>> run(
      Engine engine,
      EngineTensor tensor,
      long first,
      LongFunction<? extends Resumable<M>> method,
      CheckpointOptions.Runs runs,
      int iterations,
      Function<M, Ended> ended,
      BiConsumer<M, Site> keep,
      Console console) {
    BestStart<MethodResult<M>> best = new BestStart<>(console, starts);
    for (int start = 0; start < starts; start++) {
      int number = start;
      long seed = first + start;
      Runnable run =
          () -> {
            Resumable<M> seeded = method.apply(seed);
            Checkpoints checkpoints =
                runs.of(
                    number,
                    seed,
                    tensor,
                    () -> engine.plan(tensor, seeded.job(tensor.statistics().shape())),
                    Map.of("--iterations", iterations));
            MethodResult<M> result =
                engine.run(
                    tensor,
                    seeded.keeping(checkpoints),
                    console.progress(),
                    (model, site) -> {
                      if (best.isBetter(ended.apply(model).fit())) {
                        keep.accept(model, site);
                      }
                    });
            Ended end = ended.apply(result.model());
            best.add(result, end.fit(), end.outcome(seed));
          };
      best.attempt("seed " + seed, Map.of("seed", seed), run);
    }
    best.end(method.apply(first).measure());
    return best;
  }
}
