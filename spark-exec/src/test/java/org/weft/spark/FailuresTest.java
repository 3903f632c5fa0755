package org.weft.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import org.apache.spark.SparkConf;
import org.apache.spark.SparkException;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/** Faults of a cluster in Spark's words: each has a code, one line, and what to do. */
class FailuresTest {
  private static final String STAGE = "Job aborted due to stage failure: ";
  private static final String TASK =
      STAGE
          + "Task 0 in stage 3.0 failed 4 times, most recent failure: Lost task 0.3 in stage 3.0"
          + " (TID 7) ";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "STAGE Master removed our application: KILLED | WEFT-403 | removed our application: KILLED;",
        "All masters are unresponsive! Giving up. | WEFT-403 | address of --master",
        "Could not parse Master URL: 'x' | WEFT-100 | spark://host:7077 or yarn, found 'x'",
        "Asked to run locally with 0 threads | WEFT-100 | at least 1 thread, such as local[2], found local[0]",
        "The number of cores per executor (=2) has to be >= the number of cpus per task = 3. | WEFT-100 | at most the 2",
        "Job 3 cancelled because SparkContext was shut down | WEFT-403 | Spark was stopped",
        "Job 3 cancelled part of cancelled job group weft-1 | WEFT-404 | was cancelled",
        "TASK (10.0.0.1 executor 2): java.lang.OutOfMemoryError: Java heap space | WEFT-400"
            + " | spark.executor.memory",
        "TASK (localhost executor driver): java.lang.OutOfMemoryError: Java heap space | WEFT-400"
            + " | WEFT_JAVA_OPTS",
        "TASK (10.0.0.1 executor 2): ExecutorLostFailure (executor 2 exited caused by one of the"
            + " running tasks) Reason: Command exited with code 52 | WEFT-400 | executor.memory",
        "TASK (10.0.0.1 executor 2): ExecutorLostFailure (executor 2 exited caused by one of the"
            + " running tasks) Reason: Remote RPC client disassociated | WEFT-403 | disassociated",
        "TASK (10.0.0.1 executor 2): TaskResultLost (result lost from block manager) | WEFT-403"
            + " | spark.driver.memory",
        "TASK (10.0.0.1 executor 2): java.io.IOException: No space left on device | WEFT-402"
            + " | a file of this run on 10.0.0.1 (spark.local.dir, SPARK_LOCAL_DIRS): the disk is full",
        "TASK (10.0.0.1 executor 2): java.io.IOException: Disk quota exceeded | WEFT-402"
            + " | (spark.local.dir, SPARK_LOCAL_DIRS): the quota is used up (Disk quota exceeded)",
        "TASK (10.0.0.1 executor 2): java.io.IOException: File too large | WEFT-402 | (ulimit -f)",
        "TASK (10.0.0.1 executor 2): java.io.FileNotFoundException: /tmp/blockmgr-1/0c/x"
            + " (Too many open files) | WEFT-402 | (ulimit -n)",
        "TASK (10.0.0.1 executor 2): java.io.FileNotFoundException: /tmp/blockmgr-1/0c/x"
            + " (Read-only file system) | WEFT-402 | is read-only; name another place",
        "TASK (10.0.0.1 executor 2): java.io.IOException: Input/output error | WEFT-402"
            + " | the file system failed (Input/output error)",
        "TASK (10.0.0.1 executor 2): java.lang.ClassNotFoundException: org.weft.spark.Gone"
            + " | WEFT-100 | found no org.weft.spark.Gone; name weft-executor.jar",
        "TASK (10.0.0.1 executor 2): java.lang.NoClassDefFoundError: org/assertj/core/api/Assertions"
            + " | WEFT-100 | found no org.assertj.core.api.Assertions, which is in assertj-core-",
        "TASK (10.0.0.1 executor 2): java.lang.ClassCastException: cannot assign instance of"
            + " java.lang.invoke.SerializedLambda to field org.apache.spark.rdd.MapPartitionsRDD.f"
            + " of type scala.Function3 | WEFT-100 | name weft-executor.jar",
        "bind(..) failed: Address already in use: Service 'sparkDriver' failed after 0 retries"
            + " (starting from 7077)! Consider | WEFT-403 | a free port for spark.driver.port, found",
        "Failed to bind to /127.0.0.1:4040: Service 'SparkUI' failed after 16 retries (starting from"
            + " 4040)! Consider | WEFT-403 | spark.ui.port, found all that were tried in use"
            + " (starting from 4040, 16 retries)",
        "TASK (10.0.0.1 executor 2): java.net.BindException: Address already in use: Service"
            + " 'spark.weft.exchange.port' failed after 16 retries (starting from 7) | WEFT-403 |"
            + " spark.weft.exchange.port, found",
        "bind(..) failed: Cannot assign requested address: Service 'sparkDriver' failed after 16"
            + " retries (on a random free port)! | WEFT-100 | spark.driver.bindAddress",
        "[FAILED_READ_FILE.NO_HINT] Encountered error while reading file file:///a/b.parquet."
            + "  SQLSTATE: KD001 | WEFT-305 | /a/b.parquet: expected a whole file of its format",
        "TASK (10.0.0.1 executor 2): java.lang.IllegalStateException: x | WEFT-999 | Lost task 0.3"
      })
  void haveCodeAndRemedy(String words, String code, String remedy) {
    String message =
        words.replace("STAGE ", STAGE).replace("TASK ", TASK)
            + "\n\tat org.example.Task.run(Task.java:1)\n\nDriver stacktrace:";
    assertThat(Failures.unwrap(new SparkException(message)))
        .isInstanceOfSatisfying(
            WeftException.class,
            e -> {
              assertThat(e.code().label()).isEqualTo(code);
              assertThat(e.getMessage()).contains(remedy).doesNotContain("\n");
            });
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "spark.executor.memory | lots       | Size must be specified",
        "spark.executor.memory | 300m       | Executor memory 314572800 must be at least",
        "spark.memory.fraction | 7          | spark.memory.fraction should be between 0 and 1",
        "spark.executor.cores  | two        | For input string: \"two\" (spark.executor.cores);",
        "spark.serializer      | org.nosuch | found no class org.nosuch (spark.serializer);",
        "spark.driver.host     | no.invalid | cannot resolve spark.driver.host"
      })
  void settingsThatSparkRefusesAreWrongUsage(String name, String value, String expected) {
    LocalSpark.stop(); // of two contexts in a process Spark refuses the second before its settings
    SparkConf conf =
        new SparkConf(false)
            .setMaster("spark://127.0.0.1:1")
            .setAppName("refused")
            .set("spark.ui.enabled", "false")
            .set("spark.driver.host", "127.0.0.1")
            .set(name, value);
    Exception refused =
        catchThrowableOfType(Exception.class, () -> new JavaSparkContext(conf).close());
    assertThat(Failures.ofStart(refused, conf))
        .isInstanceOfSatisfying(
            WeftException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.USAGE);
              assertThat(e.getMessage())
                  .startsWith("Spark does not start with its settings: ")
                  .contains(expected)
                  .doesNotContain("\n");
            });
  }

  /** The driver opens inputs before executors do. */
  @Test
  void whatOnlyExecutorsMissIsSaidToBeTheirs() {
    WeftException missing = new WeftException(ErrorCode.INPUT_NOT_FOUND, "x.tns: found nothing");
    assertThat(Failures.unwrap(new SparkException(TASK + missing, missing)))
        .hasMessageStartingWith("x.tns: found nothing; the driver has found it")
        .hasMessageContaining("HDFS");
    assertThat(Failures.unwrap(new IllegalStateException(missing))).isSameAs(missing);
    WeftException damaged =
        new WeftException(ErrorCode.MALFORMED_INPUT, "x.tns:3: expected a number");
    assertThat(Failures.unwrap(new SparkException(TASK + damaged, damaged))).isSameAs(damaged);
  }
}
