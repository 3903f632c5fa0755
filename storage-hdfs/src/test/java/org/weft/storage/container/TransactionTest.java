package org.weft.storage.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.weft.storage.container.ContainerTest.assertCode;
import static org.weft.storage.container.ContainerTest.names;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.ContainerOptions;
import org.weft.storage.Entries;
import org.weft.storage.TensorFiles;
import org.weft.storage.TensorOutput;
import org.weft.storage.WriteOptions;
import org.weft.storage.file.Existing;
import org.weft.storage.file.FaultyFileSystem;
import org.weft.storage.file.FaultyFileSystem.Fault;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/** A version is there or not, whatever happens to its writer. */
class TransactionTest {
  private static final long[] SHAPE = {30, 4};
  private static final CooBlock OLD =
      Tensors.sorted(SHAPE, Tensors.random(SHAPE, 40, new Random(1)));
  private static final CooBlock NEW =
      Tensors.sorted(SHAPE, Tensors.random(SHAPE, 40, new Random(2)));

  @TempDir Path folder;

  private final FileAccess faulty = FaultyFileSystem.access();

  @BeforeEach
  @AfterEach
  void noFault() {
    FaultyFileSystem.fault = Fault.NONE;
    FaultyFileSystem.sparedRenames = 0;
    FaultyFileSystem.afterRename = null;
  }

  private String uri() {
    return "faulty:" + folder.resolve("x.weft");
  }

  private TensorOutput begin(FileAccess access, Existing existing) throws Exception {
    return begin(access, uri(), existing);
  }

  private static TensorOutput begin(FileAccess access, String uri, Existing existing)
      throws Exception {
    WriteOptions options = WriteOptions.defaults().withShape(TensorShape.of(SHAPE));
    return TensorFiles.create(access, uri, existing, 2, options);
  }

  private void write(Existing existing, CooBlock entries) throws Exception {
    try (TensorOutput output = begin(faulty, existing)) {
      output.write(entries);
      output.commit();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "RENAME_FALSE, COMMIT_FAILED",
    "RENAME_THROWS, COMMIT_FAILED",
    "RENAME_LOSES_THE_FILE, COMMIT_STATE_UNKNOWN",
    "WRITE_FAILS_HALF_WAY, STORAGE_UNAVAILABLE",
    "CLOSE_FAILS, STORAGE_UNAVAILABLE"
  })
  void aFailedWriterLeavesTheOldVersionAndNothingElse(Fault fault, ErrorCode code)
      throws Exception {
    FaultyFileSystem.fault = fault;
    assertCode(() -> write(Existing.REFUSE, NEW), code);
    assertCode(() -> Tensors.read(faulty, uri()), ErrorCode.INPUT_NOT_FOUND);
    if (code != ErrorCode.COMMIT_STATE_UNKNOWN) {
      assertThat(names(folder)).isEmpty();
    }
    FaultyFileSystem.fault = Fault.NONE;
    if (Files.exists(folder.resolve("x.weft"))) {
      ContainerGarbage.collect(faulty, uri(), null, Duration.ZERO, false);
    }
    assertThat(names(folder)).isEmpty();
    write(Existing.REFUSE, OLD);
    List<String> before = names(folder);
    for (Existing existing : List.of(Existing.REPLACE, Existing.APPEND)) {
      FaultyFileSystem.fault = fault;
      assertCode(() -> write(existing, NEW), code);
      FaultyFileSystem.fault = Fault.NONE;
      assertThat(Tensors.read(faulty, uri())).isEqualTo(Tensors.describe(OLD));
      ContainerGarbage.collect(faulty, uri(), null, Duration.ZERO, false);
      assertThat(names(folder)).isEqualTo(before);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"RENAME_SUCCEEDS_THEN_FALSE", "RENAME_SUCCEEDS_THEN_THROWS"})
  void aRenameThatHappenedIsACommitWhateverItAnswered(Fault fault) throws Exception {
    FaultyFileSystem.fault = fault;
    write(Existing.REFUSE, OLD);
    write(Existing.REPLACE, NEW);
    assertThat(Tensors.read(faulty, uri())).isEqualTo(Tensors.describe(NEW));
    assertThat(Tensors.read(faulty, uri() + "/manifest-1.json")).isEqualTo(Tensors.describe(OLD));
  }

