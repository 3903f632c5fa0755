package org.weft.storage.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.net.ConnectException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.Entries;

/** Whole or not at all, on the local file system and on one that fails in every way. */
class OutputCommitTest {
  @TempDir Path folder;

  private final FileAccess faulty = FaultyFileSystem.access();

  @BeforeEach
  @AfterEach
  void noFault() {
    FaultyFileSystem.fault = FaultyFileSystem.Fault.NONE;
    FaultyFileSystem.sparedRenames = 0;
  }

  private String local(String name) {
    return folder.resolve(name).toString();
  }

  private String faulty(String name) {
    return "faulty:" + folder.resolve(name);
  }

  private List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(f -> f.getFileName().toString()).sorted().toList();
    }
  }

  private String contents(String name) throws IOException {
    return Files.readString(folder.resolve(name));
  }

  /** A pipe stands for all devices: a file in the place of a system's would be felt by others. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aDeviceTakesBytesAndStays(boolean overwrite) throws Exception {
    Path pipe = folder.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    CompletableFuture<String> read =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return Files.readString(pipe);
              } catch (IOException e) {
                return e.toString();
              }
            });
    OutputCommit.probe(FileAccess.local(), local("pipe"), overwrite, false);
    try (OutputCommit output = OutputCommit.begin(FileAccess.local(), local("pipe"), overwrite)) {
      write(output.create(), "bytes");
      assertThat(output.commit()).isTrue();
    }
    assertThat(read.get(60, TimeUnit.SECONDS)).isEqualTo("bytes");
    try (OutputCommit output = OutputCommit.begin(FileAccess.local(), local("pipe"), overwrite)) {
      assertThatThrownBy(output::createDirectory)
          .isInstanceOfSatisfying(
              WeftException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.OUTPUT_EXISTS));
    }
    assertThat(Devices.isDevice(FileAccess.local(), local("pipe"))).isTrue();
    assertThat(Devices.isDevice(FileAccess.local(), "/dev/null")).isTrue();
    assertThat(Devices.isDevice(FileAccess.local(), folder.toString())).isFalse();
    assertThat(Devices.isDevice(FileAccess.local(), local("none"))).isFalse();
    assertThat(names()).containsExactly("pipe");
  }

  /** Links may follow each other, and lead to what is not there yet. */
  @Test
  void aSymbolicLinkStaysAndTheOutputIsWhereItLeads() throws IOException {
    Path there = Files.createDirectory(folder.resolve("there"));
    for (String name : List.of("file", "next", "folder")) {
      Files.createSymbolicLink(
          folder.resolve(name), name.equals("next") ? Path.of("file") : Path.of("there", name));
    }
    for (String text : List.of("new", "replaced")) {
      writeFile(Entries.ACCESS, local("next"), true, text);
      writeFolder(Entries.ACCESS, local("folder"), true, text);
      assertThat(there.resolve("file")).hasContent(text);
      assertThat(there.resolve("folder/part")).hasContent(text);
    }
    assertCode(() -> writeFile(Entries.ACCESS, local("next"), false, "-"), ErrorCode.OUTPUT_EXISTS);
    for (String name : List.of("file", "next", "folder")) {
      assertThat(folder.resolve(name)).isSymbolicLink();
    }
    assertThat(names()).containsExactly("file", "folder", "next", "there");
  }

  private static void write(OutputStream out, String text) throws IOException {
    try (out) {
      out.write(text.getBytes(StandardCharsets.UTF_8));
    }
  }

  private static void writeFile(FileAccess access, String uri, boolean overwrite, String text)
      throws IOException {
    try (OutputCommit output = OutputCommit.begin(access, uri, overwrite)) {
      write(output.create(), text);
      output.commit();
    }
  }

  private static void writeFolder(FileAccess access, String uri, boolean overwrite, String text)
      throws IOException {
    try (OutputCommit output = OutputCommit.begin(access, uri, overwrite)) {
      write(output.createChild("part"), text);
      output.commit();
    }
  }

  private static void assertCode(
      org.assertj.core.api.ThrowableAssert.ThrowingCallable call, ErrorCode code) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            WeftException.class, e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(code));
  }

  /** Hidden names, and that of a check sum beside the target, may be longer than its own. */
  @ParameterizedTest
  @ValueSource(ints = {100, 210, 249, 250, 251, 254, 255})
  void namesThatTheFileSystemStoresArePublished(int bytes) throws IOException {
    for (String letter : List.of("n", "\u00e9", "\u4f8b", "\ud83e\uddf6")) {
      int each = letter.getBytes(StandardCharsets.UTF_8).length;
      String name = letter.repeat(bytes / each) + "x".repeat(bytes % each);
      for (boolean overwrite : new boolean[] {false, true}) {
        writeFile(FileAccess.local(), local(name), overwrite, "file");
        writeFolder(FileAccess.local(), local("in/" + name), overwrite, "folder");
      }
      assertThat(contents(name)).isEqualTo("file");
      assertThat(contents("in/" + name + "/part")).isEqualTo("folder");
      Files.delete(folder.resolve(name));
    }
    assertThat(names()).containsExactly("in");
  }

  @ParameterizedTest
  @ValueSource(ints = {256, 300, 5000})
  void longerNamesAreRefusedAtOnce(int bytes) throws IOException {
    for (String uri :
        List.of("n".repeat(bytes), "in/" + "n".repeat(bytes), "in/" + "n".repeat(bytes) + "/x")) {
      for (Existing existing : Existing.values()) {
        assertThatThrownBy(() -> OutputCommit.begin(FileAccess.local(), local(uri), existing))
            .isInstanceOfSatisfying(
                WeftException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.USAGE))
            .hasMessageContaining("expected names of at most 255 bytes");
      }
    }
    assertThat(names()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void publishesOnCommitAndNotBefore(boolean onLocal) throws IOException {
    String uri = onLocal ? local("a b%20#.txt") : faulty("a b%20#.txt");
    try (OutputCommit output = OutputCommit.begin(onLocal ? Entries.ACCESS : faulty, uri, false)) {
      write(output.create(), "text");
      assertThat(Files.exists(folder.resolve("a b%20#.txt"))).isFalse();
      assertThat(output.commit()).isTrue();
    }
    assertThat(names()).containsExactly("a b%20#.txt");
    assertThat(contents("a b%20#.txt")).isEqualTo("text");
  }

  @Test
  void abortLeavesNothingNotEvenFolders() throws IOException {
    try (OutputCommit output = OutputCommit.begin(Entries.ACCESS, local("x/y/z.txt"), false)) {
      output.create().write(1);
    }
    try (OutputCommit output = OutputCommit.begin(Entries.ACCESS, local("x/y"), false)) {
      output.createChild("part").write(1);
    }
    assertThat(names()).isEmpty();
  }

  /** The folders above them go with one that is aborted, while others begin. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void outputsInAFolderThatComesAndGoesDoNotDisturbEachOther(boolean asFolder) throws Exception {
    int rounds = Boolean.getBoolean("weft.long") ? 200 : 60;
    CyclicBarrier together = new CyclicBarrier(4);
    List<CompletableFuture<Void>> writers = new ArrayList<>();
    for (int w = 0; w < together.getParties(); w++) {
      String name = "/y/" + w;
      writers.add(
          CompletableFuture.runAsync(
              () -> {
                for (int round = 0; round < rounds; round++) {
                  abortAndCommit(together, local(round + name), asFolder);
                }
              },
              task -> new Thread(task).start()));
    }
    // The first that fails, whose cause is not that others have gone.
    CompletableFuture.anyOf(failed(writers), allOf(writers)).get(5, TimeUnit.MINUTES);
    for (int round = 0; round < rounds; round++) {
      try (Stream<Path> found = Files.list(folder.resolve(round + "/y"))) {
        assertThat(found.map(f -> f.getFileName().toString())).containsOnly("0", "1", "2", "3");
      }
    }
  }

  private static CompletableFuture<Void> allOf(List<CompletableFuture<Void>> writers) {
    return CompletableFuture.allOf(writers.toArray(CompletableFuture[]::new));
  }

  /** Fails with the first that fails. */
  private static CompletableFuture<Void> failed(List<CompletableFuture<Void>> writers) {
    CompletableFuture<Void> first = new CompletableFuture<>();
    for (CompletableFuture<Void> writer : writers) {
      writer.exceptionally(
          failure -> {
            first.completeExceptionally(failure);
            return null;
          });
    }
    return first;
  }

  private static void abortAndCommit(CyclicBarrier together, String uri, boolean asFolder) {
    try {
      together.await(1, TimeUnit.MINUTES);
      try (OutputCommit aborted = OutputCommit.begin(Entries.ACCESS, uri, false)) {
        write(asFolder ? aborted.createChild("part") : aborted.create(), "text");
      }
      if (asFolder) {
        writeFolder(Entries.ACCESS, uri, false, "text");
      } else {
        writeFile(Entries.ACCESS, uri, false, "text");
      }
    } catch (Exception e) {
      together.reset(); // the others wait no longer
      throw new IllegalStateException(e.getMessage(), e);
    }
  }

  @Test
  void aWithdrawnOutputIsGoneUnlessItReplacedAnother() throws IOException {
    try (OutputCommit output = OutputCommit.begin(Entries.ACCESS, local("x/y.txt"), true)) {
      write(output.create(), "new");
      output.commit();
      output.withdraw();
    }
    assertThat(names()).isEmpty();
    writeFile(Entries.ACCESS, local("y.txt"), false, "old");
    try (OutputCommit output = OutputCommit.begin(Entries.ACCESS, local("y.txt"), true)) {
      write(output.create(), "new");
      output.commit();
      output.withdraw();
    }
    assertThat(contents("y.txt")).isEqualTo("new");
  }

  @Test
  void refusesExistingOutputUnlessOverwriting() throws IOException {
    writeFile(Entries.ACCESS, local("a"), false, "old");
    assertCode(() -> writeFile(Entries.ACCESS, local("a"), false, "new"), ErrorCode.OUTPUT_EXISTS);
    assertThat(contents("a")).isEqualTo("old");
    writeFile(Entries.ACCESS, local("a"), true, "new");
    assertThat(contents("a")).isEqualTo("new");
    assertThat(names()).containsExactly("a");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void replacesFoldersOfFilesAndNothingElse(boolean onLocal) throws IOException {
    FileAccess access = onLocal ? Entries.ACCESS : faulty;
    String uri = onLocal ? local("d") : faulty("d");
    writeFolder(access, uri, true, "old");
    writeFolder(access, uri, true, "new");
    assertThat(contents("d/part")).isEqualTo("new");
    assertThat(names()).containsExactly("d");
    assertCode(() -> writeFile(access, uri, true, "f"), ErrorCode.OUTPUT_EXISTS);
    Files.createDirectory(folder.resolve("d/home"));
    assertCode(() -> writeFolder(access, uri, true, "third"), ErrorCode.OUTPUT_EXISTS);
    assertThat(contents("d/part")).isEqualTo("new");
    assertThat(names()).containsExactly("d");
  }

  @Test
  void removesAStaleChecksumOfWhatItReplaces() throws IOException {
    Files.writeString(folder.resolve("a"), "old");
    Files.writeString(folder.resolve(".a.crc"), "of old");
    writeFile(Entries.ACCESS, local("a"), true, "new");
    assertThat(names()).containsExactly("a");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theSecondOfTwoConcurrentWritersIsToldSo(boolean asFolder) throws IOException {
    for (String uri : List.of(local("l"), faulty("f"))) {
      FileAccess access = uri.startsWith("faulty") ? faulty : Entries.ACCESS;
      try (OutputCommit first = OutputCommit.begin(access, uri, false);
          OutputCommit second = OutputCommit.begin(access, uri, false)) {
        write(asFolder ? first.createChild("p") : first.create(), "first");
        write(asFolder ? second.createChild("p") : second.create(), "second");
        assertThat(first.commit()).isTrue();
        assertCode(second::commit, ErrorCode.COMMIT_CONFLICT);
      }
    }
    assertThat(contents(asFolder ? "l/p" : "l")).isEqualTo("first");
    assertThat(contents(asFolder ? "f/p" : "f")).isEqualTo("first");
    assertThat(names()).containsExactly("f", "l");
  }

  @Test
  void aSpeculativeAttemptDoesNotClobberThePublishedOne() throws IOException {
    try (OutputCommit job = OutputCommit.begin(Entries.ACCESS, local("job"), false)) {
      String part = job.stagingUri() + "/part-0";
      try (OutputCommit slow = OutputCommit.attempt(Entries.ACCESS, part);
          OutputCommit fast = OutputCommit.attempt(Entries.ACCESS, part)) {
        write(slow.create(), "slow");
        write(fast.create(), "fast");
        assertThat(fast.commit()).isTrue();
        assertThat(slow.commit()).isFalse();
      }
      try (OutputCommit late = OutputCommit.attempt(Entries.ACCESS, part)) {
        write(late.create(), "late");
        assertThat(late.commit()).isFalse();
      }
      try (OutputCommit failed = OutputCommit.attempt(Entries.ACCESS, part + "1")) {
        failed.create().write(1);
      }
      job.commit();
    }
    assertThat(contents("job/part-0")).isEqualTo("fast");
    assertThat(Files.list(folder.resolve("job"))).hasSize(1);
  }

  @Test
  void aTaskThatOutlivesItsJobLeavesNothing() throws IOException {
    String part;
    try (OutputCommit job = OutputCommit.begin(Entries.ACCESS, local("job"), false)) {
      part = job.stagingUri() + "/part-0";
    }
    assertCode(() -> OutputCommit.attempt(Entries.ACCESS, part), ErrorCode.COMMIT_FAILED);
    assertThat(names()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "RENAME_FALSE, COMMIT_FAILED",
    "RENAME_THROWS, COMMIT_FAILED",
    "RENAME_LOSES_THE_FILE, COMMIT_STATE_UNKNOWN",
    "TARGET_APPEARS, COMMIT_CONFLICT",
    "CLOSE_FAILS, STORAGE_UNAVAILABLE",
    "WRITE_FAILS_HALF_WAY, STORAGE_UNAVAILABLE",
    "WRITE_THROWS_ERROR, STORAGE_UNAVAILABLE",
    "CREATE_FAILS, STORAGE_UNAVAILABLE"
  })
  void tellsFailuresApartAndLeavesNothing(FaultyFileSystem.Fault fault, ErrorCode code)
      throws IOException {
    FaultyFileSystem.fault = fault;
    assertCode(() -> writeFile(faulty, faulty("a"), false, "text"), code);
    boolean theirs = fault == FaultyFileSystem.Fault.TARGET_APPEARS;
    assertThat(names()).isEqualTo(theirs ? List.of("a") : List.of());
    if (!theirs) {
      assertCode(() -> writeFolder(faulty, faulty("d"), false, "text"), code);
      assertThat(names()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"RENAME_SUCCEEDS_THEN_FALSE", "RENAME_SUCCEEDS_THEN_THROWS"})
  void aRenameThatHappenedIsACommitWhateverItAnswered(String fault) throws IOException {
    FaultyFileSystem.fault = FaultyFileSystem.Fault.valueOf(fault);
    writeFile(faulty, faulty("a"), false, "text");
    writeFolder(faulty, faulty("d"), false, "text");
    assertThat(contents("a")).isEqualTo("text");
    assertThat(contents("d/part")).isEqualTo("text");
    assertThat(names()).containsExactly("a", "d");
    writeFile(faulty, faulty("a"), true, "new");
    writeFolder(faulty, faulty("d"), true, "new");
    assertThat(contents("a")).isEqualTo("new");
    assertThat(contents("d/part")).isEqualTo("new");
    assertThat(names()).containsExactly("a", "d");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aProbeFindsWhatCannotBeWrittenAndLeavesNothing(boolean asFolder) throws IOException {
    OutputCommit.probe(faulty, faulty("x/y"), false, asFolder);
    assertThat(names()).isEmpty();
    for (FaultyFileSystem.Fault fault : List.of(FaultyFileSystem.Fault.CREATE_FAILS)) {
      FaultyFileSystem.fault = fault;
      assertCode(
          () -> OutputCommit.probe(faulty, faulty("x/y"), false, asFolder),
          ErrorCode.STORAGE_UNAVAILABLE);
      assertThat(names()).as(fault.name()).isEmpty();
    }
    assertCode(
        () -> OutputCommit.probe(Entries.ACCESS, "/proc/x", false, asFolder),
        ErrorCode.STORAGE_UNAVAILABLE);
    assertThatThrownBy(() -> OutputCommit.probe(Entries.ACCESS, "/proc/x", false, asFolder))
        .hasMessageStartingWith("/proc/x: ")
        .hasMessageNotContaining("file:/");
  }

  /** One that leads to what is not there, into a circle, or to itself. */
  @ParameterizedTest
  @CsvSource({"nowhere/deep, false", "circle, true", "link, true", "circle, false"})
  void aLinkAboveAnOutputThatLeadsToNoFolderIsTold(String target, boolean asFolder)
      throws IOException {
    Files.createSymbolicLink(folder.resolve("circle"), Path.of("link"));
    Files.createSymbolicLink(folder.resolve("link"), Path.of(target));
    for (String uri : List.of(local("link/x"), local("link/more/x"))) {
      assertCode(() -> OutputCommit.probe(Entries.ACCESS, uri, false, asFolder), ErrorCode.USAGE);
      assertThatThrownBy(() -> OutputCommit.probe(Entries.ACCESS, uri, false, asFolder))
          .hasMessageContaining(": expected folders above it, found a link that leads to none");
    }
    assertThat(names()).containsExactly("circle", "link");
  }

  @Test
  void namesMayHaveColons() throws IOException {
    writeFile(Entries.ACCESS, local("a:b"), false, "text");
    writeFolder(Entries.ACCESS, local("c:d"), false, "text");
    writeFile(Entries.ACCESS, local("a:b"), true, "new");
    assertThat(contents("a:b")).isEqualTo("new");
    assertThat(names()).containsExactly("a:b", "c:d");
  }

  @Test
  void anOutputThatIsGivenUpIsGoneAndCannotBeCommitted() throws IOException {
    try (OutputCommit output = OutputCommit.begin(Entries.ACCESS, local("x/a"), false)) {
      OutputStream out = output.create();
      out.write(1);
      output.giveUp();
      assertThat(names()).isEmpty();
      out.write(2);
      assertCode(output::commit, ErrorCode.INTERRUPTED);
    }
    try (OutputCommit output = OutputCommit.begin(Entries.ACCESS, local("b"), false)) {
      write(output.create(), "text");
      output.commit();
      output.giveUp();
    }
    assertThat(names()).containsExactly("b");
  }

  /** A file that tasks make; one of them is killed while it writes. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatAKilledTaskLeavesGoesWithTheCommit(boolean commits) throws IOException {
    try (OutputCommit driver = OutputCommit.begin(Entries.ACCESS, local("x.tns"), false)) {
      String staged = driver.stagedFile();
      assertThat(staged).endsWith("/x.tns");
      // What a task calls it: the path, as in one process, and not Hadoop's URI of it.
      try (OutputCommit task = OutputCommit.attempt(Entries.ACCESS, staged)) {
        assertThat(task.uri()).startsWith("/").endsWith("/x.tns").doesNotContain(".weft-tmp");
      }
      write(OutputCommit.attempt(Entries.ACCESS, staged).create(), "ki");
      try (OutputCommit again = OutputCommit.attempt(Entries.ACCESS, staged)) {
        write(again.create(), "text");
        again.commit();
      }
      if (commits) {
        driver.commit();
      }
    }
    assertThat(names()).isEqualTo(commits ? List.of("x.tns") : List.of());
    if (commits) {
      assertThat(folder.resolve("x.tns")).hasContent("text");
    }
  }

  @Test
  void aFolderIsPublishedWithoutWhatAKilledTaskLeft() throws IOException {
    try (OutputCommit driver = OutputCommit.begin(Entries.ACCESS, local("model"), false)) {
      write(driver.createChild("a.npy"), "text");
      String part = driver.stagingUri() + "/b.npy";
      write(OutputCommit.attempt(Entries.ACCESS, part).create(), "ki");
      driver.commit();
    }
    try (Stream<Path> published = Files.list(folder.resolve("model"))) {
      assertThat(published.map(Path::getFileName)).containsExactly(Path.of("a.npy"));
    }
  }

  @Test
  void whatAKilledDriverLeftADayAgoGoesWithTheNextOutput() throws IOException {
    String id = ".0f8fad5b-d9cb-469f-a165-70867728950e.weft-tmp";
    Path aside = Files.createDirectory(folder.resolve(".x.tns" + id.replace("tmp", "old")));
    Path old = Files.createDirectory(folder.resolve(".x.tns" + id));
    Path within = Files.writeString(old.resolve("x.tns"), "old");
    Path young = Files.writeString(folder.resolve(".x.tns" + id.replace('0', '1')), "young");
    Path other = Files.writeString(folder.resolve(".xx.tns" + id), "another's");
    FileTime dayAgo = FileTime.from(Instant.now().minus(Duration.ofHours(25)));
    for (Path file : List.of(within, old, other, aside)) {
      Files.setLastModifiedTime(file, dayAgo);
    }
    writeFile(Entries.ACCESS, local("x.tns"), false, "text");
    assertThat(names())
        .containsExactlyInAnyOrder(
            "x.tns", young.getFileName().toString(), other.getFileName().toString());
  }

  /** A process of a workflow's step is killed after each rename that replaces a folder. */
  @Test
  void anOldVersionThatAKilledOwnerMovedAsideComesBackOrGoes() throws IOException {
    String owner = AbandonedOutputs.owner("step");
    String id = owner + "-d9cb-469f-a165-70867728950e.weft-old";
    writeFolder(Entries.ACCESS, local(".model." + id), false, "old");
    writeFolder(Entries.ACCESS, local(".another." + id), false, "another's");
    AbandonedOutputs.removeOf(Entries.ACCESS, local("model"), owner);
    assertThat(names()).containsExactlyInAnyOrder("model", ".another." + id);
    assertThat(contents("model/part")).isEqualTo("old");
    writeFolder(Entries.ACCESS, local(".model." + id), false, "older");
    AbandonedOutputs.removeOf(Entries.ACCESS, local("model"), owner);
    assertThat(names()).containsExactlyInAnyOrder("model", ".another." + id);
    assertThat(contents("model/part")).isEqualTo("old");
  }

  @ParameterizedTest
  @CsvSource({
    "'No space left on device', the disk is full",
    "'org.apache.hadoop.hdfs.server.namenode.SafeModeException: Name node is in safe mode.', 'HDFS is in safe mode'",
    "'Read-only file system', read-only",
    "'Permission denied: user=a, access=WRITE', access is denied",
    "'/f/.x.tns.0f8fad5b-d9cb-469f-a165-70867728950e.weft-tmp (No such file)', '/f/x.tns (No such file)'"
  })
  void aFaultSaysWhatItIsAndNamesNoHiddenFile(String message, String said) {
    assertThat(FileAccess.unavailable("f/x.tns", new IOException(message)))
        .hasMessageContaining("f/x.tns: ")
        .hasMessageContaining(said)
        .hasMessageNotContaining("weft-tmp");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Connection refused | (Connection refused)",
        "Call From vm/127.0.0.1 to localhost:9 failed on connection exception:"
            + " java.net.ConnectException: Connection refused; For more details see:  http://x"
            + " | (Connection refused)"
      })
  void aFileSystemThatDoesNotAnswerIsNamedByItsAddress(String message, String said) {
    assertThat(FileAccess.unavailable("hdfs://h:9/x.tns", new ConnectException(message)))
        .hasMessageContaining("hdfs://h:9/x.tns: expected a file system at this address")
        .hasMessageContaining(said);
  }

  @Test
  void anUnknownOutcomeDeletesNothing() throws IOException {
    FaultyFileSystem.fault = FaultyFileSystem.Fault.RENAME_THROWS_AND_NOTHING_ANSWERS;
    assertCode(() -> writeFile(faulty, faulty("a"), false, "text"), ErrorCode.COMMIT_STATE_UNKNOWN);
    assertThat(names()).hasSize(1).allMatch(name -> name.endsWith(".weft-tmp"));
  }

  @ParameterizedTest
  @CsvSource({"RENAME_FALSE, 0", "RENAME_THROWS, 0", "RENAME_FALSE, 1", "RENAME_THROWS, 1"})
  void aFailedReplacementKeepsTheOldVersion(FaultyFileSystem.Fault fault, int spared)
      throws IOException {
    writeFile(faulty, faulty("a"), false, "old");
    writeFolder(faulty, faulty("d"), false, "old");
    for (String name : List.of("a", "d")) {
      FaultyFileSystem.fault = fault;
      FaultyFileSystem.sparedRenames = spared;
      // The rename that puts the old version back fails as well when the first was spared.
      ErrorCode expected = spared == 0 ? ErrorCode.COMMIT_FAILED : ErrorCode.COMMIT_STATE_UNKNOWN;
      assertCode(
          () -> {
            if (name.equals("a")) {
              writeFile(faulty, faulty(name), true, "new");
            } else {
              writeFolder(faulty, faulty(name), true, "new");
            }
          },
          expected);
    }
    List<String> all = names();
    if (spared == 0) {
      assertThat(all).containsExactly("a", "d");
      assertThat(contents("a")).isEqualTo("old");
      assertThat(contents("d/part")).isEqualTo("old");
    } else {
      assertThat(all).hasSize(4);
    }
  }

  /** Two processes overwrite one folder: the other has moved the old version aside already. */
  @Test
  void whatSomebodyElseHasMovedAwayNeedsNoMove() throws IOException {
    writeFolder(faulty, faulty("d"), false, "old");
    FaultyFileSystem.fault = FaultyFileSystem.Fault.SOURCE_GOES;
    writeFolder(faulty, faulty("d"), true, "new");
    assertThat(names()).containsExactly("d");
    assertThat(contents("d/part")).isEqualTo("new");
  }

  @Test
  void whyARenameFailedIsOneLine() throws IOException {
    FaultyFileSystem.fault = FaultyFileSystem.Fault.RENAME_THROWS_LINES;
    assertThatThrownBy(() -> writeFile(faulty, faulty("a"), false, "text"))
        .hasMessageContaining("(injected: refused); the target is as it was before");
  }

  @Test
  void aFailedWriteThatTheCallerSwallowedIsNotPublished() {
    FaultyFileSystem.fault = FaultyFileSystem.Fault.WRITE_FAILS_HALF_WAY;
    try (OutputCommit output = OutputCommit.begin(faulty, faulty("a"), false)) {
      OutputStream out = output.create();
      assertThatThrownBy(() -> out.write(new byte[10])).isInstanceOf(WeftException.class);
      FaultyFileSystem.fault = FaultyFileSystem.Fault.NONE;
      assertCode(output::commit, ErrorCode.COMMIT_FAILED);
    }
  }
}
