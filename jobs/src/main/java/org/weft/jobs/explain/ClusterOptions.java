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

  @Option(
      order = 92,
      names = "--executors",
      paramLabel = "N",
      scope = ScopeType.INHERIT,
      description = "With explain: plan for N executors (default: those that are there).")
  int executors;

  @Option(
      order = 93,
      names = "--cores",
      paramLabel = "C",
      scope = ScopeType.INHERIT,
      description = "With explain --executors: cores of each (default: ${DEFAULT-VALUE}).")
  int cores = 1;

  @Option(
      order = 94,
      names = "--memory",
      paramLabel = "SIZE",
      scope = ScopeType.INHERIT,
      description =
          "With explain: memory of this process, as 512m or 32g (default: most of the machine's);"
              + " with --executors: of each for tensors (default: 4g).")
  @Nullable String memory;

  @Option(
      order = 95,
      names = "--network",
      paramLabel = "GB/s",
      scope = ScopeType.INHERIT,
      description =
          "With explain --executors: gigabytes per second that one task sends and receives"
              + " (default: the cost model's).")
  double network;

  /** Whether a cluster is described. */
  boolean isNamed() {
    return executors != 0;
  }

  /** Options of an engine that plans for the cluster. */
  public EngineOptions applied(EngineOptions engine) {
    if (!isNamed()) {
      return memory == null
          ? engine
          : engine.withMemoryBytes(ProcessMemory.forTensors(CommonOptions.bytes(memory)));
    }
    if (executors < 0 || cores < 1 || network < 0) {
      throw usage(
          "expected --executors and --cores of at least 1 and --network above 0, found %d, %d, %s",
          executors, cores, network);
    }
    MachineParameters machine = engine.planner().machine();
    return engine
        .withCluster(new Resources(executors, cores, 1, bytes()))
        .planning(
            p -> p.withMachine(network == 0 ? machine : machine.withNetwork(network * GIGABYTE)));
  }

  private long bytes() {
    return CommonOptions.bytes(memory == null ? "4g" : memory);
  }
}