  @ParameterizedTest
  @CsvSource({"notes.txt, notes.txt", "more/x, more", "data, data", "data/mine.csv, data/mine.csv"})
  void aFolderOfOtherFilesIsRefused(String file, String named) throws Exception {
    Path other = folder.resolve("x.weft").resolve(file);
    Files.createDirectories(other.getParent());
    Files.writeString(other, "mine");
    List<String> before = names(folder);
    for (int check = 0; check < 2; check++) {
      boolean only = check > 0;
      assertThatThrownBy(
              () -> {
                if (only) {
                  TensorFiles.checkOutput(faulty, uri(), false);
                } else {
                  write(Existing.REFUSE, NEW);
                }
              })
          .isInstanceOfSatisfying(
              WeftException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.OUTPUT_EXISTS))
          .hasMessageContaining("'" + named + "'");
      assertThat(names(folder)).isEqualTo(before);
    }
    if (!file.equals("data")) {
      TensorFiles.checkOutput(faulty, uri(), true);
      write(Existing.REPLACE, NEW);
      assertThat(Tensors.read(faulty, uri())).isEqualTo(Tensors.describe(NEW));
      assertThat(Files.readString(other)).isEqualTo("mine");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {".DS_Store", "_SUCCESS", "data/1/claim", "data/.x"})
  void whatOtherWritersAndSystemsLeaveIsNoHindrance(String file) throws Exception {
    Path left = folder.resolve("x.weft").resolve(file);
    Files.createDirectories(left.getParent());
    Files.writeString(left, "");
    TensorFiles.checkOutput(faulty, uri(), false);
    write(Existing.REFUSE, NEW);
    assertThat(Tensors.read(faulty, uri())).isEqualTo(Tensors.describe(NEW));
  }

  @Test
  void errorsNameTheTensorAsItWasNamed() throws Exception {
    String named = "faulty:" + folder + "//x.weft";
    FaultyFileSystem.fault = Fault.CREATE_FAILS;
    assertThatThrownBy(() -> TensorFiles.checkOutput(faulty, named, false))
        .hasMessageStartingWith(named + ": ");
    FaultyFileSystem.fault = Fault.RENAME_THROWS;
    assertThatThrownBy(
            () -> {
              try (TensorOutput output = begin(faulty, named, Existing.REFUSE)) {
                output.write(OLD);
                output.commit();
              }
            })
        .hasMessageStartingWith(named + "/manifest-1.json: ");
    FaultyFileSystem.fault = Fault.NONE;
    write(Existing.REFUSE, OLD);
    FaultyFileSystem.fault = Fault.CREATE_FAILS;
    assertThatThrownBy(() -> TensorFiles.checkAppend(faulty, named))
        .hasMessageStartingWith(named + ": ");
    Files.writeString(folder.resolve("x.weft/manifest-1.json"), "no manifest");
    assertThatThrownBy(() -> Tensors.read(faulty, named))
        .hasMessageStartingWith(named + "/manifest-1.json: ");
    for (String version : List.of(named + "@1", named + "/manifest-1.json")) {
      assertThatThrownBy(() -> Tensors.read(faulty, version))
          .hasMessageStartingWith(named + "/manifest-1.json: ");
    }
  }

  @Test
  void anUnknownOutcomeRemovesNothing() throws Exception {
    FaultyFileSystem.fault = Fault.RENAME_THROWS_AND_NOTHING_ANSWERS;
    assertCode(() -> write(Existing.REFUSE, NEW), ErrorCode.COMMIT_STATE_UNKNOWN);
    assertThat(names(folder)).anyMatch(name -> name.endsWith("part-00000.bin"));
  }

