package org.weft.storage.container;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.storage.ContainerOptions;
import org.weft.storage.Entries;
import org.weft.storage.InputPlan;
import org.weft.storage.Labels;
import org.weft.storage.ReadOptions;
import org.weft.storage.TensorFiles;
import org.weft.storage.TensorOutput;
import org.weft.storage.WriteOptions;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/** Small tensors in and out of containers. */
final class Tensors {
  private Tensors() {}

  /** Random entries, duplicates included; a third of the values are special. */
  static List<CooBlock> random(long[] shape, int count, Random random) {
    double[] special = {0, -0.0, 1, 0.1, 5e-324, 1e38, 1.0 / 3, -7};
    CooBlock.Builder builder = new CooBlock.Builder(shape.length, 16);
    List<CooBlock> blocks = new ArrayList<>();
    long[] at = new long[shape.length];
    for (int e = 0; e < count; e++) {
      for (int mode = 0; mode < shape.length; mode++) {
        at[mode] = (long) (Math.pow(random.nextDouble(), 2) * shape[mode]);
      }
      double value =
          random.nextInt(3) == 0
              ? special[random.nextInt(special.length)]
              : random.nextInt(1000) / 100.0;
      builder.add(at, value);
      if (random.nextInt(9) == 0) {
        blocks.add(builder.build());
      }
    }
    blocks.add(builder.build());
    return blocks;
  }

  /** A tensor of order 3 in parts, with labels and a permutation. */
  static void writeFull(String uri, Random random) throws Exception {
    long[] shape = {6, 5, 40};
    WriteOptions options =
        WriteOptions.defaults()
            .withShape(TensorShape.of(shape))
            .withLabels(Map.of(0, Labels.of(List.of("a", "b", "c", "d", "e", "f"))))
            .withContainer(
                ContainerOptions.defaults()
                    .withPartEntries(60)
                    .withPermutations(Map.of(1, new int[] {1, 0, 2, 4, 3})));
    try (TensorOutput output = TensorFiles.create(Entries.ACCESS, uri, false, 3, options)) {
      output.write(sorted(shape, random(shape, 150, random)));
      output.commit();
    }
  }

  /** Reads all there is: entries, statistics with samples, labels, permutations. */
  static Container readFull(String uri) throws Exception {
    read(Entries.ACCESS, uri);
    Container container = Container.open(Entries.ACCESS, uri);
    container.sampled(container.statistics());
    container.labels().all();
    container.permutations();
    return container;
  }

  /** Entries in coordinate order, duplicates summed. */
  static CooBlock sorted(long[] shape, List<CooBlock> blocks) {
    try (MemoryScope scope = MemoryScope.root("sorted", MemorySource.system());
        TensorStorage packed =
            Packing.pack(
                scope,
                TensorShape.of(shape),
                TensorFormat.csf(shape.length, ValueType.DOUBLE),
                blocks)) {
      return Packing.unpack(packed);
    }
  }

  static List<String> describe(CooBlock block) {
    List<String> entries = new ArrayList<>();
    Entries.describe(block, entries);
    return entries;
  }

  static void write(
      FileAccess access, String uri, boolean overwrite, long[] shape, List<CooBlock> blocks)
      throws Exception {
    write(access, uri, overwrite, shape, blocks, ContainerOptions.defaults().withPartEntries(100));
  }

  static void write(
      FileAccess access,
      String uri,
      boolean overwrite,
      long[] shape,
      List<CooBlock> blocks,
      ContainerOptions container)
      throws Exception {
    WriteOptions options =
        WriteOptions.defaults().withShape(TensorShape.of(shape)).withContainer(container);
    try (TensorOutput output = TensorFiles.create(access, uri, overwrite, shape.length, options)) {
      for (CooBlock block : blocks) {
        output.write(block);
      }
      output.commit();
    }
  }

  /** Every entry, as one reading after the other delivers them. */
  static List<String> read(FileAccess access, String uri) throws Exception {
    InputPlan plan = TensorFiles.open(access, uri, ReadOptions.defaults());
    List<String> entries = new ArrayList<>();
    for (var split : plan.splits()) {
      try (var reader = TensorFiles.read(access, plan, split)) {
        reader.forEachRemaining(block -> Entries.describe(block, entries));
      }
    }
    return entries;
  }
}
