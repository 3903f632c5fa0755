package org.weft.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.memory.MemorySource;
import org.weft.memory.NativeMemory;

/** The C++ tests in {@code src/test/cpp}: as compiled by the build. */
class NativeCodeTest {
  private static final Path TESTS = CLibrary.MODULE.resolve("src/test/cpp");

  @TempDir private Path folder;

  static List<String> sources() throws IOException {
    try (Stream<Path> tests = Files.list(TESTS);
        Stream<Path> files = Files.list(CLibrary.RUNTIME_SOURCES)) {
      List<String> sources = new ArrayList<>();
      Stream.concat(tests, files)
          .map(Path::toString)
          .filter(f -> f.endsWith(".cpp") && !f.endsWith("weft_jni.cpp"))
          .sorted()
          .forEach(sources::add);
      return sources;
    }
  }

  @Tag("long")
  @Test
  void passesAsBuilt() throws IOException {
    List<String> inputs = new ArrayList<>(List.of("-std=c++20", "-nostdinc++"));
    inputs.addAll(List.of("-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics"));
    // The workers of this copy of the runtime outlive the test.
    inputs.add("-Wl,-z,nodelete");
    inputs.addAll(sources());
    byte[] library = CLibrary.link(folder.resolve("test.so"), inputs.toArray(String[]::new));
    NativeRuntime.require();
    long handle = KernelLibrary.openFromFile(library, "native");
    long failures = MemorySource.system().allocate(Long.BYTES);
    try {
      NativeRuntime.invoke(NativeRuntime.symbol(handle, "weft_runtime_test"), failures);
      assertThat(NativeMemory.getLong(failures)).as("failed expectations").isZero();
    } finally {
      MemorySource.system().free(failures, Long.BYTES);
    }
  }
}
