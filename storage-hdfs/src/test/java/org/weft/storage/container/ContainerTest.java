package org.weft.storage.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.statistics.TensorStatistics;
import org.weft.storage.BlockReader;
import org.weft.storage.ContainerOptions;
import org.weft.storage.Entries;
import org.weft.storage.InputPlan;
import org.weft.storage.Labels;
import org.weft.storage.ReadOptions;
import org.weft.storage.TensorFiles;
import org.weft.storage.TensorOutput;
import org.weft.storage.WriteOptions;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/** What goes into a container comes out of it, whole, in parts, and as arrays. */
class ContainerTest {
  private static final long SEED = Long.getLong("weft.seed", 20261121);
  private static final List<long[]> SHAPES =
      List.of(
          new long[] {40, 7, 300},
          new long[] {500},
          new long[] {3, 1L << 40},
          new long[] {2, 70_000, 3, 4, 5, 6, 7, 8});

  @TempDir Path folder;

  private String uri(String name) {
    return folder.resolve(name).toString();
  }

  @Test
  void sortedEntriesComeBackInOrderFromPartsOfTheirOwn() throws Exception {
    Random random = new Random(SEED);
    for (long[] shape : SHAPES) {
      for (boolean compressed : new boolean[] {true, false}) {
        String uri = uri(shape.length + "-" + compressed + ".weft");
        CooBlock sorted = Tensors.sorted(shape, Tensors.random(shape, 1000, random));
        List<CooBlock> blocks = new ArrayList<>();
        for (int at = 0; at < sorted.size(); at += 37) {
          blocks.add(sorted.slice(at, Math.min(sorted.size(), at + 37)));
        }
        ContainerOptions options =
            ContainerOptions.defaults().withPartEntries(100).withCompressed(compressed);
        Tensors.write(Entries.ACCESS, uri, false, shape, blocks, options);
        List<String> read = Tensors.read(Entries.ACCESS, uri);
        assertThat(read).hasSameElementsAs(Tensors.describe(sorted)).hasSize(sorted.size());
        Container container = Container.open(Entries.ACCESS, uri);
        assertThat(container.entries()).isEqualTo(sorted.size());
        assertThat(container.shape()).isEqualTo(TensorShape.of(shape));
        if (shape[0] > 10) {
          assertThat(container.partCount()).as("seed %d", SEED).isGreaterThan(2);
          assertThat(container.isDistinct()).isTrue();
        }
        TensorStatistics expected =
            TensorStatistics.builder(shape.length)
                .sampling()
                .add(sorted)
                .build(TensorShape.of(shape));
        TensorStatistics found = container.statistics();
        assertThat(found.histograms()).isEqualTo(expected.histograms());
        assertThat(found.samples()).isEmpty();
        assertThat(container.sampled(found).samples()).isEqualTo(expected.samples());
        assertThat(found.minValue()).isEqualTo(expected.minValue());
        assertThat(found.maxValue()).isEqualTo(expected.maxValue());
        assertThat(found.norm()).isCloseTo(expected.norm(), Percentage.withPercentage(1e-12));
      }
    }
  }

  @Test
  void unsortedEntriesAreAllThereWithSumsAcrossParts() throws Exception {
    for (long[] shape : SHAPES) {
      String uri = uri("u" + shape.length + ".weft");
      List<CooBlock> blocks = Tensors.random(shape, 1000, new Random(SEED));
      Tensors.write(Entries.ACCESS, uri, false, shape, blocks);
      InputPlan plan = TensorFiles.open(Entries.ACCESS, uri, ReadOptions.defaults());
      List<CooBlock> read = new ArrayList<>();
      for (var split : plan.splits()) {
        try (var reader = TensorFiles.read(Entries.ACCESS, plan, split)) {
          reader.forEachRemaining(read::add);
        }
      }
      assertThat(Tensors.sorted(shape, read).size())
          .isEqualTo(Tensors.sorted(shape, blocks).size());
      assertThat(Container.open(Entries.ACCESS, uri).isDistinct()).isFalse();
    }
  }

  @Test
  void partsLoadAsWhatPackingMakes() throws Exception {
    long[] shape = {40, 7, 300};
    CooBlock sorted = Tensors.sorted(shape, Tensors.random(shape, 3000, new Random(SEED)));
    for (List<Integer> modeOrder : List.of(List.of(0, 1, 2), List.of(0, 2, 1), List.of(2, 0, 1))) {
      String uri = uri("l" + modeOrder + ".weft");
      ContainerOptions options =
          ContainerOptions.defaults().withPartEntries(500).withModeOrder(modeOrder);
      int[] order = modeOrder.stream().mapToInt(m -> m).toArray();
      CooBlock inOrder = Packing.sorted(TensorShape.of(shape), order, List.of(sorted));
      Tensors.write(Entries.ACCESS, uri, false, shape, List.of(inOrder), options);
      Container container = Container.open(Entries.ACCESS, uri);
      for (ValueType type : List.of(ValueType.DOUBLE, ValueType.FLOAT)) {
        TensorFormat wanted =
            TensorFormat.csf(3, type).withModeOrder(order).narrowedFor(TensorShape.of(shape), 3000);
        assertThat(container.fits(wanted)).isTrue();
        for (int part = 0; part < container.partCount(); part++) {
          assertPartEqualsPacking(container, part, wanted, sorted);
        }
      }
    }
  }

