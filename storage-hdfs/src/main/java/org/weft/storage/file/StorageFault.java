package org.weft.storage.file;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.AccessControlException;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/** What file systems say when they fail, and what to do about it. */
final class StorageFault {
  private static final Pattern HIDDEN_NAME =
      Pattern.compile(
          "\\.([^/\\s]{1,100})\\.[0-9a-f-]{36}\\.weft-(tmp|old)"
              + "(/\\.\\1\\.[0-9a-f-]{36}\\.weft-tmp|/\\1(?![^\\s:'\",;)]))?");

  /** How Hadoop's calls say that a host is unknown. */
  private static final Pattern CALLED_HOST =
      Pattern.compile("(?s).*destination host is: [(\"]*([^\"):/]+).*");

  private static final Pattern LOCAL_URI = Pattern.compile("\\bfile:(?:(?=/(?!/))|//(?=/))");

  /** What brings the file systems that Hadoop knows by name and has not with it. */
  private static final Map<String, String> CONNECTORS =
      Map.of(
          "s3a", "Hadoop's hadoop-aws and the AWS SDK bundle that it names",
          "abfs", "Hadoop's hadoop-azure",
          "abfss", "Hadoop's hadoop-azure");

  private StorageFault() {}

  /** One error for a failure at {@code place}, which names no file that nobody has heard of. */
  static WeftException of(String place, IOException failure) {
    String where = withoutHiddenNames(place);
    String mistake = mistake(failure);
    if (mistake != null) {
      return new WeftException(ErrorCode.USAGE, where + ": " + mistake, failure);
    }
    return new WeftException(
        ErrorCode.STORAGE_UNAVAILABLE, where + ": " + whatAndRemedy(failure), failure);
  }

