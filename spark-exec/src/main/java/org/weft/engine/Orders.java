package org.weft.engine;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.weft.engine.order.ReorderChoice;
import org.weft.engine.order.SampledOrder;
import org.weft.planner.Planner;
import org.weft.planner.job.Job;
import org.weft.reorder.Relabelling;
import org.weft.reorder.Reorderer;
import org.weft.reorder.Reorderers;
import org.weft.statistics.TensorStatistics;
import org.weft.tensor.CooBlock;
import org.weft.text.Counts;

/** Orders of the coordinates of an engine's tensors: finds them, and packs tensors under them. */
public final class Orders {
  private final Engine engine;
  private final Backend backend;

  Orders(Engine engine, Backend backend) {
    this.engine = engine;
    this.backend = backend;
  }

  /**
   * Orders a tensor by a method of {@link Reorderers}: its entries on the driver if no more than
   * {@code mostEntries}, otherwise a sample of about so many, extended to the others. Nothing is
   * changed yet; see {@link #apply}.
   *
   * @param method such as {@code lexi}; {@code partition} alone makes as many parts as jobs on the
   *     tensor have partitions
   * @param mostEntries 0 for as many as the driver's heap allows
   * @throws org.weft.error.WeftException {@code USAGE} for an unknown method
   */
  public Ordering find(EngineTensor tensor, String method, long mostEntries) {
    long start = System.nanoTime();
    TensorStatistics statistics = tensor.statistics();
    Reorderer reorderer =
        Reorderers.named(
            method.equals("partition")
                ? "partition:"
                    + Math.min(256, planner().partitionCount(statistics, engine.resources()))
                : method);
    long capacity = SampledOrder.driverCapacity(statistics.shape().order());
    try {
      SampledOrder order = new SampledOrder(tensor.entries(), statistics);
      List<CooBlock> sample =
          order.sample(mostEntries > 0 ? Math.min(mostEntries, capacity) : capacity);
      Relabelling found = order.order(reorderer, sample);
      long entries = sample.stream().mapToLong(CooBlock::size).sum();
      double seconds = (System.nanoTime() - start) * 1e-9;
      String line =
          String.format(
              Locale.ROOT,
              "%s of %s%s in %.2f s",
              reorderer.name(),
              entries < statistics.entries() ? "a sample of " : "",
              Counts.of(entries, "entry"),
              seconds);
      return new Ordering(
          reorderer.name(), Optional.of(found), entries, seconds, false, List.of(line));
    } catch (Exception e) {
      throw backend.failure(e);
    }
  }

  /**
   * Decides whether an order pays for {@code job}, and finds it: predicted from rows missed on
   * windows of the tensor, over the iterations that the job is sure to run. The answer says why.
   *
   * @param mostEntries as for {@link #find}
   */
  public Ordering choose(EngineTensor tensor, Job job, long mostEntries) {
    long start = System.nanoTime();
    job.checkAppliesTo(tensor.statistics().shape());
    long capacity = SampledOrder.driverCapacity(tensor.statistics().shape().order());
    try {
      ReorderChoice.Decision decision =
          new ReorderChoice(
                  tensor.entries(),
                  engine.plan(tensor, job),
                  planner().options().partitioner(),
                  planner().options().machine())
              .decide(mostEntries > 0 ? Math.min(mostEntries, capacity) : capacity, tensor::moved);
      return new Ordering(
          decision.method(),
          decision.relabelling(),
          decision.entries(),
          (System.nanoTime() - start) * 1e-9,
          false,
          decision.reasons());
    } catch (Exception e) {
      throw backend.failure(e);
    }
  }

  /**
   * {@code tensor} with its coordinates changed while it is packed, for locality. Jobs on it take
   * operands, and give results, in original coordinates; with {@code keepOrder} results have the
   * new ones, or those of a container that was reordered. The entries are shared: {@code tensor}
   * stays open as long as the new one.
   *
   * @param ordering a permutation for each mode, of at least its size; the next job on the tensor
   *     reports the time that it took. Without permutations the answer is {@code tensor}
   * @throws org.weft.error.WeftException {@code SHAPE_MISMATCH}
   */
  public EngineTensor apply(EngineTensor tensor, Ordering ordering, boolean keepOrder) {
    if (ordering.relabelling().isEmpty()) {
      tensor.ordered(ordering);
      if (keepOrder) {
        tensor.keepOrder();
      }
      return tensor;
    }
    EngineTensor reordered = tensor.reordered(ordering);
    if (keepOrder) {
      reordered.keepOrder();
    }
    engine.closeLater(reordered);
    return reordered;
  }

  private Planner planner() {
    return engine.planner();
  }
}