  @ParameterizedTest
  @EnumSource(names = {"REFUSE", "REPLACE", "APPEND", "KEEP"})
  void ofTwoWritersOneWinsAndTheOtherIsTold(Existing existing) throws Exception {
    if (existing == Existing.APPEND) {
      write(Existing.REFUSE, OLD);
    }
    try (TensorOutput first = begin(faulty, existing);
        TensorOutput second = begin(faulty, existing)) {
      first.write(NEW);
      second.write(OLD);
      assertThat(second.commit()).isTrue();
      if (existing == Existing.KEEP) {
        assertThat(first.commit()).isFalse();
      } else {
        assertCode(first::commit, ErrorCode.COMMIT_CONFLICT);
      }
    }
    List<String> read = Tensors.read(faulty, uri());
    assertThat(read).containsAll(Tensors.describe(OLD)).doesNotContainAnyElementsOf(onlyNew());
    int versions = existing == Existing.APPEND ? 2 : 1;
    assertThat(names(folder).stream().filter(name -> name.endsWith(".bin"))).hasSize(versions);
  }

  private static List<String> onlyNew() {
    List<String> only = new ArrayList<>(Tensors.describe(NEW));
    only.removeAll(Tensors.describe(OLD));
    return only;
  }

  /** Two versions came and the one in between went while a writer was at work. */
  @Test
  void aWriterThatWasOvertakenByAnExpiredVersionIsToldToo() throws Exception {
    write(Existing.REFUSE, OLD);
    try (TensorOutput slow = begin(faulty, Existing.APPEND)) {
      slow.write(NEW);
      write(Existing.APPEND, NEW);
      write(Existing.REPLACE, OLD);
      ContainerGarbage.collect(faulty, uri(), Duration.ZERO, Duration.ofDays(1), false);
      assertCode(slow::commit, ErrorCode.COMMIT_CONFLICT);
    }
    assertThat(Tensors.read(faulty, uri())).isEqualTo(Tensors.describe(OLD));
    assertThat(names(folder)).contains("x.weft/manifest-3.json");
    assertThat(names(folder)).doesNotContain("x.weft/manifest-2.json");
  }

  @Test
  void filesThatWereRemovedUnderAWriterAreNotPublished() throws Exception {
    try (TensorOutput output = begin(faulty, Existing.REFUSE)) {
      output.write(NEW);
      ContainerGarbage.collect(faulty, uri(), null, Duration.ZERO, false);
      assertThatThrownBy(output::commit)
          .isInstanceOfSatisfying(
              WeftException.class,
              e ->
                  assertThat(e.code())
                      .isIn(ErrorCode.COMMIT_FAILED, ErrorCode.STORAGE_UNAVAILABLE));
    }
    assertCode(() -> Tensors.read(faulty, uri()), ErrorCode.INPUT_NOT_FOUND);
  }

  /** On the local file system itself: the one with the faults has no rename that refuses. */
  @Test
  void manyWritersAtOnceMakeOneVersionEachThatWon() throws Exception {
    FileAccess local = FileAccess.local();
    String target = folder.resolve("x.weft").toString();
    write(Existing.REFUSE, OLD);
    ExecutorService pool = Executors.newFixedThreadPool(4);
    List<Future<Boolean>> writers = new ArrayList<>();
    for (int w = 0; w < 12; w++) {
      Callable<Boolean> writer =
          () -> {
            try (TensorOutput output = begin(local, target, Existing.APPEND)) {
              output.write(NEW);
              output.commit();
              return true;
            } catch (WeftException e) {
              assertThat(e.code()).as(e.getMessage()).isEqualTo(ErrorCode.COMMIT_CONFLICT);
              return false;
            }
          };
      writers.add(pool.submit(writer));
    }
    int won = 0;
    for (Future<Boolean> writer : writers) {
      won += writer.get(1, TimeUnit.MINUTES) ? 1 : 0;
    }
    pool.shutdown();
    Container container = Container.open(local, target);
    assertThat(container.version()).isEqualTo(1 + won);
    assertThat(container.entries()).isEqualTo(OLD.size() + (long) won * NEW.size());
    assertThat(names(folder).stream().filter(name -> name.endsWith(".bin"))).hasSize(1 + won);
    assertThat(Tensors.read(local, target)).hasSize(OLD.size() + won * NEW.size());
  }

