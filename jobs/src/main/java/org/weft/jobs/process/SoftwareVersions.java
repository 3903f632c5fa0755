package org.weft.jobs.process;

import java.util.Locale;
import java.util.Map;
import org.weft.storage.model.ResultVersions;
import picocli.CommandLine.IVersionProvider;

/** The versions that a result depends on. */
public final class SoftwareVersions implements IVersionProvider {
  /** The version of Weft. */
  public static String program() {
    return all().getOrDefault("weft", "unknown");
  }

  /** Weft, Spark, Hadoop, JDK and LLVM, by name. */
  public static Map<String, String> all() {
    return ResultVersions.all(Surroundings.arePlain() ? "" : spark());
  }

  /** The version that runs, which spark-submit may have from elsewhere. */
  private static String spark() {
    return org.apache.spark.package$.MODULE$.SPARK_VERSION();
  }

  @Override
  public String[] getVersion() {
    return all().entrySet().stream()
        .map(v -> String.format(Locale.ROOT, "%-7s %s", v.getKey(), v.getValue()))
        .toArray(String[]::new);
  }
}
