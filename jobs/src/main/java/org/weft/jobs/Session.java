package org.weft.jobs;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigValue;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.weft.spark.CpdResult;
import org.weft.spark.EngineOptions;
import org.weft.spark.SparkTensor;
import org.weft.spark.WeftEngine;
import org.weft.spark.output.FactorTable;
import org.weft.storage.FileAccess;
import org.weft.storage.Labels;

/**
 * The Spark context and the engine of one run. What {@code spark-submit} or {@code -Dspark.*} set
 * stays; then come the command line's options, then the settings {@code weft.spark}.
 */
final class Session implements AutoCloseable {
  private final JavaSparkContext context;
  private final WeftEngine engine;

  private Session(JavaSparkContext context, WeftEngine engine) {
    this.context = context;
    this.engine = engine;
  }

  static Session open(CommonOptions options, String application, Console console) {
    return open(options, application, console, engine -> engine);
  }

  /** A session with more options than all commands have. */
  static Session open(
      CommonOptions options,
      String application,
      Console console,
      UnaryOperator<EngineOptions> more) {
    Config settings = OptionDefaults.settings();
    SparkConf conf = sparkConf(options, application, console);
    boolean localByThreads = options.master == null && !new SparkConf().contains("spark.master");
    EngineOptions engineOptions =
        more.apply(
            EngineOptions.defaults()
                .withPartitions(options.partitions)
                .withOperandFetch(options.fetch)
                .withCheck(options.check)
                .withReproducible(options.reproducible)
                .withThreadsPerTask(localByThreads ? 0 : options.threads));
    String cache = settings.getString("kernel-cache");
    if (!cache.isEmpty()) {
      engineOptions = engineOptions.withCompilerCache(Path.of(cache));
    }
    WeftEngine.configure(conf, engineOptions);
    console.step("start Spark", 0, 1);
    JavaSparkContext context = new JavaSparkContext(conf);
    try {
      return new Session(context, WeftEngine.create(context, engineOptions));
    } catch (RuntimeException e) {
      context.stop();
      throw e;
    }
  }

  /** Spark's settings for one run. */
  static SparkConf sparkConf(CommonOptions options, String application, Console console) {
    Config settings = OptionDefaults.settings();
    SparkConf conf = new SparkConf();
    if (options.master != null && conf.contains("spark.master")) {
      console.note("weft: --master is ignored: Spark's own settings name a master already");
    }
    conf.setIfMissing("spark.master", master(options, settings));
    conf.setIfMissing("spark.app.name", application);
    if (conf.get("spark.master").startsWith("local")) {
      conf.setIfMissing("spark.driver.host", "localhost");
      conf.setIfMissing("spark.driver.bindAddress", "127.0.0.1");
    }
    for (Map.Entry<String, ConfigValue> entry : settings.getConfig("spark").root().entrySet()) {
      conf.setIfMissing(entry.getKey(), entry.getValue().unwrapped().toString());
    }
    return conf;
  }

  private static String master(CommonOptions options, Config settings) {
    if (options.master != null) {
      return options.master;
    }
    return options.threads > 0 ? "local[" + options.threads + "]" : settings.getString("master");
  }

  WeftEngine engine() {
    return engine;
  }

  /** Reads the input of a command. */
  SparkTensor read(String uri, CommonOptions options, Console console) {
    console.step("read " + uri, 0, 1);
    SparkTensor tensor = engine.read(uri, options.readOptions(), options.type);
    console.note(
        "%s: %s, %,d entries", uri, tensor.statistics().shape(), tensor.statistics().entries());
    return tensor;
  }

  /** Writes the factors of a decomposition as a table; see {@link FactorTable}. */
  void writeFactors(
      FileAccess files,
      String uri,
      boolean overwrite,
      CpdResult result,
      Map<Integer, Labels> labels) {
    FactorTable.write(context, files, uri, overwrite, result.factors(), result.lambda(), labels);
  }

  @Override
  public void close() {
    try {
      engine.close();
    } finally {
      context.stop();
    }
  }
}
