package org.weft.jobs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The pages of this checkout: README files, reference pages and what stands beside them. */
final class Pages {
  static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  static final Path REFERENCE = ROOT.resolve("conf/reference");

  private static final Pattern FENCED =
      Pattern.compile("^```(\\w*)[ ]*(\\S*)\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);

  private Pages() {}

  /**
   * What stands between two fences.
   *
   * @param kind the first word after the opening fence, or nothing
   * @param name the second word: the file that the text is, or nothing
   */
  record Block(String kind, String name, String text) {}

  /** Every page, sorted by path; build results and hidden folders but {@code .github} left out. */
  static List<Path> all() {
    return files(".md");
  }

  /** Every Java file of the product and its tests. */
  static List<Path> sources() {
    return files(".java");
  }

  static String text(Path page) {
    try {
      return Files.readString(page);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static List<Block> blocks(String text) {
    List<Block> blocks = new ArrayList<>();
    Matcher matcher = FENCED.matcher(text);
    while (matcher.find()) {
      blocks.add(new Block(matcher.group(1), matcher.group(2), matcher.group(3)));
    }
    return blocks;
  }

  /** The page without what stands between fences. */
  static String prose(String text) {
    return FENCED.matcher(text).replaceAll("");
  }

  private static List<Path> files(String end) {
    try (Stream<Path> found = Files.walk(ROOT)) {
      return found
          .filter(path -> path.toString().endsWith(end))
          .filter(path -> isOurs(ROOT.relativize(path)))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isOurs(Path path) {
    for (Path part : path) {
      String name = part.toString();
      if (name.equals("target") || (name.startsWith(".") && !name.equals(".github"))) {
        return false;
      }
    }
    return true;
  }
}
