package org.weft.spark.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.storage.WriteOptions;
import org.weft.storage.file.FileAccess;
import org.weft.storage.file.JoinedFiles;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/** Parts of a text file: short ones, long ones, one without entries. */
final class PartWriterTest {
  private static final FileAccess FILES = FileAccess.local();
  private static final WriteOptions OPTIONS =
      WriteOptions.defaults().withShape(TensorShape.of(1000, 2));

  @TempDir private Path folder;

  private PartWriter writer(int shortBytes) {
    String file = folder.resolve("x.tns").toString();
    return new PartWriter(FILES, file, FileOfParts.name(file, 3), 2, OPTIONS, shortBytes);
  }

  private static void write(PartWriter writer, int entries) throws IOException {
    for (int e = 0; e < entries; e += 100) {
      CooBlock.Builder block = new CooBlock.Builder(2, 100);
      for (int i = e; i < Math.min(entries, e + 100); i++) {
        block.add(new long[] {i, i % 2}, i + 0.5);
      }
      writer.write(block.build());
    }
  }

  private static String lines(int entries) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < entries; i++) {
      text.append(i + 1).append(' ').append(i % 2 + 1).append(' ').append(i).append(".5\n");
    }
    return text.toString();
  }

  private List<Path> files() throws IOException {
    try (var found = Files.list(folder)) {
      return found.toList();
    }
  }

  @Test
  void aShortPartHasNoFile() throws IOException {
    try (PartWriter writer = writer(1 << 20)) {
      write(writer, 700);
      WrittenPart part = writer.finish();
      assertThat(part.isFile()).isFalse();
      assertThat(new String(part.text(), StandardCharsets.US_ASCII)).isEqualTo(lines(700));
    }
    assertThat(files()).isEmpty();
  }

  @Test
  void aLongPartIsAFile() throws IOException {
    try (PartWriter writer = writer(50)) {
      write(writer, 700);
      WrittenPart part = writer.finish();
      assertThat(part.isFile()).isTrue();
      assertThat(part.text()).isEmpty();
    }
    Path made = folder.resolve("x.tns.part-3");
    assertThat(files()).containsExactly(made);
    assertThat(made).hasContent(lines(700));
    JoinedFiles.join(FILES, List.of(made.toString()), folder.resolve("x.tns").toString());
    assertThat(files()).containsExactly(folder.resolve("x.tns"));
  }

  @Test
  void aSecondAttemptAtAPartIsDropped() throws IOException {
    for (int attempt = 0; attempt < 2; attempt++) {
      try (PartWriter writer = writer(50)) {
        write(writer, 700);
        assertThat(writer.finish().isFile()).isTrue();
      }
    }
    assertThat(files()).containsExactly(folder.resolve("x.tns.part-3"));
  }

  @Test
  void aPartWithoutEntriesHasNoHeader() throws IOException {
    try (PartWriter writer = writer(50)) {
      write(writer, 0);
      writer.write(new CooBlock.Builder(2, 0).build());
      WrittenPart part = writer.finish();
      assertThat(part.isFile()).isFalse();
      assertThat(part.text()).isEmpty();
    }
    assertThat(files()).isEmpty();
  }

  @Test
  void aPartThatFailsLeavesNothing() throws IOException {
    try (PartWriter writer = writer(50)) {
      write(writer, 7000);
      assertThat(files()).isNotEmpty();
    }
    assertThat(files()).isEmpty();
  }
}
