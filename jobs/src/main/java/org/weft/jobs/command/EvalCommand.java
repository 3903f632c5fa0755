package org.weft.jobs.command;

import static org.weft.jobs.output.Usage.usage;

import java.io.IOException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.Schedule;
import org.weft.compiler.TensorCompiler;
import org.weft.compiler.eval.EvaluationPlan;
import org.weft.compiler.eval.EvaluationStep;
import org.weft.compiler.eval.Evaluator;
import org.weft.compiler.eval.StatementInput;
import org.weft.compiler.lang.Statement;
import org.weft.jobs.explain.ExplainCommand;
import org.weft.jobs.explain.KernelStages;
import org.weft.jobs.explain.StatementPlans;
import org.weft.jobs.file.InputNames;
import org.weft.jobs.file.KeptModes;
import org.weft.jobs.file.LabelOrder;
import org.weft.jobs.file.MatchedOperands;
import org.weft.jobs.file.OperandFiles;
import org.weft.jobs.file.ResultOutput;
import org.weft.jobs.option.CommonOptions;
import org.weft.jobs.option.EvalOptions;
import org.weft.jobs.output.Console;
import org.weft.jobs.output.EntryLines;
import org.weft.jobs.run.DistributedEval;
import org.weft.jobs.run.Session;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.planner.tune.TunedStore;
import org.weft.planner.tune.TuningTask;
import org.weft.storage.TensorFiles;
import org.weft.storage.WriteOptions;
import org.weft.storage.document.JsonText;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorStorage;
import org.weft.text.Counts;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code weft eval}. */
@Command(
    name = "eval",
    sortOptions = false,
    description = {
      "Evaluate one expression of index notation.",
      "The command computes in this process. With --master it computes on a cluster, where"
          + " operands and result lie in parts. Labels that the result lacks are summed. The"
          + " language has + - * .* and functions, semirings such as A @(min,+) B, and masks.",
      "Weft orders products, and converts operands and results where formats need it."
          + " --explain shows these steps and computes nothing. --type may also be int or long.",
      "Exit status: 0 done, 1 memory or another resource failed, 2 the expression or an"
          + " input is wrong."
    },
    footer = {
      "",
      "Example: weft eval 'y(i) = A(i,j) * x(j)' --input A=a.mtx --input x=x.npy",
      "Example: weft eval 'C(i,k) = A(i,j) * B(j,k)' --input A=a.mtx --input B=b.tns.gz"
          + " --format B=CSC --output C=c.mtx"
    })
public final class EvalCommand extends SparkCommand {
  private static final String PRINT = "print";
  private static final Pattern NAMED = Pattern.compile("(\\w*)=(.*)");

  @Mixin EvalOptions options = new EvalOptions();

  @Option(
      order = 6,
      names = "--output",
      paramLabel = "[NAME=]FILE",
      description = {
        "Where the result goes: a tensor file, or 'print'. 'print' writes a line of"
            + " coordinates and value for each entry to standard output. If a mode has labels, the"
            + " line has the label instead of the coordinate (default: print)."
      })
  String output = PRINT;

  @Option(
      order = 7,
      names = "--explain",
      description =
          "Show operands, conversions and the order of contractions, and compute nothing. 'weft"
              + " explain --loops eval' shows the kernels, too.")
  boolean explainOnly;

  @Option(
      order = 8,
      names = "--no-tuned",
      description =
          "Do not use the formats and the schedule that 'weft tune' found for expressions of"
              + " this class.")
  boolean noTuned;

  @Option(
      order = 9,
      names = "--reorder",
      paramLabel = "[NAME=]METHOD",
      description = {
        "Evaluate with new coordinates for the labels of operand NAME (default: the largest"
            + " sparse operand). METHOD is a method of 'weft reorder' or a folder of permutations."
            + " The result has the old coordinates (default: none)."
      })
  @Nullable String reorder;

