package org.weft.decomposition.completion;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.weft.decomposition.CpFactors;
import org.weft.decomposition.MethodState;
import org.weft.decomposition.Sweeps;
import org.weft.decomposition.rows.RowRule;
import org.weft.decomposition.rows.RowSource;
import org.weft.decomposition.rows.Rows;
import org.weft.planner.job.RowStatement;
import org.weft.tensor.ValueType;

/**
 * Stochastic gradient descent (Smith, Park and Karypis 2016, section 3.2) by batches of entries, in
 * an order that is random in each epoch:
 *
 * <pre>
 * for each batch, each mode n, each slice i:  h = the product of the other modes' rows
 *     Q = sum h^2,  M = 0.9 M + 0.1 Q                                      (over the batch)
 *     s_i = s_i / 2 + rate (sum (x - m) h - D a_i / B) / (k max(Q, M) + D / B)
 *     a_i = a_i + s_i
 * the rate grows by a tenth after an epoch that lowers the error, and is halved after another
 * an epoch that more than doubles the error is undone, and begins anew with half the rate
 * </pre>
 *
 * <p>There are B batches, and rows of k numbers that are free. {@code h h^T} is at most k times its
 * diagonal: with a rate of 1 no gradient overshoots, whatever the scale of the data. M keeps steps
 * short in batches that have few entries of a slice. Half of the last step is taken again: the
 * momentum of Polyak (1964), here for each number. Epochs to an error are about half as many. More
 * momentum can end in worse local optima.
 *
 * <p>A step fits the entries of a slice in one batch. Where they are few and h is small, the row
 * becomes large, and with it the next gradients of other modes: an epoch may diverge at a rate of
 * 1.
 *
 * @param batches that together have the training entries, each once
 * @param seed of the order of batches
 */
public record GradientSolver(List<EntryBatch> batches, long seed) implements Solver {
  private static final double MOST = 8;
  private static final double MOMENTUM = 0.5;
  private static final double MOST_RISE = 2;
  private static final int MOST_HALVINGS = 40;

  public GradientSolver {
    batches = List.copyOf(batches);
  }

  /** The batches are tensors of their own. */
  @Override
  public List<RowStatement> statements(int order, int columns) {
    return List.of();
  }

  @Override
  public int numbers(int columns) {
    return columns * (3 + 2 * batches.size());
  }

  @Override
  public String about() {
    return "gradients and their scales in all batches";
  }

  @Override
  public Sweep begin(CompletedFactors model, Optional<MethodState<RowSource>> start) {
    return new Epochs(model, start);
  }

  private final class Epochs implements Sweep {
    private final CompletedFactors model;
    private final List<EntryGradient> gradients = new ArrayList<>();
    private final List<Rows> means;
    private final List<Rows> steps;
    private final List<Rows> before;
    private final Random random = new Random(seed);
    private double rate = 1;

    Epochs(CompletedFactors model, Optional<MethodState<RowSource>> start) {
      this.model = model;
      batches.forEach(
          batch -> gradients.add(batch.gradient(model.columns(), model.factor(0).type())));
      means = at(start, "mean");
      steps = at(start, "step");
      before = model.factors().stream().map(this::zeros).toList();
      start.ifPresent(state -> rate = state.number("rate"));
      int epochs = start.map(state -> Sweeps.fits(state).size()).orElse(0);
      for (int epoch = 0; epoch < epochs; epoch++) {
        Collections.shuffle(gradients, random);
      }
    }

    private List<Rows> at(Optional<MethodState<RowSource>> start, String name) {
      ValueType type = model.factor(0).type();
      return start
          .map(state -> MethodState.at(model.site(), state, name, type))
          .orElseGet(() -> model.factors().stream().map(this::zeros).toList());
    }

    private Rows zeros(Rows factor) {
      return CpFactors.zeros(model.site(), factor.mode(), factor.columns(), factor.type());
    }

    @Override
    public MethodState<Rows> save(MethodState<Rows> state) {
      return state.rows("mean", means).rows("step", steps).numbers("rate", rate);
    }

    @Override
    public double run(int number, List<Double> errors) {
      if (number > 2) {
        boolean fell = errors.get(number - 2) < errors.get(number - 3);
        rate = fell ? Math.min(MOST, rate * 1.1) : rate / 2;
      }
      Collections.shuffle(gradients, random);
      double most = MOST_RISE * (number > 1 ? errors.get(number - 2) : model.training().scale());
      copy(before, model.factors());
      double error = epoch();
      for (int halving = 0; !(error <= most) && halving < MOST_HALVINGS; halving++) {
        rate /= 2;
        copy(model.factors(), before);
        means.forEach(rows -> CpFactors.clear(model.site(), rows));
        steps.forEach(rows -> CpFactors.clear(model.site(), rows));
        error = epoch();
      }
      return error;
    }

    private void copy(List<Rows> into, List<Rows> from) {
      CpFactors.copy(model.site(), model.algebra(), into, from);
    }

    private double epoch() {
      for (EntryGradient gradient : gradients) {
        for (int mode = 0; mode < model.order(); mode++) {
          update(gradient, mode);
        }
      }
      return model.training().rmse(model.factors());
    }

    private void update(EntryGradient gradient, int mode) {
      int[] free = model.free(mode);
      double[] ridges = model.ridges(mode);
      double share = 1.0 / batches.size();
      double length = rate;
      RowRule rule =
          (rows, sums) -> {
            for (int c : free) {
              rows[1][c] = 0.9 * rows[1][c] + 0.1 * rows[4][c];
              double most = Math.max(rows[1][c], rows[4][c]);
              double scale = free.length * most + share * ridges[c];
              double slope = rows[3][c] - share * ridges[c] * rows[0][c];
              rows[2][c] = MOMENTUM * rows[2][c] + (scale > 0 ? length * slope / scale : 0);
              rows[0][c] += rows[2][c];
            }
          };
      gradient.make(mode, model.factors());
      List<Rows> changed = List.of(model.factor(mode), means.get(mode), steps.get(mode));
      gradient.apply(model.site(), changed, rule);
    }
  }
}
