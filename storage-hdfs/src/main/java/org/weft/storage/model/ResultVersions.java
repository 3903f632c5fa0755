package org.weft.storage.model;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import org.apache.hadoop.util.VersionInfo;
import org.weft.service.Providers;

/** The versions that a result depends on. */
public final class ResultVersions {
  private ResultVersions() {}

  /**
   * Weft, Spark, Hadoop, JDK and LLVM, by name.
   *
   * @param spark the version that runs; empty for the one that Weft was built with
   */
  public static Map<String, String> all(String spark) {
    Properties built = new Properties();
    try (InputStream in = ResultVersions.class.getResourceAsStream("versions.properties")) {
      if (in != null) {
        built.load(in);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Map<String, String> versions = new LinkedHashMap<>();
    versions.put("weft", built.getProperty("weft", "unknown"));
    versions.put("spark", spark.isEmpty() ? built.getProperty("spark", "unknown") : spark);
    versions.put(
        "hadoop",
        Providers.areWeftsAlone()
            ? built.getProperty("hadoop", "unknown")
            : VersionInfo.getVersion()); // which looks through the class path
    versions.put("jdk", System.getProperty("java.runtime.version", "unknown"));
    versions.put("llvm", built.getProperty("llvm", "unknown"));
    return versions;
  }
}
