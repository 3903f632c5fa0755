package org.weft.jobs;

import java.util.List;
import org.weft.jobs.command.BenchCommand;
import org.weft.jobs.command.CodesignCommand;
import org.weft.jobs.command.CompileCommand;
import org.weft.jobs.command.ConvertCommand;
import org.weft.jobs.command.DemoCommand;
import org.weft.jobs.command.EvalCommand;
import org.weft.jobs.command.GcCommand;
import org.weft.jobs.command.GenerateCommand;
import org.weft.jobs.command.IngestCommand;
import org.weft.jobs.command.MttkrpCommand;
import org.weft.jobs.command.ReorderCommand;
import org.weft.jobs.command.RunCommand;
import org.weft.jobs.command.SpyCommand;
import org.weft.jobs.command.StatsCommand;
import org.weft.jobs.command.TtmCommand;
import org.weft.jobs.command.TtvCommand;
import org.weft.jobs.command.TuneCommand;
import org.weft.jobs.command.WorkflowCommand;
import org.weft.jobs.decompose.CompareCommand;
import org.weft.jobs.decompose.CompleteCommand;
import org.weft.jobs.decompose.CpaprCommand;
import org.weft.jobs.decompose.CpdCommand;
import org.weft.jobs.decompose.DiagnoseCommand;
import org.weft.jobs.decompose.GcpCommand;
import org.weft.jobs.decompose.PredictCommand;
import org.weft.jobs.decompose.PublishCommand;
import org.weft.jobs.decompose.ReportCommand;
import org.weft.jobs.decompose.TopCommand;
import org.weft.jobs.decompose.TuckerCommand;
import org.weft.jobs.explain.ExplainCommand;
import org.weft.jobs.help.CompletionCommand;
import org.weft.jobs.option.CommonOptions;
import picocli.CommandLine;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The commands of {@code weft} and of {@code weft explain}. A command line that names one is given
 * that one only: picocli looks at every option of every command that it has, which takes longer
 * than a small job.
 */
final class Commands {
  private static final String EXPLAIN = "explain";
  private static final List<String> VERSION = List.of("-V", "--version");

  /** In the order of the help. */
  private static final List<String> ALL =
      words(
          "demo eval compile resident run mttkrp ttm ttv cpd tucker complete cpapr gcp "
              + "predict top report stats diagnose compare publish workflow ingest convert "
              + "gc generate reorder spy tune bench codesign explain completion help");

  private static final List<String> EXPLAINED =
      words(
          "demo eval run mttkrp ttm ttv cpd tucker complete cpapr gcp stats convert "
              + "generate reorder spy");

  private Commands() {}

  private static List<String> words(String text) {
    return List.of(text.split(" "));
  }

  /** Those of {@code weft}, in the order of its help. */
  static List<String> names() {
    return ALL;
  }

  /** Those that {@code weft explain} takes. */
  static List<String> explained() {
    return EXPLAINED;
  }

  /**
   * Adds the command that {@code arguments} begin with, or all commands if they do not begin with
   * one, to the line of {@code weft}. The question for the version needs none.
   *
   * @return whether it has all commands
   */
  static boolean addTo(CommandLine line, String[] arguments) {
    String first = arguments.length > 0 ? arguments[0] : "";
    if (arguments.length == 1 && VERSION.contains(first)) {
      return false;
    }
    boolean one = ALL.contains(first) && !first.equals("help");
    for (String name : one ? List.of(first) : ALL) {
      line.addSubcommand(
          name,
          switch (name) {
            case EXPLAIN -> explain(arguments);
            case "workflow" -> WorkflowCommand.line();
            default -> command(name);
          });
    }
    return !one;
  }

  private static CommandLine explain(String[] arguments) {
    CommandLine line = new CommandLine(new ExplainCommand());
    String named = "";
    if (arguments.length > 0 && arguments[0].equals(EXPLAIN)) {
      for (int at = arguments.length - 1; at > 0; at--) {
        named = arguments[at].startsWith("-") ? named : arguments[at];
      }
    }
    for (String name : EXPLAINED.contains(named) ? List.of(named) : EXPLAINED) {
      line.addSubcommand(name, explained(name));
    }
    return line;
  }

  /** {@code --memory} is that of {@code explain} there. */
  private static CommandLine explained(String name) {
    CommandLine line = new CommandLine(command(name));
    OptionSpec own = line.getCommandSpec().findOption(CommonOptions.MEMORY);
    if (own != null) {
      line.getCommandSpec().remove(own);
    }
    return line;
  }

  private static Object command(String name) {
    return switch (name) {
      case "demo" -> new DemoCommand();
      case "eval" -> new EvalCommand();
      case "compile" -> new CompileCommand();
      case "resident" -> new ResidentCommand();
      case "run" -> new RunCommand();
      case "mttkrp" -> new MttkrpCommand();
      case "ttm" -> new TtmCommand();
      case "ttv" -> new TtvCommand();
      case "cpd" -> new CpdCommand();
      case "tucker" -> new TuckerCommand();
      case "complete" -> new CompleteCommand();
      case "cpapr" -> new CpaprCommand();
      case "gcp" -> new GcpCommand();
      case "predict" -> new PredictCommand();
      case "top" -> new TopCommand();
      case "diagnose" -> new DiagnoseCommand();
      case "compare" -> new CompareCommand();
      case "publish" -> new PublishCommand();
      case "report" -> new ReportCommand();
      case "stats" -> new StatsCommand();
      case "ingest" -> new IngestCommand();
      case "convert" -> new ConvertCommand();
      case "gc" -> new GcCommand();
      case "generate" -> new GenerateCommand();
      case "reorder" -> new ReorderCommand();
      case "spy" -> new SpyCommand();
      case "tune" -> new TuneCommand();
      case "bench" -> new BenchCommand();
      case "codesign" -> new CodesignCommand();
      case "completion" -> new CompletionCommand();
      case "help" -> new HelpCommand();
      default -> throw new IllegalArgumentException(name);
    };
  }
}
