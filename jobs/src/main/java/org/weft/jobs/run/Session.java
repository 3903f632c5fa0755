package org.weft.jobs.run;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigValue;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.jspecify.annotations.Nullable;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.engine.EngineTensor;
import org.weft.engine.local.LocalBackend;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.jobs.option.CommonOptions;
import org.weft.jobs.option.OptionDefaults;
import org.weft.jobs.output.Console;
import org.weft.jobs.output.SparkLog;
import org.weft.jobs.process.Surroundings;
import org.weft.scratch.ScratchFolder;
import org.weft.spark.Failures;
import org.weft.spark.SparkEngine;
import org.weft.spark.output.FactorTable;
import org.weft.storage.Labels;
import org.weft.storage.file.FileAccess;
import org.weft.storage.npy.NpyRows;
import org.weft.text.Counts;

/**
 * The engine of one run: in this process, or on Spark where a master is named ({@code --master},
 * {@code spark-submit}, {@code -Dspark.master}, the setting {@code master}). What {@code
 * spark-submit} or {@code -Dspark.*} set stays; then come the command line's options, then the
 * settings {@code weft.spark}.
 */
public final class Session implements AutoCloseable {
  private final CommonOptions options;
  private final String application;
  private final Console console;
  private final Engine engine;
  private final @Nullable ExecutorArchive archive;
  private @Nullable JavaSparkContext context;

  private Session(
      CommonOptions options,
      String application,
      Console console,
      Engine engine,
      @Nullable Started started) {
    this.options = options;
    this.application = application;
    this.console = console;
    this.engine = engine;
    this.context = started == null ? null : started.context();
    this.archive = started == null ? null : started.archive();
  }

  public static Session open(CommonOptions options, String application, Console console) {
    return open(options, application, console, engine -> engine);
  }

  /** A session with more options than all commands have. */
  public static Session open(
      CommonOptions options,
      String application,
      Console console,
      UnaryOperator<EngineOptions> more) {
    Config settings = OptionDefaults.settings();
    EngineOptions engineOptions = more.apply(options.engineOptions());
    if (master(options, settings).isEmpty()) {
      Engine engine = LocalBackend.engine(CommonOptions.files(), engineOptions);
      return new Session(options, application, console, engine, null);
    }
    console.step("start Spark", 0, 1);
    Started started = start(options, application, console, engineOptions);
    try {
      Engine engine = SparkEngine.create(started.context(), engineOptions, started.watch());
      return new Session(options, application, console, engine, started);
    } catch (RuntimeException e) {
      started.context().stop();
      throw e;
    }
  }

  /** An application, who watches its executors, and where their classes are kept. */
  private record Started(JavaSparkContext context, ExecutorWatch watch, ExecutorArchive archive) {}

  private static Started start(
      CommonOptions options, String application, Console console, EngineOptions engineOptions) {
    SparkConf conf = sparkConf(options, application, console);
    try {
      SparkEngine.configure(conf, engineOptions);
      ExecutorArchive archive = ExecutorArchive.of(conf);
      ExecutorWatch watch = ExecutorWatch.of(conf, console);
      JavaSparkContext context = new JavaSparkContext(conf);
      watch.follow(context);
      return new Started(context, watch, archive);
    } catch (Exception e) { // Spark throws checked ones, too, and does not say so
      throw Failures.ofStart(e, conf);
    }
  }

  /** Spark's settings for one run. */
  public static SparkConf sparkConf(CommonOptions options, String application, Console console) {
    Failures.requireHeapForSpark();
    Config settings = OptionDefaults.settings();
    Surroundings.addSpark();
    SparkLog.listen(console);
    SparkConf conf = new SparkConf();
    if (options.master != null && conf.contains("spark.master")) {
      console.note("weft: --master is ignored: Spark's own settings name a master already");
    }
    String master = master(options, settings);
    conf.setIfMissing(
        "spark.master",
        !master.isEmpty()
            ? master
            : options.threads > 0 ? "local[" + options.threads + "]" : "local[*]");
    conf.setIfMissing("spark.app.name", application);
    if (conf.get("spark.master").startsWith("local")) {
      conf.setIfMissing("spark.driver.host", "localhost");
      conf.setIfMissing("spark.driver.bindAddress", "127.0.0.1");
    }
    if (conf.get("spark.master").matches("(local|spark:).*")) {
      // Where the next process finds what one that was killed has left. Executors of a standalone
      // cluster have their own from their workers.
      conf.setIfMissing("spark.local.dir", ScratchFolder.newFolder("spark-").toString());
    }
    for (Map.Entry<String, ConfigValue> entry : settings.getConfig("spark").root().entrySet()) {
      conf.setIfMissing(entry.getKey(), entry.getValue().unwrapped().toString());
    }
    ExecutorJars.add(conf);
    return conf;
  }

  /** Whether the command runs on Spark. */
  public static boolean namesMaster(CommonOptions options) {
    return !master(options, OptionDefaults.settings()).isEmpty();
  }

  /**
   * Checks that no master is named.
   *
   * @throws WeftException {@code UNSUPPORTED_OPERATION}
   */
  public static void requireOneProcess(CommonOptions options, String command) {
    if (namesMaster(options)) {
      throw new WeftException(
          ErrorCode.UNSUPPORTED_OPERATION,
          String.format(
              Locale.ROOT,
              "weft %s runs in one process: expected no Spark master, found %s; leave it out",
              command,
              master(options, OptionDefaults.settings())));
    }
  }

  /** Where Spark runs; empty to run in this process without it. */
  private static String master(CommonOptions options, Config settings) {
    String submitted = System.getProperty("spark.master", "");
    if (!submitted.isEmpty()) {
      return submitted;
    }
    return options.master != null ? options.master : settings.getString("master");
  }

  public Engine engine() {
    return engine;
  }

  /** Reads the input of a command. */
  public EngineTensor read(String uri) {
    return read(uri, 1);
  }

  /** As above, as the first of {@code steps} steps. */
  public EngineTensor read(String uri, int steps) {
    console.step("read " + uri, 0, steps);
    EngineTensor tensor = engine.read(uri, options.readOptions(), options.type);
    console.note(
        "%s: %s, %s",
        uri, tensor.statistics().shape(), Counts.of(tensor.statistics().entries(), "entry"));
    return tensor;
  }

  /** Writes the factors of a decomposition as a table; see {@link FactorTable}. */
  public void writeFactors(
      FileAccess files,
      String uri,
      boolean overwrite,
      List<NpyRows> factors,
      double[] lambda,
      Map<Integer, Labels> labels) {
    if (context == null) {
      console.step("start Spark for the table of factors", 0, 1);
      context = start(options, application, console, EngineOptions.defaults()).context();
    }
    FactorTable.write(context, files, uri, overwrite, factors, lambda, labels);
  }

  @Override
  public void close() {
    try {
      engine.close();
    } finally {
      if (context != null) {
        if (archive != null) {
          archive.writeIfMissing(context, console);
        }
        context.stop();
      }
    }
  }
}
