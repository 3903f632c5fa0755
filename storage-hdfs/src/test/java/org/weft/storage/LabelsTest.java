package org.weft.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.error.WeftException;

class LabelsTest {
  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"labels.txt", "labels.map.gz"})
  void writesAndReads(String name) throws Exception {
    List<String> labels = List.of("plain", "", " blanks kept ", "ünï code", "# not a comment");
    String uri = folder.resolve(name).toString();
    try (OutputCommit output = OutputCommit.begin(Entries.ACCESS, uri, false)) {
      Labels.of(labels).write(output);
      output.commit();
    }
    Labels read = Labels.read(Entries.ACCESS, uri);
    assertThat(read.toList()).isEqualTo(labels);
    assertThat(read.label(3)).isEqualTo("ünï code");
    assertThat(read.label(9)).isEqualTo("10");
  }

  @Test
  void lineEndsAndMarksAreNotLabels() throws Exception {
    Path file = folder.resolve("l");
    Files.writeString(file, "\uFEFFa\r\nb\r\nc");
    assertThat(Labels.read(Entries.ACCESS, file.toString()).toList())
        .containsExactly("a", "b", "c");
    Files.write(file, new byte[] {'a', '\n', (byte) 0xFF, '\n'});
    assertThatThrownBy(() -> Labels.read(Entries.ACCESS, file.toString()))
        .isInstanceOf(WeftException.class)
        .hasMessageContaining(":2: expected a label in UTF-8");
  }

  @Test
  void accessTravelsToTasks() throws Exception {
    FileAccess copy = Serialisation.copy(FaultyFileSystem.access());
    assertThat(copy.configuration().get("fs.faulty.impl"))
        .isEqualTo(FaultyFileSystem.class.getName());
    assertThat(copy.path("a b").toUri().getPath()).endsWith("/a b");
    assertThat(copy.path("hdfs://h:1/x")).hasToString("hdfs://h:1/x");
    assertThat(copy.path("file:rel").toUri().getScheme()).isEqualTo("file");
  }
}
