package org.weft.spark.standing;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaFutureAction;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.network.client.RpcResponseCallback;
import org.weft.engine.TaskMeasurement;
import org.weft.spark.exchange.RowExchange;
import org.weft.spark.exchange.RowPlace;
import org.weft.spark.exchange.WorkQueue;
import org.weft.spark.resident.BlockSpace;
import org.weft.spark.resident.FactorBlocks;
import org.weft.spark.wire.PartitionWork;
import org.weft.spark.wire.Wire;

/**
 * The driver's handle of tasks that stand by. While they do, no other task gets their cores: close
 * it before any other Spark job of the same thread.
 */
public final class StandingTasks implements AutoCloseable {
  private static final AtomicLong NUMBERS = new AtomicLong();
  private static final Duration START = Duration.ofSeconds(10);
  private static final Duration END = Duration.ofSeconds(2);
  private static final Duration NO_LIMIT = Duration.ofDays(1000);
  private static final long LOOK_MILLIS = 1000;

  private final long number = NUMBERS.incrementAndGet();
  private final RowExchange exchange = FactorBlocks.exchange();
  private final long firstSpace = BlockSpace.next().number();
  private final Map<RowPlace, List<Long>> unread = new HashMap<>(); // spaces of blocks
  private final SparkContext context;
  private final Set<RowPlace> places;
  private final JavaFutureAction<Void> job;

  private StandingTasks(JavaSparkContext context, List<RowPlace> tasks) {
    this.context = context.sc();
    places = new HashSet<>(tasks);
    job =
        FactorBlocks.ranges(context, numbered(tasks))
            .foreachPartitionAsync(new StandingTask(number));
  }

  /**
   * Starts a Spark job whose tasks stand by, and waits until each executor has one.
   *
   * @param tasks where each is to be
   * @throws StandingTasksLost if one does not start soon; none is there then
   */
  public static StandingTasks start(JavaSparkContext context, List<RowPlace> tasks)
      throws StandingTasksLost {
    StandingTasks started = new StandingTasks(context, tasks);
    boolean ready = false;
    try {
      Map<Integer, RowPlace> each = numbered(List.copyOf(started.places));
      StepWork<Integer, Integer> nothing =
          new StepWork<>("stand by", Elements.numbers(), PartitionWork.none());
      started.await(started.send(nothing, each, measured -> {}), START);
      ready = true;
      return started;
    } finally {
      if (!ready) {
        started.close();
      }
    }
  }

  private static Map<Integer, RowPlace> numbered(List<RowPlace> places) {
    Map<Integer, RowPlace> numbered = new HashMap<>();
    places.forEach(place -> numbered.put(numbered.size(), place));
    return numbered;
  }

  /** Whether the job runs. It ends when the driver sends nothing for some time. */
  public boolean isStanding() {
    return !job.isDone();
  }

  /** Where tasks stand by. */
  public Set<RowPlace> places() {
    return places;
  }

  /**
   * What is made of each partition, in the order of the partitions' numbers.
   *
   * @param about what the step does
   * @param partitions where each is
   * @param measured takes what executors measure
   * @throws StandingTasksLost if a partition fails or its process is lost; others may still run
   */
  public <T, R> List<R> collect(
      String about,
      Elements<T> elements,
      Map<Integer, RowPlace> partitions,
      PartitionWork<T, R> work,
      Consumer<TaskMeasurement> measured)
      throws StandingTasksLost {
    List<StepWork.Done> done =
        await(send(new StepWork<>(about, elements, work), partitions, measured), NO_LIMIT);
    partitions.values().forEach(unread::remove);
    List<R> values = new ArrayList<>();
    for (StepWork.Done each : done) {
      each.values().forEach(value -> values.add(Wire.value(value)));
    }
    return values;
  }

  /**
   * Removes the blocks of a space, which nothing reads any more. Blocks that steps of these tasks
   * have made go with the next message to each process: by Spark, a removal takes about as long as
   * a short step does.
   */
  public void remove(BlockSpace space) {
    if (space.number() < firstSpace) {
      space.remove(context);
      return;
    }
    places.forEach(
        place -> unread.computeIfAbsent(place, key -> new ArrayList<>()).add(space.number()));
  }

