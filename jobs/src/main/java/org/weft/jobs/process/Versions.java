package org.weft.jobs.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import org.apache.hadoop.util.VersionInfo;
import picocli.CommandLine.IVersionProvider;

/** The versions that a result depends on. */
public final class Versions implements IVersionProvider {

  /** The version of Weft. */
  public static String program() {
    return all().getOrDefault("weft", "unknown");
  }

  /** Weft, Spark, Hadoop, JDK and LLVM, by name. */
  public static Map<String, String> all() {
    Properties built = new Properties();
    try (InputStream in =
        Versions.class.getResourceAsStream("/org/weft/jobs/versions.properties")) {
      if (in != null) {
        built.load(in);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Map<String, String> versions = new LinkedHashMap<>();
    versions.put("weft", built.getProperty("weft", "unknown"));
    versions.put(
        "spark", Surroundings.arePlain() ? built.getProperty("spark", "unknown") : spark());
    versions.put("hadoop", VersionInfo.getVersion());
    versions.put("jdk", System.getProperty("java.runtime.version", "unknown"));
    versions.put("llvm", built.getProperty("llvm", "unknown"));
    return versions;
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
