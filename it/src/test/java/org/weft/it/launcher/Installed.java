package org.weft.it.launcher;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Weft as it is where nobody builds it: the launcher and the jars of this build, no sources. */
final class Installed {
  static final Path BUILT = Path.of("../jobs").toAbsolutePath().normalize();

  private Installed() {}

  /** Lays out a folder and returns the launcher in it. */
  static Path in(Path folder) throws IOException {
    Path weft = Files.createDirectories(folder.resolve("jobs/target/weft"));
    Path command = Files.createDirectories(folder.resolve("jobs/bin")).resolve("weft");
    Files.copy(BUILT.resolve("bin/weft"), command);
    for (String jars : List.of("local", "spark")) {
      Files.createSymbolicLink(weft.resolve(jars), BUILT.resolve("target/weft/" + jars));
    }
    try (Stream<Path> jars = Files.list(BUILT.resolve("target"))) {
      for (Path jar : jars.filter(Installed::isJobs).toList()) {
        Files.createSymbolicLink(weft.resolveSibling(jar.getFileName()), jar);
      }
    }
    return command;
  }

  private static boolean isJobs(Path jar) {
    return jar.getFileName().toString().matches("weft-jobs-.*\\.jar");
  }
}
