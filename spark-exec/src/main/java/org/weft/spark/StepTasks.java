package org.weft.spark;

import static java.lang.System.Logger.Level.INFO;
import static java.lang.System.Logger.Level.WARNING;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.storage.BlockManagerId;
import org.jspecify.annotations.Nullable;
import org.weft.engine.Measurements;
import org.weft.error.ErrorCode;
import org.weft.error.Reasons;
import org.weft.error.WeftException;
import org.weft.planner.machine.Resources;
import org.weft.spark.exchange.RowPlace;
import org.weft.spark.resident.BlockSpace;
import org.weft.spark.resident.ResidentPartition;
import org.weft.spark.resident.ResidentRdd;
import org.weft.spark.resident.ResidentTensor;
import org.weft.spark.standing.Elements;
import org.weft.spark.standing.StandingTasks;
import org.weft.spark.standing.StandingTasksLost;
import org.weft.spark.wire.PartitionWork;
import org.weft.spark.wire.Wire;

/**
 * Runs the work of a method's steps on the executors: by tasks that stand by, or by a Spark job for
 * each where they cannot. What is made is the same.
 *
 * <p>Tasks stand by from the first step on a packed tensor, on executors, unless other jobs of the
 * application run. {@code spark.weft.standingTasks=false} forbids them. Methods that a thread runs
 * within one another share the tasks, as a completion and its validation do: tasks that stood by
 * for the outer method would keep the cores from the inner one.
 */