  /**
   * What is wrong with the path itself, so that another try fails in the same way; null: nothing.
   */
  private static @Nullable String mistake(IOException failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      String message = String.valueOf(cause.getMessage());
      String lower = message.toLowerCase(Locale.ROOT);
      if (lower.contains("not a directory")) {
        return "expected folders above it, found a file among them ("
            + shown(message)
            + "); name another place";
      }
      // The folder of a link that leads nowhere cannot be made: the link has its name.
      boolean dangling =
          cause instanceof FileAlreadyExistsException exists
              && Files.isSymbolicLink(java.nio.file.Path.of(exists.getFile()));
      if (dangling || lower.contains("too many levels of symbolic links")) {
        return "expected folders above it, found a link that leads to none"
            + (dangling ? " (" + shown(message) + ")" : "")
            + "; correct the link, or name another place";
      }
      if (lower.contains("is a directory")) {
        return "expected a file, found a folder ("
            + shown(message)
            + "); name another place, or remove the folder";
      }
      if (lower.contains("name too long") || lower.contains("path component name limit")) {
        return "expected names of at most 255 bytes, found a longer one; name another place";
      }
      if (lower.contains("incomplete hdfs uri")) {
        return "expected a host, as in hdfs://namenode:8020/x.tns, found none; name it, or set"
            + " fs.defaultFS in core-site.xml";
      }
    }
    return null;
  }

  private static String whatAndRemedy(IOException failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      String message = String.valueOf(cause.getMessage());
      String lower = message.toLowerCase(Locale.ROOT);
      if (lower.contains("no space left on device") || lower.contains("enough space")) {
        return "the disk is full; free space on it, or name another place, and run again";
      }
      if (lower.contains("quota") && lower.contains("exceeded")) {
        return "the quota is used up ("
            + shown(message)
            + "); remove files, have the quota raised (HDFS counts whole blocks of files that are"
            + " being written), or name another place, and run again";
      }
      if (lower.contains("file too large")) {
        return "a file is larger than this process or the file system allows (File too large); raise"
            + " the limit (ulimit -f), or name another place, and run again";
      }
      if (lower.contains("too many open files")) {
        return "this process has as many files open as it may have (Too many open files); raise the"
            + " limit (ulimit -n) and run again";
      }
      if (lower.contains("in safe mode") || lower.contains("safemodeexception")) {
        return "HDFS is in safe mode, in which it cannot be written; wait until it has left it"
            + " (hdfs dfsadmin -safemode wait) and run again";
      }
      if (lower.contains("could not obtain block")) {
        return "no DataNode that runs has one of its blocks; start the DataNodes that had it (hdfs"
            + " dfsadmin -report, hdfs fsck) and run again";
      }
      if (lower.contains("could only be written to")
          || lower.contains("could only be replicated")) {
        return "HDFS has no DataNode that takes a block; start DataNodes, or free space on them (hdfs"
            + " dfsadmin -report), and run again";
      }
      if (lower.contains("read-only file system")) {
        return "the file system is read-only; name another place";
      }
      if (cause instanceof ConnectException) {
        return "expected a file system at this address, found nothing that answers ("
            + lastWords(message)
            + "); check host and port, or start the file system, and run again";
      }
      if (cause instanceof UnknownHostException) {
        Matcher call = CALLED_HOST.matcher(message);
        return "cannot resolve host "
            + (call.matches() ? call.group(1) : shown(message))
            + "; check the address, or the settings of HDFS if this is the name of a service"
            + " (WEFT_CONF_DIR), and run again";
      }
      if (cause instanceof AccessControlException
          || cause instanceof AccessDeniedException
          || lower.contains("permission denied")) {
        return "access is denied (" + shown(message) + "); ask its owner, or name another place";
      }
      if (cause instanceof NoSuchFileException
          || cause instanceof FileNotFoundException && !message.endsWith(")")) {
        return "the place does not exist, and Weft cannot make it; name another place";
      }
    }
    return "the file system failed ("
        + reason(failure)
        + "); check that it is reachable, has space, and that you may access the path";
  }

  /** What the system said, without what Hadoop puts around it. */
  private static String lastWords(String message) {
    String first = shown(message).replaceFirst("; +For more details see:.*", "");
    return first.substring(first.lastIndexOf(": ") + (first.contains(": ") ? 2 : 1));
  }

  private static String reason(IOException failure) {
    if (failure instanceof FileSystemException file && file.getReason() != null) {
      return shown(String.valueOf(file.getReason()));
    }
    return failure.getMessage() == null
        ? "without a reason: " + failure.getClass().getSimpleName()
        : shown(failure.getMessage());
  }

  /**
   * The first line, with the names of outputs for the hidden ones of their temporaries, and with
   * paths for the URIs of local files.
   */
  static String shown(String text) {
    int end = text.indexOf('\n');
    String line = end < 0 ? text : text.substring(0, end);
    return withoutHiddenNames(LOCAL_URI.matcher(line).replaceAll(""));
  }

  /** Hidden names stand in URIs that Weft made itself; nobody has named local files so. */
  static String withoutHiddenNames(String text) {
    Matcher hidden = HIDDEN_NAME.matcher(text);
    return hidden.find() ? LOCAL_URI.matcher(hidden.replaceAll("$1")).replaceAll("") : text;
  }

  /** Hadoop says "Class x not found", and the JVM the name alone. */
  private static String missingClass(Throwable failure) {
    String said = shown(String.valueOf(failure.getMessage()));
    return said.replaceFirst("^Class (.*) not found$", "$1");
  }

  /** A file system that is not found, whose classes are not there, or which is set up wrongly. */
  static WeftException unusable(Path path, Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof UnknownHostException unknown) {
        return of(path.toString(), unknown);
      }
      if (cause instanceof ClassNotFoundException || cause instanceof NoClassDefFoundError) {
        return new WeftException(
            ErrorCode.USAGE,
            path
                + ": expected the connector for scheme '"
                + path.toUri().getScheme()
                + "' on the class path, found no "
                + missingClass(cause)
                + "; add "
                + CONNECTORS.getOrDefault(path.toUri().getScheme(), "its jars")
                + " (spark-submit --packages, or WEFT_CONF_DIR=FOLDER/*)",
            failure);
      }
    }
    return new WeftException(
        ErrorCode.USAGE,
        path
            + ": expected a file system that its settings describe, found "
            + shown(failure.getClass().getSimpleName() + ": " + failure.getMessage())
            + "; check the address and core-site.xml",
        failure);
  }
}
