package org.weft.spark.resident;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.weft.tensor.TensorStorage;

/**
 * The partitions of a resident tensor, all of them in this process and kept there until {@link
 * #close}, also where Spark evicts their blocks meanwhile. So the driver can run kernels on them
 * without a Spark job.
 */
public final class HeldPartitions implements AutoCloseable {
  /** Partitions that tasks of this process have held for a collector, by its id. */
  private static final Map<String, Map<Integer, ResidentPartition>> COLLECTED =
      new ConcurrentHashMap<>();

  private final List<ResidentPartition> partitions;

  private HeldPartitions(List<ResidentPartition> partitions) {
    this.partitions = partitions;
  }

  /**
   * Runs one Spark job that holds every partition where it is.
   *
   * @return empty if they are not all in this process
   */
  public static Optional<HeldPartitions> of(ResidentTensor tensor) {
    String id = UUID.randomUUID().toString();
    COLLECTED.put(id, new ConcurrentHashMap<>());
    Map<Integer, ResidentPartition> held = Map.of();
    boolean complete = false;
    try {
      int count = tensor.partitions().getNumPartitions();
      tensor.partitions().foreach(partition -> hold(id, partition));
      held = Map.copyOf(COLLECTED.getOrDefault(id, Map.of()));
      complete = held.size() == count;
    } finally {
      Map<Integer, ResidentPartition> all = COLLECTED.remove(id);
      if (!complete && all != null) {
        all.values().forEach(ResidentPartition::letGo);
      }
    }
    if (!complete) {
      return Optional.empty();
    }
    List<ResidentPartition> ordered = new ArrayList<>();
    for (int number = 0; number < held.size(); number++) {
      ordered.add(held.get(number));
    }
    return Optional.of(new HeldPartitions(ordered));
  }

  /** In a task. In another process nobody collects: the partition is left alone. */
  private static void hold(String id, ResidentPartition partition) {
    Map<Integer, ResidentPartition> held = COLLECTED.get(id);
    if (held == null || !partition.tryHold()) {
      return;
    }
    ResidentPartition earlier = held.put(partition.partition(), partition);
    if (earlier != null) {
      earlier.letGo();
    }
  }

  /** In the order of their numbers. */
  public List<ResidentPartition> partitions() {
    return partitions;
  }

  /** The arrays of a partition, valid until {@link #close}. */
  public TensorStorage storage(int partition) {
    return partitions.get(partition).storage();
  }

  @Override
  public void close() {
    partitions.forEach(ResidentPartition::letGo);
  }
}
