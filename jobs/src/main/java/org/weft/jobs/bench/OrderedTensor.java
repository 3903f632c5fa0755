package org.weft.jobs.bench;

import java.util.List;
import java.util.Map;
import org.weft.reorder.LocalityMetrics;
import org.weft.reorder.PartitionMetrics;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/**
 * A tensor's figures under several orders.
 *
 * @param orders in the order of measurement; the first is {@link OrderBench#GIVEN}
 * @param times of each kernel and number of threads
 */
public record OrderedTensor(
    String name, TensorShape shape, long entries, List<Order> orders, List<Times> times) {
  private static final int ROW_BYTES = 128;
  private static final int WINDOW = 4096;

  /**
   * What an order costs and what it does to the metrics.
   *
   * @param seconds of processor time to find it; 0 for orders that were not searched for
   * @param averageBandwidth of the first two modes
   * @param cacheLines of operands of 16 columns per 4096 entries, all modes together
   * @param imbalance heaviest partition over the mean
   * @param rowsFetched distinct rows of operands, summed over partitions
   */
  public record Order(
      String name,
      double seconds,
      double averageBandwidth,
      double maximumBandwidth,
      double cacheLines,
      double entriesPerBlock,
      double imbalance,
      long rowsFetched) {
    static Order of(
        String name, double seconds, TensorShape shape, List<CooBlock> blocks, int partitions) {
      LocalityMetrics metrics = LocalityMetrics.of(shape, blocks, ROW_BYTES, WINDOW);
      PartitionMetrics parts = PartitionMetrics.of(shape, blocks, partitions);
      boolean pairs = !metrics.bandwidths().isEmpty();
      return new Order(
          name,
          seconds,
          pairs ? metrics.bandwidths().get(0).average() : 0,
          pairs ? metrics.bandwidths().get(0).maximum() : 0,
          metrics.modes().stream()
              .mapToDouble(LocalityMetrics.ModeLocality::cacheLinesPerWindow)
              .sum(),
          metrics.entriesPerBlock(),
          parts.imbalance(),
          parts.totalRowsFetched());
    }
  }

  /**
   * @param seconds a call, by order
   */
  public record Times(String kernel, int threads, Map<String, Double> seconds) {
    double of(String order) {
      return seconds.getOrDefault(order, Double.NaN);
    }

    /** Speed under {@code order} over that without it: of the shuffled tensor if there is one. */
    double gain(String order) {
      return of(seconds.containsKey(OrderBench.SHUFFLED) ? OrderBench.SHUFFLED : OrderBench.GIVEN)
          / of(order);
    }
  }

  double entriesPerSecond(Order order) {
    return order.seconds() == 0 ? 0 : entries / order.seconds();
  }
}
