package org.weft.jobs;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;

/** {@code weft explain COMMAND ...}: shows the plan of a command instead of running it. */
@Command(
    name = "explain",
    description = {
      "Show what a command would do: its plan with predicted nonzeros, bytes, flops and time per"
          + " partition, the expression, and the loop nest of each kernel as C-like text.",
      "Inputs are read, because plans depend on how the nonzeros spread; outputs are not written."
    },
    synopsisSubcommandLabel = "COMMAND",
    footer = {"", "Example: weft explain --llvm mttkrp x.tns --mode 0 --rank 16"},
    subcommands = {
      DemoCommand.class,
      EvalCommand.class,
      RunCommand.class,
      MttkrpCommand.class,
      TtmCommand.class,
      TtvCommand.class,
      CpdCommand.class,
      StatsCommand.class,
      ConvertCommand.class,
      GenerateCommand.class,
      ReorderCommand.class,
      SpyCommand.class
    })
final class ExplainCommand implements Runnable {
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help and exit.")
  private boolean help;

  @Option(
      order = 90,
      names = "--llvm",
      scope = ScopeType.INHERIT,
      description = "With explain: also the optimised LLVM IR of each kernel.")
  boolean llvm;

  @Option(
      order = 91,
      names = "--asm",
      scope = ScopeType.INHERIT,
      description = "With explain: also the assembly of each kernel.")
  boolean assembly;

  @CommandLine.Spec
  private CommandLine.Model.CommandSpec spec = CommandLine.Model.CommandSpec.create();

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "expected a command after explain, found none");
  }
}
