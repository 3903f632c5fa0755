package org.weft.compiler.program;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The programs of {@code src/test/resources/programs}, for the tests of all modules. Beside NAME.ta
 * stand NAME.out, what it prints, and NAME.files if it reads: the file of each number, one per
 * line.
 */
public final class TestedPrograms {
  public static final Path FOLDER =
      Path.of("..", "compiler", "src", "test", "resources", "programs")
          .toAbsolutePath()
          .normalize();

  private TestedPrograms() {}

  public static List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(FOLDER)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".ta"))
          .sorted()
          .toList();
    }
  }

  public static String text(String name) throws IOException {
    return Files.readString(FOLDER.resolve(name));
  }

  /** The file of what a program prints. */
  public static Path printed(String name) {
    return FOLDER.resolve(name.replace(".ta", ".out"));
  }

  /** The environment that a program finds its files in. */
  public static Map<String, String> files(String name) throws IOException {
    Path list = FOLDER.resolve(name.replace(".ta", ".files"));
    Map<String, String> environment = new HashMap<>();
    if (Files.exists(list)) {
      for (String file : Files.readAllLines(list)) {
        environment.put("SPARSE_FILE_NAME" + environment.size(), FOLDER.resolve(file).toString());
      }
    }
    return environment;
  }
}
