package org.weft.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.error.WeftException;
import org.weft.storage.file.FaultyFileSystem;
import org.weft.storage.file.FileAccess;
import org.weft.storage.file.OutputCommit;

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

  /** "Aa" and "BB" have one hash, and so have all words of as many of them. */
  @Test
  void manyLabelsOfOneHashAreTold() throws Exception {
    Path file = folder.resolve("l");
    List<String> words =
        IntStream.range(0, 1 << 16)
            .mapToObj(n -> String.format("%16s", Integer.toBinaryString(n)))
            .map(bits -> bits.replaceAll("[ 0]", "Aa").replace("1", "BB"))
            .toList();
    Files.write(file, words);
    assertThat(Labels.read(Entries.ACCESS, file.toString()).size()).isEqualTo(words.size());
  }

  @ParameterizedTest
  @CsvSource({
    "a|b|a, 3, 1, a",
    "a|b|c|c|b|a, 4, 3, c", // the first line that repeats another
    "x|Aa|BB|AaAa|BBBB|AaBB|AaAa, 7, 4, AaAa", // of one hash
    "|a||\u00e9|\u00e9, 5, 4, \u00e9"
  })
  void aLabelOfTwoLinesIsAnError(String lines, int second, int first, String label)
      throws Exception {
    Path file = folder.resolve("l");
    Files.writeString(file, lines.replace('|', '\n') + "\n");
    assertThatThrownBy(() -> Labels.read(Entries.ACCESS, file.toString()))
        .isInstanceOf(WeftException.class)
        .hasMessageContaining(
            "%s:%d: expected a label that no other line has, found '%s' as in line %d",
            file, second, label, first);
  }

  @Test
  void blankLinesNameNoSlice() throws Exception {
    Path file = folder.resolve("l");
    Files.writeString(file, "a\n\nb\n\n\n");
    assertThat(Labels.read(Entries.ACCESS, file.toString()).toList())
        .containsExactly("a", "", "b", "", "");
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

  /** More than one chunk, and what is asked for beyond the last. */
  @Test
  void labelsArePackedAndFoundByCoordinate() {
    List<String> names =
        java.util.stream.IntStream.range(0, 3000)
            .mapToObj(n -> n % 7 == 0 ? "" : "n\u00e4me \ud83d\ude00 " + n)
            .toList();
    Labels labels = Labels.of(names);
    assertThat(labels.size()).isEqualTo(3000);
    assertThat(labels.toList()).isEqualTo(names);
    assertThat(labels.label(2049)).isEqualTo(names.get(2049));
    assertThat(labels.label(3000)).isEqualTo("3001");
    assertThat(labels.label(1L << 40)).isEqualTo(Long.toString((1L << 40) + 1));
    assertThat(labels.utf8(1025))
        .isEqualTo(names.get(1025).getBytes(java.nio.charset.StandardCharsets.UTF_8));
    assertThat(labels.range(1020, 10).toList()).isEqualTo(names.subList(1020, 1030));
    assertThat(labels.range(2999, 2).toList()).containsExactly(names.get(2999), "3001");
    assertThat(Labels.of(names.subList(0, 1024)).toList()).isEqualTo(names.subList(0, 1024));
  }
}
