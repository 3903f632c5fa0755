package org.weft.jobs.run;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaFutureAction;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.VoidFunction;
import org.jspecify.annotations.Nullable;
import org.weft.jobs.output.Console;
import org.weft.jobs.process.ClassArchive;

/**
 * The archive of executors' classes on a standalone cluster of this machine. An executor writes it
 * at the end of the first job; executors of later jobs load their classes from it. The launcher
 * names the file, beside that of its own classes, and removes one that is not as it was written.
 */
final class ExecutorArchive {
  private static final String PROPERTY = "weft.executor.archive";
  private static final String OPTIONS = "spark.executor.defaultJavaOptions";
  private static final String MORE_OPTIONS = "spark.executor.extraJavaOptions";

  /** Options that a JVM refuses together with those of this class, and ends. */
  private static final Pattern OTHERS =
      Pattern.compile("Xshare|SharedArchive|ArchiveClassesAtExit|DynamicDump");

  private static final Pattern MASTER = Pattern.compile("spark://([^,:]+):\\d+");
  private static final Pattern PLAIN = Pattern.compile("[\\w./+-]+"); // no quotes in options
  private static final long SECONDS = 30;

  private final @Nullable Path missing;

  private ExecutorArchive(@Nullable Path missing) {
    this.missing = missing;
  }

  /**
   * Has executors load their classes from the archive, or note what they load for it, unless their
   * options name an archive.
   */
  static ExecutorArchive of(SparkConf conf) {
    Path archive = Path.of(System.getProperty(PROPERTY, ""));
    String given = conf.get(OPTIONS, "") + " " + conf.get(MORE_OPTIONS, "");
    if (!PLAIN.matcher(archive.toString()).matches()
        || OTHERS.matcher(given).find()
        || !isOfThisMachine(conf)) {
      return new ExecutorArchive(null);
    }
    boolean whole = Files.exists(archive);
    boolean wanted = !whole && Files.isWritable(archive.resolveSibling(""));
    if (whole || wanted) {
      String option =
          whole
              ? "-XX:SharedArchiveFile=" + archive + " -Xlog:cds=off -Xlog:cds+dynamic=off"
              : "-XX:+IgnoreUnrecognizedVMOptions -XX:+RecordDynamicDumpInfo";
      conf.set(OPTIONS, (conf.get(OPTIONS, "") + " " + option).trim());
    }
    return new ExecutorArchive(wanted ? archive : null);
  }

  private static boolean isOfThisMachine(SparkConf conf) {
    Matcher master = MASTER.matcher(conf.get("spark.master"));
    try {
      return master.matches()
          && NetworkInterface.getByInetAddress(InetAddress.getByName(master.group(1))) != null;
    } catch (IOException e) {
      return false;
    }
  }

  /** Has an executor write the archive if it is missing. The job has ended; the session has not. */
  void writeIfMissing(JavaSparkContext context, Console console) {
    if (missing == null
        || context.sc().isStopped()
        || context.statusTracker().getExecutorInfos().length < 2) { // one is the driver
      return;
    }
    console.note("Keeping executors' classes for later commands, first time only ...");
    ClassArchive.write(missing, file -> run(context, file));
  }

  private static void run(JavaSparkContext context, Path file) throws IOException {
    JavaFutureAction<Void> job =
        context.parallelize(List.of(file.toString()), 1).foreachAsync(new Write());
    try {
      job.get(SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | CancellationException e) {
      throw new IOException("an executor wrote no archive", e);
    } catch (TimeoutException e) {
      job.cancel(true);
      throw new IOException("no executor wrote an archive in time", e);
    } catch (InterruptedException e) {
      job.cancel(true);
      Thread.currentThread().interrupt();
    }
  }

  /** What an executor does. It may be on another machine after all, which lacks the folder. */
  private static final class Write implements VoidFunction<String> {
    private static final long serialVersionUID = 1L;

    @Override
    public void call(String name) throws IOException {
      Path file = Path.of(name);
      if (Files.isDirectory(file.resolveSibling(""))) {
        ClassArchive.writeThisProcess(file);
      }
    }
  }
}
