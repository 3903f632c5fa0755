package org.weft.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.tensor.TensorShape;

/** What a {@code .tns} file means: white space, comments, headers and what only looks like one. */
class TnsFormatTest {
  @TempDir Path folder;

  private InputPlan open(String text, ReadOptions options) throws Exception {
    Path file = folder.resolve("t.tns");
    Files.write(file, text.getBytes(StandardCharsets.UTF_8));
    return TensorFiles.open(Entries.ACCESS, file.toString(), options);
  }

  private List<String> entries(String text) throws Exception {
    return Entries.read(open(text, ReadOptions.defaults()));
  }

  @Test
  void acceptsAnyWhiteSpaceCommentsBlankLinesAndByteOrderMark() throws Exception {
    String text =
        "\uFEFF# a comment\r\n\r\n \t1  2\t3.5 \r\n  # indented\n;mlir\n+2 01 -0\r\n\n3 3 7";
    assertThat(entries(text)).containsExactly("0 1 3.5", "1 0 -0.0", "2 2 7.0");
  }

  @Test
  void keepsDuplicatesZerosAndSixtyThreeBitCoordinates() throws Exception {
    String text = "1 9223372036854775807 1\n1 1 0\n1 1 0\n";
    assertThat(entries(text)).containsExactly("0 9223372036854775806 1.0", "0 0 0.0", "0 0 0.0");
  }

  @Test
  void zeroBasedCoordinatesStartAtZero() throws Exception {
    InputPlan plan = open("0 0 1\n4 2 2\n", ReadOptions.defaults().withZeroBased(true));
    assertThat(Entries.read(plan)).containsExactly("0 0 1.0", "4 2 2.0");
  }

  @Test
  void takesTheExtendedHeaderWhereNothingElseMakesSense() throws Exception {
    InputPlan plan = open("# c\n3 2\n4 5 6\n1 1 1 1\n4 5 6 2\n", ReadOptions.defaults());
    assertThat(plan.header().shape()).contains(TensorShape.of(4, 5, 6));
    assertThat(plan.header().records()).hasValue(2);
    assertThat(Entries.read(plan)).containsExactly("0 0 0 1.0", "3 4 5 2.0");
    assertThat(open("2 1\n4 5\n1 1 1\n", ReadOptions.defaults()).header().shape())
        .contains(TensorShape.of(4, 5));
    assertThat(open("1 1\n9\n3 1\n", ReadOptions.defaults()).header().shape())
        .contains(TensorShape.of(9));
  }

  @Test
  void readsAnAnnouncedHeaderOfAnEmptyTensor() throws Exception {
    InputPlan plan = open("; extended FROSTT format\n2 0\n4 5\n", ReadOptions.defaults());
    assertThat(plan.header().shape()).contains(TensorShape.of(4, 5));
    assertThat(Entries.read(plan)).isEmpty();
  }

  @Test
  void doesNotTakeVectorsForHeaders() throws Exception {
    assertThat(entries("2 3\n4 5\n")).containsExactly("1 3.0", "3 5.0");
    assertThat(entries("2 3\n4 5\n6 7\n")).containsExactly("1 3.0", "3 5.0", "5 7.0");
    assertThat(entries("1 3\n")).containsExactly("0 3.0");
    assertThat(entries("3 4\n4 5\n")).containsExactly("2 4.0", "3 5.0");
  }

  @Test
  void optionsOverrideDetection() throws Exception {
    ReadOptions extended = ReadOptions.defaults().withHeader(ReadOptions.Header.EXTENDED);
    assertThat(open("2 0\n4 5\n", extended).header().shape()).contains(TensorShape.of(4, 5));
  }

  @Test
  void takesTheHeadersOfOtherPrograms() throws Exception {
    InputPlan order = open("3\n4 5 6\n1 1 1 1\n4 5 6 2\n", ReadOptions.defaults());
    assertThat(order.header().shape()).contains(TensorShape.of(4, 5, 6));
    assertThat(Entries.read(order)).containsExactly("0 0 0 1.0", "3 4 5 2.0");
    ReadOptions sizes = ReadOptions.defaults().withHeader(ReadOptions.Header.SIZES);
    InputPlan counted = open("4 5 6 2\n1 1 1 1\n4 5 6 2\n", sizes);
    assertThat(counted.header().shape()).contains(TensorShape.of(4, 5, 6));
    assertThat(counted.header().records()).hasValue(2);
    assertThat(Entries.read(counted)).containsExactly("0 0 0 1.0", "3 4 5 2.0");
    assertThat(entries("4 5 6 2\n1 1 1 1\n")).containsExactly("3 4 5 2.0", "0 0 0 1.0");
  }

  @Test
  void everySplitSizeGivesTheSameEntriesAndEveryLineOnce() throws Exception {
    String text =
        "# head\n1 1 1\n\n2 2 22.5\r\n# middle comment\n333 4 -1e-3\n  4 4\t4  \n5 5 5\n\n6 6 6";
    List<String> whole = entries(text);
    assertThat(whole).hasSize(6);
    for (int bytes = 1; bytes <= text.length() + 1; bytes++) {
      InputPlan plan =
          TensorFiles.open(
              Entries.ACCESS,
              folder.resolve("t.tns").toString(),
              ReadOptions.defaults().withBlockEntries(1 + bytes % 3),
              bytes);
      List<String> joined = new ArrayList<>();
      long lines = 0;
      for (InputSplit split : plan.splits()) {
        try (BlockReader reader = TensorFiles.read(Entries.ACCESS, plan, split)) {
          reader.forEachRemaining(block -> Entries.describe(block, joined));
          lines += reader.summary().lines();
        }
      }
      assertThat(joined).as("splits of %d bytes", bytes).isEqualTo(whole);
      assertThat(lines).as("lines of splits of %d bytes", bytes).isEqualTo(10);
    }
  }

  @Test
  void splitsHaveAtLeastAByte() {
    assertThatThrownBy(() -> TensorFiles.open(Entries.ACCESS, "t.tns", ReadOptions.defaults(), 0L))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
