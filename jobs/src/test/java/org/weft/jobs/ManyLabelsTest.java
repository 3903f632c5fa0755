package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.weft.storage.InputPlan;
import org.weft.storage.ReadOptions;
import org.weft.storage.TensorFiles;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;

/**
 * {@code weft ingest} of tables whose rows are more than a task holds at a time, and whose labels
 * are numbered by several tasks: the same tensor as in one process, to the last bit.
 */
final class ManyLabelsTest extends IngestCase {
  private boolean onSpark;

  /** Statistics of the tensor come from all tasks. */
  @BeforeAll
  static void startWithRoom() {
    JoinedSpark.start("16m");
  }

  @Override
  boolean isOnSpark() {
    return onSpark;
  }

  /** Writes random rows; the first two modes have about as many labels as given. */
  private void table(String name, int rows, int labels) throws IOException {
    Random random = new Random(rows);
    Path file = folder.resolve(name);
    try (Writer out =
        new OutputStreamWriter(
            name.endsWith(".gz")
                ? new GZIPOutputStream(Files.newOutputStream(file))
                : Files.newOutputStream(file),
            StandardCharsets.UTF_8)) {
      out.write("user,size,at,v\n");
      for (int row = 0; row < rows; row++) {
        int user = (int) Math.abs(random.nextGaussian() * labels / 3);
        String size = random.nextInt(labels) - labels / 2 + (random.nextBoolean() ? "" : ".25");
        out.write((user % 3 == 0 ? "ä" : "user ") + user + "," + size + ",");
        out.write(random.nextInt(2000) + "," + random.nextDouble() + "\n");
      }
    }
  }

  /**
   * A tensor.
   *
   * @param entries coordinates and the bits of the value of each entry, in their order
   * @param others labels of all modes, and what the command said
   */
  @SuppressWarnings("ArrayRecordComponent")
  private record Made(long[] entries, List<String> others) {
    boolean isSame(Made other) {
      return Arrays.equals(entries, other.entries) && others.equals(other.others);
    }
  }

  private Made made(boolean spark, String output, String input, String... more) {
    onSpark = spark;
    List<String> all = new ArrayList<>(List.of(path(input), path(output)));
    all.addAll(List.of("--mode", "user", "--mode", "size:number", "--mode", "at:10"));
    all.addAll(List.of("--value", "v"));
    all.addAll(List.of(more));
    Run run = ingest(all.toArray(String[]::new)).succeeds();
    List<String> others = new ArrayList<>();
    for (int mode = 0; mode < 3; mode++) {
      others.addAll(labels(output, mode));
    }
    others.addAll(run.out().lines().filter(line -> !line.startsWith("wrote")).toList());
    FileAccess files = FileAccess.local();
    InputPlan plan = TensorFiles.open(files, path(output), ReadOptions.defaults());
    LongStream.Builder entries = LongStream.builder();
    for (CooBlock block : TensorFiles.readAll(files, plan).blocks()) {
      for (int e = 0; e < block.size(); e++) {
        for (int mode = 0; mode < 3; mode++) {
          entries.add(block.coordinate(mode, e));
        }
        entries.add(Double.doubleToRawLongBits(block.value(e)));
      }
    }
    return new Made(entries.build().toArray(), others);
  }

  @Test
  void severalTasksNumberLabelsAsOneProcessDoes() throws IOException {
    table("1.csv.gz", 530_000, 80_000);
    table("2.csv", 60_000, 80_000);
    Made here = made(false, "here.weft", "1.csv.gz");
    Made onSpark = made(true, "spark.weft", "1.csv.gz");
    assertThat(onSpark.isSame(here)).isTrue();
    assertThat(labels("here.weft", 1)).hasSizeGreaterThan(1 << 17);
    Made addedHere = made(false, "here.weft", "2.csv", "--append");
    Made addedOnSpark = made(true, "spark.weft", "2.csv", "--append");
    assertThat(addedOnSpark.isSame(addedHere)).isTrue();
    assertThat(addedOnSpark.entries()).hasSizeGreaterThan(onSpark.entries().length);
  }

  @Test
  void rareLabelsAreDroppedAsInOneProcess() throws IOException {
    table("1.csv", 40_000, 16_000);
    String[] rare = {"--min-count", "user=3", "--min-count", "size=2", "--max-rejects", "5"};
    Made here = made(false, "here.weft", "1.csv", rare);
    Made onSpark = made(true, "spark.weft", "1.csv", rare);
    assertThat(onSpark.isSame(here)).isTrue();
    assertThat(String.join("\n", here.others()))
        .containsPattern("dropped with their labels, in \\d+ rounds");
  }
}
