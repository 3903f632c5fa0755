package org.weft.jobs.process;

import java.io.File;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.launcher.JavaModuleOptions;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.runtime.RunningJvm;
import org.weft.service.Providers;

/**
 * What the process was started with. The launcher's class path has what a command needs that works
 * in this process on local files; its property {@code weft.spark} names the folder of everything
 * else: Spark and what it brings. Those jars join the class path where they are needed, so that a
 * small job does not look through 200 of them. Elsewhere, under {@code spark-submit} or in a test,
 * all are on the class path, and nothing here does anything.
 */
public final class Surroundings {
  private static final String SPARK = "weft.spark";
  private static final String SETTINGS_PATH = "weft.settings";
  private static final String LOG_SETTINGS = "log4j2.configurationFile";
  private static final String LOGGING = "slf4j.provider";

  /** Properties that name settings or files of settings that a plain process does without. */
  private static final Pattern SETTINGS =
      Pattern.compile("(spark|config|log4j|log4j2|weft\\.master)(\\..*)?");

  /** Options that ask for Spark or its log: {@code --master}, the table of factors, {@code -v}. */
  private static final Pattern OPTIONS =
      Pattern.compile("--(master|factors-table)(=.*)?|--verbose|-[a-z]*v[a-z]*");

  private static final Pattern MOST_CLASSES = Pattern.compile("(scala-library|spark-).*");

  private static volatile boolean plain;

  private Surroundings() {}

  /** Makes ready for a command line, at the start of the process. */
  public static void prepare(String[] arguments) {
    // Else picocli looks through all jars for Groovy.
    System.setProperty("picocli.disable.closures", "true");
    List<String> settings = addSettings(System.getProperty(SETTINGS_PATH, ""));
    if (System.getProperty(SPARK) == null) {
      return;
    }
    boolean small =
        isPlain(Arrays.asList(arguments), System.getProperties().stringPropertyNames())
            && settings.stream().allMatch(Surroundings::isOfHadoop);
    plain = small && settings.isEmpty();
    if (!small) {
      addSpark();
      return;
    }
    Providers.setWeftAlone();
    if (System.getProperty(LOGGING) == null) {
      System.setProperty(LOGGING, QuietLogging.class.getName());
    }
  }

  /** Whether a command line is work of this process, with the settings as shipped. */
  public static boolean isPlain(List<String> arguments, Set<String> properties) {
    return properties.stream().noneMatch(name -> SETTINGS.matcher(name).matches())
        && arguments.stream().noneMatch(Surroundings::asksForMore);
  }

  private static boolean asksForMore(String argument) {
    return OPTIONS.matcher(argument).matches() || argument.startsWith("@");
  }

  /**
   * Whether settings are those that Weft ships and the class path is the launcher's: there is no
   * {@code application.conf}, no {@code core-site.xml} and no need to look for one.
   */
  public static boolean arePlain() {
    return plain;
  }

  /**
   * Adds what {@code WEFT_CONF_DIR} names to the class path: folders, jars, and all jars of a
   * folder as {@code FOLDER/*}. Settings of the log are there before those that Weft ships.
   */
  private static List<String> addSettings(String path) {
    List<String> added = new ArrayList<>();
    for (String entry : path.split(File.pathSeparator)) {
      if (!entry.isEmpty()) {
        added.addAll(settings(entry));
      }
    }
    if (added.isEmpty()) {
      return added;
    }
    try {
      addToClassPath(new RunningJvm(), added);
    } catch (ReflectiveOperationException e) {
      throw missing("what WEFT_CONF_DIR names", e);
    }
    Path log = Path.of(added.get(0), "log4j2.properties");
    if (Files.exists(log) && System.getProperty(LOG_SETTINGS) == null) {
      System.setProperty(LOG_SETTINGS, log.toString());
    }
    return added;
  }

  /** Whether a folder has settings, but none of Weft or of the log, and no code. */
  private static boolean isOfHadoop(String entry) {
    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(Path.of(entry), "{application,log4j}*")) {
      return !files.iterator().hasNext();
    } catch (IOException e) {
      return false; // a jar
    }
  }

  private static Collection<String> settings(String entry) {
    boolean all = entry.endsWith("/*");
    try {
      Path place = Path.of(all ? entry.substring(0, entry.length() - 1) : entry);
      boolean known = Files.isDirectory(place) || entry.endsWith(".jar");
      if (known && Files.isReadable(place)) {
        return all ? jars(place) : List.of(entry);
      }
    } catch (IOException | InvalidPathException e) {
      // as if it were not there
    }
    throw new WeftException(
        ErrorCode.USAGE,
        String.format(
            Locale.ROOT,
            "WEFT_CONF_DIR: expected a folder of settings that can be read, found none at %s;"
                + " correct the variable or unset it",
            entry));
  }

  private static void addToClassPath(RunningJvm jvm, Collection<String> entries) {
    StringBuilder path = new StringBuilder(System.getProperty("java.class.path"));
    for (String entry : entries) {
      jvm.addJar(entry);
      path.append(File.pathSeparator).append(entry);
    }
    System.setProperty("java.class.path", path.toString());
  }

  /** Adds Spark to the class path, if it is not there yet. Cheap: no jar is opened. */
  public static synchronized void addSpark() {
    String folder = System.getProperty(SPARK);
    if (folder == null) {
      return;
    }
    System.clearProperty(SPARK);
    try {
      RunningJvm jvm = new RunningJvm();
      addToClassPath(jvm, jars(Path.of(folder)));
      openForSpark(jvm);
    } catch (IOException | ReflectiveOperationException e) {
      throw missing("the jars of Spark in " + folder, e);
    }
  }

  /** Opens the packages that Spark, which is on the class path by now, says it uses. */
  private static void openForSpark(RunningJvm jvm) {
    Pattern opens = Pattern.compile("--add-opens=([^/]+)/([^=]+)=ALL-UNNAMED");
    for (String option : JavaModuleOptions.defaultModuleOptionArray()) {
      Matcher opened = opens.matcher(option);
      if (opened.matches()) {
        jvm.open(opened.group(1), opened.group(2));
      }
    }
  }

  /** Jars of Scala and Spark first: a class is looked for in each jar before its own. */
  private static Set<String> jars(Path folder) throws IOException {
    Set<String> first = new TreeSet<>();
    Set<String> others = new TreeSet<>();
    try (DirectoryStream<Path> jars = Files.newDirectoryStream(folder, "*.jar")) {
      for (Path jar : jars) {
        boolean most = MOST_CLASSES.matcher(jar.getFileName().toString()).matches();
        (most ? first : others).add(jar.toString());
      }
    }
    Set<String> sorted = new LinkedHashSet<>(first);
    sorted.addAll(others);
    return sorted;
  }

  private static WeftException missing(String what, Throwable cause) {
    return new WeftException(
        ErrorCode.UNSUPPORTED_PLATFORM,
        String.format(
            Locale.ROOT,
            "expected to add %s to the class path, found: %s; start Weft with jobs/bin/weft or"
                + " spark-submit",
            what,
            cause),
        cause);
  }
}
