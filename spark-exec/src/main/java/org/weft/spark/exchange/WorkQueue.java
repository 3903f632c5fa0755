package org.weft.spark.exchange;

import java.io.Serializable;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkEnv;
import org.apache.spark.network.client.RpcResponseCallback;
import org.jspecify.annotations.Nullable;
import scala.reflect.ClassTag$;

/**
 * Pieces of work that the driver has sent to this process, for its tasks that stand by. A message
 * is answered when all its pieces are done, with what they made, or when one of them fails.
 */
public final class WorkQueue {
  private static final Map<Long, WorkQueue> QUEUES = new ConcurrentHashMap<>();

  private final BlockingQueue<Piece> pieces = new LinkedBlockingQueue<>();
  private volatile @Nullable String closed;
  private volatile long heard = System.nanoTime();

  private WorkQueue() {}

  /** What the driver sends. */
  public interface Work extends Serializable {
    /** Does a piece in the calling thread; what it returns is {@link Serializable}. */
    Object piece(int number);
  }

  /**
   * The queue of this process with a number, whether work or a task came first.
   *
   * @param number different for all queues of the application
   */
  public static WorkQueue of(long number) {
    return QUEUES.computeIfAbsent(number, key -> new WorkQueue());
  }

  /**
   * A message with work for a process.
   *
   * @param queue number of the queue
   * @param unread numbers of spaces of blocks that nothing reads any more: the process removes its
   *     blocks of these spaces before it begins
   * @param pieces numbers of the pieces
   * @param work in bytes of {@link #serialized}
   */
  public static ByteBuffer message(
      long queue, List<Long> unread, List<Integer> pieces, ByteBuffer work) {
    int head = 1 + Long.BYTES * (1 + unread.size()) + Integer.BYTES * (2 + pieces.size());
    ByteBuffer message = ByteBuffer.allocate(head + work.remaining());
    message.put(RowExchange.WORK).putLong(queue).putInt(unread.size());
    unread.forEach(message::putLong);
    message.putInt(pieces.size());
    pieces.forEach(message::putInt);
    return message.put(work.duplicate()).flip();
  }

  /** A message that ends a queue. */
  public static ByteBuffer dismissal(long queue) {
    return ByteBuffer.allocate(1 + Long.BYTES).put(RowExchange.WORK).putLong(queue).flip();
  }

  /** The bytes of work, or of what pieces have made. */
  public static ByteBuffer serialized(Object value) {
    return SparkEnv.get()
        .closureSerializer()
        .newInstance()
        .serialize(value, ClassTag$.MODULE$.apply(Object.class));
  }

  /** What {@link #serialized} made the bytes of. */
  public static <T> T deserialized(ByteBuffer bytes) {
    return SparkEnv.get()
        .closureSerializer()
        .newInstance()
        .deserialize(
            bytes, WorkQueue.class.getClassLoader(), ClassTag$.MODULE$.apply(Object.class));
  }

  /** Takes a message. The caller is in no task: accumulators in the message stay apart from it. */
  static void take(ByteBuffer message, RpcResponseCallback callback) {
    WorkQueue queue = of(message.getLong());
    if (!message.hasRemaining()) {
      queue.close("the tasks were dismissed");
      callback.onSuccess(ByteBuffer.allocate(0));
      return;
    }
    for (int left = message.getInt(); left > 0; left--) {
      SparkEnv.get().blockManager().removeBroadcast(message.getLong(), false);
    }
    int[] numbers = new int[message.getInt()];
    for (int piece = 0; piece < numbers.length; piece++) {
      numbers[piece] = message.getInt();
    }
    queue.add(deserialized(message), numbers, callback);
  }

  /** The driver still waits for pieces, here or elsewhere. */
  void hello() {
    heard = System.nanoTime();
  }

  /** Since when the driver has sent nothing. */
  public Duration silence() {
    return Duration.ofNanos(System.nanoTime() - heard);
  }

  private void add(Work work, int[] numbers, RpcResponseCallback callback) {
    hello();
    Gathered gathered = new Gathered(numbers.length, callback);
    for (int number : numbers) {
      pieces.add(new Piece(work, number, gathered));
    }
    String reason = closed;
    if (reason != null) {
      close(reason);
    }
  }

  /** The next piece, run it; none if there is none for so long. */
  public Optional<Runnable> next(Duration atMost) throws InterruptedException {
    return Optional.ofNullable(pieces.poll(atMost.toMillis(), TimeUnit.MILLISECONDS));
  }

  /** No task does pieces any more; those that wait fail. */
  public void close(String why) {
    closed = why;
    List<Piece> left = new ArrayList<>();
    pieces.drainTo(left);
    left.forEach(piece -> piece.gathered.failed(new IllegalStateException(why)));
  }

  public boolean isClosed() {
    return closed != null;
  }

  private record Piece(Work work, int number, Gathered gathered) implements Runnable {
    @Override
    public void run() {
      try {
        gathered.done(work.piece(number));
      } catch (Throwable e) {
        gathered.failed(e);
        if (e instanceof VirtualMachineError fatal) {
          throw fatal;
        }
      }
    }
  }

  /** What the pieces of a message have made. */
  private static final class Gathered {
    private final List<Object> made = new ArrayList<>();
    private final RpcResponseCallback callback;
    private final int pieces;
    private boolean failed;

    Gathered(int pieces, RpcResponseCallback callback) {
      this.pieces = pieces;
      this.callback = callback;
    }

    synchronized void done(Object value) {
      made.add(value);
      if (made.size() == pieces && !failed) {
        callback.onSuccess(serialized(made));
      }
    }

    synchronized void failed(Throwable e) {
      if (!failed) {
        failed = true;
        callback.onFailure(e);
      }
    }
  }
}
