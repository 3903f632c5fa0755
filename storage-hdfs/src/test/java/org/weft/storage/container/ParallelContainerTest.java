package org.weft.storage.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.error.WeftException;
import org.weft.statistics.TensorStatistics;
import org.weft.storage.ContainerOptions;
import org.weft.storage.Entries;
import org.weft.storage.Labels;
import org.weft.storage.ReadOptions;
import org.weft.storage.Serialisation;
import org.weft.storage.TensorFiles;
import org.weft.storage.WriteOptions;
import org.weft.storage.file.Existing;
import org.weft.storage.file.FaultyFileSystem;
import org.weft.storage.file.FaultyFileSystem.Fault;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/** Containers that several writers fill. */
class ParallelContainerTest {
  private static final long[] SHAPE = {40, 7, 5};
  private static final CooBlock ALL =
      Tensors.sorted(SHAPE, Tensors.random(SHAPE, 400, new Random(3)));
  private static final WriteOptions OPTIONS =
      WriteOptions.defaults()
          .withShape(TensorShape.of(SHAPE))
          .withEntries(ALL.size())
          .withContainer(
              ContainerOptions.defaults()
                  .withPartEntries(50)
                  .withModeNames(List.of("a", "b", "c")));

  @TempDir Path folder;

  @AfterEach
  void noFault() {
    FaultyFileSystem.fault = Fault.NONE;
  }

  private static List<String> names(int from, int to) {
    return IntStream.range(from, to).mapToObj(n -> "label " + n).toList();
  }

  /** Three shares of entries, cut at slices, and two of labels, each merged in the wrong order. */
  private static ContainerPiece pieces(ParallelContainer.Target sent) throws Exception {
    ParallelContainer.Target target = Serialisation.copy(sent);
    int[] slices = {0, 13, 20, 40};
    List<ContainerPiece> made = new ArrayList<>();
    for (int share = 2; share >= 0; share--) {
      int from = slices[share];
      int to = slices[share + 1];
      int[] mine =
          IntStream.range(0, ALL.size())
              .filter(e -> ALL.coordinate(0, e) >= from && ALL.coordinate(0, e) < to)
              .toArray();
      try (PieceWriter lost = PieceWriter.entries(target, share, "")) {
        lost.write(ALL.select(Arrays.copyOf(mine, 3)));
        lost.finish(); // an attempt whose answer never came
      }
      try (PieceWriter writer = PieceWriter.entries(target, share, "-0.1")) {
        writer.write(ALL.select(mine));
        made.add(Serialisation.copy(writer.finish()));
      }
    }
    made.add(PieceWriter.labels(target, 0, 1, "", names(25, 40).iterator()));
    made.add(PieceWriter.labels(target, 0, 0, "", names(0, 25).iterator()));
    ContainerPiece all = ContainerPiece.none(3);
    made.forEach(all::merge);
    return all;
  }

  @Test
  void sharesBecomeOneTensor() throws Exception {
    FileAccess files = FileAccess.local();
    String uri = folder.resolve("x.weft").toString();
    try (ParallelContainer made = ParallelContainer.begin(files, uri, Existing.REFUSE)) {
      made.commit(OPTIONS, pieces(made.target(OPTIONS)));
    }
    Container x = Container.open(files, uri);
    assertThat(x.isDistinct()).isTrue();
    assertThat(x.modeNames()).containsExactly("a", "b", "c");
    assertThat(x.statistics().entries()).isEqualTo(ALL.size());
    assertThat(x.statistics().histogram(0).total()).isEqualTo(ALL.size());
    assertThat(x.sampled(x.statistics()).samples())
        .isEqualTo(TensorStatistics.builder(3).sampling().add(ALL).build().samples());
    assertThat(x.labels().modes()).containsOnly(0);
    Labels labels = x.labels().of(0);
    assertThat(labels.toList()).isEqualTo(names(0, 40));
    assertThat(Entries.read(TensorFiles.open(files, uri, ReadOptions.defaults())))
        .containsExactlyInAnyOrderElementsOf(Tensors.describe(ALL));
    try (var data = Files.list(folder.resolve("x.weft/data/1"))) {
      assertThat(data.map(p -> p.getFileName().toString()).sorted())
          .containsExactly(
              "claim",
              "entries-00000-0.1-00000.bin",
              "entries-00001-0.1-00000.bin",
              "entries-00002-0.1-00000.bin",
              "labels0-00000-00000.bin",
              "labels0-00001-00000.bin",
              "part-00005.bin");
    }
  }

  @Test
  void nothingIsLeftOfOneThatFails() throws Exception {
    FileAccess files = FaultyFileSystem.access();
    String uri = "faulty:" + folder.resolve("y.weft");
    try (ParallelContainer made = ParallelContainer.begin(files, uri, Existing.REFUSE)) {
      pieces(made.target(OPTIONS));
    }
    assertThat(folder.resolve("y.weft")).doesNotExist();
    try (ParallelContainer made = ParallelContainer.begin(files, uri, Existing.REFUSE)) {
      ContainerPiece pieces = pieces(made.target(OPTIONS));
      FaultyFileSystem.fault = Fault.RENAME_FALSE;
      assertThatThrownBy(() -> made.commit(OPTIONS, pieces)).isInstanceOf(WeftException.class);
    }
    assertThat(folder.resolve("y.weft")).doesNotExist();
  }
}
