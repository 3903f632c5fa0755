package org.weft.storage.container;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.memory.ElementType;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.memory.NativeArray;
import org.weft.storage.BlockReader;
import org.weft.storage.ContainerOptions;
import org.weft.storage.FileAccess;
import org.weft.storage.InputPlan;
import org.weft.storage.ReadOptions;
import org.weft.storage.TensorFiles;
import org.weft.storage.TensorOutput;
import org.weft.storage.WriteOptions;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorFormat;

/**
 * Loading a container, packed and plain, against reading the bytes of its files through the same
 * file system into as much fresh memory; and its size against SPLATT's binary layouts (computed
 * from the level sizes) and gzip'd text. One thread, warm files, best of five rounds that
 * alternate. Not among the tests that run by default: the command is in the README; {@link
 * ContainerTest} checks that what is loaded is right. {@code -Dweft.bench.input=FILE} takes a
 * tensor, {@code -Dweft.bench.folder=URI} a place on another file system.
 */
class ContainerBenchmark {
  private static final int ROUNDS = 5;
  private static final int ENTRIES = 4_000_000;

  @TempDir Path temporary;

  private final FileAccess access = FileAccess.local();

  @Test
  void measure() throws Exception {
    String given = System.getProperty("weft.bench.input");
    String folder = System.getProperty("weft.bench.folder", temporary.toString());
    List<CooBlock> blocks = given == null ? generate() : read(given);
    WriteOptions options =
        WriteOptions.defaults().withEntries(blocks.stream().mapToLong(CooBlock::size).sum());
    if (given != null) {
      options =
          options.withShape(
              TensorFiles.open(access, given, ReadOptions.defaults())
                  .header()
                  .shape()
                  .orElseThrow(() -> new IllegalArgumentException("give a file with mode sizes")));
    }
    List<Container> containers = new ArrayList<>();
    for (boolean compressed : new boolean[] {false, true}) {
      String uri = folder + "/bench-" + (compressed ? "packed" : "plain") + ".weft";
      long start = System.nanoTime();
      write(
          uri,
          blocks,
          options.withContainer(ContainerOptions.defaults().withCompressed(compressed)));
      System.out.printf(Locale.ROOT, "write %s: %.2f s%n", uri, (System.nanoTime() - start) * 1e-9);
      containers.add(Container.open(access, uri));
    }
    String text = temporary.resolve("t.tns.gz").toString();
    write(text, blocks, options);
    sizes(containers, Files.size(Path.of(text)));
    for (Container container : containers) {
      speed(container);
    }
  }

  private static void sizes(List<Container> containers, long gzip) {
    Container packed = containers.get(1);
    long entries = packed.entries();
    int order = packed.shape().order();
    long fids = 0;
    for (Manifest.Part part : packed.manifest().parts()) {
      long above = 1;
      for (Manifest.LevelEntry level : part.levels()) {
        fids += level.positions() + above + 1;
        above = level.positions();
      }
    }
    System.out.printf(
        Locale.ROOT,
        "%s, %,d entries, bytes an entry: container packed %.2f, plain %.2f; SPLATT coordinates"
            + " with 32-bit indices %d, with 64-bit %d, CSF with 32-bit %.2f, with 64-bit %.2f;"
            + " gzip'd text %.2f%n",
        packed.shape(),
        entries,
        bytes(packed) / (double) entries,
        bytes(containers.get(0)) / (double) entries,
        4 * order + 8,
        8 * order + 8,
        8 + 4.0 * fids / entries,
        8 + 8.0 * fids / entries,
        gzip / (double) entries);
  }

  private static long bytes(Container container) {
    return container.manifest().files().stream().mapToLong(Manifest.DataFile::bytes).sum()
        + ManifestFile.encode(container.manifest()).length;
  }

  /** Rounds alternate, so that both suffer alike from whatever else the machine does. */
  private void speed(Container container) throws Exception {
    long bytes = bytes(container);
    double load = Double.MAX_VALUE;
    double fresh = Double.MAX_VALUE;
    double reused = Double.MAX_VALUE;
    long arrays = 0;
    TensorFormat format = container.format().narrowedFor(container.shape(), container.entries());
    for (int round = 0; round < ROUNDS + 2; round++) {
      long start = System.nanoTime();
      try (MemoryScope scope = MemoryScope.root("bench", MemorySource.system())) {
        for (int part = 0; part < container.partCount(); part++) {
          container.load(scope, part, format, container.shape(), 0);
        }
        load = Math.min(load, (System.nanoTime() - start) * 1e-9);
        arrays = scope.liveBytes();
      }
      fresh = Math.min(fresh, readFiles(container, true));
      reused = Math.min(reused, readFiles(container, false));
    }
    System.out.printf(
        Locale.ROOT,
        "%s: %,d bytes; load %.0f MB/s of file, %.0f MB/s of arrays; the file system alone %.0f MB/s"
            + " into fresh memory, %.0f MB/s into the same; load / file system %.0f %%%n",
        container.uri(),
        bytes,
        bytes / load * 1e-6,
        arrays / load * 1e-6,
        bytes / fresh * 1e-6,
        bytes / reused * 1e-6,
        100 * fresh / load);
  }

  /** Seconds to read every byte of the data files, by the same kind of stream. */
  private double readFiles(Container container, boolean fresh) throws Exception {
    long start = System.nanoTime();
    try (MemoryScope scope = MemoryScope.root("raw", MemorySource.system())) {
      NativeArray same = scope.allocateUninitialized(ElementType.U8, 1 << 20);
      for (int number = 0; number < container.manifest().files().size(); number++) {
        long bytes = container.manifest().files().get(number).bytes();
        NativeArray all = fresh ? scope.allocateUninitialized(ElementType.U8, bytes) : same;
        try (DataFileReader file = container.openFile(number)) {
          for (long at = 0; at < bytes; at += 1 << 20) {
            int count = (int) Math.min(1 << 20, bytes - at);
            file.read(at, fresh ? all.address() + at : same.address(), count);
          }
        }
      }
      return (System.nanoTime() - start) * 1e-9;
    }
  }

  private void write(String uri, List<CooBlock> blocks, WriteOptions options) throws Exception {
    try (TensorOutput output =
        TensorFiles.create(access, uri, true, blocks.get(0).order(), options)) {
      for (CooBlock block : blocks) {
        output.write(block);
      }
      output.commit();
    }
  }

  private List<CooBlock> read(String uri) throws Exception {
    InputPlan plan = TensorFiles.open(access, uri, ReadOptions.defaults());
    List<CooBlock> blocks = new ArrayList<>();
    for (var split : plan.splits()) {
      try (BlockReader reader = TensorFiles.read(access, plan, split)) {
        reader.forEachRemaining(blocks::add);
      }
    }
    return blocks;
  }

  /** Sorted, order 3, values with two decimals; the same every time. */
  private static List<CooBlock> generate() {
    Random random = new Random(1);
    List<CooBlock> blocks = new ArrayList<>();
    CooBlock.Builder builder = new CooBlock.Builder(3, ENTRIES / 100);
    for (int e = 0; e < ENTRIES; e++) {
      builder.set(0, e / 400);
      builder.set(1, e % 400 * 20L + random.nextInt(20));
      builder.set(2, random.nextInt(30_000));
      builder.finish(random.nextInt(1000) / 100.0);
      if (builder.size() == ENTRIES / 100) {
        blocks.add(builder.build());
      }
    }
    return blocks;
  }
}