  @Override
  protected boolean computesIntegers() {
    return true;
  }

  @Override
  protected void run(Console console) throws IOException {
    FileAccess files = CommonOptions.files();
    Statement statement = options.statement();
    String target = target(statement);
    ExplainCommand explanation = explain();
    boolean elsewhere = explanation != null && explanation.usesEngine();
    if (elsewhere || common.reproducible || Session.namesMaster(common)) {
      requireWhole("--reorder", reorder);
      requireWhole("--schedule", options.schedule);
      DistributedEval distributed = new DistributedEval(common, options, console);
      if (explainOnly || explanation != null || common.dryRun) {
        distributed.explain(statement, explanation);
      } else {
        distributed.run(statement, target);
      }
      return;
    }
    if (target != null && explainOnly) {
      TensorFiles.requireWritableExtension(target);
    } else if (target != null) {
      checkTensorOutput(files, target);
    }
    Schedule schedule = options.schedule(Schedule.parallel());
    MatchedOperands matched = options.matched(statement, files);
    OperandFiles operands = options.read(statement, files, matched, common.readOptions());
    LabelOrder order = LabelOrder.of(reorder, operands, files, console);
    int threads = common.threads == 0 ? Runtime.getRuntime().availableProcessors() : common.threads;
    CompilerOptions compile = common.compilerOptions();
    try (TensorCompiler compiler = TensorCompiler.create(compile);
        MemoryScope scope = MemoryScope.root("weft eval", MemorySource.system())) {
      Map<String, TensorStorage> stored = operands.load(scope, options.formats, common.type);
      Evaluator evaluator = new Evaluator(compiler, threads);
      StatementInput plain = input(evaluator, statement, stored, schedule);
      Optional<TunedStore.Tuned> tuned = tuned(compile, plain, threads, console, compiler, scope);
      StatementInput input =
          tuned.isEmpty() ? plain : tuned(console, evaluator, scope, plain, tuned.get());
      if (explainOnly || planOnly()) {
        explain(console, compiler, input, evaluator.plan(input));
        return;
      }
      TensorStorage result =
          order.original(scope, evaluator.evaluate(scope, input), statement.target());
      KeptModes modes = KeptModes.of(files, statement, options.inputs, matched);
      if (target == null) {
        print(console, evaluator.inModeOrder(scope, result), modes);
      } else {
        InputNames.noteDropped(console, target, modes.names(), modes.labels());
        long entries = write(files, target, evaluator.inModeOrder(scope, result), modes);
        console.note("wrote %s: %s, %s", target, result.shape(), Counts.of(entries, "entry"));
      }
    }
  }

  private static void requireWhole(String option, @Nullable String value) {
    if (value != null) {
      throw usage(
          "%s %s is for whole statements, which --master and --reproducible divide: leave it out",
          option, value);
    }
  }

  /** The file of the result, or null to print it. */
  private @Nullable String target(Statement statement) {
    String name = statement.target().tensor();
    Matcher named = NAMED.matcher(output);
    if (named.matches() && !named.group(1).equals(name)) {
      throw usage(
          "expected --output FILE or %s=FILE, as the result is %s, found '%s'; write ./%s for a file"
              + " of this name",
          name, name, output, output);
    }
    String file = named.matches() ? named.group(2) : output;
    if (file.isEmpty()) {
      throw FileAccess.emptyName();
    }
    if (file.equals(PRINT)) {
      return null;
    }
    int order = statement.target().labels().size();
    if (order == 0 && !TensorFiles.hasExtension(file, ".npy")) {
      throw usage(
          "--output %s: the result is a scalar: print it, or write it to a .npy, which holds arrays"
              + " of order 0",
          output);
    }
    requireMatrix(file, order);
    return file;
  }

