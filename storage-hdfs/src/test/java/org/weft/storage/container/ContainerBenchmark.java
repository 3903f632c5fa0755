package org.weft.storage.container;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.weft.memory.ElementType;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.storage.ContainerOptions;
import org.weft.storage.TensorFiles;
import org.weft.storage.TensorOutput;
import org.weft.storage.WriteOptions;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;

/**
 * Loading a container, packed and plain, against reading the bytes of its files through the same
 * file system into as much fresh memory with the same pages; and its size against SPLATT's binary
 * layouts (computed from the level sizes) and gzip'd text. Warm files; rounds alternate and change
 * their order; one thread, and two that share the parts. {@link ContainerTest} checks that what is
 * loaded is right.
 */
public final class ContainerBenchmark {
  private static final int ROUNDS = 60;
  private static final int WARM = 20;

  private final FileAccess access;
  private final String folder;

  /** Containers are written to {@code folder}, on any file system. */
  public ContainerBenchmark(FileAccess access, String folder) {
    this.access = access;
    this.folder = folder;
  }

  /** Writes, loads and prints. */
  public void measure(String name, TensorShape shape, List<CooBlock> blocks) throws Exception {
    WriteOptions options =
        WriteOptions.defaults()
            .withShape(shape)
            .withEntries(blocks.stream().mapToLong(CooBlock::size).sum());
    List<Container> containers = new ArrayList<>();
    for (boolean compressed : new boolean[] {false, true}) {
      String uri = folder + (compressed ? "/packed.weft" : "/plain.weft");
      access.fileSystem(access.path(uri)).delete(access.path(uri), true);
      long start = System.nanoTime();
      write(
          uri,
          blocks,
          options.withContainer(ContainerOptions.defaults().withCompressed(compressed)));
      System.out.printf(
          Locale.ROOT, "%s: write %s: %.2f s%n", name, uri, (System.nanoTime() - start) * 1e-9);
      containers.add(Container.open(access, uri));
    }
    String text = folder + "/t.tns.gz";
    write(text, blocks, options);
    sizes(
        containers, access.fileSystem(access.path(text)).getFileStatus(access.path(text)).getLen());
    for (Container container : containers) {
      for (int threads = 1; threads <= 2; threads++) {
        speed(container, threads);
      }
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

  /** Something that is done with one part. */
  private interface Work {
    void run(MemoryScope scope, int part) throws Exception;
  }

  private static void speed(Container container, int threads) throws Exception {
    TensorFormat format = container.format().narrowedFor(container.shape(), container.entries());
    Work load = (scope, part) -> container.load(scope, part, format, container.shape(), 0);
    Work read = (scope, part) -> readPart(container, scope, part);
    List<Double> loads = new ArrayList<>();
    List<Double> reads = new ArrayList<>();
    for (int round = 0; round < WARM + ROUNDS; round++) {
      if (round == WARM) {
        loads.clear();
        reads.clear();
      }
      if (round % 2 == 0) {
        loads.add(seconds(container, threads, load));
      }
      reads.add(seconds(container, threads, read));
      if (round % 2 == 1) {
        loads.add(seconds(container, threads, load));
      }
    }
    Collections.sort(loads);
    Collections.sort(reads);
    long bytes = container.manifest().parts().stream().mapToLong(Manifest.Part::bytes).sum();
    long arrays = arrayBytes(container, format);
    System.out.printf(
        Locale.ROOT,
        "  load, %d thread(s): %,d bytes in %d parts; median %.0f MB/s of file, %.0f MB/s of arrays;"
            + " the file system alone %.0f MB/s: %.0f %% of it (best of both: %.0f %%)%n",
        threads,
        bytes,
        container.partCount(),
        bytes / median(loads) * 1e-6,
        arrays / median(loads) * 1e-6,
        bytes / median(reads) * 1e-6,
        100 * median(reads) / median(loads),
        100 * reads.get(0) / loads.get(0));
  }

  private static double median(List<Double> sorted) {
    return sorted.get(sorted.size() / 2);
  }

  private static long arrayBytes(Container container, TensorFormat format) {
    try (MemoryScope scope = MemoryScope.root("bench", MemorySource.system())) {
      for (int part = 0; part < container.partCount(); part++) {
        container.load(scope, part, format, container.shape(), 0);
      }
      return scope.liveBytes();
    }
  }

  /** Seconds of all parts, the memory's release apart. */
  private static double seconds(Container container, int threads, Work work) throws Exception {
    List<Future<?>> running = new ArrayList<>();
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try (MemoryScope scope = MemoryScope.root("bench", MemorySource.system())) {
      long start = System.nanoTime();
      for (int thread = 0; thread < threads; thread++) {
        int first = thread;
        Callable<@Nullable Void> share =
            () -> {
              for (int part = first; part < container.partCount(); part += threads) {
                work.run(scope, part);
              }
              return null;
            };
        running.add(pool.submit(share));
      }
      for (Future<?> thread : running) {
        thread.get();
      }
      return (System.nanoTime() - start) * 1e-9;
    } finally {
      pool.shutdown();
    }
  }

  /** The bytes of a part, array for array, by the same kind of stream. */
  private static void readPart(Container container, MemoryScope scope, int number)
      throws Exception {
    Manifest.Part part = container.manifest().parts().get(number);
    long bytes = part.arrays().stream().mapToLong(Manifest.ArrayEntry::bytes).sum();
    long to = scope.allocateUninitialized(ElementType.U8, bytes).address();
    try (DataFileReader file = container.openFile(part.values().file())) {
      for (Manifest.ArrayEntry array : part.arrays()) {
        for (long at = 0; at < array.bytes(); at += 1 << 20) {
          int count = (int) Math.min(1 << 20, array.bytes() - at);
          file.read(array.offset() + at, to, count);
          to += count;
        }
      }
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
}
