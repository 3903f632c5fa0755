package org.weft.jobs.run;

import ch.randelshofer.fastdoubleparser.JavaDoubleParser;
import com.typesafe.config.Config;
import java.net.URI;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.ejml.data.DMatrixRMaj;
import org.ejml.dense.row.CommonOps_DDRM;
import org.weft.planner.PlannerOptions;
import org.weft.reorder.Permutation;
import org.weft.spark.SparkEngine;
import org.weft.storage.TensorFiles;
import org.weft.tensor.CooBlock;

/**
 * The jars that tasks need and Spark does not have. {@code spark-submit} sends its application jar
 * to executors; where the launcher starts the driver, nobody has named one, and executors get these
 * jars of the driver's class path. They are what is in {@code weft-executor.jar}: neither the
 * compiler nor LLVM.
 */
final class ExecutorJars {
  private static final String JARS = "spark.jars";

  /** Set where the launcher started the driver, which then has each jar on its class path. */
  private static final String LAUNCHER = "weft.launcher";

  private static final String ALL_IN_ONE = "weft-executor.jar";

  /** One class of each jar. */
  private static final List<Class<?>> OF_TASKS =
      List.of(
          Session.class,
          SparkEngine.class,
          PlannerOptions.class,
          TensorFiles.class,
          Permutation.class,
          CooBlock.class,
          Config.class,
          JavaDoubleParser.class,
          DMatrixRMaj.class,
          CommonOps_DDRM.class);

  private ExecutorJars() {}

  /**
   * Names the jars beside those that are named, such as a connector's, unless executors are this
   * process or {@code spark-submit} started it.
   */
  static void add(SparkConf conf) {
    String master = conf.get("spark.master").toLowerCase(Locale.ROOT);
    List<String> named =
        Stream.of(conf.get(JARS, "").split(",")).filter(jar -> !jar.isBlank()).toList();
    boolean submitted = !named.isEmpty() && System.getProperty(LAUNCHER) == null;
    if (master.equals("local")
        || master.startsWith("local[")
        || submitted
        || named.stream().anyMatch(jar -> jar.endsWith(ALL_IN_ONE))) {
      return;
    }
    Set<String> names = named.stream().map(ExecutorJars::name).collect(Collectors.toSet());
    String jars =
        Stream.concat(
                named.stream(),
                OF_TASKS.stream()
                    .flatMap(ExecutorJars::jar)
                    .filter(jar -> !names.contains(name(jar)))
                    .distinct()
                    .sorted())
            .collect(Collectors.joining(","));
    if (!jars.isEmpty()) {
      conf.set(JARS, jars);
    }
  }

  private static String name(String jar) {
    return jar.substring(jar.lastIndexOf('/') + 1);
  }

  /** The jar of a class; none where classes lie in a folder, as in tests. */
  private static Stream<String> jar(Class<?> type) {
    CodeSource source = type.getProtectionDomain().getCodeSource();
    return Stream.ofNullable(source)
        .map(found -> Path.of(URI.create(found.getLocation().toString())))
        .filter(path -> path.toString().endsWith(".jar"))
        .map(path -> path.toUri().toString());
  }
}
