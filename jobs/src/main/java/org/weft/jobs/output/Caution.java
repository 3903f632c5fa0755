package org.weft.jobs.output;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.weft.engine.Engine;
import org.weft.engine.EngineTensor;
import org.weft.planner.JobPlan;
import org.weft.planner.job.Job;
import org.weft.planner.job.JobStatement;
import org.weft.planner.job.RowStatement;
import org.weft.tensor.TensorShape;

/** Warns before a job that is likely not what was meant: hours of work, a rank above all sizes. */
public final class Caution {
  static final double LONG_SECONDS = 3600;

  /** Below so many multiplications no job takes an hour, and it need not be planned to know. */
  private static final double LEAST_WORK = 1e10;

  private Caution() {}

  public static void say(Console console, Engine engine, EngineTensor tensor, Job job) {
    if (job.statements().stream().allMatch(RowStatement.class::isInstance)) {
      sayRank(console, tensor.statistics().shape(), rank(job));
    }
    sayHours(console, engine, tensor, job, 1, () -> List.of(engine.plan(tensor, job)));
  }

  /** The warning of a rank alone. */
  public static void sayRank(Console console, TensorShape shape, int rank) {
    long largest = IntStream.range(0, shape.order()).mapToLong(shape::size).max().orElse(0);
    if (rank > largest && largest > 0) {
      console.note(
          "warning: rank %,d is above the size of every mode (%s): factors have more columns than"
              + " rows; is it meant?",
          rank, shape);
    }
  }

  /**
   * The warning of hours alone.
   *
   * @param job that takes no less than what is planned
   * @param runs of the plans
   * @param plans of what is done; asked for only if the job would take hours
   */
  public static void sayHours(
      Console console,
      Engine engine,
      EngineTensor tensor,
      Job job,
      int runs,
      Supplier<Collection<JobPlan>> plans) {
    TensorShape shape = tensor.statistics().shape();
    if (runs * work(shape, tensor.statistics().entries(), job, rank(job)) < LEAST_WORK
        || runs * engine.plan(tensor, job).predicted().seconds() < LONG_SECONDS) {
      return;
    }
    double seconds =
        runs * plans.get().stream().mapToDouble(plan -> plan.predicted().seconds()).sum();
    if (seconds > LONG_SECONDS) {
      console.note("warning: this job is predicted to take %s", duration(seconds));
    }
  }

  private static int rank(Job job) {
    return (int) job.statements().stream().mapToLong(JobStatement::cells).max().orElse(1);
  }

  /** Multiplications of all iterations: each entry with each column, and the algebra of factors. */
  private static double work(TensorShape shape, long entries, Job job, int rank) {
    double rows = 0;
    for (int mode = 0; mode < shape.order(); mode++) {
      rows += shape.size(mode);
    }
    double once = rank * (entries + rows * rank);
    return once * job.statements().size() * job.iterations();
  }

  public static String duration(double seconds) {
    double hours = seconds / 3600;
    return hours < 48
        ? String.format(Locale.ROOT, "%.1f hours", hours)
        : String.format(Locale.ROOT, "%,.0f days", hours / 24);
  }
}
