package org.weft.storage;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.tensor.CooBlock;

/**
 * Megabytes of file and entries per second of core time of every format, one thread, warm file,
 * five rounds. Not among the tests that run by default: the command is in the README. {@link
 * TensorFileFormatContract} checks that what it reads is right.
 */
class ReadBenchmark {
  private static final int ROUNDS = 5;
  private static final int ENTRIES = 4_000_000;

  @TempDir Path folder;

  @Test
  void measure() throws Exception {
    FileAccess access = FileAccess.local();
    String given = System.getProperty("weft.bench.input");
    String source = given == null ? generate(access) : given;
    for (String extension : new String[] {".tns", ".tns.gz", ".wtb"}) {
      String uri = folder.resolve("t" + extension).toString();
      long start = System.nanoTime();
      convert(access, source, uri);
      double seconds = (System.nanoTime() - start) * 1e-9;
      System.out.printf(Locale.ROOT, "%-8s convert to it %.2f s%n", extension, seconds);
      for (int round = 0; round < ROUNDS; round++) {
        read(access, uri, extension);
      }
      Files.delete(Path.of(uri));
    }
  }

  /** Sorted, order 3, values with three decimals; the same every time. */
  private String generate(FileAccess access) throws Exception {
    String uri = folder.resolve("source.wtb").toString();
    Random random = new Random(1);
    try (OutputCommit output = OutputCommit.begin(access, uri, false)) {
      try (TensorWriter writer = TensorFiles.write(output, 3, WriteOptions.defaults())) {
        CooBlock.Builder builder = new CooBlock.Builder(3, ENTRIES / 100);
        for (int e = 0; e < ENTRIES; e++) {
          builder.set(0, e / 40);
          builder.set(1, random.nextInt(30_000));
          builder.set(2, random.nextInt(2_000_000));
          builder.finish(random.nextInt(100_000) / 1000.0);
          if (builder.size() == ENTRIES / 100) {
            writer.write(builder.build());
          }
        }
      }
      output.commit();
    }
    return uri;
  }

  private static void convert(FileAccess access, String from, String to) throws Exception {
    InputPlan plan = TensorFiles.open(access, from, ReadOptions.defaults());
    try (OutputCommit output = OutputCommit.begin(access, to, true)) {
      try (TensorWriter writer =
          TensorFiles.write(output, plan.header().order(), WriteOptions.defaults())) {
        for (InputSplit split : plan.splits()) {
          try (BlockReader reader = TensorFiles.read(access, plan, split)) {
            while (reader.hasNext()) {
              writer.write(reader.next());
            }
          }
        }
      }
      output.commit();
    }
  }

  private static void read(FileAccess access, String uri, String extension) throws Exception {
    long bytes = Files.size(Path.of(uri));
    long start = System.nanoTime();
    long cpuStart = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    InputPlan plan = TensorFiles.open(access, uri, ReadOptions.defaults());
    long entries = 0;
    double sum = 0;
    for (InputSplit split : plan.splits()) {
      try (BlockReader reader = TensorFiles.read(access, plan, split)) {
        while (reader.hasNext()) {
          CooBlock block = reader.next();
          entries += block.size();
          sum += block.value(0);
        }
      }
    }
    double wall = (System.nanoTime() - start) * 1e-9;
    double seconds =
        (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - cpuStart) * 1e-9;
    System.out.printf(
        Locale.ROOT,
        "%-8s read %.3f s (%.3f s of core time)  %.1f MB  %.0f MB/s  %.2f M entries/s  (check %s)%n",
        extension,
        wall,
        seconds,
        bytes * 1e-6,
        bytes * 1e-6 / seconds,
        entries * 1e-6 / seconds,
        sum);
  }
}
