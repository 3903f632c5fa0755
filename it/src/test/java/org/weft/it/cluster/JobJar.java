package org.weft.it.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;

/** Makes an application jar of test classes, so that a suite can submit its own Spark job. */
public final class JobJar {
  private JobJar() {}

  /** Writes the classes into a jar at the given path and returns it. */
  public static Path of(Path jar, Class<?>... classes) {
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
      for (Class<?> type : classes) {
        String name = type.getName().replace('.', '/') + ".class";
        out.putNextEntry(new JarEntry(name));
        try (InputStream in = type.getClassLoader().getResourceAsStream(name)) {
          if (in == null) {
            throw new IllegalArgumentException("no class file for " + type);
          }
          in.transferTo(out);
        }
        out.closeEntry();
      }
      return jar;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write " + jar, e);
    }
  }
}