  /** What happens elsewhere after the next rename. */
  private static void afterRename(FaultyFileSystem.Meanwhile meanwhile) {
    FaultyFileSystem.afterRename =
        () -> {
          FaultyFileSystem.afterRename = null;
          meanwhile.run();
        };
  }

  /** A version made from ours between our commit and our look back is no competitor. */
  @Test
  void aVersionThatGoesOnFromOursDoesNotUndoIt() throws Exception {
    write(Existing.REFUSE, OLD);
    afterRename(() -> write(Existing.APPEND, NEW));
    write(Existing.APPEND, NEW);
    assertThat(Container.open(faulty, uri()).version()).isEqualTo(3);
    assertThat(Tensors.read(faulty, uri())).hasSize(OLD.size() + 2 * NEW.size());
  }

  /** Committed is committed, also if the next version expires while we look back. */
  @Test
  void aLaterVersionThatExpiresUnderOurLookDoesNotFailUs() throws Exception {
    write(Existing.REFUSE, OLD);
    afterRename(
        () -> {
          write(Existing.APPEND, NEW);
          write(Existing.APPEND, NEW);
          FaultyFileSystem.vanishing = "manifest-3.json";
        });
    write(Existing.APPEND, NEW);
    assertThat(FaultyFileSystem.vanishing).isNull();
    assertThat(Container.open(faulty, uri()).version()).isEqualTo(4);
    assertThat(Tensors.read(faulty, uri())).hasSize(OLD.size() + 3 * NEW.size());
    afterRename(
        () -> {
          write(Existing.APPEND, NEW);
          FaultyFileSystem.vanishing = "manifest-6.json";
        });
    write(Existing.APPEND, NEW);
    assertThat(Container.open(faulty, uri()).version()).isEqualTo(5);
  }

  @Test
  void appendingSharesTheFilesOfTheVersionBefore() throws Exception {
    CooBlock more = NEW.slice(0, 10);
    write(Existing.REFUSE, OLD);
    byte[] first = Files.readAllBytes(folder.resolve("x.weft/data/1/part-00000.bin"));
    write(Existing.APPEND, more);
    Container container = Container.open(faulty, uri());
    assertThat(container.version()).isEqualTo(2);
    assertThat(container.entries()).isEqualTo(OLD.size() + 10);
    assertThat(container.isDistinct()).isFalse();
    assertThat(container.statistics().entries()).isEqualTo(OLD.size() + 10);
    assertThat(container.statistics().histogram(0).total()).isEqualTo(OLD.size() + 10);
    List<String> all = new ArrayList<>(Tensors.describe(OLD));
    all.addAll(Tensors.describe(more));
    assertThat(Tensors.read(faulty, uri())).isEqualTo(all);
    assertThat(Files.readAllBytes(folder.resolve("x.weft/data/1/part-00000.bin"))).isEqualTo(first);
    assertThat(ContainerGarbage.collect(faulty, uri(), Duration.ZERO, Duration.ZERO, false))
        .extracting(ContainerGarbage.Removed::why)
        .containsExactly("expired version");
    assertThat(Tensors.read(faulty, uri())).isEqualTo(all);
    assertCode(() -> Tensors.read(faulty, uri() + "/manifest-1.json"), ErrorCode.INPUT_NOT_FOUND);
  }

  @Test
  void newSlicesKeepPartsDistinct() throws Exception {
    CooBlock.Builder next = new CooBlock.Builder(2, 4);
    next.add(new long[] {35, 2}, 1);
    write(Existing.REFUSE, OLD);
    try (TensorOutput output =
        TensorFiles.create(faulty, uri(), Existing.APPEND, 2, WriteOptions.defaults())) {
      output.write(next.build());
      output.commit();
    }
    Container container = Container.open(faulty, uri());
    assertThat(container.isDistinct()).isTrue();
    assertThat(container.shape()).isEqualTo(TensorShape.of(36, 4));
  }

