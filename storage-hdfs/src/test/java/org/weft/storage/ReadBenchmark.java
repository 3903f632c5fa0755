package org.weft.storage;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.weft.tensor.CooBlock;

/**
 * Megabytes of file and entries per second of every format, one thread, warm file, best of five.
 * The workload is read back by {@link TensorFileFormatContract}; the command is in the README.
 */
public final class ReadBenchmark {
  private static final int ROUNDS = 5;

  private ReadBenchmark() {}

  public static void main(String[] arguments) throws Exception {
    FileAccess access = FileAccess.local();
    Path folder = Files.createTempDirectory("weft-read");
    String source = arguments[0];
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
    Files.delete(folder);
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
    double seconds = (System.nanoTime() - start) * 1e-9;
    System.out.printf(
        Locale.ROOT,
        "%-8s read %.3f s  %.1f MB  %.0f MB/s  %.2f M entries/s  (check %s)%n",
        extension,
        seconds,
        bytes * 1e-6,
        bytes * 1e-6 / seconds,
        entries * 1e-6 / seconds,
        sum);
  }
}
