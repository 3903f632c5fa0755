package org.weft.runtime;

import java.io.IOException;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** Shared libraries made from C in the test, by the tools of the native build. */
final class CLibrary {
  static final Path MODULE = Path.of(System.getProperty("basedir", ".")).toAbsolutePath();
  static final Path RUNTIME_SOURCES = MODULE.resolve("src/main/cpp");

  private CLibrary() {}

  /** Compiles C text that may include {@code weft_runtime.h}. */
  static byte[] compile(String text) {
    try {
      Path folder = Files.createTempDirectory("weft-kernel-");
      Path source = Files.writeString(folder.resolve("kernel.c"), text);
      byte[] library = link(folder.resolve("kernel.so"), source.toString());
      try (var files = Files.list(folder)) {
        for (Path file : files.toList()) {
          Files.delete(file);
        }
      }
      Files.delete(folder);
      return library;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Compiles and links files; flags may stand among them. */
  static byte[] link(Path output, String... inputs) {
    try {
      URL llvm =
          Objects.requireNonNull(
              CLibrary.class.getResource("/org/bytedeco/llvm/linux-x86_64/clang"));
      String jar = ((JarURLConnection) llvm.openConnection()).getJarFileURL().getPath();
      List<String> command = new ArrayList<>();
      command.add(System.getProperty("java.home") + "/bin/java");
      command.addAll(List.of("-XX:TieredStopAtLevel=1", "-cp", jar));
      command.add(MODULE.resolve("src/build/java/NativeBuild.java").toString());
      command.addAll(List.of("library", output.toString(), "-I" + RUNTIME_SOURCES));
      command.addAll(Arrays.asList(inputs));
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String log = new String(process.getInputStream().readAllBytes());
      if (process.waitFor() != 0) {
        throw new AssertionError(log);
      }
      return Files.readAllBytes(output);
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
