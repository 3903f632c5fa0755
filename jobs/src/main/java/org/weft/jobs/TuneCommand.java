package org.weft.jobs;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.TensorCompiler;
import org.weft.compiler.lang.Diagnostics;
import org.weft.compiler.lang.Parser;
import org.weft.compiler.lang.SourceText;
import org.weft.compiler.lang.Statement;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.planner.MachineParameters;
import org.weft.planner.tune.TunedStore;
import org.weft.planner.tune.Tuner;
import org.weft.planner.tune.TuningPlot;
import org.weft.planner.tune.TuningResult;
import org.weft.planner.tune.TuningTask;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weft tune}. */
@Command(
    name = "tune",
    sortOptions = false,
    description = {
      "Find the fastest way to evaluate an expression on its operands: formats, mode orders and"
          + " widths of sparse operands, and schedules of the loops.",
      "Variants are pruned by a cost model; the rest are verified against the result without"
          + " tuning, and timed in turns. The fastest is kept in the kernel cache, where 'weft eval'"
          + " finds it for expressions of the same class: equal up to names, with operands of"
          + " similar size. An operand with a stated format keeps it."
    },
    footer = {"", "Example: weft tune \"y(i) = A(i,j) * x(j)\" --input A=a.mtx --input x=x.npy"})
final class TuneCommand extends WeftCommand {
  @Parameters(index = "0", paramLabel = "EXPR", description = "A statement in index notation.")
  String expression = "";

  @Mixin TuneOptions options = new TuneOptions();

  @Option(
      order = 20,
      names = "--trials",
      paramLabel = "N",
      description = "Variants to time at most (default: ${DEFAULT-VALUE}).")
  int trials = 32;

  @Option(
      order = 21,
      names = "--plot",
      paramLabel = "FILE",
      description = "Write the times as a picture: an .svg file.")
  @Nullable Path plot;

  @Override
  void run(Console console) throws IOException {
    checkOptions();
    Statement statement = parse();
    MemoryScope scope = MemoryScope.root("tune", MemorySource.system());
    try (TensorCompiler compiler = TensorCompiler.create(options.compiler())) {
      TuneOptions.Loaded loaded = options.load(scope, common);
      int order = statement.target().labels().size();
      int threads =
          common.threads > 0 ? common.threads : Runtime.getRuntime().availableProcessors();
      TuningTask task =
          new TuningTask(
              expression,
              loaded.operands(),
              loaded.stated(),
              options.resultFormat(statement.target().tensor(), order, common.type),
              options.sizes,
              threads);
      if (planOnly()) {
        console.result("would search the variants of %s with %d thread(s)", expression, threads);
        return;
      }
      Tuner tuner = new Tuner(compiler, MachineParameters.measured(), console::note);
      TuningResult result = tuner.tune(scope, task, trials);
      console.result("%s", result.table().stripTrailing());
      keep(console, task, result);
      if (plot != null) {
        write(plot, TuningPlot.svg(result));
        console.result("plot: %s", plot);
      }
    } finally {
      scope.close();
    }
  }

  private void checkOptions() {
    if (trials < 1) {
      throw usage("expected --trials of at least 1, found %d", trials);
    }
    if (plot != null && !plot.toString().endsWith(".svg")) {
      throw usage("expected --plot to name an .svg file, found %s", plot);
    }
    if (plot != null && Files.exists(plot) && !common.overwrite) {
      throw usage("%s exists; give --overwrite to replace it, or another name", plot);
    }
  }

  private Statement parse() {
    Diagnostics diagnostics = new Diagnostics();
    Optional<Statement> statement =
        Parser.statement(SourceText.expression(expression), diagnostics);
    diagnostics.throwIfErrors();
    return statement.orElseThrow();
  }

  private static void keep(Console console, TuningTask task, TuningResult result)
      throws IOException {
    Optional<Path> cache = TuneOptions.cache();
    if (cache.isEmpty()) {
      console.note("the winner is not kept: the kernel cache is off");
      return;
    }
    Path file = new TunedStore(cache.get()).store(task, result);
    console.note("kept for expressions of this class: %s", file);
  }

  private static void write(Path file, String text) throws IOException {
    try (OutputStream out = Files.newOutputStream(file)) {
      out.write(text.getBytes(StandardCharsets.UTF_8));
    }
  }
}