final class StepTasks implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(StepTasks.class.getName());
  private static final String ALLOWED = "spark.weft.standingTasks";
  private static final int MOST_FAILURES = 2;
  private static final Duration OTHERS_WAIT = Duration.ofMillis(100);
  private static final ThreadLocal<Team> OF_THREAD = new ThreadLocal<>();

  private final JavaSparkContext context;
  private final Measurements measurements;
  private final int tasksPerExecutor;
  private final String name;
  private final Team team;
  private int failures;

  /**
   * @param name of the decomposition, for Spark's pages
   */
  StepTasks(JavaSparkContext context, Measurements measurements, Resources resources, String name) {
    this.context = context;
    this.measurements = measurements;
    this.name = name;
    this.tasksPerExecutor = Math.max(1, resources.coresPerExecutor() / resources.threadsPerTask());
    this.failures = context.getConf().getBoolean(ALLOWED, true) ? 0 : MOST_FAILURES;
    Team outer = OF_THREAD.get();
    this.team = outer != null && outer.context == context.sc() ? outer : new Team(context.sc());
    team.methods++;
    OF_THREAD.set(team);
  }

  /** What is made of each partition of a tensor. */
  <R> List<R> collect(ResidentTensor tensor, PartitionWork<ResidentPartition, R> work) {
    JavaRDD<ResidentPartition> partitions = tensor.partitions();
    Map<Integer, RowPlace> places = tensor.places();
    standBy(places);
    return run(() -> partitions, Elements.resident(partitions.id()), places, work);
  }

  /**
   * What is made of each range of rows.
   *
   * @param places where each is best made
   * @param job what a Spark job goes over
   */
  <R> List<R> collect(
      Map<Integer, RowPlace> places,
      Supplier<JavaRDD<Integer>> job,
      PartitionWork<Integer, R> work) {
    return run(job, Elements.numbers(), places, work);
  }

  /**
   * Has tasks stand by for the steps before the first on a tensor. Later steps find them there, or
   * know that none can.
   *
   * @param packed the partitions of a tensor
   */
  void standByFirst(ResidentTensor packed) {
    if (!team.asked) {
      standBy(packed.places());
    }
  }

  /** Has tasks stand by wherever partitions are. */
  private void standBy(Map<Integer, RowPlace> places) {
    team.asked = true;
    StandingTasks tasks = standing();
    if (tasks == null || !isFor(tasks, places)) {
      rest();
      start(places);
    }
  }

  /** Removes the blocks of a space, which no step reads any more. */
  void remove(BlockSpace space) {
    StandingTasks tasks = team.standing;
    if (tasks == null) {
      space.remove(context.sc());
    } else {
      tasks.remove(space);
    }
  }

  private <T, R> List<R> run(
      Supplier<JavaRDD<T>> job,
      Elements<T> elements,
      Map<Integer, RowPlace> places,
      PartitionWork<T, R> work) {
    StandingTasks tasks = standing();
    if (tasks != null && isFor(tasks, places) && !othersWait()) {
      try {
        return tasks.collect(about(), elements, known(tasks, places), work, measurements::arrived);
      } catch (StandingTasksLost e) {
        throwIfCancelled(tasks);
        failures++;
        tasks.abandon();
        LOG.log(WARNING, "a Spark job does the step again: {0}", cause(e));
      }
    }
    rest();
    return Wire.collect(job.get(), work);
  }

  /** The tasks, if they still stand by. */
  private @Nullable StandingTasks standing() {
    StandingTasks tasks = team.standing;
    if (tasks != null && !tasks.isStanding()) {
      throwIfCancelled(tasks);
      rest();
    }
    return team.standing;
  }

  /** Whether a task stands by wherever partitions are. */
  private static boolean isFor(StandingTasks tasks, Map<Integer, RowPlace> places) {
    return places.values().stream()
        .allMatch(place -> place.port() == 0 || tasks.places().contains(place));
  }

  /** Ranges that are nowhere yet go round the executors. */
  private static Map<Integer, RowPlace> known(StandingTasks tasks, Map<Integer, RowPlace> places) {
    RowPlace[] all = tasks.places().toArray(RowPlace[]::new);
    Arrays.sort(all, Comparator.comparing(RowPlace::executor));
    Map<Integer, RowPlace> known = new HashMap<>();
    places.forEach(
        (number, place) -> known.put(number, place.port() == 0 ? all[number % all.length] : place));
    return known;
  }

  private void start(Map<Integer, RowPlace> places) {
    if (failures >= MOST_FAILURES || jobs() > 0) {
      return;
    }
    Set<String> executors = executors();
    team.most.keySet().removeIf(place -> !executors.contains(place.executor()));
    if (!places.values().stream().allMatch(place -> executors.contains(place.executor()))) {
      return; // a partition was lost with its executor, or this process has all
    }
    Map<RowPlace, Integer> partitions = new HashMap<>();
    places.values().forEach(place -> partitions.merge(place, 1, Integer::sum));
    partitions.forEach((place, count) -> team.most.merge(place, count, Math::max));
    List<RowPlace> tasks = new ArrayList<>();
    team.most.forEach(
        (place, count) -> {
          for (int task = 0; task < Math.min(count, tasksPerExecutor); task++) {
            tasks.add(place);
          }
        });
    String step = about();
    JobName.describe(context.sc(), name + ": tasks stand by for steps");
    try {
      team.standing = StandingTasks.start(context, tasks);
    } catch (StandingTasksLost e) {
      failures++;
      LOG.log(INFO, "no tasks stand by: {0}", cause(e));
    } finally {
      JobName.describe(context.sc(), step);
    }
  }

  private static String cause(StandingTasksLost lost) {
    Throwable cause = lost;
    for (Throwable next = lost; next != null; next = next.getCause()) {
      cause = next;
    }
    return Reasons.of(cause);
  }

  /** The executors that are there; not this process, which has all partitions of a local master. */
  private Set<String> executors() {
    return ResidentRdd.executors(context.sc())
        .map(BlockManagerId::executorId)
        .collect(Collectors.toSet());
  }

  /** What the step does, as the site has described it. */
  private String about() {
    return String.valueOf(context.getLocalProperty("spark.job.description"));
  }

  /** Whether other jobs of the application want the cores, and not only for a moment. */
  private boolean othersWait() {
    if (jobs() < 2) {
      team.othersSince = 0;
      return false;
    }
    long now = System.nanoTime();
    if (team.othersSince == 0) {
      team.othersSince = now;
    }
    return now - team.othersSince > OTHERS_WAIT.toNanos();
  }

  /** Jobs of the application that run now; the status tracker hears of them later. */
  private int jobs() {
    return context.sc().dagScheduler().activeJobs().size();
  }

  private static void throwIfCancelled(StandingTasks tasks) {
    try {
      tasks.throwIfEnded();
    } catch (ExecutionException e) {
      WeftException known = Failures.known(e);
      if (known != null && known.code() == ErrorCode.INTERRUPTED) {
        throw known;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  /** Lets other Spark jobs have the cores. */
  void rest() {
    StandingTasks tasks = team.standing;
    if (tasks != null) {
      tasks.close();
      team.standing = null;
      team.othersSince = 0;
    }
  }

  @Override
  public void close() {
    team.methods--;
    if (team.methods == 0) {
      rest();
      OF_THREAD.remove();
    }
  }

  /** What the methods that a thread runs have together. */
  private static final class Team {
    private final SparkContext context;
    private final Map<RowPlace, Integer> most = new HashMap<>(); // partitions of a tensor
    private @Nullable StandingTasks standing;
    private boolean asked; // whether tasks were to stand by, if they did or not
    private long othersSince;
    private int methods;

    Team(SparkContext context) {
      this.context = context;
    }
  }
}
