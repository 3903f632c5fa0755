package org.weft.jobs;

import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The {@code weft} command. Exit status 0: done, 1: failed, 2: wrong usage or bad input. */
@Command(
    name = "weft",
    mixinStandardHelpOptions = true,
    versionProvider = Versions.class,
    description = "Sparse tensor algebra, compiled to native kernels and run on Spark.",
    synopsisSubcommandLabel = "COMMAND",
    footer = {
      "",
      "Example: weft demo",
      "Example: weft cpd ratings.tns.gz --rank 16 --output factors",
      "'weft COMMAND --help' explains a command; 'weft explain COMMAND ...' shows its plan."
    },
    subcommands = {
      DemoCommand.class,
      EvalCommand.class,
      RunCommand.class,
      MttkrpCommand.class,
      TtmCommand.class,
      TtvCommand.class,
      CpdCommand.class,
      TopCommand.class,
      StatsCommand.class,
      IngestCommand.class,
      ConvertCommand.class,
      GcCommand.class,
      GenerateCommand.class,
      ReorderCommand.class,
      SpyCommand.class,
      TuneCommand.class,
      BenchCommand.class,
      ExplainCommand.class,
      HelpCommand.class
    })
public final class Weft implements Runnable {
  private final Console console;

  @CommandLine.Spec
  private CommandLine.Model.CommandSpec spec = CommandLine.Model.CommandSpec.create();

  private Weft(Console console) {
    this.console = console;
  }

  Console console() {
    return console;
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "expected a command, found none");
  }

  /**
   * Runs one command line; never throws for what a user can cause.
   *
   * @return the exit status
   */
  public static int run(String[] arguments, PrintStream out, PrintStream err) {
    Console console = new Console(out, err);
    CommandLine line = new CommandLine(new Weft(console));
    line.setOut(new PrintWriter(out, true, StandardCharsets.UTF_8));
    line.setErr(new PrintWriter(err, true, StandardCharsets.UTF_8));
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.setUsageHelpAutoWidth(true);
    line.setDefaultValueProvider(new OptionDefaults());
    line.setParameterExceptionHandler((e, args) -> misused(console, e));
    line.setExecutionExceptionHandler((e, command, parsed) -> console.failed(e));
    try {
      return line.execute(arguments);
    } catch (OutOfMemoryError | StackOverflowError e) { // picocli handles exceptions only
      return console.failed(e);
    }
  }

  private static int misused(Console console, ParameterException e) {
    String command = e.getCommandLine().getCommandSpec().qualifiedName();
    String message = e.getMessage() == null ? "" : e.getMessage().replaceAll("\\s*\\R\\s*", " ");
    if (e instanceof UnmatchedArgumentException unmatched) {
      String hint = String.join(", ", unmatched.getSuggestions());
      message += hint.isEmpty() ? "" : "; did you mean " + hint + "?";
    }
    return console.usageError(message + "; see '" + command + " --help'");
  }

  /** For the shell and for {@code spark-submit}. */
  public static void main(String[] arguments) {
    int status =
        run(
            arguments,
            new PrintStream(
                new java.io.FileOutputStream(java.io.FileDescriptor.out),
                true,
                StandardCharsets.UTF_8),
            new PrintStream(
                new java.io.FileOutputStream(java.io.FileDescriptor.err),
                true,
                StandardCharsets.UTF_8));
    System.exit(status);
  }
}
