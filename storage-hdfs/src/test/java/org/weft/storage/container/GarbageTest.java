package org.weft.storage.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.weft.storage.container.ContainerTest.assertCode;
import static org.weft.storage.container.ContainerTest.names;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.TensorFiles;
import org.weft.storage.TensorOutput;
import org.weft.storage.WriteOptions;
import org.weft.storage.file.Existing;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/** What is removed, and above all what is not. */
class GarbageTest {
  private static final long[] SHAPE = {30, 4};
  private static final FileAccess LOCAL = FileAccess.local();
  private static final CooBlock ENTRIES =
      Tensors.sorted(SHAPE, Tensors.random(SHAPE, 40, new Random(1)));
  private static final String UUID = "0f8fad5b-d9cb-469f-a165-70867728950e";

  @TempDir Path folder;

  private Path root;
  private Path outside;

  @BeforeEach
  void write() throws Exception {
    root = folder.resolve("x.weft");
    outside = Files.createDirectories(folder.resolve("outside/data"));
    for (String name : List.of("claim", "part-00000.bin", "thesis.txt")) {
      Files.writeString(outside.resolve(name), "years of work");
    }
    Tensors.write(LOCAL, root.toString(), false, SHAPE, List.of(ENTRIES));
  }

  private List<ContainerGarbage.Removed> collect(Duration grace) {
    return ContainerGarbage.collect(LOCAL, root.toString(), Duration.ZERO, grace, false);
  }

  /** Everything below the folder gets two days older. */
  private void age(Path of) throws IOException {
    FileTime old = FileTime.from(Instant.now().minus(Duration.ofDays(2)));
    try (Stream<Path> files = Files.walk(of)) {
      for (Path file : files.toList()) {
        Files.setLastModifiedTime(file, old);
      }
    }
  }

  private static TensorOutput begin(Path root, Existing existing) throws IOException {
    WriteOptions options = WriteOptions.defaults().withShape(TensorShape.of(SHAPE));
    return TensorFiles.create(LOCAL, root.toString(), existing, 2, options);
  }

  /** A folder of outputs has tensors with versions, tensors that were killed, and other files. */
  @Test
  void tensorsInAFolderAreLookedInto() throws Exception {
    Path tensors = Files.createDirectories(folder.resolve("tensors"));
    Path whole = tensors.resolve("whole.weft");
    Tensors.write(LOCAL, whole.toString(), false, SHAPE, List.of(ENTRIES));
    Tensors.write(LOCAL, whole.toString(), true, SHAPE, List.of(ENTRIES));
    Path killed = Files.createDirectories(tensors.resolve("killed one.weft/data/1"));
    Path lost = Files.createDirectory(whole.resolve("data/9"));
    for (Path data : List.of(killed, lost)) {
      Files.writeString(data.resolve("claim"), "");
      Files.writeString(data.resolve("part-00000.bin"), "half");
    }
    Path other = Files.createDirectories(tensors.resolve("other/data/1"));
    Files.writeString(other.resolve("part-00000.bin"), "of somebody else");
    Files.createSymbolicLink(tensors.resolve("link.weft"), outside.getParent());
    String uri = tensors.toString();
    assertThat(ContainerGarbage.collect(LOCAL, uri, Duration.ZERO, Duration.ofDays(1), false))
        .isEmpty();
    age(tensors);
    List<ContainerGarbage.Removed> would =
        ContainerGarbage.collect(LOCAL, uri, Duration.ZERO, Duration.ofDays(1), true);
    assertThat(would).hasSize(4);
    assertThat(killed.resolve("part-00000.bin")).exists();
    assertThat(ContainerGarbage.collect(LOCAL, uri, Duration.ZERO, Duration.ofDays(1), false))
        .isEqualTo(would);
    assertThat(killed.getParent().getParent()).doesNotExist();
    assertThat(lost).doesNotExist();
    assertThat(names(whole)).contains("manifest-1.json", "manifest-2.json");
    assertThat(other.resolve("part-00000.bin")).exists();
    assertThat(names(outside)).hasSize(3);
  }