  private void removeUnread() {
    unread.values().stream()
        .flatMap(List::stream)
        .distinct()
        .forEach(space -> new BlockSpace(space).remove(context));
    unread.clear();
  }

  /** One message to each process with partitions. */
  private List<CompletableFuture<List<StepWork.Done>>> send(
      StepWork<?, ?> assignment,
      Map<Integer, RowPlace> partitions,
      Consumer<TaskMeasurement> measured) {
    ByteBuffer work = WorkQueue.serialized(assignment);
    Map<RowPlace, List<Integer>> byPlace =
        partitions.keySet().stream().sorted().collect(Collectors.groupingBy(partitions::get));
    List<CompletableFuture<List<StepWork.Done>>> answers = new ArrayList<>();
    for (Map.Entry<RowPlace, List<Integer>> each : byPlace.entrySet()) {
      Answer answer = new Answer(new CompletableFuture<>());
      List<Long> left = unread.getOrDefault(each.getKey(), List.of());
      send(each.getKey(), WorkQueue.message(number, left, each.getValue(), work), answer);
      answers.add(
          answer.done.whenComplete(
              (all, failure) -> {
                if (all != null) {
                  all.forEach(done -> done.measured().forEach(measured));
                }
              }));
      if (answer.done.isCompletedExceptionally()) {
        break; // to reach others may take as long
      }
    }
    return answers;
  }

  private void send(RowPlace place, ByteBuffer message, RpcResponseCallback callback) {
    try {
      exchange.send(place, message, callback);
    } catch (IOException | RuntimeException e) {
      callback.onFailure(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      callback.onFailure(e);
    }
  }

  private record Answer(CompletableFuture<List<StepWork.Done>> done)
      implements RpcResponseCallback {
    @Override
    public void onSuccess(ByteBuffer answer) {
      try {
        done.complete(answer.hasRemaining() ? WorkQueue.deserialized(answer) : List.of());
      } catch (RuntimeException e) {
        done.completeExceptionally(e);
      }
    }

    @Override
    public void onFailure(Throwable e) {
      done.completeExceptionally(e);
    }
  }

  /** All answers, sorted; the job must not end before. */
  private List<StepWork.Done> await(
      List<CompletableFuture<List<StepWork.Done>>> answers, Duration limit)
      throws StandingTasksLost {
    CompletableFuture<Void> all =
        CompletableFuture.allOf(answers.toArray(new CompletableFuture<?>[0]));
    long looks = Math.max(1, limit.toMillis() / LOOK_MILLIS);
    try {
      for (long look = 1; !isDone(all); look++) {
        if (look > looks || job.isDone()) {
          throw new TimeoutException(job.isDone() ? "their job has ended" : "they did not start");
        }
        for (RowPlace place : places) {
          exchange.hello(place, number);
        }
      }
      return answers.stream()
          .flatMap(answer -> answer.join().stream())
          .sorted(Comparator.comparingInt(StepWork.Done::partition))
          .toList();
    } catch (ExecutionException e) {
      throw new StandingTasksLost("a step has failed", e);
    } catch (IOException | TimeoutException e) {
      throw new StandingTasksLost("tasks are lost", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StandingTasksLost("interrupted", e);
    }
  }

  private static boolean isDone(CompletableFuture<Void> all)
      throws InterruptedException, ExecutionException {
    try {
      all.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    }
  }

  /** What has ended the job before {@link #close}, as Spark says it; nothing while it runs. */
  public void throwIfEnded() throws ExecutionException, InterruptedException {
    if (job.isDone()) {
      job.get();
    }
  }

  /** Has Spark end the tasks, some of which are lost. */
  public void abandon() {
    removeUnread();
    job.cancel(true);
  }

  /** Dismisses the tasks, and waits until their cores are free. */
  @Override
  public void close() {
    removeUnread();
    places.forEach(
        place ->
            send(
                place,
                WorkQueue.dismissal(number),
                new Answer(new CompletableFuture<>()))); // one that is lost has no tasks
    try {
      job.get(END.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | CancellationException e) {
      // ended, too
    } catch (TimeoutException e) {
      job.cancel(true);
    } catch (InterruptedException e) {
      job.cancel(true);
      Thread.currentThread().interrupt();
    }
  }
}
