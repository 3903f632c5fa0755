package org.weft.storage.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.error.WeftException;
import org.weft.storage.BlockReader;
import org.weft.storage.ContainerOptions;
import org.weft.storage.Entries;
import org.weft.storage.InputPlan;
import org.weft.storage.InputSplit;
import org.weft.storage.ReadOptions;
import org.weft.storage.ReadOptions.Wanted;
import org.weft.storage.TensorFiles;
import org.weft.storage.TensorOutput;
import org.weft.storage.WriteOptions;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/** What is not wanted is not read: it may even be damaged. */
class WantedTest {
  private static final long[] SHAPE = {20, 30, 40};

  @TempDir Path folder;

  private List<String> read(Wanted wanted) throws Exception {
    InputPlan plan =
        TensorFiles.open(
                Entries.ACCESS,
                folder.resolve("x.weft").toString(),
                ReadOptions.defaults().withBlockEntries(70))
            .wanting(wanted);
    List<String> entries = new ArrayList<>();
    for (InputSplit split : plan.splits()) {
      try (BlockReader reader = TensorFiles.read(Entries.ACCESS, plan, split)) {
        while (reader.hasNext()) {
          CooBlock block = reader.next();
          for (int e = 0; e < block.size(); e++) {
            StringBuilder text = new StringBuilder();
            for (int mode = 0; mode < SHAPE.length; mode++) {
              text.append(wanted == Wanted.VALUES ? 0 : block.coordinate(mode, e)).append(' ');
              if (wanted == Wanted.VALUES) {
                assertThat(block.coordinate(mode, e)).isZero();
              }
            }
            if (wanted == Wanted.COORDINATES) {
              assertThat(block.value(e)).isZero();
            }
            String value = wanted == Wanted.COORDINATES ? "0" : String.valueOf(block.value(e));
            entries.add(text.append(value).toString());
          }
        }
        assertThat(reader.summary().entries()).isPositive();
      }
    }
    return entries;
  }

  private void damage(Container container, Manifest.ArrayEntry array) throws Exception {
    Path file =
        folder.resolve("x.weft").resolve(container.manifest().files().get(array.file()).path());
    try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
      bytes.seek(array.offset());
      int was = bytes.read();
      bytes.seek(array.offset());
      bytes.write(was ^ 1);
    }
  }

  @ParameterizedTest
  @CsvSource({"false,DOUBLE", "true,DOUBLE", "true,LONG", "false,FLOAT"})
  void theRestIsNotRead(boolean packed, ValueType type) throws Exception {
    WriteOptions options =
        WriteOptions.defaults()
            .withShape(TensorShape.of(SHAPE))
            .withContainer(
                ContainerOptions.defaults()
                    .withCompressed(packed)
                    .withValueType(type)
                    .withPermutations(Map.of(0, reversed(20)))
                    .withPartEntries(200));
    CooBlock entries = Tensors.sorted(SHAPE, Tensors.random(SHAPE, 900, new Random(3)));
    String uri = folder.resolve("x.weft").toString();
    try (TensorOutput output = TensorFiles.create(Entries.ACCESS, uri, false, 3, options)) {
      output.write(whole(entries));
      output.commit();
    }
    List<String> all = read(Wanted.ALL);
    List<String> coordinates = all.stream().map(e -> e.replaceFirst("\\S+$", "0")).toList();
    List<String> values = all.stream().map(e -> e.replaceFirst(".* ", "0 0 0 ")).toList();
    assertThat(read(Wanted.COORDINATES)).isEqualTo(coordinates);
    assertThat(read(Wanted.VALUES)).isEqualTo(values);
    Container container = Container.open(Entries.ACCESS, uri);
    assertThat(container.partCount()).isGreaterThan(1);
    Manifest.Part part = container.manifest().parts().get(1);
    damage(container, part.values());
    assertThat(read(Wanted.COORDINATES)).isEqualTo(coordinates);
    for (Wanted wanted : new Wanted[] {Wanted.ALL, Wanted.VALUES}) {
      assertThatThrownBy(() -> read(wanted))
          .isInstanceOf(WeftException.class)
          .hasMessageContaining("part 1, values");
    }
    damage(container, part.values());
    damage(container, Objects.requireNonNull(part.levels().get(2).crd()));
    assertThat(read(Wanted.VALUES)).isEqualTo(values);
    assertThatThrownBy(() -> read(Wanted.COORDINATES))
        .isInstanceOf(WeftException.class)
        .hasMessageContaining("part 1, level 3, crd");
  }

  private static int[] reversed(int size) {
    int[] order = new int[size];
    for (int i = 0; i < size; i++) {
      order[i] = size - 1 - i;
    }
    return order;
  }

  /** The same coordinates with whole numbers, which every type holds. */
  private static CooBlock whole(CooBlock block) {
    CooBlock.Builder entries = new CooBlock.Builder(block.order(), block.size());
    for (int e = 0; e < block.size(); e++) {
      for (int mode = 0; mode < block.order(); mode++) {
        entries.set(mode, block.coordinate(mode, e));
      }
      entries.finish(1 + e % 90);
    }
    return entries.build();
  }
}
