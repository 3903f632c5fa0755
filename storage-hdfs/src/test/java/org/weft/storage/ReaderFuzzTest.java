package org.weft.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/**
 * Coverage-guided fuzzing of every reader (Jazzer, libFuzzer) in a process of its own, with little
 * memory: a few seconds by default, {@code -Dweft.fuzz.seconds=N} or {@code -Plong} for longer. A
 * finding is printed with the bytes that lead to it.
 */
class ReaderFuzzTest {
  private static final int SECONDS =
      Integer.getInteger("weft.fuzz.seconds", Boolean.getBoolean("weft.long") ? 600 : 4);

  @TempDir Path folder;

  /** A small good file of every format that is written, and of those that are only read. */
  private void seeds(Path corpus) throws Exception {
    List<String> extensions = ReaderFuzz.EXTENSIONS;
    for (int i = 0; i < extensions.size(); i++) {
      String extension = extensions.get(i);
      byte[] bytes;
      if (TensorFiles.writableExtensions().contains(extension)) {
        bytes = written(extension);
      } else {
        bytes = compressed(extension, HARWELL_BOEING.getBytes(StandardCharsets.US_ASCII));
      }
      ByteArrayOutputStream seed = new ByteArrayOutputStream();
      seed.write(i);
      seed.write(20);
      seed.writeBytes(bytes);
      Files.write(corpus.resolve("seed" + extension), seed.toByteArray());
    }
  }

  private static final String HARWELL_BOEING =
      "t\n 3 1 1 1\nrsa 2 2 2 0\n(3I5) (2I5) (1P,2E8.3)\n    1    3    3\n    1    2\n"
          + "  1.5D+1  2.0000\n";

  private static byte[] compressed(String name, byte[] bytes) throws Exception {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (OutputStream out = Compression.of(name).compress(packed)) {
      out.write(bytes);
    }
    return packed.toByteArray();
  }

  private byte[] written(String extension) throws Exception {
    String uri = folder.resolve("seed" + extension).toString();
    WriteOptions options = WriteOptions.defaults().withShape(TensorShape.of(2, 2));
    try (TensorOutput writer = TensorFiles.create(Entries.ACCESS, uri, true, 2, options)) {
      CooBlock.Builder block = new CooBlock.Builder(2, 4);
      for (int e = 0; e < 4; e++) {
        block.add(new long[] {e / 2, e % 2}, e * 1.25 - 1e-300);
      }
      writer.write(block.build());
      writer.commit();
    }
    return Files.readAllBytes(Path.of(uri));
  }

  @Test
  void noBytesCrashHangOrExhaustAReader() throws Exception {
    Path corpus = Files.createDirectory(folder.resolve("corpus"));
    seeds(corpus);
    Path log = folder.resolve("log");
    Process fuzzer =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx384m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+EnableDynamicAgentLoading",
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                "com.code_intelligence.jazzer.Jazzer",
                "--target_class=" + ReaderFuzz.class.getName(),
                "--instrumentation_includes=org.weft.storage.**",
                "--custom_hook_includes=org.weft.none.**",
                "-max_total_time=" + SECONDS,
                "-timeout=20",
                "-rss_limit_mb=2500",
                "-max_len=1500",
                "--reproducer_path=" + folder,
                "-artifact_prefix=" + folder + "/",
                corpus.toString())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    boolean ended = fuzzer.waitFor(SECONDS + 200L, TimeUnit.SECONDS);
    fuzzer.destroyForcibly().waitFor();
    String output = Files.readString(log, StandardCharsets.ISO_8859_1);
    assertThat(ended).as("the fuzzer ended in time%n%s", output).isTrue();
    assertThat(fuzzer.exitValue()).as(output).isZero();
    assertThat(output).contains("Done ");
    System.out.println("fuzzing: " + output.substring(output.lastIndexOf("Done ")).strip());
  }
}
