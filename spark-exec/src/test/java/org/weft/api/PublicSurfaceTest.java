package org.weft.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Executable;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The public surface is what {@code api.txt} lists: who changes it changes that file, and sees. */
class PublicSurfaceTest {
  private static final Path LIST = Path.of("src/test/resources/org/weft/api/api.txt");
  private static final Path CLASSES = Path.of("target/classes/org/weft/api");

  @Test
  void theSurfaceIsTheList() throws IOException, ClassNotFoundException {
    List<String> found = new ArrayList<>();
    for (Class<?> type : publicTypes()) {
      found.add(type.getName());
      Stream.concat(
              Arrays.stream(type.getDeclaredConstructors()),
              Arrays.stream(type.getDeclaredMethods()))
          .filter(member -> Modifier.isPublic(member.getModifiers()) && !member.isSynthetic())
          .map(PublicSurfaceTest::line)
          .sorted()
          .forEach(found::add);
    }
    if (Boolean.getBoolean("weft.golden.regenerate")) {
      Files.createDirectories(LIST.getParent());
      Files.write(LIST, found);
    }
    assertThat(found).isEqualTo(Files.readAllLines(LIST));
  }

  private static List<Class<?>> publicTypes() throws IOException, ClassNotFoundException {
    List<Class<?>> types = new ArrayList<>();
    try (Stream<Path> files = Files.list(CLASSES)) {
      for (Path file : files.sorted().toList()) {
        String name = file.getFileName().toString().replace(".class", "");
        Class<?> type =
            Class.forName("org.weft.api." + name, false, PublicSurfaceTest.class.getClassLoader());
        if (isPublic(type)) {
          types.add(type);
        }
      }
    }
    return types;
  }

  private static boolean isPublic(Class<?> type) {
    Class<?> around = type.getEnclosingClass();
    return Modifier.isPublic(type.getModifiers()) && (around == null || isPublic(around));
  }

  private static String line(Executable member) {
    return "  "
        + (Modifier.isStatic(member.getModifiers()) ? "static " : "")
        + (member instanceof java.lang.reflect.Method method
            ? method.getGenericReturnType().getTypeName() + " "
            : "")
        + member.getName()
        + Arrays.stream(member.getGenericParameterTypes())
            .map(java.lang.reflect.Type::getTypeName)
            .collect(Collectors.joining(", ", "(", ")"));
  }
}