  @Test
  void aFreshFolderStaysWhetherOrNotThereIsAnythingInIt() throws Exception {
    Path empty = Files.createDirectory(root.resolve("data/2"));
    assertThat(collect(Duration.ofMinutes(1))).isEmpty();
    assertThat(empty).exists();
    // An old claim in a folder into which a file has just come.
    Path busy = Files.createDirectory(root.resolve("data/3"));
    Files.createFile(busy.resolve("claim"));
    Files.createFile(busy.resolve("part-00000.bin"));
    age(busy);
    Files.createFile(busy.resolve("part-00001.bin"));
    age(empty);
    assertThat(collect(Duration.ofMinutes(1))).isEmpty();
    assertThat(empty).doesNotExist();
    assertThat(busy).isDirectoryContaining("glob:**.bin");
    // One whose last file is being written to, although the folder is old.
    age(busy);
    Files.writeString(busy.resolve("part-00001.bin"), "more");
    assertThat(collect(Duration.ofMinutes(1))).isEmpty();
    age(busy);
    assertThat(collect(Duration.ofMinutes(1))).hasSize(3);
    assertThat(names(folder)).noneMatch(name -> name.startsWith("x.weft/data/3"));
    assertThat(Tensors.read(LOCAL, root.toString())).isEqualTo(Tensors.describe(ENTRIES));
  }

  @Test
  void anEmptyDataFolderOfAFirstWriterStays() throws Exception {
    Path fresh = Files.createDirectories(folder.resolve("fresh.weft/data"));
    ContainerGarbage.collect(LOCAL, fresh.getParent().toString(), null, Duration.ofDays(1), false);
    assertThat(fresh).exists();
    age(fresh.getParent());
    ContainerGarbage.collect(LOCAL, fresh.getParent().toString(), null, Duration.ofDays(1), false);
    assertThat(fresh.getParent()).doesNotExist();
  }

  /** Writers that append, and collectors beside them, whose grace is longer than a writer takes. */
  @Test
  void collectorsDoNotDisturbWriters() throws Exception {
    AtomicBoolean done = new AtomicBoolean();
    ExecutorService pool = Executors.newFixedThreadPool(5);
    List<Future<Integer>> collectors = new ArrayList<>();
    List<Future<Integer>> writers = new ArrayList<>();
    for (int c = 0; c < 2; c++) {
      collectors.add(
          pool.submit(
              () -> {
                int rounds = 0;
                for (; !done.get(); rounds++) {
                  collect(Duration.ofMinutes(1));
                }
                return rounds;
              }));
    }
    for (int w = 0; w < 3; w++) {
      Callable<Integer> writer =
          () -> {
            int won = 0;
            for (int n = 0; n < 80; n++) {
              try (TensorOutput output = begin(root, Existing.REPLACE)) {
                output.write(ENTRIES);
                output.commit();
                won++;
              } catch (WeftException e) {
                assertThat(e.code()).as(e.getMessage()).isEqualTo(ErrorCode.COMMIT_CONFLICT);
              }
            }
            return won;
          };
      writers.add(pool.submit(writer));
    }
    int won = 0;
    for (Future<Integer> writer : writers) {
      won += writer.get(2, TimeUnit.MINUTES);
    }
    done.set(true);
    for (Future<Integer> collector : collectors) {
      assertThat(collector.get(1, TimeUnit.MINUTES)).isPositive();
    }
    pool.shutdown();
    // A writer that was overtaken right after its rename withdraws its version: a number is left
    // out.
    assertThat(Container.open(LOCAL, root.toString()).version()).isGreaterThanOrEqualTo(1 + won);
    assertThat(Tensors.read(LOCAL, root.toString())).isEqualTo(Tensors.describe(ENTRIES));
    // What losers leave is the same as ever: nothing that a collection without grace would not get.
    collect(Duration.ZERO);
    assertThat(names(folder).stream().filter(name -> name.startsWith("x.weft"))).hasSize(3);
  }

