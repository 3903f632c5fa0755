package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Pages are short, their links lead somewhere, and the classes that they name exist. */
class PagesTest {
  private static final int LONGEST_FRONT_PAGE = 200;
  private static final int LONGEST_MODULE_PAGE = 120;
  private static final int LONGEST_REFERENCE_PAGE = 220;

  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
  private static final Pattern COORDINATES = Pattern.compile("(?s)<dependency>.*?</dependency>");
  private static final Pattern TITLE = Pattern.compile("(?m)^#+ (.+)$");
  private static final Pattern DECLARED =
      Pattern.compile("\\b(?:class|interface|record|enum) ([A-Z]\\w*)");

  /** {@code SpMV} and the like are no classes; a word in code with two humps is one otherwise. */
  private static final Pattern CLASS = Pattern.compile("`((?:[A-Z][a-z0-9]+){2,})(?:\\.\\w+)?`");

  private static final Pattern ANY_CLASS = Pattern.compile("`([A-Z][a-z]\\w*)(?:\\.\\w+)?`");

  /** A package in code, of which a page may leave out the first parts. */
  private static final Pattern PACKAGE = Pattern.compile("`\\.?([a-z][a-z.]*)`(,? and below)?");

  private static final Pattern SOURCE = Pattern.compile("([\\w-]+)/src/main/java/(.+)/[^/]+");

  private static final Set<String> OURS = declared();

  /** Words in code that are formats of the language or belong to other programs. */
  private static final Set<String> NOT_OURS =
      Set.of(
          "HashVector",
          "HashMatrix",
          "ModeGeneric",
          "IndexLabel",
          "ServiceLoader",
          "TaskMemoryManager");

  static Stream<Path> pages() {
    return Pages.all().stream().map(Pages.ROOT::relativize);
  }

  @Test
  void readmeFilesAreShort() {
    for (Path page : Pages.all()) {
      if (page.endsWith("README.md")) {
        boolean front = page.getParent().equals(Pages.ROOT);
        assertThat(Pages.text(page).lines().count())
            .as("lines of %s", page)
            .isLessThanOrEqualTo(front ? LONGEST_FRONT_PAGE : LONGEST_MODULE_PAGE);
      }
    }
  }

  /** What is longer has two subjects, or the history of one. */
  @Test
  void referencePagesAreShort() {
    Path reference = Pages.ROOT.resolve("conf/reference");
    List<Path> pages = Pages.all().stream().filter(page -> page.startsWith(reference)).toList();
    assertThat(pages).isNotEmpty();
    for (Path page : pages) {
      assertThat(Pages.text(page).lines().count())
          .as("lines of %s", page)
          .isLessThanOrEqualTo(LONGEST_REFERENCE_PAGE);
    }
  }

  /** A program copies them: versions of the build, and modules that it has. */
  @Test
  void coordinatesAreThoseOfTheBuild() {
    String parent = Pages.text(Pages.ROOT.resolve("pom.xml"));
    String page = Pages.text(Pages.ROOT.resolve("conf/reference/embedding.md"));
    List<String> shown = COORDINATES.matcher(page).results().map(MatchResult::group).toList();
    String spark = text(parent, "spark.version");
    String scala = text(parent, "scala.binary.version");
    assertThat(shown.stream().map(PagesTest::coordinates))
        .containsExactly(
            "org.weft:weft-spark-exec:" + text(parent, "version"),
            "org.apache.spark:spark-mllib_" + scala + ":" + spark);
    assertThat(Pages.text(Pages.ROOT.resolve("spark-exec/pom.xml")))
        .contains("<artifactId>weft-spark-exec</artifactId>");
  }

  private static String coordinates(String dependency) {
    return Stream.of("groupId", "artifactId", "version")
        .map(element -> text(dependency, element))
        .collect(Collectors.joining(":"));
  }

  /** The text of the first such element. */
  private static String text(String xml, String element) {
    String start = "<" + element + ">";
    int from = xml.indexOf(start) + start.length();
    return xml.substring(from, xml.indexOf("</" + element + ">", from));
  }

  @ParameterizedTest
  @MethodSource("pages")
  void linksLeadSomewhere(Path page) {
    Path here = Pages.ROOT.resolve(page);
    List<String> broken =
        LINK.matcher(Pages.prose(Pages.text(here)))
            .results()
            .map(link -> link.group(1))
            .filter(link -> !link.matches("[a-z]+:.*"))
            .filter(link -> !leads(here, link))
            .toList();
    assertThat(broken).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("pages")
  void classesThatAPageNamesExist(Path page) {
    Pattern names = page.endsWith("CONTRIBUTING.md") ? ANY_CLASS : CLASS;
    Set<String> named =
        names
            .matcher(Pages.prose(Pages.text(Pages.ROOT.resolve(page))))
            .results()
            .map(name -> name.group(1))
            .collect(Collectors.toCollection(TreeSet::new));
    named.removeAll(NOT_OURS);
    named.removeAll(OURS);
    assertThat(named).as("classes that %s names and no source declares", page).isEmpty();
  }

  @Test
  void everyPackageHasAPage() {
    for (Path source : Pages.sources()) {
      if (source.toString().contains("/src/main/java/")) {
        assertThat(source.resolveSibling("package-info.java")).isRegularFile();
      }
    }
  }

  @Test
  void theModulePageNamesEveryPackage() {
    Set<String> missing = new TreeSet<>();
    for (Path source : Pages.sources()) {
      Matcher path = SOURCE.matcher(Pages.ROOT.relativize(source).toString());
      if (path.matches() && !path.group(2).equals("org/weft/" + path.group(1))) {
        String contained = path.group(2).replace('/', '.');
        String page = Pages.text(Pages.ROOT.resolve(path.group(1)).resolve("README.md"));
        if (PACKAGE.matcher(page).results().noneMatch(name -> names(name, contained))) {
          missing.add(path.group(1) + ": " + contained);
        }
      }
    }
    assertThat(missing).as("packages that the page of their module does not name").isEmpty();
  }

  private static boolean names(MatchResult name, String contained) {
    String dotted = "." + contained + ".";
    String part = "." + name.group(1) + ".";
    return dotted.endsWith(part) || (name.group(2) != null && dotted.contains(part));
  }

  private static Set<String> declared() {
    return Pages.sources().stream()
        .flatMap(source -> DECLARED.matcher(Pages.text(source)).results().toList().stream())
        .map(name -> name.group(1))
        .collect(Collectors.toSet());
  }

  private static boolean leads(Path page, String link) {
    String[] parts = link.split("#", 2);
    Path target = parts[0].isEmpty() ? page : page.getParent().resolve(parts[0]).normalize();
    if (parts.length == 1) {
      return Files.exists(target);
    }
    return Files.isRegularFile(target)
        && TITLE
            .matcher(Pages.prose(Pages.text(target)))
            .results()
            .map(MatchResult::group)
            .map(PagesTest::anchor)
            .anyMatch(parts[1]::equals);
  }

  /** The name that a page's reader gives a title. */
  static String anchor(String title) {
    return title
        .replaceFirst("^#+ ", "")
        .toLowerCase(Locale.ROOT)
        .replaceAll("[^\\w\\- ]", "")
        .replace(' ', '-');
  }
}
