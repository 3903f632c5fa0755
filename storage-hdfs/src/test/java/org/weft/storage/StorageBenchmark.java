package org.weft.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.storage.container.ContainerBenchmark;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * Everything that this module is measured by, in one run: core time of one thread to read every
 * format, and to read text and pack it to CSF in file order, in the opposite mode order and from a
 * file in no order; then size and speed of containers ({@link ContainerBenchmark}). Warm files,
 * best of five rounds. Without {@code -Dweft.bench.input=FILE} the tensors are {@link
 * SyntheticTensors}. Not among the tests that run by default: the command is in the README. Every
 * round checks the number of entries; {@link TensorFileFormatContract} checks that what is read is
 * right.
 */
class StorageBenchmark {
  private static final int ROUNDS = Integer.getInteger("weft.bench.rounds", 5);
  private static final int ENTRIES = 4_000_000;
  private static final FileAccess ACCESS = FileAccess.local();

  @TempDir Path folder;

  private interface Work {
    /** Entries that were read. */
    long run() throws Exception;
  }

  @Test
  void measure() throws Exception {
    String given = System.getProperty("weft.bench.input");
    ContainerBenchmark containers =
        new ContainerBenchmark(ACCESS, System.getProperty("weft.bench.folder", folder.toString()));
    text(given);
    if (given == null) {
      for (SyntheticTensors tensor : SyntheticTensors.values()) {
        containers.measure(tensor.name(), tensor.shape(), tensor.generate());
      }
    } else {
      InputPlan plan = plan(given);
      TensorFiles.AllEntries all = TensorFiles.readAll(ACCESS, plan);
      containers.measure(given, all.summary().shape(plan.header()), all.blocks());
    }
  }

  private void text(@Nullable String given) throws Exception {
    String text = folder.resolve("t.tns").toString();
    String source = given == null ? generate() : given;
    convert(source, text);
    int order = plan(text).header().order();
    long entries = best("read .tns", text, () -> read(text));
    int[] forward = new int[order];
    int[] backward = new int[order];
    for (int mode = 0; mode < order; mode++) {
      forward[mode] = mode;
      backward[mode] = order - 1 - mode;
    }
    best("read and pack", text, () -> pack(text, forward));
    best("read and pack, modes reversed", text, () -> pack(text, backward));
    String shuffled = folder.resolve("shuffled.tns").toString();
    shuffle(text, shuffled);
    best("read and pack, lines shuffled", shuffled, () -> pack(shuffled, forward));
    Files.delete(Path.of(shuffled));
    for (String extension : new String[] {".tns.gz", ".tns.bz2", ".tns.zst", ".wtb"}) {
      String uri = folder.resolve("t" + extension).toString();
      long start = System.nanoTime();
      convert(text, uri);
      System.out.printf(
          Locale.ROOT, "%-30s %.2f s, all cores%n", "write " + extension, seconds(start));
      assertThat(best("read " + extension, uri, () -> read(uri))).isEqualTo(entries);
      Files.delete(Path.of(uri));
    }
  }

  private static double seconds(long start) {
    return (System.nanoTime() - start) * 1e-9;
  }

  private static long best(String what, String uri, Work work) throws Exception {
    double best = Double.POSITIVE_INFINITY;
    long entries = 0;
    for (int round = 0; round < ROUNDS; round++) {
      long start = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
      entries = work.run();
      long time = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - start;
      best = Math.min(best, time * 1e-9);
    }
    long bytes = Files.size(Path.of(uri));
    System.out.printf(
        Locale.ROOT,
        "%-30s %.3f s  %.1f MB  %.0f MB/s  %.1f M entries/s  (%d entries)%n",
        what,
        best,
        bytes * 1e-6,
        bytes * 1e-6 / best,
        entries * 1e-6 / best,
        entries);
    return entries;
  }

  /** Sorted, order 3, values with three decimals; the same every time. */
  private String generate() throws Exception {
    String uri = folder.resolve("source.wtb").toString();
    Random random = new Random(1);
    try (TensorOutput writer = TensorFiles.create(ACCESS, uri, false, 3, WriteOptions.defaults())) {
      CooBlock.Builder builder = new CooBlock.Builder(3, ENTRIES / 100);
      for (int e = 0; e < ENTRIES; e++) {
        builder.set(0, e / 40);
        builder.set(1, e % 40 * 700L + random.nextInt(700));
        builder.set(2, random.nextInt(2_000_000));
        builder.finish(random.nextInt(100_000) / 1000.0);
        if (builder.size() == ENTRIES / 100) {
          writer.write(builder.build());
        }
      }
      writer.commit();
    }
    return uri;
  }

  private static InputPlan plan(String uri) {
    return TensorFiles.open(ACCESS, uri, ReadOptions.defaults());
  }

  private static void convert(String from, String to) throws Exception {
    InputPlan plan = plan(from);
    try (TensorOutput writer =
        TensorFiles.create(ACCESS, to, true, plan.header().order(), WriteOptions.defaults())) {
      for (InputSplit split : plan.splits()) {
        try (BlockReader reader = TensorFiles.read(ACCESS, plan, split)) {
          while (reader.hasNext()) {
            writer.write(reader.next());
          }
        }
      }
      writer.commit();
    }
  }

  private static void shuffle(String from, String to) throws Exception {
    List<String> lines = new ArrayList<>(Files.readAllLines(Path.of(from)));
    Collections.shuffle(lines, new Random(2));
    Files.write(Path.of(to), lines);
  }

  private static long read(String uri) throws Exception {
    InputPlan plan = plan(uri);
    long entries = 0;
    for (InputSplit split : plan.splits()) {
      try (BlockReader reader = TensorFiles.read(ACCESS, plan, split)) {
        while (reader.hasNext()) {
          entries += reader.next().size();
        }
      }
    }
    return entries;
  }

  private static long pack(String uri, int[] modeOrder) throws Exception {
    InputPlan plan = plan(uri);
    List<CooBlock> blocks = new ArrayList<>();
    ReadSummary all = null;
    for (InputSplit split : plan.splits()) {
      try (BlockReader reader = TensorFiles.read(ACCESS, plan, split)) {
        reader.forEachRemaining(blocks::add);
        all = all == null ? reader.summary() : all.merge(reader.summary());
      }
    }
    TensorFormat format =
        TensorFormat.csf(modeOrder.length, ValueType.DOUBLE).withModeOrder(modeOrder);
    try (MemoryScope scope = MemoryScope.root("benchmark", MemorySource.system());
        TensorStorage packed =
            Packing.pack(
                scope,
                java.util.Objects.requireNonNull(all).shape(plan.header()),
                format,
                blocks)) {
      return packed.storedEntries();
    }
  }
}
