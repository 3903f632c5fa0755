package org.weft.spark;

import java.net.URI;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/** Says which jar executors lack: they miss a class that the driver has. */
final class MissingClass {
  private static final Pattern NAMED =
      Pattern.compile("(?:ClassNotFoundException|NoClassDefFoundError): ([\\w.$/]+)");

  /** How Java says that a lambda came to a process that lacks its class, or has an older one. */
  private static final Pattern UNKNOWN_LAMBDA =
      Pattern.compile("ClassCastException: cannot assign instance of [\\w.$]+ to field");

  /** Has everything, also what executors have no use for. */
  private static final String OF_THE_DRIVER = "weft-driver.jar";

  private MissingClass() {}

  /** The error for what a failed task said; null if no class was missing. */
  static @Nullable WeftException of(String message, Throwable cause) {
    Matcher named = NAMED.matcher(message);
    if (named.find()) {
      String name = named.group(1).replace('/', '.');
      String jar = jar(name);
      return error("found no " + name + (jar == null ? "" : ", which is in " + jar), cause);
    }
    return UNKNOWN_LAMBDA.matcher(message).find()
        ? error("found classes that the executors lack or have in another version", cause)
        : null;
  }

  private static WeftException error(String found, Throwable cause) {
    return new WeftException(
        ErrorCode.USAGE,
        "expected the driver's classes on the executors, "
            + found
            + "; name weft-executor.jar, which has all of Weft's, or the jars that are missing"
            + " (--jars, spark.jars)",
        cause);
  }

  /** The name of the jar in which the driver has a class; null if it has no jar for executors. */
  private static @Nullable String jar(String name) {
    try {
      Class<?> type = Class.forName(name, false, Thread.currentThread().getContextClassLoader());
      CodeSource source = type.getProtectionDomain().getCodeSource();
      Path path = source == null ? null : Path.of(URI.create(source.getLocation().toString()));
      String jar = path == null ? "" : String.valueOf(path.getFileName());
      return jar.endsWith(".jar") && !jar.equals(OF_THE_DRIVER) ? jar : null;
    } catch (ClassNotFoundException | LinkageError | IllegalArgumentException e) {
      return null;
    }
  }
}
