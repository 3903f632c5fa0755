package org.weft.it.launcher;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The launcher where there are jars and no sources. Its archive of classes is made once, and
 * whatever becomes of it, commands do the same; small jobs load neither Spark nor its logging.
 */
class LauncherIT {
  /** So many of the small jobs are tried in the usual build. */
  private static final int USUAL = 2;

  /** Jars of the modules. */
  private static final int WEFTS_JARS = 7;

  private static final String SPARK = " org.apache.spark.";
  private static final String LOG4J = " org.apache.logging.log4j.";
  private static final String WEFT = " org.weft.";
  private static final String LLVM = " org.bytedeco.llvm.";

  @TempDir private static Path installed;
  private static Path input;

  private record Ran(int status, String out, String err, List<String> classes) {
    String all() {
      return out + err;
    }

    boolean loads(String prefix) {
      return classes.stream().anyMatch(line -> line.contains(prefix));
    }

    long fromArchive(String prefix) {
      return classes.stream()
          .filter(line -> line.contains(prefix) && line.contains("shared objects file"))
          .count();
    }
  }

  @BeforeAll
  static void install() throws IOException {
    Installed.in(installed);
    input = installed.resolve("x.tns");
    Files.writeString(input, "1 1 1 1.5\n2 3 1 2\n3 1 2 -1\n2 2 2 4\n");
    assertThat(weft("--version").status()).isZero(); // makes the archive
    assertThat(archive()).exists();
  }

  private static Path archive() {
    return installed.resolve("jobs/target/weft/weft.jsa");
  }

  private static Ran weft(String... arguments) throws IOException {
    return weft("", arguments);
  }

  private static Ran weft(String javaOptions, String[] arguments) throws IOException {
    return weft(Map.of(), javaOptions, arguments);
  }

