package org.weft.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.storage.ContainerOptions;
import org.weft.storage.TensorFiles;
import org.weft.storage.TensorOutput;
import org.weft.storage.WriteOptions;
import org.weft.storage.container.Container;
import org.weft.storage.file.Existing;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/** Containers on a real NameNode whose DataNodes die. */
@ExtendWith(ClusterExtension.class)
final class ContainerOnHdfsIT {
  private static final TensorShape SHAPE = TensorShape.of(3_000, 400, 70_000);
  private static final int BLOCKS = 30;
  private static final int BLOCK_ENTRIES = 20_000;

  private final TestCluster cluster;
  private final FileAccess files;

  ContainerOnHdfsIT(TestCluster cluster) {
    this.cluster = cluster;
    Configuration configuration = new Configuration();
    ClusterSettings.hdfsClient(cluster.hdfsUri()).forEach(configuration::set);
    this.files = FileAccess.of(configuration);
  }

  @AfterEach
  void makeWhole() {
    cluster.restore();
  }

  private String uri(String name) {
    return cluster.hdfsUri() + "/containers/" + name;
  }

  /** Sorted by the first mode; values that do not pack, so that there are bytes to lose. */
  private static CooBlock block(int number) {
    SplittableRandom random = new SplittableRandom(number);
    CooBlock.Builder block = new CooBlock.Builder(3, BLOCK_ENTRIES);
    for (int e = 0; e < BLOCK_ENTRIES; e++) {
      long slice = number * 100L + e * 100L / BLOCK_ENTRIES;
      block.add(
          new long[] {slice, random.nextLong(400), random.nextLong(70_000)}, random.nextDouble());
    }
    return block.build();
  }

  private interface Between {
    void run(int blocksWritten);
  }

  private void write(String uri, Existing existing, Between between) throws IOException {
    WriteOptions options =
        WriteOptions.defaults()
            .withShape(SHAPE)
            .withContainer(
                ContainerOptions.defaults()
                    .withPartEntries(50_000)
                    .withProvenance("generated", "test", "0"));
    try (TensorOutput output = TensorFiles.create(files, uri, existing, 3, options)) {
      for (int b = 0; b < BLOCKS; b++) {
        output.write(block(b));
        between.run(b + 1);
      }
      output.commit();
    }
  }

  private static double normSquared(Container container, Between between) {
    double sum = 0;
    for (int part = 0; part < container.partCount(); part++) {
      try (MemoryScope scope = MemoryScope.root("part", MemorySource.system())) {
        var values = container.load(scope, part, container.format(), container.shape(), 0).vals();
        for (long p = 0; p < values.length(); p++) {
          sum += values.getDouble(p) * values.getDouble(p);
        }
      }
      between.run(part + 1);
    }
    return sum;
  }

  @Test
  void aDataNodeMayDieWhileOneIsWrittenAndWhileItIsRead() throws IOException {
    String uri = uri("died.weft");
    write(
        uri,
        Existing.REPLACE,
        blocks -> {
          if (blocks == BLOCKS / 2) {
            cluster.killDataNode();
          }
        });
    cluster.restore();
    Container container = Container.open(files, uri);
    assertThat(container.entries()).isGreaterThan(BLOCKS * BLOCK_ENTRIES * 9L / 10);
    assertThat(container.partCount()).isGreaterThan(5);
    double before = normSquared(container, parts -> {});
    double during =
        normSquared(
            container,
            parts -> {
              if (parts == container.partCount() / 2) {
                cluster.killDataNode();
              }
            });
    assertThat(during).isEqualTo(before);
    assertThat(before)
        .isCloseTo(
            container.statistics().normSquared(),
            org.assertj.core.data.Percentage.withPercentage(1e-9));
  }

  @Test
  void ofTwoWritersOneWinsAndTheOldVersionStays() throws IOException {
    String uri = uri("raced.weft");
    write(uri, Existing.REPLACE, blocks -> {});
    long first = Container.open(files, uri).version();
    assertThatThrownBy(
            () ->
                write(
                    uri,
                    Existing.REPLACE,
                    blocks -> {
                      if (blocks == BLOCKS) {
                        overtake(uri);
                      }
                    }))
        .isInstanceOfSatisfying(
            WeftException.class,
            e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(ErrorCode.COMMIT_CONFLICT));
    assertThat(Container.open(files, uri).version()).isEqualTo(first + 1);
    Container old = Container.open(files, uri + "/manifest-" + first + ".json");
    assertThat(normSquared(old, parts -> {})).isPositive();
  }

  private void overtake(String uri) {
    try {
      write(uri, Existing.REPLACE, blocks -> {});
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Test
  void theBytesAreThoseOfALocalContainer(@TempDir Path folder) throws IOException {
    String local = folder.resolve("same.weft").toString();
    write(local, Existing.REFUSE, blocks -> {});
    write(uri("same.weft"), Existing.REFUSE, blocks -> {});
    List<Path> written;
    try (Stream<Path> all = Files.walk(Path.of(local))) {
      written = all.filter(Files::isRegularFile).toList();
    }
    assertThat(written).hasSizeGreaterThan(2);
    try (FileSystem hdfs = cluster.fileSystem()) {
      for (Path file : written) {
        String name = Path.of(local).relativize(file).toString();
        var path = new org.apache.hadoop.fs.Path(uri("same.weft") + "/" + name);
        try (InputStream in = hdfs.open(path)) {
          assertThat(in.readAllBytes()).as(name).isEqualTo(Files.readAllBytes(file));
        }
      }
    }
  }
}
