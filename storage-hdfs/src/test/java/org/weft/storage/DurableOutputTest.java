package org.weft.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.storage.file.Existing;
import org.weft.storage.file.FaultyFileSystem;
import org.weft.storage.file.FileAccess;
import org.weft.storage.file.OutputCommit;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/** The bytes of every output are on disk before the rename that publishes them. */
class DurableOutputTest {
  @TempDir Path folder;

  @AfterEach
  void noJournal() {
    FaultyFileSystem.journal = null;
  }

  private static void write(FileAccess files, String uri) throws IOException {
    CooBlock.Builder entries = new CooBlock.Builder(2, 2);
    entries.add(new long[] {0, 1}, 2);
    entries.add(new long[] {1, 0}, 3);
    WriteOptions options = WriteOptions.defaults().withShape(TensorShape.of(2, 2));
    try (TensorOutput output = TensorFiles.create(files, uri, Existing.REFUSE, 2, options)) {
      output.write(entries.build());
      output.commit();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"x.tns", "x.tns.gz", "x.mtx", "x.wtb", "x.weft"})
  void everyFileIsSynchronisedAfterItsLastByte(String name) throws IOException {
    List<String> journal = new ArrayList<>();
    FaultyFileSystem.journal = journal;
    write(FaultyFileSystem.access(), "faulty:" + folder.resolve(name));
    Set<String> written =
        journal.stream()
            .filter(event -> event.startsWith("write "))
            .map(event -> event.substring("write ".length()))
            .collect(Collectors.toSet());
    assertThat(written).hasSizeGreaterThanOrEqualTo(name.equals("x.weft") ? 2 : 1);
    int published = journal.lastIndexOf("rename");
    for (String file : written) {
      assertThat(journal.lastIndexOf("sync " + file))
          .as("%s in %s", file, journal)
          .isGreaterThan(journal.lastIndexOf("write " + file))
          .isLessThan(published);
    }
  }

  @Test
  void foldersToo() throws IOException {
    List<String> journal = new ArrayList<>();
    FaultyFileSystem.journal = journal;
    String uri = "faulty:" + folder.resolve("f");
    try (OutputCommit output = OutputCommit.begin(FaultyFileSystem.access(), uri, false)) {
      for (String name : List.of("a", "b")) {
        output.createChild(name).write(1);
      }
      output.commit();
    }
    assertThat(journal).containsExactly("write a", "write b", "sync a", "sync b", "rename");
  }

  /** What the local file system is asked, by the JVM's own record of it. */
  @Test
  void localFilesAndTheFolderOfTheirNamesAreSynchronised() throws IOException {
    Path record = folder.resolve("record.jfr");
    try (Recording recording = new Recording()) {
      recording.enable("jdk.FileForce").withThreshold(Duration.ZERO).withoutStackTrace();
      recording.start();
      write(FileAccess.local(), folder.resolve("out/x.tns").toString());
      recording.stop();
      recording.dump(record);
    }
    List<String> forced =
        RecordingFile.readAllEvents(record).stream().map(event -> event.getString("path")).toList();
    assertThat(forced).anyMatch(path -> path.matches(".*/out/\\.x\\.tns\\.[^/]*\\.weft-tmp"));
    assertThat(forced).contains(folder.resolve("out").toString(), folder.toString());
  }
}
