package org.weft.jobs.explain;

import static org.weft.jobs.output.Usage.usage;

import org.jspecify.annotations.Nullable;
import org.weft.engine.EngineOptions;
import org.weft.engine.ProcessMemory;
import org.weft.jobs.option.CommonOptions;
import org.weft.planner.machine.MachineParameters;
import org.weft.planner.machine.Resources;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** Options that describe a cluster to plan for. */
public final class ClusterOptions {
  private static final double GIGABYTE = 1e9;
  private static final int MOST_EXECUTORS = 1_000_000;
  private static final int MOST_CORES = 10_000;
  private static final int MOST_GIGABYTES = 100_000;

  @Option(
      order = 92,
      names = "--executors",
      paramLabel = "N",
      scope = ScopeType.INHERIT,
      description = "Plan for N executors (default: the executors that are there).")
  @Nullable Integer executors;

  @Option(
      order = 93,
      names = "--cores",
      paramLabel = "C",
      scope = ScopeType.INHERIT,
      description = "With --executors: the cores of each executor (default: 1).")
  @Nullable Integer cores;

  @Option(
      order = 94,
      names = "--memory",
      paramLabel = "SIZE",
      scope = ScopeType.INHERIT,
      description =
          "The memory of this process, such as 2g or 32g (default: most of the machine's). With"
              + " --executors: the memory of each executor for tensors (default: 4g).")
  @Nullable String memory;

  @Option(
      order = 95,
      names = "--network",
      paramLabel = "GB/s",
      scope = ScopeType.INHERIT,
      description =
          "With --executors: the gigabytes per second that one task sends and receives"
              + " (default: the figure of the cost model).")
  @Nullable Double network;

  /** Whether a cluster is described. */
  public boolean isNamed() {
    return executors != null;
  }

  /**
   * Refuses a cluster that cannot be, and a part of one that nothing would come of.
   *
   * @throws WeftException {@code USAGE}
   */
  public void refuseNonsense() {
    requireNumber("--executors", executors, MOST_EXECUTORS);
    requireNumber("--cores", cores, MOST_CORES);
    if (network != null && !(network > 0 && network <= MOST_GIGABYTES)) {
      throw usage(
          "expected --network above 0 and of at most %d gigabytes a second, found %s",
          MOST_GIGABYTES, network);
    }
    if (executors == null && (cores != null || network != null)) {
      throw usage(
          "expected --executors N with %s, found none", cores != null ? "--cores" : "--network");
    }
    if (memory != null) {
      CommonOptions.bytes(memory);
    }
  }

  private static void requireNumber(String option, @Nullable Integer number, int most) {
    if (number != null && (number < 1 || number > most)) {
      throw usage("expected %s from 1 to %,d, found %,d", option, most, number);
    }
  }

  /** Options of an engine that plans for the cluster. */
  public EngineOptions applied(EngineOptions engine) {
    if (executors == null) {
      return memory == null
          ? engine
          : engine.withMemoryBytes(ProcessMemory.forTensors(CommonOptions.bytes(memory)));
    }
    MachineParameters machine = engine.planner().machine();
    return engine
        .withCluster(new Resources(executors, cores == null ? 1 : cores, 1, bytes()))
        .planning(
            p ->
                p.withMachine(network == null ? machine : machine.withNetwork(network * GIGABYTE)));
  }

  private long bytes() {
    return CommonOptions.bytes(memory == null ? "4g" : memory);
  }
}
