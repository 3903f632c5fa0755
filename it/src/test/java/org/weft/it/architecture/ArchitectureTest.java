package org.weft.it.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.util.Formatter;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The module graph of the design, and the house's rules for packages. */
final class ArchitectureTest {
  private static final JavaClasses PRODUCT =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages(
              "org.weft.error",
              "org.weft.tensor",
              "org.weft.statistics",
              "org.weft.memory",
              "org.weft.runtime",
              "org.weft.scratch",
              "org.weft.service",
              "org.weft.text",
              "org.weft.compiler",
              "org.weft.reorder",
              "org.weft.storage",
              "org.weft.planner",
              "org.weft.decomposition",
              "org.weft.engine",
              "org.weft.spark",
              "org.weft.api",
              "org.weft.ml",
              "org.weft.sql",
              "org.weft.jobs");

  private static final long MOST_FILES = 30;

  private static final List<String> LOWERING =
      List.of("rewrite", "operand", "sink", "schedule", "merge", "task", "nest", "panel");

  private static final List<String> COMMAND =
      List.of(
          "process",
          "output",
          "model",
          "file",
          "option",
          "explain",
          "run",
          "command",
          "decompose",
          "help");

  private static final List<String> PLANNING =
      List.of("job", "partition", "machine", "kernel", "tune", "distributed");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "org.weft.tensor",
        "org.weft.statistics",
        "org.weft.runtime",
        "org.weft.compiler",
        "org.weft.reorder",
        "org.weft.storage",
        "org.weft.planner",
        "org.weft.decomposition",
        "org.weft.engine",
        "org.weft.spark",
        "org.weft.api",
        "org.weft.ml",
        "org.weft.sql",
        "org.weft.jobs"
      })
  void theRulesSeeEveryModule(String packageName) {
    assertThat(PRODUCT.stream().map(JavaClass::getPackageName))
        .as("no class of %s was imported: the rules below would hold of nothing", packageName)
        .anyMatch(name -> name.equals(packageName) || name.startsWith(packageName + "."));
  }

  @Test
  void modulesDependAsTheDesignDraws() {
    layeredArchitecture()
        .consideringOnlyDependenciesInLayers()
        .layer("native")
        .definedBy(
            "org.weft.error..",
            "org.weft.tensor..",
            "org.weft.statistics..",
            "org.weft.memory..",
            "org.weft.runtime..",
            "org.weft.scratch..",
            "org.weft.service..",
            "org.weft.text..")
        .layer("compiler")
        .definedBy("org.weft.compiler..")
        .layer("reorder")
        .definedBy("org.weft.reorder..")
        .layer("storage-hdfs")
        .definedBy("org.weft.storage..")
        .layer("planner")
        .definedBy("org.weft.planner..")
        .layer("spark-exec")
        .definedBy(
            "org.weft.decomposition..",
            "org.weft.engine..",
            "org.weft.spark..",
            "org.weft.api..",
            "org.weft.ml..",
            "org.weft.sql..")
        .layer("jobs")
        .definedBy("org.weft.jobs..")
        .whereLayer("native")
        .mayNotAccessAnyLayer()
        .whereLayer("compiler")
        .mayOnlyAccessLayers("native")
        .whereLayer("reorder")
        .mayOnlyAccessLayers("native")
        .whereLayer("storage-hdfs")
        .mayOnlyAccessLayers("native")
        .whereLayer("planner")
        .mayOnlyAccessLayers("compiler", "native")
        .whereLayer("spark-exec")
        .mayOnlyAccessLayers("planner", "compiler", "storage-hdfs", "reorder", "native")
        .whereLayer("jobs")
        .mayNotBeAccessedByAnyLayer()
        .check(PRODUCT);
  }

  /** Each package of the lowering, lowest first, and the packages that it may use. */
  @ParameterizedTest
  @CsvSource({
    "rewrite,  ''",
    "operand,  'rewrite'",
    "sink,     'rewrite,operand'",
    "schedule, 'rewrite,operand,sink'",
    "merge,    'rewrite,operand,sink,schedule'",
    "task,     'rewrite,operand,sink,schedule,merge'",
    "nest,     'rewrite,operand,sink,schedule,merge,task'",
    "panel,    'operand'",
  })
  void loweringGoesOneWay(String from, String below) {
    goesOneWay("org.weft.compiler.lower", LOWERING, from, below);
  }

  /** Each package of the command, lowest first, and the packages that it may use. */
  @ParameterizedTest
  @CsvSource({
    "process, ''",
    "output,  'process'",
    "model,   'process,output'",
    "file,    'process,output'",
    "option,  'process,output,model,file'",
    "explain, 'process,output,option'",
    "run,     'process,output,model,file,option,explain'",
    "command, 'process,output,model,file,option,explain,run'",
    "decompose, 'process,output,model,file,option,explain,run,command'",
    "help,    'process,output,option,command'",
  })
  void theCommandGoesOneWay(String from, String below) {
    goesOneWay("org.weft.jobs", COMMAND, from, below);
  }

  /** Each part of a plan, and the parts that it may use: none of them knows the plan. */
  @ParameterizedTest
  @CsvSource({
    "job,       ''",
    "partition, ''",
    "machine,   ''",
    "kernel,    'job,partition,machine'",
  })
  void thePlannerGoesOneWay(String from, String below) {
    goesOneWay("org.weft.planner", PLANNING, from, below);
  }

  /** What evaluates one statement does not know what several share. */
  @Test
  void oneStatementDoesNotKnowTheOthers() {
    doNotKnow(List.of("org.weft.compiler.eval"), "org.weft.compiler.eval.share");
  }

  /** Rows know no method, and no class of decompositions knows a method of another package. */
  @Test
  void methodsDoNotKnowEachOther() {
    String root = "org.weft.decomposition";
    List<String> methods = List.of("cp", "completion", "count", "gcp");
    goesOneWay(root, methods, "rows", "");
    for (String method : methods) {
      noClasses()
          .that()
          .resideInAPackage(root + "..")
          .and()
          .resideOutsideOfPackage(root + "." + method)
          .should()
          .dependOnClassesThat()
          .resideInAPackage(root + "." + method)
          .check(PRODUCT);
    }
  }

  private static void goesOneWay(String root, List<String> packages, String from, String below) {
    List<String> allowed = List.of(below.split(","));
    String[] others =
        Stream.concat(Stream.of(root), packages.stream().map(p -> root + "." + p))
            .filter(p -> !p.equals(root + "." + from))
            .filter(p -> allowed.stream().noneMatch(a -> p.equals(root + "." + a)))
            .toArray(String[]::new);
    doNotKnow(List.of(root + "." + from), others);
  }

  private static void doNotKnow(List<String> from, String... others) {
    noClasses()
        .that()
        .resideInAnyPackage(from.toArray(String[]::new))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(others)
        .check(PRODUCT);
  }

  /** Module's packages, and what none of its classes may import. */
  @ParameterizedTest
  @CsvSource({
    "Spark only where jobs run,                    'org.apache.spark..,scala..',"
        + " 'org.weft.spark..,org.weft.api..,org.weft.ml..,org.weft.sql..,org.weft.jobs..'",
    "Hadoop only in storage-hdfs and the glue,     org.apache.hadoop..,"
        + " 'org.weft.storage..,org.weft.spark..,org.weft.api..,org.weft.sql..,org.weft.jobs..'",
    "LLVM only in the compiler's last stage,       org.bytedeco.llvm.., org.weft.compiler.llvm..",
    "JavaCPP only in the compiler's last stage,    org.bytedeco.., org.weft.compiler.llvm..",
    "picocli only in the command,                  picocli.., org.weft.jobs..",
    "raw memory only on the ground floor,          'sun.misc..,jdk.internal..',"
        + " 'org.weft.memory..,org.weft.runtime..,org.weft.spark..'",
  })
  void aLibraryStaysInItsPlace(String law, String library, String place) {
    noClasses()
        .that()
        .resideOutsideOfPackages(place.split(","))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(library.split(","))
        .as(law)
        .check(PRODUCT);
  }

  @Test
  void sparkExecDoesNotKnowTheLanguage() {
    doNotKnow(
        List.of(
            "org.weft.decomposition..",
            "org.weft.engine..",
            "org.weft.spark..",
            "org.weft.api..",
            "org.weft.ml..",
            "org.weft.sql.."),
        "org.weft.compiler.lang..",
        "org.weft.compiler.algebra..",
        "org.weft.compiler.graph..",
        "org.weft.compiler.lattice..",
        "org.weft.compiler.lower..",
        "org.weft.compiler.loop..",
        "org.weft.compiler.llvm..");
  }

  /** What people and programs read has the same digits and letters in every country. */
  @Test
  void textDoesNotDependOnTheCountry() {
    noClasses()
        .should()
        .callMethod(String.class, "format", String.class, Object[].class)
        .orShould()
        .callMethod(String.class, "formatted", Object[].class)
        .orShould()
        .callMethod(String.class, "toLowerCase")
        .orShould()
        .callMethod(String.class, "toUpperCase")
        .orShould()
        .callMethod(PrintStream.class, "printf", String.class, Object[].class)
        .orShould()
        .callMethod(PrintStream.class, "format", String.class, Object[].class)
        .orShould()
        .callMethod(PrintWriter.class, "printf", String.class, Object[].class)
        .orShould()
        .callMethod(PrintWriter.class, "format", String.class, Object[].class)
        .orShould()
        .callConstructor(Formatter.class)
        .because("numbers are written in the default language's digits: name Locale.ROOT")
        .check(PRODUCT);
  }

  /** A newcomer can take in a package: its files, with the one that describes it. */
  @Test
  void packagesAreSmall() {
    Map<String, Long> files =
        PRODUCT.stream()
            .filter(JavaClass::isTopLevelClass)
            .collect(Collectors.groupingBy(JavaClass::getPackageName, Collectors.counting()));
    assertThat(files).hasSizeGreaterThan(50);
    files.forEach((name, count) -> assertThat(count).as(name).isLessThanOrEqualTo(MOST_FILES));
  }

  @Test
  void nothingBelongsToTheSuites() {
    noClasses().should().dependOnClassesThat().resideInAnyPackage("org.weft.it..").check(PRODUCT);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "org.weft.(*)..", // modules and the ground floor's packages
        "org.weft.compiler.(**)",
        "org.weft.tensor.(**)",
        "org.weft.storage.(**)",
        "org.weft.planner.(**)",
        "org.weft.engine.(**)",
        "org.weft.spark.(**)",
        "org.weft.jobs.(**)"
      })
  void packagesFormNoCycle(String slice) {
    ArchRule rule = slices().matching(slice).should().beFreeOfCycles().allowEmptyShould(true);
    rule.check(PRODUCT);
  }

  /**
   * The command and the entry to the API have the name of the product. The models of Spark's
   * estimators have the names that its users expect, and so have those of the API.
   */
  @Test
  void aNameIsOfOneClass() {
    Map<String, Set<String>> classes = new TreeMap<>();
    for (JavaClass type : PRODUCT) {
      if (type.isTopLevelClass() && !type.getSimpleName().equals("package-info")) {
        classes.computeIfAbsent(type.getSimpleName(), n -> new TreeSet<>()).add(type.getName());
      }
    }
    classes.values().removeIf(named -> named.size() == 1);
    assertThat(classes).containsOnlyKeys("Weft", "CpModel", "TuckerModel");
  }

  @Test
  void packagesAreConceptsAndSayWhatTheyAre() {
    List<JavaPackage> packages =
        PRODUCT.getDefaultPackage().getSubpackagesInTree().stream()
            .filter(p -> p.getName().startsWith("org.weft.") && !p.getClasses().isEmpty())
            .toList();
    assertThat(packages)
        .noneMatch(
            p ->
                Stream.of("util", "utils", "common", "impl", "helpers", "misc")
                    .anyMatch(p.getRelativeName()::equals));
    assertThat(packages)
        .allSatisfy(
            p ->
                assertThat(p.tryGetPackageInfo())
                    .as("package-info of %s", p.getName())
                    .isPresent());
  }
}
