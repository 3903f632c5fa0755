package org.weft.spark.exchange;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.apache.spark.SSLOptions;
import org.apache.spark.SecurityManager;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.network.TransportContext;
import org.apache.spark.network.client.RpcResponseCallback;
import org.apache.spark.network.client.TransportClient;
import org.apache.spark.network.client.TransportClientBootstrap;
import org.apache.spark.network.client.TransportClientFactory;
import org.apache.spark.network.crypto.AuthClientBootstrap;
import org.apache.spark.network.crypto.AuthServerBootstrap;
import org.apache.spark.network.netty.SparkTransportConf;
import org.apache.spark.network.server.OneForOneStreamManager;
import org.apache.spark.network.server.RpcHandler;
import org.apache.spark.network.server.StreamManager;
import org.apache.spark.network.server.TransportServerBootstrap;
import org.apache.spark.network.util.TransportConf;
import org.jspecify.annotations.Nullable;
import scala.Option;

/**
 * This process's end of the exchange of rows and of work. It answers requests of other processes
 * and sends requests to them; nobody asks the driver. A process opens it once and keeps it open.
 * Messages pass as Spark's own blocks do: with the application's secret, its encryption and its
 * time limits. {@code spark.weft.exchange.port} names the port, which is a free port by default.
 */
public final class RowExchange {
  private static final String PORT = "spark.weft.exchange.port";
  private static final String CONNECTING = "spark.weft.io.connectionCreationTimeout";
  private static final int AT_A_TIME = 8;

  /** First byte of a question for rows. */
  public static final byte ROWS = 0;

  /** First byte of a message to a {@link WorkQueue}. */
  static final byte WORK = 1;

  private static final byte HELLO = 2;
  private static @Nullable RowExchange ofProcess;

  private final TransportClientFactory clients;
  private final RowPlace here;

  private RowExchange(UnaryOperator<ByteBuffer> answers) {
    SparkEnv env = SparkEnv.get();
    SparkConf conf = env.conf().clone().setIfMissing(CONNECTING, "30s");
    SecurityManager security = env.securityManager();
    Option<SSLOptions> ssl =
        security.isSslRpcEnabled() ? Option.apply(security.getRpcSSLOptions()) : Option.empty();
    int cores = conf.getInt("spark.executor.cores", 1);
    TransportConf transport =
        SparkTransportConf.fromSparkConf(conf, "weft", cores, Option.empty(), ssl);
    boolean secret = security.isAuthenticationEnabled();
    List<TransportServerBootstrap> first =
        secret ? List.of(new AuthServerBootstrap(transport, security)) : List.of();
    List<TransportClientBootstrap> greeting =
        secret ? List.of(new AuthClientBootstrap(transport, conf.getAppId(), security)) : List.of();
    TransportContext context = new TransportContext(transport, new Answering(answers));
    clients = context.createClientFactory(greeting);
    String host = env.blockManager().blockManagerId().host();
    int port = isAlone() ? 0 : context.createServer(host, conf.getInt(PORT, 0), first).getPort();
    here = new RowPlace(env.executorId(), host, port);
  }

  /**
   * Opens this process's end if it is not open.
   *
   * @param answers turns a question for rows into its answer, in any thread
   */
  public static synchronized RowExchange ofProcess(UnaryOperator<ByteBuffer> answers) {
    if (ofProcess == null) {
      ofProcess = new RowExchange(answers);
    }
    return ofProcess;
  }

  /** Whether this process is the driver, which has all rows if it has any. */
  public static boolean isAlone() {
    return SparkEnv.get().blockManager().blockManagerId().isDriver();
  }

  /** Where others ask this process. */
  public RowPlace here() {
    return here;
  }

  /** Answers on Spark's network threads: what is asked for is in memory, or on this disk. */
  private static final class Answering extends RpcHandler {
    private final UnaryOperator<ByteBuffer> answers;
    private final StreamManager streams = new OneForOneStreamManager();

    Answering(UnaryOperator<ByteBuffer> answers) {
      this.answers = answers;
    }

    @Override
    public void receive(TransportClient asker, ByteBuffer message, RpcResponseCallback callback) {
      try {
        switch (message.get()) {
          case WORK -> WorkQueue.take(message, callback);
          case HELLO -> {
            WorkQueue.of(message.getLong()).hello();
            callback.onSuccess(ByteBuffer.allocate(0));
          }
          default -> callback.onSuccess(answers.apply(message));
        }
      } catch (RuntimeException e) {
        callback.onFailure(e);
      }
    }

    @Override
    public StreamManager getStreamManager() {
      return streams;
    }
  }

  /**
   * Asks all questions, several at a time, and returns when every answer has been taken.
   *
   * @throws IOException if one has no answer; none is under way then
   */
  public void ask(List<Question> questions) throws IOException {
    Semaphore free = new Semaphore(AT_A_TIME);
    AtomicReference<Throwable> failure = new AtomicReference<>();
    for (Question question : questions) {
      free.acquireUninterruptibly();
      if (failure.get() != null) {
        free.release();
        break;
      }
      try {
        send(question.place(), question.message(), new Taking(question, free, failure));
      } catch (IOException | RuntimeException e) {
        failure.compareAndSet(null, e);
        free.release();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        failure.compareAndSet(null, e);
        free.release();
      }
    }
    free.acquireUninterruptibly(AT_A_TIME); // takers write to memory of the caller's
    Throwable failed = failure.get();
    if (failed != null) {
      throw new IOException("an executor has not sent rows", failed);
    }
  }

  /** Sends a message; the answer is the callback's, in another thread. */
  public void send(RowPlace place, ByteBuffer message, RpcResponseCallback callback)
      throws IOException, InterruptedException {
    clients.createClient(place.host(), place.port()).sendRpc(message, callback);
  }

  /** Shows tasks that stand by, and the connection to them, that they are not forgotten. */
  public void hello(RowPlace place, long queue) throws IOException, InterruptedException {
    ByteBuffer message = ByteBuffer.allocate(1 + Long.BYTES).put(HELLO).putLong(queue).flip();
    send(place, message, new Ignoring());
  }

  private record Ignoring() implements RpcResponseCallback {
    @Override
    public void onSuccess(ByteBuffer answer) {
      // the process is there
    }

    @Override
    public void onFailure(Throwable e) {
      // the answer to the work fails, too
    }
  }

  private record Taking(Question question, Semaphore free, AtomicReference<Throwable> failure)
      implements RpcResponseCallback {
    @Override
    public void onSuccess(ByteBuffer answer) {
      try {
        question.taker().accept(answer);
      } catch (RuntimeException e) {
        failure.compareAndSet(null, e);
      } finally {
        free.release();
      }
    }

    @Override
    public void onFailure(Throwable e) {
      failure.compareAndSet(null, e);
      free.release();
    }
  }
}
