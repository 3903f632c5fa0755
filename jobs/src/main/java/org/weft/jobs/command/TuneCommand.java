package org.weft.jobs.command;

import static org.weft.jobs.output.Usage.usage;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.TensorCompiler;
import org.weft.compiler.eval.Evaluator;
import org.weft.compiler.eval.StatementInput;
import org.weft.compiler.lang.Statement;
import org.weft.jobs.bench.TuningPlot;
import org.weft.jobs.chart.Picture;
import org.weft.jobs.file.OperandFiles;
import org.weft.jobs.option.CommonOptions;
import org.weft.jobs.option.EvalOptions;
import org.weft.jobs.output.Console;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.planner.tune.TunedStore;
import org.weft.planner.tune.Tuner;
import org.weft.planner.tune.TuningResult;
import org.weft.planner.tune.TuningTask;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorStorage;
import org.weft.text.Counts;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code weft tune}. */
@Command(
    name = "tune",
    sortOptions = false,
    description = {
      "Find the fastest formats and schedule for an expression.",
      "The command tries formats, mode orders and widths of sparse operands, and schedules"
          + " of the loops.",
      "A cost model discards most variants. The others are compared with the result without"
          + " tuning, and timed in turns. The fastest is kept in the kernel cache if its slow"
          + " runs (the upper quartile) are faster than every run without tuning. 'weft eval'"
          + " then uses it for expressions of the same class, which are equal up to names and"
          + " have operands of similar size. On another machine, 'weft eval' measures the variant"
          + " again first. An operand with a stated format keeps the format."
    },
    footer = {"", "Example: weft tune \"y(i) = A(i,j) * x(j)\" --input A=a.mtx --input x=x.npy"})
public final class TuneCommand extends WeftCommand {
  @Mixin EvalOptions options = new EvalOptions();

  @Option(
      order = 20,
      names = "--trials",
      paramLabel = "N",
      description = "Time at most N variants (default: ${DEFAULT-VALUE}).")
  int trials = 32;

  @Option(
      order = 21,
      names = "--plot",
      paramLabel = "FILE",
      description = "Also draw the times in this .png or .svg file.")
  @Nullable String plot;

  @Override
  protected void run(Console console) throws IOException {
    checkOptions();
    FileAccess files = CommonOptions.files();
    checkOutput(files, plot);
    Statement statement = options.statement();
    OperandFiles operands =
        options.read(statement, files, options.matched(statement, files), common.readOptions());
    int threads = common.threads == 0 ? Runtime.getRuntime().availableProcessors() : common.threads;
    CompilerOptions compile = common.compilerOptions();
    try (TensorCompiler compiler = TensorCompiler.create(compile);
        MemoryScope scope = MemoryScope.root("weft tune", MemorySource.system())) {
      Map<String, TensorStorage> stored = operands.load(scope, options.formats, common.type);
      TensorFormat result = resultFormat(new Evaluator(compiler, threads), statement, stored);
      Set<String> stated = options.formats.keySet();
      TuningTask task =
          new TuningTask(options.expression, stored, stated, result, options.sizes, threads);
      if (planOnly()) {
        console.result(
            "would search the variants of %s with %s",
            options.expression, Counts.plain(threads, "thread"));
        return;
      }
      Tuner tuner = new Tuner(compiler, common.machine(), console::note);
      TuningResult found = tuner.tune(scope, task, trials);
      console.result("%s", found.table().stripTrailing());
      console.result("%s", found.verdict());
      keep(console, compile, task, found);
      if (plot != null) {
        draw(files, plot, TuningPlot.of(found));
        console.note("wrote %s", plot);
      }
    }
  }

  private TensorFormat resultFormat(
      Evaluator evaluator, Statement statement, Map<String, TensorStorage> stored) {
    int order = statement.target().labels().size();
    String stated = options.formats.get(statement.target().tensor());
    TensorFormat dense = TensorFormat.dense(order, common.type);
    return stated == null
        ? evaluator.resultFormat(
            StatementInput.of(statement, stored, dense).withSizes(options.sizes))
        : TensorFormat.parse(stated, order, common.type);
  }

  private void checkOptions() {
    if (trials < 1) {
      throw usage("expected --trials of at least 1, found %d", trials);
    }
    if (options.schedule != null) {
      throw usage("--schedule %s: tune chooses the schedule; drop the option", options.schedule);
    }
    if (plot != null) {
      Picture.checkName("--plot", plot);
    }
  }

  private static void keep(
      Console console, CompilerOptions compile, TuningTask task, TuningResult result)
      throws IOException {
    if (compile.cacheDirectory().isEmpty()) {
      console.note("the winner is not kept: the kernel cache is off");
      return;
    }
    Optional<Path> file = new TunedStore(compile.cacheDirectory().get()).store(task, result);
    console.note(
        "%s", file.map(f -> "kept for expressions of this class: " + f).orElse("nothing is kept"));
  }
}
