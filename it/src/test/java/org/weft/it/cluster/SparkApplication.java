package org.weft.it.cluster;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What {@code spark-submit} is given.
 *
 * @param mainClass the driver's main class
 * @param jar the application jar: it goes to the driver and to every executor
 * @param driverClassPath jars that only the driver gets
 * @param conf Spark properties, over the cluster's own
 * @param arguments the main class's arguments
 */
public record SparkApplication(
    String mainClass,
    Path jar,
    List<Path> driverClassPath,
    Map<String, String> conf,
    List<String> arguments) {

  public SparkApplication {
    driverClassPath = List.copyOf(driverClassPath);
    conf = Map.copyOf(conf);
    arguments = List.copyOf(arguments);
  }

  public static SparkApplication of(String mainClass, Path jar, String... arguments) {
    return new SparkApplication(mainClass, jar, List.of(), Map.of(), List.of(arguments));
  }

  public SparkApplication with(String key, String value) {
    Map<String, String> more = new TreeMap<>(conf);
    more.put(key, value);
    return new SparkApplication(mainClass, jar, driverClassPath, more, arguments);
  }
}