  @Test
  void aPartIsNotLoadedAsATypeThatLacksItsValues() throws Exception {
    long[] shape = {3};
    CooBlock block = CooBlock.ofColumns(new Object[] {new int[] {0, 2}}, new double[] {1, 1e39}, 2);
    String uri = uri("wide.weft");
    Tensors.write(Entries.ACCESS, uri, false, shape, List.of(block), ContainerOptions.defaults());
    Container container = Container.open(Entries.ACCESS, uri);
    TensorFormat wanted =
        TensorFormat.csf(1, ValueType.FLOAT).narrowedFor(TensorShape.of(shape), 2);
    try (MemoryScope scope = MemoryScope.root("test", MemorySource.system())) {
      assertThatThrownBy(() -> container.load(scope, 0, wanted, TensorShape.of(shape), 0))
          .hasMessageContaining("wide.weft")
          .hasMessageContaining("as the type float has, found 1.0E39");
    }
  }

  private static void assertPartEqualsPacking(
      Container container, int part, TensorFormat wanted, CooBlock all) {
    int root = wanted.modeOrder()[0];
    long first = container.first(part, root);
    long slices = container.last(part, root) + 1 - first;
    TensorShape local = container.shape().with(root, slices);
    CooBlock.Builder inside = new CooBlock.Builder(all.order(), 16);
    long[] at = new long[all.order()];
    for (int e = 0; e < all.size(); e++) {
      Arrays.setAll(at, new CoordinatesOf(all, e));
      if (at[root] >= first && at[root] < first + slices) {
        inside.add(at, all.value(e));
      }
    }
    try (MemoryScope scope = MemoryScope.root("test", MemorySource.system());
        TensorStorage loaded = container.load(scope, part, wanted, local, first);
        TensorStorage packed = Packing.pack(scope, local, wanted, List.of(inside.build()), first)) {
      assertThat(loaded.toString()).isEqualTo(packed.toString());
      assertThat(Tensors.describe(Packing.unpack(loaded)))
          .isEqualTo(Tensors.describe(Packing.unpack(packed)));
      assertThat(loaded.byteSize()).isEqualTo(packed.byteSize());
    }
  }

  private record CoordinatesOf(CooBlock block, int entry)
      implements java.util.function.IntToLongFunction {
    @Override
    public long applyAsLong(int mode) {
      return block.coordinate(mode, entry);
    }
  }

  @Test
  void rangesOfCoordinatesLeavePartsOut() throws Exception {
    long[] shape = {40, 7, 300};
    CooBlock sorted = Tensors.sorted(shape, Tensors.random(shape, 3000, new Random(SEED)));
    Tensors.write(Entries.ACCESS, uri("p.weft"), false, shape, List.of(sorted));
    Container container = Container.open(Entries.ACCESS, uri("p.weft"));
    assertThat(container.parts(0, 20, 21)).hasSizeLessThan(container.partCount());
    long inside = 0;
    for (int e = 0; e < sorted.size(); e++) {
      inside += sorted.coordinate(0, e) == 20 ? 1 : 0;
    }
    long found = 0;
    for (int part : container.parts(0, 20, 21)) {
      found += container.entries(part);
    }
    assertThat(found).isGreaterThanOrEqualTo(inside);
    assertThat(container.parts(0, 40, 50)).isEmpty();
  }

  @Test
  void namesLabelsPermutationsAndProvenanceAreKept() throws Exception {
    String uri = uri("n.weft");
    WriteOptions options =
        WriteOptions.defaults()
            .withShape(TensorShape.of(3, 2))
            .withLabels(
                Map.of(1, Labels.of(List.of("ä", "")), 0, Labels.of(List.of("a", "b", "c"))))
            .withContainer(
                ContainerOptions.defaults()
                    .withModeNames(List.of("who", "what"))
                    .withPermutations(Map.of(0, new int[] {2, 0, 1}))
                    .withProvenance("x.tns", "weft convert x.tns n.weft", "0.1"));
    CooBlock.Builder block = new CooBlock.Builder(2, 4);
    block.add(new long[] {1, 1}, 2.5);
    try (TensorOutput output = TensorFiles.create(Entries.ACCESS, uri, false, 2, options)) {
      output.write(block.build());
      output.commit();
    }
    Container container = Container.open(Entries.ACCESS, uri);
    assertThat(container.modeNames()).containsExactly("who", "what");
    assertThat(container.permutations()).containsOnlyKeys(0);
    assertThat(container.permutations().get(0)).containsExactly(2, 0, 1);
    assertThat(TensorFiles.labels(Entries.ACCESS, uri).get(1).toList()).containsExactly("ä", "");
    assertThat(TensorFiles.labels(Entries.ACCESS, uri).get(0).toList())
        .containsExactly("c", "a", "b");
    assertThat(TensorFiles.permutations(Entries.ACCESS, uri)).containsOnlyKeys(0);
    ReadOptions stored = ReadOptions.defaults().withStoredOrder(true);
    assertThat(coordinates(uri, ReadOptions.defaults())).containsExactly(2, 1);
    assertThat(coordinates(uri, stored)).containsExactly(1, 1);
    assertThat(container.manifest().provenance())
        .isEqualTo(new Manifest.Provenance("x.tns", "weft convert x.tns n.weft", "0.1"));
  }