  private static Ran weft(Map<String, String> environment, String javaOptions, String[] arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(installed.resolve("jobs/bin/weft").toString());
    command.addAll(List.of(arguments));
    Path out = Files.createTempFile(installed, "out", ".txt");
    Path err = Files.createTempFile(installed, "err", ".txt");
    Path classes = Files.createTempFile(installed, "classes", ".txt");
    ProcessBuilder builder = new ProcessBuilder(command).directory(installed.toFile());
    builder.redirectOutput(out.toFile()).redirectError(err.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("WEFT_"));
    builder.environment().put("WEFT_KERNEL_CACHE", installed.resolve("kernels").toString());
    builder.environment().put("WEFT_JAVA_OPTS", "-Xlog:class+load:file=" + classes + javaOptions);
    builder.environment().putAll(environment);
    try {
      int status = builder.start().waitFor();
      return new Ran(
          status, Files.readString(out), Files.readString(err), Files.readAllLines(classes));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private static Ran works(String... arguments) throws IOException {
    Ran ran = weft(arguments);
    assertThat(ran.status()).as(String.join(" ", arguments) + "\n" + ran.err()).isZero();
    return ran;
  }

  @Test
  void smallJobsLoadNeitherSparkNorItsLoggingNorLlvmAgain() throws IOException {
    List<List<String>> jobs =
        List.of(
            List.of("convert", "x.tns", "x.weft"),
            List.of("stats", "--help"),
            List.of("eval", "y(i) = T(i,j,k)", "--input", "T=x.tns"),
            List.of("cpd", "x.weft", "--rank", "2", "--iterations", "2", "--output", "factors"),
            List.of("explain", "cpd", "x.tns", "--rank", "2"),
            List.of("stats", "x.tns"),
            List.of("mttkrp", "x.tns", "--mode", "0", "--rank", "2", "--output", "m.npy"),
            List.of("ttv", "x.tns", "--mode", "0", "--output", "v.mtx"),
            List.of("generate", "--shape", "5x6x7", "--planted", "2", "g.tns"));
    for (List<String> job : Boolean.getBoolean("weft.long") ? jobs : jobs.subList(0, USUAL)) {
      List<String> again = new ArrayList<>(job);
      if (job.contains("--output") || job.contains("convert") || job.contains("generate")) {
        again.add("--overwrite");
      }
      if (!List.of("convert", "generate").contains(job.get(0))) {
        works(job.toArray(String[]::new)); // compiles kernels
      }
      loadsLittle(works(again.toArray(String[]::new)), job);
    }
  }

  private static void loadsLittle(Ran ran, List<String> job) {
    assertThat(ran.loads(SPARK)).as("Spark in %s", job).isFalse();
    assertThat(ran.loads(LOG4J)).as("log4j in %s", job).isFalse();
    assertThat(ran.loads(LLVM) && !job.contains("explain")).as("LLVM in %s", job).isFalse();
    assertThat(ran.fromArchive(WEFT)).as("classes from the archive in %s", job).isGreaterThan(20);
  }

  /**
   * To open all jars and to load what the archive lacks is a fifth of such a job. A JVM that is
   * asked to open packages makes the modules of the JDK anew.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "stats x.tns",
        "mttkrp x.tns --mode 0 --rank 2 --output o.npy",
        "eval y(i)=T(i,j,k) --input T=x.tns --output o.tns",
        "cpd x.tns --rank 2 --iterations 2 --output o"
      })
  void smallJobsTakeAllClassesFromTheArchiveAndOpenWeftsJarsAlone(String line) throws IOException {
    String job = line.replace(" o", " o" + line.length()); // each has its output
    works(job.split(" ")); // compiles kernels
    job += job.contains("--output") ? " --overwrite" : "";
    Ran ran = weft(" -Dsun.misc.URLClassPath.debug=true", job.split(" "));
    assertThat(ran.status()).as(ran.err()).isZero();
    loadsLittle(ran, List.of(job.split(" ")));
    assertThat(ran.classes()).noneMatch(loaded -> loaded.contains("source: file:"));
    assertThat(ran.loads("jdk.internal.module.ModuleLoaderMap ")).as("modules made anew").isFalse();
    String opens = "JarLoader.ensureOpen";
    assertThat(ran.err().lines().filter(said -> said.contains(opens)).count())
        .as(ran.err())
        .isBetween(1L, (long) WEFTS_JARS);
  }

  @Test
  void mistakesAreReportedWithoutSparkToo() throws IOException {
    Ran missing = weft("stats", "no.tns");
    assertThat(missing.status()).isEqualTo(2);
    assertThat(missing.err()).startsWith("weft: WEFT-").hasLineCount(1);
    assertThat(missing.loads(SPARK)).isFalse();
  }

  /** The launcher looks at what is named before the command does. */
  @ParameterizedTest
  @ValueSource(strings = {"[x", "x y.tns", "empty.weft"})
  void whatCannotBeReadIsTheCommandsToReport(String argument) throws IOException {
    Files.createDirectories(installed.resolve("empty.weft"));
    Ran ran = weft("stats", argument);
    assertThat(ran.status()).as(ran.err()).isEqualTo(2);
    assertThat(ran.err()).startsWith("weft: WEFT-").hasLineCount(1);
  }

  /** The other cases of {@link #whatCannotBeReadIsTheCommandsToReport}. */
  @Tag("long")
  @ParameterizedTest
  @ValueSource(strings = {"A=", "a=b=c", "no*.tns", "/dev/null"})
  void moreThatCannotBeReadIsTheCommandsToReport(String argument) throws IOException {
    whatCannotBeReadIsTheCommandsToReport(argument);
  }

  @Test
  void aFileThatMayNotBeReadIsTheCommandsToReport() throws IOException {
    Path secret = Files.writeString(installed.resolve("secret.tns"), "1 1 1\n");
    Files.setPosixFilePermissions(secret, Set.of());
    assumeThat(Files.isReadable(secret)).as("this user may read every file").isFalse();
    Ran ran = weft("stats", "secret.tns");
    assertThat(ran.status()).as(ran.err()).isEqualTo(1);
    assertThat(ran.err()).startsWith("weft: WEFT-").hasLineCount(1);
  }

  /** The launcher reads the size for the heap, before the command does. */
  @ParameterizedTest
  @CsvSource({"08g, 0", "-5g, 2", "9223372036854775807t, 2"})
  void sizesOfMemoryAreTakenOrRefusedInOneLine(String size, int status) throws IOException {
    Ran ran = weft("stats", "x.tns", "--memory", size);
    assertThat(ran.status()).as(ran.err()).isEqualTo(status);
    if (status == 0) {
      assertThat(ran.err()).doesNotContain("weft: ", "line ");
    } else {
      assertThat(ran.err()).startsWith("weft: WEFT-").hasLineCount(1);
    }
  }

  /** The other cases of {@link #sizesOfMemoryAreTakenOrRefusedInOneLine}. */
  @Tag("long")
  @ParameterizedTest
  @CsvSource({"2g, 0", "010g, 0", "2147483648, 0", "0, 2", "g, 2", "99999999999999999999g, 2"})
  void moreSizesOfMemoryAreTakenOrRefusedInOneLine(String size, int status) throws IOException {
    sizesOfMemoryAreTakenOrRefusedInOneLine(size, status);
  }

  /** As where no archive can be made: the command would make one of Spark's classes first. */
  @Test
  void sparkIsThereForThoseWhoAskForIt() throws IOException {
    String alone = works("stats", "x.tns").out();
    Path note = archive().resolveSibling("weft.jsa.start");
    String noted = Files.readString(note);
    Path aside = Files.move(archive(), installed.resolve("weft.jsa"));
    Files.writeString(note, noted.replaceFirst("size \\d+", "size "));
    try {
      Ran spark = works("stats", "x.tns", "--master", "local[1]");
      same(alone, spark);
      assertThat(spark.err()).doesNotContain("first time only");
      assertThat(spark.loads(SPARK)).isTrue();
    } finally {
      Files.move(aside, archive());
      Files.writeString(note, noted);
    }
  }

  /** As after an installation that keeps the times of files: the JVM refuses the archive. */
  @Tag("long")
  @Test
  void aJarThatAnOlderOneReplacesMakesTheArchiveAnew() throws IOException {
    String alone = works("stats", "x.tns").out();
    Path jar;
    try (DirectoryStream<Path> jars =
        Files.newDirectoryStream(installed.resolve("jobs/target"), "weft-jobs-*.jar")) {
      jar = jars.iterator().next();
    }
    Path built = Files.readSymbolicLink(jar);
    Files.delete(jar);
    Files.copy(built, jar);
    Files.setLastModifiedTime(jar, FileTime.from(Instant.now().minus(30, ChronoUnit.DAYS)));
    String noneOfSpark = " -Dweft.archive=/proc/none/spark.jsa"; // it would take seconds to write
    Ran remade = weft(noneOfSpark, new String[] {"stats", "x.tns", "--master", "local[1]"});
    assertThat(remade.status()).as(remade.err()).isZero();
    assertThat(remade.out()).isEqualTo(alone);
    assertThat(remade.err()).contains("Preparing Weft's classes for this JDK, first time only");
    assertThat(works("stats", "x.tns").err()).doesNotContain("first time only");
  }

  @Tag("long")
  @Test
  void sparksClassesComeFromAnArchive() throws IOException {
    String alone = works("stats", "x.tns").out();
    Files.deleteIfExists(archive().resolveSibling("spark.jsa"));
    Ran spark = works("stats", "x.tns", "--master", "local[1]");
    assertThat(spark.err()).contains("Spark's classes", "first time only");
    Ran again = works("stats", "x.tns", "--master", "local[1]");
    same(alone, again);
    assertThat(again.fromArchive(SPARK)).isGreaterThan(500);
  }

  @Tag("long")
  @Test
  void logsAndTablesNeedSpark() throws IOException {
    assertThat(works("stats", "x.tns", "-v").out()).isEqualTo(works("stats", "x.tns").out());
    works("cpd", "x.tns", "--rank", "2", "--output", "f2", "--factors-table", "f2.parquet");
  }

  @Tag("long")
  @Test
  void anArchiveThatIsNoneOrOfAnotherJdkIsIgnored() throws IOException {
    String before = works("stats", "x.tns").out();
    byte[] good = Files.readAllBytes(archive());
    Files.delete(archive());
    Files.writeString(archive(), "no archive");
    same(before, works("stats", "x.tns"));
    byte[] broken = good.clone();
    java.util.Arrays.fill(broken, 8, 2000, (byte) 7);
    Files.write(archive(), broken);
    same(before, works("stats", "x.tns"));
    Files.write(archive(), java.util.Arrays.copyOf(good, good.length / 2));
    same(before, works("stats", "x.tns"));

    byte[] whole = Files.readAllBytes(archive());
    byte[] changed = whole.clone();
    java.util.Arrays.fill(changed, whole.length / 3, whole.length / 3 + (1 << 20), (byte) 7);
    for (byte[] content : List.of(changed, java.util.Arrays.copyOf(whole, whole.length - 5000))) {
      Files.write(archive(), content);
      Ran again = works("stats", "x.tns");
      same(before, again);
      assertThat(again.err()).contains("first time only");
    }

    Files.writeString(installed.resolve("jobs/target/weft/weft.jsa.start"), "another JDK\n");
    Ran remade = works("stats", "x.tns");
    assertThat(remade.out()).isEqualTo(before);
    assertThat(remade.err()).contains("first time only");
    Ran after = works("stats", "x.tns");
    assertThat(after.err()).doesNotContain("first time only");
    assertThat(after.fromArchive(WEFT)).isGreaterThan(20);
  }

  @Tag("long")
  @Test
  void anArchiveOfSparksClassesThatIsNoneIsIgnored() throws IOException {
    String[] job = {"eval", "s = T(i,j,k)", "--input", "T=x.tns", "--master", "local[1]", "-q"};
    String before = works(job).out();
    Path archive = archive().resolveSibling("spark.jsa");
    assertThat(archive).exists();
    for (byte[] content : List.of(new byte[0], "no archive".getBytes(UTF_8), new byte[1 << 20])) {
      Files.delete(archive);
      Files.write(archive, content);
      same(before, works(job));
    }
  }

  private static void same(String out, Ran ran) {
    assertThat(ran.out()).isEqualTo(out);
    assertThat(ran.err()).doesNotContain("cds", "archive", "warning");
  }

  /** Under an identity that the list of users lacks, the JVM would take "?" for the home. */
  @Test
  void kernelsAreKeptInTheHomeOfTheShell() throws Exception {
    Path home = Files.createDirectories(installed.resolve("home"));
    ProcessBuilder builder =
        new ProcessBuilder(
                installed.resolve("jobs/bin/weft").toString(),
                "eval",
                "s = 3 * T(i,j,k)",
                "--input",
                "T=" + input)
            .redirectErrorStream(true)
            .redirectOutput(home.resolve("said").toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("WEFT_"));
    builder.environment().put("HOME", home.toString());
    assertThat(builder.start().waitFor()).as(Files.readString(home.resolve("said"))).isZero();
    try (Stream<Path> kept = Files.list(home.resolve(".cache/weft/kernels"))) {
      assertThat(kept).isNotEmpty();
    }

    String file = Files.createFile(installed.resolve("file")).toString();
    for (String cache : List.of("/proc/kernels", "/dev/null/kernels", file, file + "/kernels")) {
      builder.environment().put("WEFT_KERNEL_CACHE", cache);
      assertThat(builder.start().waitFor()).isZero();
      assertThat(Files.readAllLines(home.resolve("said")))
          .as("what cannot be kept is one line, and the value")
          .hasSize(2)
          .anyMatch(line -> line.startsWith("weft: WARNING: the kernel cache " + cache + " "))
          .contains("19.5");
    }
  }

  /** A JVM that cannot open all jars ends with a stack trace of its own. */
  @ParameterizedTest
  @ValueSource(ints = {60, 150, 500})
  void sparkIsRefusedWhereFewFilesMayBeOpen(int limit) throws Exception {
    String weft = installed.resolve("jobs/bin/weft").toString();
    for (String line : List.of("cpd x.tns --rank 1 --master local[1]", "ingest x.csv x.weft")) {
      ProcessBuilder builder =
          new ProcessBuilder("bash", "-c", "ulimit -n " + limit + "; " + weft + " " + line);
      Process process = builder.directory(installed.toFile()).redirectErrorStream(true).start();
      String said = new String(process.getInputStream().readAllBytes(), UTF_8);
      assertThat(said)
          .startsWith("weft: expected a limit of at least 512 open files, as Spark has many jars,")
          .contains("found " + limit + "; raise the hard limit");
      assertThat(said.lines()).hasSize(1);
      assertThat(process.waitFor()).isEqualTo(1);
    }
  }

  private static List<String> languages() {
    List<String> all = List.of("", "xx_YY.UTF-8", "POSIX", "C", "C.UTF-8");
    return Boolean.getBoolean("weft.long") ? all : all.subList(0, 2);
  }

  /** As cron, systemd and containers start it: without a language, or with one that is missing. */
  @ParameterizedTest
  @MethodSource("languages")
  void namesAndLabelsAreReadInAnyLanguage(String language) throws Exception {
    Path said = installed.resolve("said-in-" + language);
    // In a file, which is UTF-8: the JVM of this test may have no language either.
    Path script =
        Files.writeString(
            installed.resolve("script.sh"),
            """
            printf 'wer,wo\\nJ\u00f6rg,K\u00f6ln\\n' >'t\u00e4glich \u65e5.csv'
            jobs/bin/weft ingest 't\u00e4glich \u65e5.csv' '\u00fc.weft' --overwrite --mode 'w\u00e4=wer' || exit
            jobs/bin/weft eval 's(i) = T(i)' --input 'T=\u00fc.weft'
            """);
    ProcessBuilder builder =
        new ProcessBuilder("bash", script.toString())
            .directory(installed.toFile())
            .redirectErrorStream(true)
            .redirectOutput(said.toFile());
    builder.environment().keySet().removeIf(name -> name.matches("WEFT_.*|LC_.*|LANG.*"));
    builder.environment().put("WEFT_KERNEL_CACHE", installed.resolve("kernels").toString());
    if (!language.isEmpty()) {
      builder.environment().put("LC_ALL", language);
    }
    assertThat(builder.start().waitFor()).as(Files.readString(said)).isZero();
    assertThat(Files.readString(said)).endsWith("J\u00f6rg\t1\n");
  }

  @ParameterizedTest
  @CsvSource({
    "jobs/src/main/python/weft/__pycache__/weft.cpython-311.pyc, false",
    "jobs/src/main/python/weft/__init__.py, true"
  })
  void sourcesThatChangeAreBuiltAndBytecodeOfPythonIsNoSource(String changed, boolean builds)
      throws Exception {
    Path checkout = Files.createDirectories(installed.resolve("checkout-" + builds));
    Path tools = Files.createDirectories(checkout.resolve("tools"));
    Path command = Files.createDirectories(checkout.resolve("jobs/bin")).resolve("weft");
    Files.copy(Installed.BUILT.resolve("bin/weft"), command);
    Files.writeString(checkout.resolve("pom.xml"), "");
    Files.writeString(
        Files.createDirectories(checkout.resolve("jobs/target/weft")).resolve(".built"), "");
    Files.setLastModifiedTime(checkout.resolve("pom.xml"), FileTime.fromMillis(0));
    Path mvn = Files.writeString(tools.resolve("mvn"), "#!/bin/sh\ntouch " + tools + "/called\n");
    Files.setPosixFilePermissions(mvn, PosixFilePermissions.fromString("rwxr-xr-x"));
    Path source = checkout.resolve(changed);
    Files.createDirectories(source.getParent());
    Files.writeString(source, "");
    Files.setLastModifiedTime(source, FileTime.fromMillis(System.currentTimeMillis() + 10_000));
    ProcessBuilder builder = new ProcessBuilder(command.toString(), "--version");
    builder.redirectErrorStream(true).redirectOutput(checkout.resolve("said").toFile());
    builder.environment().merge("PATH", tools + ":", (path, first) -> first + path);
    builder.start().waitFor(); // there are no jars to run
    assertThat(Files.exists(tools.resolve("called"))).isEqualTo(builds);
  }

  private static Ran withSettings(String place, String... command) throws IOException {
    return weft(Map.of("WEFT_CONF_DIR", place), "", command);
  }

  @Test
  void aFolderOfSettingsIsOnTheClassPath() throws IOException {
    Path conf = Files.createDirectories(installed.resolve("conf"));
    Files.writeString(conf.resolve("application.conf"), "weft.options.rank = 2\n");
    Ran ran = withSettings(conf.toString(), "explain", "cpd", "x.tns");
    assertThat(ran.status()).as(ran.err()).isZero();
    assertThat(ran.fromArchive(WEFT)).isGreaterThan(20);
  }

  @Test
  void settingsOfHadoopAreFoundAndNeedNeitherSparkNorItsLogging() throws IOException {
    Path conf = Files.createDirectories(installed.resolve("hadoop"));
    Files.writeString(
        conf.resolve("core-site.xml"),
        "<configuration><property><name>fs.defaultFS</name><value>hdfs://127.0.0.1:9</value>"
            + "</property></configuration>");
    assertThat(withSettings(conf.toString(), "stats", "hdfs:///none.tns").err())
        .contains("WEFT-402", "hdfs:///none.tns");
    Ran ran = withSettings("hadoop", "stats", "x.tns");
    assertThat(ran.status()).as(ran.err()).isZero();
    assertThat(ran.loads(SPARK)).isFalse();
    assertThat(ran.loads(LOG4J)).isFalse();
    assertThat(ran.fromArchive(" org.apache.hadoop.")).isGreaterThan(100);
  }

  @Test
  void settingsOfTheLogReplaceThoseThatWeftShips() throws IOException {
    Path conf = Files.createDirectories(installed.resolve("log"));
    Files.writeString(
        conf.resolve("log4j2.properties"),
        "rootLogger.level = info\nrootLogger.appenderRef.c.ref = c\nappender.c.type = Console\n"
            + "appender.c.name = c\nappender.c.layout.type = PatternLayout\n"
            + "appender.c.layout.pattern = MINE %m%n\n");
    assertThat(withSettings(conf.toString(), "stats", "x.tns", "--master", "local[1]").all())
        .contains("MINE ");
    assertThat(withSettings(conf + "/*", "stats", "x.tns").status()).isZero(); // no jars
  }

  @Test
  void aFolderOfSettingsThatIsMissingIsAnError() throws IOException {
    Files.writeString(installed.resolve("nowhere.xml"), "<configuration/>"); // no folder
    List<String> places =
        List.of("nowhere", "nowhere/*", "nowhere.xml", installed + ":" + installed + "/nowhere");
    for (String place : places) {
      Ran ran = withSettings(place, "stats", "x.tns");
      assertThat(ran.status()).as(place).isEqualTo(2);
      assertThat(ran.err()).contains("WEFT-100: WEFT_CONF_DIR: ", "nowhere").hasLineCount(1);
    }
  }
}
