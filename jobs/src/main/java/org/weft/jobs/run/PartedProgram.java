package org.weft.jobs.run;

import static org.weft.jobs.output.Usage.usage;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.eval.LabelledStatement;
import org.weft.compiler.lang.Program;
import org.weft.compiler.program.ProgramRunner;
import org.weft.compiler.program.space.ModeIdentity;
import org.weft.engine.OutputTarget;
import org.weft.engine.StatementResult;
import org.weft.engine.program.PartedSpace;
import org.weft.jobs.explain.ExplainCommand;
import org.weft.jobs.explain.StatementPlans;
import org.weft.jobs.file.InputNames;
import org.weft.jobs.file.KeptModes;
import org.weft.jobs.option.CommonOptions;
import org.weft.jobs.output.Console;
import org.weft.storage.ReadOptions;
import org.weft.storage.document.JsonText;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.ValueType;

/** {@code weft run} in parts: on the executors of a master, or reproducible in this process. */
public final class PartedProgram {
  private final CommonOptions common;
  private final Console console;

  public PartedProgram(CommonOptions common, Console console) {
    this.common = common;
    this.console = console;
  }

  /**
   * Runs {@code program}, or with {@code explanation} prints how each of its statements is computed
   * and writes nothing.
   */
  public void run(Program program, @Nullable ExplainCommand explanation) throws IOException {
    try (Session session =
        Session.open(
            common,
            "weft run",
            console,
            engine -> explanation == null ? engine : explanation.cluster.applied(engine))) {
      FileAccess files = session.engine().files();
      StorageProgramFiles programFiles = new StorageProgramFiles(files, common, console);
      Named named = new Named(programFiles);
      ProgramRunner runner = new ProgramRunner(programFiles, System.getenv(), console::text);
      if (explanation == null) {
        runner.run(program, new PartedSpace(session.engine(), named, PartedSpace.Plans.NONE));
        return;
      }
      List<Object> members = new ArrayList<>();
      PartedSpace.Plans plans =
          new PartedSpace.Plans() {
            @Override
            public boolean writes() {
              return false;
            }

            @Override
            public boolean measures() {
              return explanation.analyze;
            }

            @Override
            public void evaluated(LabelledStatement statement, StatementResult result) {
              if (explanation.json) {
                members.add(
                    StatementPlans.located(
                        statement.statement(),
                        StatementPlans.members(result.plan(), result.measured())));
              } else {
                runner.explain(
                    statement.statement(), "\n" + (measures() ? result.analysis() : result.plan()));
              }
            }
          };
      runner.explain(program, new PartedSpace(session.engine(), named, plans));
      if (explanation.json) {
        console.text(JsonText.of(Map.of("statements", members)));
      }
    }
  }

  /** Files with the names and labels of their modes. */
  private final class Named implements PartedSpace.Files {
    private final StorageProgramFiles files;

    Named(StorageProgramFiles files) {
      this.files = files;
    }

    @Override
    public ReadOptions readOptions(String uri) {
      if (uri.toLowerCase(Locale.ROOT).endsWith(".npz")) {
        throw usage(
            "read(\"%s\"): a .npz archive is not read in parts: save its arrays as .npy", uri);
      }
      return common.readOptions().forOneOfSeveral(uri);
    }

    @Override
    public List<Optional<ModeIdentity>> modes(String uri, int order) {
      return files.modes(uri, order);
    }

    @Override
    public OutputTarget output(String uri, ValueType type, List<Optional<ModeIdentity>> modes) {
      KeptModes kept = KeptModes.of(modes);
      InputNames.noteDropped(console, uri, kept.names(), kept.labels());
      return new OutputTarget(uri, common.overwrite, kept.written(uri, type, common.zeroBased));
    }
  }
}