  @Test
  void expiredVersionsGoWithTheirFilesAndTheNewestStays() throws Exception {
    write(Existing.REFUSE, OLD);
    write(Existing.REPLACE, NEW);
    write(Existing.REPLACE, OLD);
    assertThat(ContainerGarbage.collect(faulty, uri(), Duration.ofHours(1), Duration.ZERO, false))
        .isEmpty();
    assertThat(ContainerGarbage.collect(faulty, uri(), Duration.ZERO, Duration.ZERO, true))
        .hasSize(6);
    assertThat(names(folder)).hasSize(9);
    ContainerGarbage.collect(faulty, uri(), Duration.ZERO, Duration.ZERO, false);
    assertThat(names(folder))
        .containsExactly(
            "x.weft/data/3/claim", "x.weft/data/3/part-00000.bin", "x.weft/manifest-3.json");
    assertThat(Tensors.read(faulty, uri())).isEqualTo(Tensors.describe(OLD));
  }

  /** A writer dies by SIGKILL: nothing is visible, and gc removes what it left. */
  @Test
  void aKilledWriterLeavesNothingVisibleAndGcRemovesIt() throws Exception {
    String local = folder.resolve("k.weft").toString();
    for (Existing existing : List.of(Existing.REFUSE, Existing.APPEND)) {
      Process writer = start(EndlessWriter.class, local, existing.name());
      assertThat(writer.getInputStream().read()).isEqualTo('w');
      writer.destroyForcibly().waitFor();
      if (existing == Existing.REFUSE) {
        assertThatThrownBy(() -> Tensors.read(Entries.ACCESS, local))
            .hasMessageContaining("only data of a writer that is at work or was killed");
      } else {
        assertThat(Tensors.read(Entries.ACCESS, local)).isEqualTo(Tensors.describe(OLD));
      }
      assertThat(names(folder)).anyMatch(name -> name.endsWith(".bin"));
      assertThat(ContainerGarbage.collect(Entries.ACCESS, local, null, Duration.ofDays(1), false))
          .as("within the grace period")
          .isEmpty();
      ContainerGarbage.collect(Entries.ACCESS, local, null, Duration.ZERO, false);
      if (existing == Existing.REFUSE) {
        assertThat(new File(local)).doesNotExist();
        Tensors.write(Entries.ACCESS, local, false, SHAPE, List.of(OLD));
      } else {
        assertThat(names(folder))
            .containsExactly(
                "k.weft/data/1/claim", "k.weft/data/1/part-00000.bin", "k.weft/manifest-1.json");
      }
    }
  }

  /** The process is told to end while the writer claims a folder for its files. */
  @Test
  void aWriterThatEndsAsItBeginsLeavesNothing() throws Exception {
    Process writer = start(EndingWriter.class, uri());
    assertThat(writer.waitFor()).isEqualTo(3);
    assertThat(names(folder)).isEmpty();
  }

  private static Process start(Class<?> main, String... arguments) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  /** Is told to end when its claim is on disk, and takes some time to go on. */
  static final class EndingWriter {
    public static void main(String[] arguments) throws Exception {
      FaultyFileSystem.journal =
          new ArrayList<>() {
            @Override
            public boolean add(String event) {
              if (event.equals("sync claim")) {
                new Thread(() -> System.exit(3)).start();
                try {
                  Thread.sleep(2_000);
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
              }
              return super.add(event);
            }
          };
      begin(FaultyFileSystem.access(), arguments[0], Existing.REFUSE).commit();
      throw new IllegalStateException("the process goes on");
    }
  }

  /** Writes parts until it is killed; says so once the first is on disk. */
  static final class EndlessWriter {
    public static void main(String[] arguments) throws Exception {
      WriteOptions options =
          WriteOptions.defaults()
              .withContainer(ContainerOptions.defaults().withPartEntries(10_000));
      try (TensorOutput output =
          TensorFiles.create(
              Entries.ACCESS, arguments[0], Existing.valueOf(arguments[1]), 2, options)) {
        CooBlock block = Tensors.sorted(SHAPE, Tensors.random(SHAPE, 40, new Random(1)));
        for (long written = 0; ; written += block.size()) {
          output.write(block);
          if (written > 50_000) {
            System.out.write('w');
            System.out.flush();
            Thread.sleep(60_000);
          }
        }
      }
    }
  }
}
