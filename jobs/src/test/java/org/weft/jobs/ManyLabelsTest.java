package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

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

  private List<String> made(boolean spark, String output, String input, String... more)
      throws IOException {
    onSpark = spark;
    List<String> all = new ArrayList<>(List.of(path(input), path(output)));
    all.addAll(List.of("--mode", "user", "--mode", "size:number", "--mode", "at:10"));
    all.addAll(List.of("--value", "v"));
    all.addAll(List.of(more));
    Run run = ingest(all.toArray(String[]::new)).succeeds();
    Run.of("convert", path(output), path(output + ".tns"), "--overwrite").succeeds();
    List<String> tensor = new ArrayList<>(Files.readAllLines(folder.resolve(output + ".tns")));
    for (int mode = 0; mode < 3; mode++) {
      tensor.addAll(labels(output, mode));
    }
    tensor.addAll(run.out().lines().filter(line -> !line.startsWith("wrote")).toList());
    return tensor;
  }

  @Test
  void severalTasksNumberLabelsAsOneProcessDoes() throws IOException {
    table("1.csv.gz", 530_000, 80_000);
    table("2.csv", 60_000, 80_000);
    List<String> here = made(false, "here.weft", "1.csv.gz");
    List<String> onSpark = made(true, "spark.weft", "1.csv.gz");
    assertThat(onSpark.equals(here)).isTrue();
    assertThat(labels("here.weft", 1)).hasSizeGreaterThan(1 << 17);
    List<String> addedHere = made(false, "here.weft", "2.csv", "--append");
    List<String> addedOnSpark = made(true, "spark.weft", "2.csv", "--append");
    assertThat(addedOnSpark.equals(addedHere)).isTrue();
    assertThat(addedOnSpark).hasSizeGreaterThan(onSpark.size());
  }

  @Test
  void rareLabelsAreDroppedAsInOneProcess() throws IOException {
    table("1.csv", 40_000, 16_000);
    String[] rare = {"--min-count", "user=3", "--min-count", "size=2", "--max-rejects", "5"};
    List<String> here = made(false, "here.weft", "1.csv", rare);
    List<String> onSpark = made(true, "spark.weft", "1.csv", rare);
    assertThat(onSpark.equals(here)).isTrue();
    assertThat(String.join("\n", here))
        .containsPattern("dropped with their labels, in \\d+ rounds");
  }
}
