package org.weft.jobs.explain;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;

/** {@code weft explain COMMAND ...}: shows the plan of a command instead of running it. */
@Command(
    name = "explain",
    description = {
      "Show the plan and the code of another command, and write no output.",
      "The plan has predicted nonzeros, bytes, flops and time per partition, and the"
          + " expression. On request, the command also shows each stage of each kernel, down to"
          + " assembly.",
      "Inputs are read, because plans depend on how the nonzeros spread. Outputs are not"
          + " written.",
      "With --executors, the plan is for a cluster, which need not exist."
    },
    synopsisSubcommandLabel = "COMMAND",
    footer = {
      "",
      "Example: weft explain --loops mttkrp x.tns --mode 0 --rank 16",
      "Example: weft explain --executors 100 --cores 8 --memory 32g eval 'C(i,k) = A(i,j) * B(j,k)'"
          + " --input A=a.mtx --input B=b.mtx",
      "Example: weft explain --analyze eval 'y(i) = A(i,j) * x(j)' --input A=a.mtx --input x=x.npy",
      "Example: weft explain --analyze cpd x.tns.gz --rank 16"
    })
public final class ExplainCommand implements Runnable {
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help and exit.")
  private boolean help;

  @Mixin public final ClusterOptions cluster = new ClusterOptions();

  @Option(
      order = 88,
      names = "--analyze",
      scope = ScopeType.INHERIT,
      description =
          "Compute, keep no result, and show measured figures beside the predictions. Works"
              + " with eval, run, mttkrp, ttm, ttv, cpd, tucker, complete, cpapr and gcp. Statements"
              + " are computed in parts.")
  public boolean analyze;

  @Option(
      order = 89,
      names = "--loops",
      scope = ScopeType.INHERIT,
      description = "Also show algebra, iteration graph, merge lattices and loops of each kernel.")
  boolean loops;

  @Option(
      order = 90,
      names = "--llvm",
      scope = ScopeType.INHERIT,
      description = "Also show the optimised LLVM IR of each kernel.")
  boolean llvm;

  @Option(
      order = 91,
      names = "--asm",
      scope = ScopeType.INHERIT,
      description = "Also show the assembly of each kernel.")
  boolean assembly;

  @Option(
      order = 88,
      names = "--json",
      description =
          "Print the plan and its predictions as JSON. With --analyze, also print the measured"
              + " figures. Works with the same commands as --analyze.")
  public boolean json;

  /** Whether statements are planned, or run, in parts. */
  public boolean usesEngine() {
    return analyze || cluster.isNamed();
  }

  @CommandLine.Spec
  private CommandLine.Model.CommandSpec spec = CommandLine.Model.CommandSpec.create();

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "expected a command after explain, found none");
  }
}
