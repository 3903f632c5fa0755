package org.weft.spark.exchange;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.apache.spark.SSLOptions;
import org.apache.spark.SecurityManager;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.network.TransportContext;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.buffer.NettyManagedBuffer;
import org.apache.spark.network.client.RpcResponseCallback;
import org.apache.spark.network.client.StreamCallback;
import org.apache.spark.network.client.TransportClient;
import org.apache.spark.network.client.TransportClientBootstrap;
import org.apache.spark.network.client.TransportClientFactory;
import org.apache.spark.network.crypto.AuthClientBootstrap;
import org.apache.spark.network.crypto.AuthServerBootstrap;
import org.apache.spark.network.netty.SparkTransportConf;
import org.apache.spark.network.server.RpcHandler;
import org.apache.spark.network.server.StreamManager;
import org.apache.spark.network.server.TransportServer;
import org.apache.spark.network.server.TransportServerBootstrap;
import org.apache.spark.network.util.TransportConf;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerApplicationEnd;
import org.apache.spark.util.Utils;
import org.jspecify.annotations.Nullable;
import scala.Option;
import scala.Tuple2;

/**
 * This process's end of the exchange of rows and of work. It answers requests of other processes
 * and sends requests to them; nobody asks the driver. A process opens it once and keeps it open;
 * the driver's is closed with its application. Messages pass as Spark's own blocks do: with the
 * application's secret, its encryption and its time limits. {@code spark.weft.exchange.port} names
 * the port, which is a free port by default.
 */
public final class RowExchange {
  private static final String PORT = "spark.weft.exchange.port";
  private static final String CONNECTING = "spark.weft.io.connectionCreationTimeout";
  private static final int AT_A_TIME = 8;

  /** Questions are the names of the streams that answer them: a character is a byte. */
  private static final Charset QUESTIONS = StandardCharsets.ISO_8859_1;

  /** First byte of a message to a {@link WorkQueue}. */
  static final byte WORK = 1;

  private static final byte HELLO = 2;
  private static @Nullable RowExchange ofProcess;

  private final TransportClientFactory clients;
  private final RowPlace here;

  private RowExchange(Function<ByteBuffer, ByteBuf> answers) {
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
    int port = isAlone() ? 0 : serve(context, host, conf, first);
    here = new RowPlace(env.executorId(), host, port);
  }

  /** Serves at the port that is named or at one of the next, as executors may share a host. */
  private static int serve(
      TransportContext context,
      String host,
      SparkConf conf,
      List<TransportServerBootstrap> bootstraps) {
    return (int)
        Utils.startServiceOnPort(
                conf.getInt(PORT, 0),
                port -> {
                  TransportServer server = context.createServer(host, (int) port, bootstraps);
                  return new Tuple2<>(server, server.getPort());
                },
                conf,
                PORT)
            ._2();
  }

  /**
   * Opens this process's end if it is not open.
   *
   * @param answers turns a question for rows into its answer, in any thread; throws nothing
   */
  public static synchronized RowExchange ofProcess(Function<ByteBuffer, ByteBuf> answers) {
    if (ofProcess == null) {
      ofProcess = new RowExchange(answers);
      if (isAlone()) {
        SparkContext.getOrCreate().addSparkListener(new Closing());
      }
    }
    return ofProcess;
  }

  /**
   * Threads that wait for the network hold up the end of a JVM; and secrets are an application's.
   */
  private static final class Closing extends SparkListener {
    @Override
    public void onApplicationEnd(SparkListenerApplicationEnd end) {
      closeOfProcess();
    }
  }

  private static synchronized void closeOfProcess() {
    RowExchange open = ofProcess;
    ofProcess = null;
    if (open != null) {
      open.clients.close();
    }
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
    private final StreamManager streams;

    Answering(Function<ByteBuffer, ByteBuf> answers) {
      streams = new Answers(answers);
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
          default -> throw new IllegalArgumentException("an unknown message");
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

  /** Answers as streams, whose bytes the asker takes from the network's own memory. */
  private static final class Answers extends StreamManager {
    private final Function<ByteBuffer, ByteBuf> answers;

    Answers(Function<ByteBuffer, ByteBuf> answers) {
      this.answers = answers;
    }

    @Override
    public ManagedBuffer openStream(String question) {
      ByteBuffer message = ByteBuffer.wrap(question.getBytes(QUESTIONS));
      return new NettyManagedBuffer(answers.apply(message));
    }

    @Override
    public ManagedBuffer getChunk(long stream, int chunk) {
      throw new IllegalStateException("rows are not sent in chunks");
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
        ask(question, new Taking(question.taker(), free, failure));
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

  private void ask(Question question, StreamCallback taking)
      throws IOException, InterruptedException {
    RowPlace place = question.place();
    String name = QUESTIONS.decode(question.message()).toString();
    clients.createClient(place.host(), place.port()).stream(name, taking);
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

  /**
   * Takes an answer. What fails here must not reach the connection, which others use, too. A
   * connection that breaks may say so twice.
   */
  private static final class Taking implements StreamCallback {
    private final Question.Taker taker;
    private final Semaphore free;
    private final AtomicReference<Throwable> failure;
    private final AtomicBoolean underWay = new AtomicBoolean(true);

    Taking(Question.Taker taker, Semaphore free, AtomicReference<Throwable> failure) {
      this.taker = taker;
      this.free = free;
      this.failure = failure;
    }

    @Override
    public void onData(String question, ByteBuffer bytes) {
      try {
        taker.take(bytes);
      } catch (RuntimeException e) {
        failure.compareAndSet(null, e);
      }
    }

    @Override
    public void onComplete(String question) {
      try {
        if (failure.get() == null) {
          taker.end();
        }
      } catch (RuntimeException e) {
        failure.compareAndSet(null, e);
      } finally {
        end();
      }
    }

    @Override
    public void onFailure(String question, Throwable e) {
      failure.compareAndSet(null, e);
      end();
    }

    private void end() {
      if (underWay.compareAndSet(true, false)) {
        free.release();
      }
    }
  }
}