  /** Of the only entry. */
  private static long[] coordinates(String uri, ReadOptions options) {
    InputPlan plan = TensorFiles.open(Entries.ACCESS, uri, options);
    try (BlockReader reader = TensorFiles.read(Entries.ACCESS, plan, plan.splits().get(0))) {
      CooBlock only = reader.next();
      assertThat(reader.hasNext()).isFalse();
      assertThat(reader.summary().maxCoordinate(0)).isEqualTo(only.coordinate(0, 0));
      return new long[] {only.coordinate(0, 0), only.coordinate(1, 0)};
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void numbersThatAreNoPermutationAreRefused() throws Exception {
    String uri = uri("p.weft");
    WriteOptions options =
        WriteOptions.defaults()
            .withShape(TensorShape.of(3))
            .withContainer(
                ContainerOptions.defaults().withPermutations(Map.of(0, new int[] {2, 0, 2})));
    CooBlock.Builder block = new CooBlock.Builder(1, 1);
    block.add(new long[] {1}, 2.5);
    try (TensorOutput output = TensorFiles.create(Entries.ACCESS, uri, false, 1, options)) {
      output.write(block.build());
      output.commit();
    }
    assertCode(() -> coordinates(uri, ReadOptions.defaults()), ErrorCode.CORRUPT_INPUT);
  }

  @Test
  void anEmptyTensorKeepsItsShape() throws Exception {
    Tensors.write(Entries.ACCESS, uri("e.weft"), false, new long[] {5, 6}, List.of());
    InputPlan plan = TensorFiles.open(Entries.ACCESS, uri("e.weft"), ReadOptions.defaults());
    assertThat(plan.header().shape()).contains(TensorShape.of(5, 6));
    assertThat(Entries.read(plan)).isEmpty();
  }

  @Test
  void missingTensorsAreOneClearError() throws Exception {
    Files.createDirectory(folder.resolve("empty.weft"));
    Files.createFile(folder.resolve("file.weft"));
    for (String name :
        List.of("none.weft", "empty.weft", "file.weft", "empty.weft/manifest-3.json")) {
      assertCode(() -> Tensors.read(Entries.ACCESS, uri(name)), ErrorCode.INPUT_NOT_FOUND);
    }
  }

  @Test
  void replacingMakesAVersionAndTheOldOneStays() throws Exception {
    long[] shape = {3, 3};
    List<CooBlock> first = Tensors.random(shape, 5, new Random(1));
    List<CooBlock> second = Tensors.random(shape, 5, new Random(2));
    Tensors.write(Entries.ACCESS, uri("v.weft"), false, shape, first);
    assertCode(
        () -> Tensors.write(Entries.ACCESS, uri("v.weft"), false, shape, second),
        ErrorCode.OUTPUT_EXISTS);
    Tensors.write(Entries.ACCESS, uri("v.weft"), true, shape, second);
    assertThat(Tensors.read(Entries.ACCESS, uri("v.weft")))
        .isEqualTo(Tensors.describe(Tensors.sorted(shape, second)));
    assertThat(Tensors.read(Entries.ACCESS, uri("v.weft/manifest-1.json")))
        .isEqualTo(Tensors.describe(Tensors.sorted(shape, first)));
    assertThat(names(folder.resolve("v.weft")))
        .containsExactly(
            "data/1/claim",
            "data/1/part-00000.bin",
            "data/2/claim",
            "data/2/part-00000.bin",
            "manifest-1.json",
            "manifest-2.json");
  }

  @Test
  void anAbandonedOutputLeavesNothing() throws Exception {
    long[] shape = {3, 3};
    try (TensorOutput output =
        TensorFiles.create(Entries.ACCESS, uri("a/b.weft"), false, 2, WriteOptions.defaults())) {
      output.write(Tensors.random(shape, 5, new Random(1)).get(0));
    }
    assertThat(names(folder)).isEmpty();
  }

  static List<String> names(Path folder) throws Exception {
    try (Stream<Path> files = Files.walk(folder)) {
      return files
          .filter(file -> !Files.isDirectory(file))
          .map(file -> folder.relativize(file).toString())
          .sorted(Comparator.naturalOrder())
          .toList();
    }
  }

  static void assertCode(
      org.assertj.core.api.ThrowableAssert.ThrowingCallable call, ErrorCode code) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            WeftException.class, e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(code));
  }
}
