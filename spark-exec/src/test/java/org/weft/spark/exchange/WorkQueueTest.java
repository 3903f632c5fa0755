package org.weft.spark.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.SparkEnv;
import org.apache.spark.network.client.RpcResponseCallback;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManager;
import org.apache.spark.storage.BroadcastBlockId;
import org.apache.spark.storage.StorageLevel;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.weft.spark.LocalSpark;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

class WorkQueueTest {
  private static final ClassTag<Integer> INTEGER = ClassTag$.MODULE$.apply(Integer.class);
  private static long number = 1_000_000;

  private final long queue = ++number;
  private final List<Object> answers = new ArrayList<>();

  /** Squares; there is none of a negative number. */
  private record Squares() implements WorkQueue.Work {
    @Override
    public Object piece(int number) {
      if (number < 0) {
        throw new IllegalArgumentException("negative");
      }
      return number * number;
    }
  }

  private final class Answer implements RpcResponseCallback {
    @Override
    public void onSuccess(ByteBuffer answer) {
      answers.add(answer.hasRemaining() ? WorkQueue.deserialized(answer) : "dismissed");
    }

    @Override
    public void onFailure(Throwable e) {
      answers.add(e.getMessage());
    }
  }

  @BeforeAll
  static void startSpark() {
    LocalSpark.context();
  }

  private void send(Integer... pieces) {
    ByteBuffer work = WorkQueue.serialized(new Squares());
    take(WorkQueue.message(queue, List.of(), List.of(pieces), work));
  }

  private void take(ByteBuffer message) {
    assertThat(message.get()).isEqualTo(RowExchange.WORK);
    WorkQueue.take(message, new Answer());
  }

  private void runAll() throws InterruptedException {
    Optional<Runnable> next = WorkQueue.of(queue).next(Duration.ZERO);
    while (next.isPresent()) {
      next.get().run();
      next = WorkQueue.of(queue).next(Duration.ZERO);
    }
  }

  @Test
  void aMessageIsAnsweredWhenAllItsPiecesAreDone() throws InterruptedException {
    send(2, 3, 4);
    WorkQueue.of(queue).next(Duration.ZERO).orElseThrow().run();
    assertThat(answers).isEmpty();
    runAll();
    assertThat(answers).containsExactly(List.of(4, 9, 16));
  }

  @Test
  void aPieceThatFailsFailsItsMessageOnce() throws InterruptedException {
    send(-1, -2, 3);
    send(5);
    runAll();
    assertThat(answers).containsExactly("negative", List.of(25));
  }

  @Test
  void blocksThatNothingReadsAreRemovedBeforeThePiecesAreDone() {
    BlockManager manager = SparkEnv.get().blockManager();
    List<BlockId> blocks = new ArrayList<>();
    for (long space = 1L << 50; space < (1L << 50) + 3; space++) {
      for (String name : List.of("", "_a", "_b")) {
        blocks.add(new BroadcastBlockId(space, name));
      }
    }
    blocks.forEach(
        block -> manager.putSingle(block, 1, StorageLevel.MEMORY_ONLY(), false, INTEGER));
    ByteBuffer work = WorkQueue.serialized(new Squares());
    take(WorkQueue.message(queue, List.of(1L << 50, (1L << 50) + 2), List.of(2), work));
    assertThat(blocks.stream().filter(block -> manager.getStatus(block).isDefined()))
        .containsExactlyElementsOf(blocks.subList(3, 6));
    manager.removeBroadcast((1L << 50) + 1, false);
  }

  @Test
  void nothingWaitsForAQueueThatHasEnded() {
    send(2, 3);
    take(WorkQueue.dismissal(queue));
    send(4);
    assertThat(WorkQueue.of(queue).isClosed()).isTrue();
    assertThat(answers)
        .containsExactly("the tasks were dismissed", "dismissed", "the tasks were dismissed");
  }
}
