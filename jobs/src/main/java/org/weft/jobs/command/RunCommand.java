package org.weft.jobs.command;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.weft.compiler.TensorCompiler;
import org.weft.compiler.eval.Evaluator;
import org.weft.compiler.lang.Program;
import org.weft.compiler.lang.SourceText;
import org.weft.compiler.program.ProgramRunner;
import org.weft.jobs.explain.ExplainCommand;
import org.weft.jobs.explain.StatementPlans;
import org.weft.jobs.option.CommonOptions;
import org.weft.jobs.output.Console;
import org.weft.jobs.run.PartedProgram;
import org.weft.jobs.run.Session;
import org.weft.jobs.run.StorageProgramFiles;
import org.weft.storage.document.JsonText;
import org.weft.storage.file.FileAccess;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weft run}. */
@Command(
    name = "run",
    sortOptions = false,
    description = {
      "Run a program of the tensor language, a .ta file.",
      "The program runs in this process. With --master it runs on a cluster, where its"
          + " tensors stay in parts on the executors between statements. Programs written for"
          + " COMET run unchanged and print what COMET prints.",
      "comet_read(N) reads the file that the environment variable SPARSE_FILE_NAMEN names."
          + " --dry-run checks the program and runs nothing. 'weft explain run' shows how each"
          + " statement is evaluated."
    },
    footer = {"", "Example: weft run spmm.ta", "Example: SPARSE_FILE_NAME0=a.mtx weft run sum.ta"})
public final class RunCommand extends SparkCommand {
  @Parameters(index = "0", paramLabel = "PROGRAM", description = "The .ta file of the program.")
  String program = "";

  @Option(
      names = {
        "--convert-tc-to-ttgt",
        "--opt-bestperm-ttgt",
        "--opt-matmul-tiling",
        "--opt-matmul-mkernel",
        "--opt-dense-transpose",
        "--opt-multiop-factorize"
      },
      description =
          "COMET's options for dense contractions. Weft accepts them and ignores them, because"
              + " Weft chooses by itself.")
  boolean[] optionsOfComet = {};

  @Override
  protected void run(Console console) throws IOException {
    if (optionsOfComet.length > 0) {
      console.note("COMET's options for dense contractions change nothing: Weft chooses the loops");
    }
    FileAccess files = CommonOptions.files();
    Program parsed =
        ProgramRunner.parse(new SourceText(program, StorageProgramFiles.text(files, program)));
    ProgramRunner runner =
        new ProgramRunner(
            new StorageProgramFiles(files, common, console), System.getenv(), console::text);
    if (common.dryRun) {
      runner.checkOutputs(parsed);
      console.note("%s: no errors; nothing was run", program);
      return;
    }
    ExplainCommand explanation = explain();
    if (common.reproducible
        || Session.namesMaster(common)
        || explanation != null && explanation.usesEngine()) {
      new PartedProgram(common, console).run(parsed, explanation);
      return;
    }
    int threads = common.threads == 0 ? Runtime.getRuntime().availableProcessors() : common.threads;
    try (TensorCompiler compiler = TensorCompiler.create(common.compilerOptions())) {
      Evaluator evaluator = new Evaluator(compiler, threads);
      if (explanation != null && explanation.json) {
        List<Object> plans = new ArrayList<>();
        runner.explain(
            parsed,
            evaluator,
            input ->
                plans.add(
                    StatementPlans.located(
                        input.statement(),
                        StatementPlans.members(input.operands(), evaluator.plan(input)))));
        console.text(JsonText.of(Map.of("statements", plans)));
      } else if (explanation != null) {
        runner.explain(
            parsed, evaluator, input -> runner.explain(input.statement(), evaluator.plan(input)));
      } else {
        runner.run(parsed, evaluator);
      }
    }
  }
}
