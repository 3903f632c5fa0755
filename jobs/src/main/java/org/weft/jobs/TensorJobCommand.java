package org.weft.jobs;

import org.jspecify.annotations.Nullable;
import org.weft.planner.Job;
import org.weft.spark.JobReport;
import org.weft.spark.OutputTarget;
import org.weft.spark.SparkTensor;
import org.weft.spark.WeftEngine;
import org.weft.storage.FileAccess;
import org.weft.storage.InputPlan;
import org.weft.storage.TensorFiles;
import org.weft.tensor.TensorShape;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Commands that multiply one tensor along one mode into one output: mttkrp, ttm, ttv. */
abstract class TensorJobCommand extends WeftCommand {
  @Parameters(
      index = "0",
      paramLabel = "IN",
      description = "Tensor: .tns, .mtx, each also .gz, or .wtb.")
  String input = "";

  @Option(
      names = "--mode",
      required = true,
      paramLabel = "N",
      description = "Mode of the tensor, counted from 0.")
  int mode;

  @Option(
      names = "--seed",
      paramLabel = "S",
      description = "Seed of the random operands (default: ${DEFAULT-VALUE}).")
  long seed;

  @Option(names = "--output", paramLabel = "OUT", description = "Result; not needed to explain.")
  @Nullable String output;

  /** A job whose operands are at hand. */
  interface BoundJob {
    Job job();

    JobReport run(WeftEngine engine, SparkTensor tensor, OutputTarget out, Console console);
  }

  /** Checks options and reads the operands that are files; the shape is known later. */
  abstract void prepare(FileAccess files, int order);

  abstract BoundJob bind(TensorShape shape);

  /** Refuses an extension that cannot hold the result of a tensor of this order. */
  void checkExtension(String target, int order) {}

  final void requireRank(@Nullable Integer rank) {
    if (rank != null && rank < 1) {
      throw usage("expected --rank of at least 1, found %d", rank);
    }
  }

  /**
   * A sparse result of {@code order} modes goes to a tensor file; a matrix also to Matrix Market.
   */
  final void requireSparseFile(String target, int order) {
    if (target.endsWith(".npy")) {
      throw usage(
          "%s: the result of weft %s is sparse: expected a name that ends in .tns, .tns.gz, .wtb"
              + " or, for a matrix, .mtx",
          target, commandName());
    }
    if (order != 2 && (target.endsWith(".mtx") || target.endsWith(".mtx.gz"))) {
      throw usage(
          "%s: the result has order %d, and Matrix Market holds matrices: expected a name that ends"
              + " in .tns, .tns.gz or .wtb",
          target, order);
    }
  }

  @Override
  void run(Console console) {
    FileAccess files = CommonOptions.files();
    String target = planOnly() && output == null ? null : required(output, "--output OUT");
    if (target != null) {
      checkTensorOutput(files, target);
    }
    InputPlan plan = TensorFiles.open(files, input, common.readOptions());
    int order = plan.header().order();
    if (mode < 0 || mode >= order) {
      throw usage(
          "%s: expected --mode 0 to %d, found %d: the tensor's order is %d and modes count from 0",
          input, order - 1, mode, order);
    }
    if (target != null) {
      checkExtension(target, order);
    }
    prepare(files, order);
    try (Session session = Session.open(common, "weft " + commandName() + " " + input, console)) {
      SparkTensor tensor = session.read(input, common, console);
      BoundJob bound = bind(tensor.statistics().shape());
      if (target == null || planOnly()) {
        PlanReport.print(
            console, session.engine(), session.engine().plan(tensor, bound.job()), explain());
        return;
      }
      OutputTarget out = new OutputTarget(target, common.overwrite);
      JobReport report = bound.run(session.engine(), tensor, out, console);
      console.result("wrote %s", target);
      RunReport.print(console, report);
    }
  }
}