  private StatementInput input(
      Evaluator evaluator,
      Statement statement,
      Map<String, TensorStorage> stored,
      Schedule schedule) {
    String result = statement.target().tensor();
    int order = statement.target().labels().size();
    Map<String, TensorStorage> operands = new HashMap<>(stored);
    TensorStorage previous = operands.remove(result);
    StatementInput input =
        new StatementInput(
            statement,
            operands,
            TensorFormat.dense(order, common.type),
            options.sizes,
            Optional.ofNullable(previous),
            schedule);
    String format = options.formats.get(result);
    if (format == null) {
      return input.withResultFormat(
          previous == null ? evaluator.resultFormat(input) : previous.format());
    }
    return input.withResultFormat(TensorFormat.parse(format, order, common.type));
  }

  /** What {@code weft tune} kept for the class of this statement, unless a schedule is given. */
  private Optional<TunedStore.Tuned> tuned(
      CompilerOptions compile,
      StatementInput input,
      int threads,
      Console console,
      TensorCompiler compiler,
      MemoryScope scope) {
    boolean assigns = input.statement().assignment() == Statement.Assignment.ASSIGN;
    if (noTuned || options.schedule != null || !assigns || compile.cacheDirectory().isEmpty()) {
      return Optional.empty();
    }
    TuningTask task =
        new TuningTask(
            options.expression,
            input.operands(),
            options.formats.keySet(),
            input.resultFormat(),
            input.sizes(),
            threads);
    TunedStore store = new TunedStore(compile.cacheDirectory().get());
    Optional<TunedStore.Tuned> found = store.find(task);
    return explainOnly || planOnly() || found.isEmpty() || found.get().measuredHere()
        ? found
        : new TunedElsewhere(compiler, scope, store, console).measured(task, found.get());
  }

  private static StatementInput tuned(
      Console console,
      Evaluator evaluator,
      MemoryScope scope,
      StatementInput input,
      TunedStore.Tuned tuned) {
    Map<String, TensorStorage> operands = new HashMap<>(input.operands());
    tuned
        .formats()
        .forEach(
            (name, format) -> {
              TensorStorage operand = operands.get(name);
              if (operand != null && !operand.format().equals(format)) {
                operands.put(name, evaluator.convert(scope, operand, format));
              }
            });
    console.note(
        "tuned: %s, %s (%.2f times as fast when tuned; --no-tuned turns this off)",
        tuned.formats(), tuned.schedule(), tuned.speedUp());
    return new StatementInput(
        input.statement(),
        operands,
        input.resultFormat(),
        input.sizes(),
        input.previous(),
        tuned.schedule());
  }

  private void explain(
      Console console, TensorCompiler compiler, StatementInput input, EvaluationPlan plan)
      throws IOException {
    ExplainCommand explanation = explain();
    if (explanation != null && explanation.json) {
      console.text(JsonText.of(StatementPlans.members(input.operands(), plan)));
      return;
    }
    input
        .operands()
        .forEach(
            (name, operand) ->
                console.text(
                    String.format(
                        Locale.ROOT,
                        "%s: %s, %s, %s%n",
                        name,
                        operand.shape(),
                        Counts.of(operand.storedEntries(), "stored entry"),
                        operand.format())));
    console.text(plan.toString());
    for (EvaluationStep step : plan.steps()) {
      if (step instanceof EvaluationStep.Compute compute) {
        KernelStages.print(
            console,
            compute.result().name(),
            () -> compiler.explain(compute.kernel()),
            explanation);
      }
    }
  }

  private void print(Console console, TensorStorage result, KeptModes modes) {
    EntryLines lines =
        new EntryLines(
            console::text, result.format().valueType(), common.zeroBased, modes.labels());
    lines.add(result);
    lines.flush();
  }

  private long write(FileAccess files, String uri, TensorStorage result, KeptModes modes) {
    WriteOptions options = modes.written(uri, result.format().valueType(), common.zeroBased);
    return ResultOutput.write(files, uri, common.overwrite, result, options);
  }
}
