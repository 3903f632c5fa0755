package org.weft.jobs;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.jobs.command.CommandRoot;
import org.weft.jobs.help.CommonHelp;
import org.weft.jobs.help.FirstSteps;
import org.weft.jobs.help.Misuse;
import org.weft.jobs.help.PairOptions;
import org.weft.jobs.option.OptionDefaults;
import org.weft.jobs.option.SettingsCheck;
import org.weft.jobs.output.Console;
import org.weft.jobs.output.Ending;
import org.weft.jobs.output.StandardOutput;
import org.weft.jobs.process.ClassArchive;
import org.weft.jobs.process.SoftwareVersions;
import org.weft.jobs.process.Surroundings;
import org.weft.scratch.AbandonedFolders;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IExecutionStrategy;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/**
 * The {@code weft} command. Exit status 0: done, 1: failed, 2: wrong usage or bad input, and no
 * command at all, which prints help; 3, 4 and 5 are of workflows, see {@link ErrorCode.Kind}.
 */
@Command(
    name = "weft",
    mixinStandardHelpOptions = true,
    versionProvider = SoftwareVersions.class,
    description = "Sparse tensor algebra, compiled to native kernels, in one process or on Spark.",
    synopsisSubcommandLabel = "COMMAND",
    footer = {
      "",
      "Example: weft demo",
      "Example: weft cpd ratings.tns.gz --rank 16 --output factors",
      "'weft COMMAND --help' explains a command. 'weft explain COMMAND ...' shows the plan"
          + " of a command.",
      "Common options also work before the name of the command, as in 'weft -v cpd ...'."
    })
public final class Weft implements Callable<Integer>, CommandRoot {
  private final Console console;

  @CommandLine.Spec
  private CommandLine.Model.CommandSpec spec = CommandLine.Model.CommandSpec.create();

  Weft(Console console) {
    this.console = console;
  }

  @Override
  public Console console() {
    return console;
  }

  /** Without a command there is nothing to do: what to try, and the status of wrong usage. */
  @Override
  public Integer call() {
    console.text(FirstSteps.text());
    return ErrorCode.USAGE.kind().exitStatus();
  }

  /**
   * Runs one command line; never throws for what a user can cause.
   *
   * @return the exit status
   */
  public static int run(String[] arguments, PrintStream out, PrintStream err) {
    return run(arguments, new Console(out, err), out, err);
  }

  @Override
  public CommandLine allCommands() {
    CommandLine line = new CommandLine(new Weft(console));
    Commands.addTo(line, new String[0]);
    configure(line);
    return line;
  }

  @Override
  public Optional<String> misuse(List<String> words) {
    String[] arguments = LeadingOptions.moved(words.toArray(new String[0]));
    PrintStream nowhere =
        new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
    CommandLine line = new CommandLine(new Weft(new Console(nowhere, nowhere)));
    Commands.addTo(line, arguments);
    configure(line);
    try {
      ParseResult parsed = line.parseArgs(arguments);
      PairOptions.check(parsed);
      return parsed.hasSubcommand()
          ? Optional.empty()
          : Optional.of("expected a weft command, found '" + String.join(" ", arguments) + "'");
    } catch (ParameterException e) {
      return Optional.of(Misuse.message(e, arguments));
    }
  }

  private static void configure(CommandLine line) {
    // picocli warns on standard error of a name with one quotation mark, which it then takes as it
    // is.
    CommandLine.tracer().setLevel(CommandLine.TraceLevel.OFF);
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.setUsageHelpAutoWidth(true);
    line.setDefaultValueProvider(new OptionDefaults());
    CommonHelp.addTo(line);
  }

  private static int run(String[] words, Console console, PrintStream out, PrintStream err) {
    String[] arguments = LeadingOptions.moved(words);
    CommandLine line = new CommandLine(new Weft(console));
    boolean all = Commands.addTo(line, arguments);
    line.setOut(new PrintWriter(out, true, StandardCharsets.UTF_8));
    line.setErr(new PrintWriter(err, true, StandardCharsets.UTF_8));
    configure(line);
    if (all) {
      CommonHelp.addTopic(line);
    }
    Conduct conduct = new Conduct(console);
    line.setParameterExceptionHandler(conduct);
    line.setExecutionStrategy(conduct);
    line.setExecutionExceptionHandler(conduct);
    try {
      SettingsCheck.run(conduct);
      return line.execute(arguments);
    } catch (WeftException e) {
      return console.failed(e);
    } catch (Error e) { // picocli handles exceptions only
      return console.failed(e);
    }
  }

  /**
   * What happens with a line of words that was parsed, or could not be, and the commands that
   * settings may be about. No lambdas: an archive of classes that has them lacks the parts of
   * picocli that they are made from, and each command would read and verify them.
   */
  private record Conduct(Console console)
      implements IExecutionStrategy,
          IParameterExceptionHandler,
          IExecutionExceptionHandler,
          Supplier<CommandLine> {
    @Override
    public CommandLine get() {
      return new Weft(console).allCommands();
    }

    @Override
    public int execute(ParseResult parsed) {
      PairOptions.check(parsed);
      return new CommandLine.RunLast().execute(parsed);
    }

    @Override
    public int handleParseException(ParameterException e, String[] arguments) {
      return console.usageError(Misuse.message(e, arguments));
    }

    @Override
    public int handleExecutionException(Exception e, CommandLine command, ParseResult parsed) {
      return console.failed(e);
    }
  }

  /** For the shell and for {@code spark-submit}. */
  public static void main(String[] arguments) {
    StandardOutput output = new StandardOutput();
    PrintStream out = output.stream();
    PrintStream err =
        new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8);
    Console console = new Console(out, err);
    Ending ending = Ending.install(console);
    console.setEnding(ending);
    ending.followParent();
    int status;
    try {
      Surroundings.prepare(arguments);
      AbandonedFolders.startRemoving();
      status = run(arguments, console, out, err);
    } catch (WeftException e) {
      status = console.failed(e);
    }
    WeftException lost = output.failure();
    if (status == 0 && lost != null) {
      status = console.failed(lost);
    }
    if (status == 0) {
      ClassArchive.writeIfWanted(err);
    }
    ending.finish(status);
  }
}
