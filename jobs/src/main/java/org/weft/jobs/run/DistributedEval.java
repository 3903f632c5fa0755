package org.weft.jobs.run;

import static org.weft.jobs.output.Usage.usage;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.eval.LabelledStatement;
import org.weft.compiler.lang.Statement;
import org.weft.engine.EngineTensor;
import org.weft.engine.OutputTarget;
import org.weft.engine.PlacedTensor;
import org.weft.engine.Placement;
import org.weft.engine.StatementJob;
import org.weft.engine.StatementOperand;
import org.weft.engine.StatementResult;
import org.weft.jobs.explain.ExplainCommand;
import org.weft.jobs.explain.StatementPlans;
import org.weft.jobs.file.InputNames;
import org.weft.jobs.file.KeptModes;
import org.weft.jobs.file.MatchedOperands;
import org.weft.jobs.file.OperandFiles;
import org.weft.jobs.option.CommonOptions;
import org.weft.jobs.option.EvalOptions;
import org.weft.jobs.output.Console;
import org.weft.jobs.output.EntryLines;
import org.weft.planner.distributed.DistributedPlan;
import org.weft.storage.ReadOptions;
import org.weft.storage.TensorFiles;
import org.weft.storage.document.JsonText;
import org.weft.storage.file.FileAccess;
import org.weft.storage.model.MatchedLabels;
import org.weft.tensor.TensorShape;
import org.weft.text.Counts;

/** {@code weft eval} in parts: on the executors of a master, or reproducible in this process. */
public final class DistributedEval {
  private final CommonOptions common;
  private final EvalOptions options;
  private final Console console;

  public DistributedEval(CommonOptions common, EvalOptions options, Console console) {
    this.common = common;
    this.options = options;
    this.console = console;
  }

  /**
   * Evaluates the statement.
   *
   * @param target the file of the result, or null to print it
   */
  public void run(Statement statement, @Nullable String target) {
    if (target != null) {
      TensorFiles.requireWritableExtension(target);
    }
    Map<String, List<List<String>>> accesses = options.accesses(statement);
    try (Session session = Session.open(common, "weft eval", console)) {
      if (target != null) {
        TensorFiles.checkOutput(session.engine().files(), target, common.overwrite);
      }
      MatchedOperands matched = options.matched(statement, session.engine().files());
      StatementJob job = job(session, statement, accesses, matched);
      StatementResult value = session.engine().statements().evaluate(job, console.progress());
      try (StatementResult result = job.padsResult() ? value.nonzeros() : value) {
        if (target == null) {
          KeptModes modes = modes(session.engine().files(), statement, matched);
          EntryLines lines =
              new EntryLines(console::text, common.type, common.zeroBased, modes.labels());
          result.read(lines::add);
          lines.flush();
        } else {
          result.write(output(session.engine().files(), statement, matched, target));
          console.note("wrote %s: %s", target, result.plan().shape());
        }
      }
    }
  }

  /** Prints the plan, for the cluster that {@code explanation} describes if it does. */
  public void explain(Statement statement, @Nullable ExplainCommand explanation)
      throws IOException {
    Map<String, List<List<String>>> accesses = options.accesses(statement);
    try (Session session =
        Session.open(
            common,
            "weft eval",
            console,
            engine -> explanation == null ? engine : explanation.cluster.applied(engine))) {
      MatchedOperands matched = options.matched(statement, session.engine().files());
      StatementJob job = job(session, statement, accesses, matched);
      boolean json = explanation != null && explanation.json;
      if (explanation == null || !explanation.analyze) {
        DistributedPlan plan = session.engine().statements().plan(job);
        console.text(json ? JsonText.of(StatementPlans.members(plan, Map.of())) : plan.toString());
        return;
      }
      long start = System.nanoTime();
      StatementResult result = session.engine().statements().analyze(job, console.progress());
      try (PlacedTensor kept = result.kept()) {
        if (json) {
          Map<String, Object> members = StatementPlans.members(result.plan(), result.measured());
          members.put("entries", kept.originalStatistics().entries());
          members.put("elapsed_seconds", (System.nanoTime() - start) * 1e-9);
          console.text(JsonText.of(members));
          return;
        }
        console.text(result.analysis());
        console.text(
            String.format(
                Locale.ROOT,
                "result: %s, %s, %.3f s%n",
                kept.shape(),
                Counts.of(kept.originalStatistics().entries(), "entry"),
                (System.nanoTime() - start) * 1e-9));
      }
    }
  }

  private StatementJob job(
      Session session,
      Statement statement,
      Map<String, List<List<String>>> accesses,
      MatchedOperands matched) {
    Map<String, EngineTensor> tensors = new LinkedHashMap<>();
    Map<String, Number> numbers = new LinkedHashMap<>();
    Optional<StatementOperand> previous = Optional.empty();
    for (Map.Entry<String, List<List<String>>> access : accesses.entrySet()) {
      String name = access.getKey();
      String source = options.inputs.getOrDefault(name, "");
      boolean result = name.equals(statement.target().tensor());
      if (access.getValue().get(0).isEmpty()) {
        Number number =
            OperandFiles.parse(session.engine().files(), name, source, common.readOptions());
        if (result) {
          Placement placement = session.engine().statements().placement();
          previous = Optional.of(placement.number(name, number, common.type));
        } else {
          numbers.put(name, number);
        }
      } else if (source.toLowerCase(Locale.ROOT).endsWith(".npz")) {
        throw usage(
            "--input %s=%s: a .npz archive is not read in parts: save its arrays as .npy",
            name, source);
      } else if (result) {
        previous = Optional.of(read(session, name, source, matched));
      } else {
        tensors.put(name, read(session, name, source, matched));
      }
    }
    return new StatementJob(
        new LabelledStatement(statement),
        tensors,
        numbers,
        previous,
        options.formats,
        options.sizes,
        common.type,
        "",
        Optional.empty());
  }

  private EngineTensor read(Session session, String name, String uri, MatchedOperands matched) {
    ReadOptions read = common.readOptions().forOneOfSeveral(uri);
    console.step("read " + uri, 0, 1);
    EngineTensor tensor = session.engine().read(uri, read, common.type);
    TensorShape shape = tensor.originalStatistics().shape();
    Optional<MatchedLabels.Moves> moves = matched.moves(name, shape);
    return moves.isEmpty()
        ? tensor
        : session.engine().select(tensor, uri, matched.shape(name, shape), moves.get()::found);
  }

  private KeptModes modes(FileAccess files, Statement statement, MatchedOperands matched) {
    return KeptModes.of(files, statement, options.inputs, matched);
  }

  private OutputTarget output(
      FileAccess files, Statement statement, MatchedOperands matched, String target) {
    KeptModes modes = modes(files, statement, matched);
    InputNames.noteDropped(console, target, modes.names(), modes.labels());
    return new OutputTarget(
        target, common.overwrite, modes.written(target, common.type, common.zeroBased));
  }
}