  /** Slower than the grace period, and a collector comes between its look and its commit. */
  @Test
  void aWriterWhoseClaimWasCollectedPublishesNothing() throws Exception {
    try (TensorOutput slow = begin(root, Existing.APPEND)) {
      slow.write(ENTRIES);
      Files.delete(root.resolve("data/2/claim"));
      assertCode(slow::commit, ErrorCode.COMMIT_FAILED);
    }
    assertThat(Container.open(LOCAL, root.toString()).version()).isEqualTo(1);
    assertThat(names(folder)).noneMatch(name -> name.startsWith("x.weft/data/2"));
  }

  @Test
  void linksAreNeitherFollowedNorRemoved() throws Exception {
    Path data = root.resolve("data");
    Path staged = Files.createDirectory(root.resolve(".o." + UUID + ".weft-tmp"));
    List<Path> links =
        List.of(
            Files.createSymbolicLink(data.resolve("7"), outside),
            Files.createSymbolicLink(root.resolve(".x." + UUID + ".weft-tmp"), outside),
            Files.createSymbolicLink(staged.resolve("sub"), outside),
            Files.createSymbolicLink(staged.resolve("file"), outside.resolve("thesis.txt")));
    Path abandoned = Files.createDirectory(data.resolve("8"));
    Path inner =
        Files.createSymbolicLink(
            abandoned.resolve("part-00001.bin"), outside.resolve("part-00000.bin"));
    Path claim = Files.createSymbolicLink(abandoned.resolve("claim"), outside.resolve("claim"));
    collect(Duration.ZERO);
    assertThat(links).allMatch(Files::isSymbolicLink);
    assertThat(inner).isSymbolicLink();
    assertThat(claim).isSymbolicLink();
    assertThat(names(outside)).containsExactly("claim", "part-00000.bin", "thesis.txt");
  }

  @Test
  void aDataFolderThatIsALinkIsNotTouched() throws Exception {
    Path other = Files.createDirectories(folder.resolve("y.weft"));
    Path elsewhere = Files.createDirectories(folder.resolve("elsewhere/1"));
    Files.writeString(elsewhere.resolve("part-00000.bin"), "years of work");
    Files.createSymbolicLink(other.resolve("data"), elsewhere.getParent());
    ContainerGarbage.collect(LOCAL, other.toString(), Duration.ZERO, Duration.ZERO, false);
    assertThat(elsewhere.resolve("part-00000.bin")).exists();
    assertCode(() -> begin(other, Existing.REFUSE), ErrorCode.CORRUPT_INPUT);
    assertThat(names(elsewhere.getParent())).containsExactly("1/part-00000.bin");
  }

  @Test
  void anOldVersionThatIsALinkStays() throws Exception {
    Path manifest = root.resolve("manifest-1.json");
    Path moved = Files.move(manifest, outside.resolve("manifest-1.json"));
    Files.createSymbolicLink(manifest, moved);
    Tensors.write(LOCAL, root.toString(), true, SHAPE, List.of(ENTRIES));
    assertThat(collect(Duration.ZERO)).isEmpty();
    assertThat(moved).exists();
    assertThat(Tensors.read(LOCAL, manifest.toString())).isEqualTo(Tensors.describe(ENTRIES));
  }

  @Test
  void namesThatAreNotOursStay() throws Exception {
    List<String> strange =
        List.of(
            "data/notes/part-00000.bin",
            "data/0/part-00000.bin",
            "data/9/thesis.txt",
            "data/9/sub/part-00000.bin",
            "data/9/part-0.bin",
            "data/readme",
            ".mine.weft-tmp",
            ".x." + UUID + ".weft-old",
            "notes.txt");
    for (String name : strange) {
      Files.createDirectories(root.resolve(name).getParent());
      Files.writeString(root.resolve(name), "years of work");
    }
    Files.writeString(root.resolve("data/9/entries-00003-1.2-00000.bin"), "ours");
    Files.writeString(root.resolve(".manifest-9.json." + UUID + ".weft-tmp"), "ours");
    assertThat(collect(Duration.ZERO)).hasSize(2);
    assertThat(strange).allMatch(name -> Files.exists(root.resolve(name)));
  }
}
