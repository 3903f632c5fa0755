package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code weft ingest} of binary tables with changed bytes, wherever these are in the file. */
final class DamagedTablesTest extends IngestCase {
  private static final int TRIES = Boolean.getBoolean("weft.long") ? 28 : 7;

  private byte[] whole = new byte[0];

  private Path table(String format) throws IOException {
    Path written = folder.resolve("written");
    SparkSession.active()
        .range(3000)
        .selectExpr("concat('user ', id % 700) AS a", "id % 13 AS b", "id / 7 AS v")
        .coalesce(1)
        .write()
        .format(format)
        .save(written.toString());
    try (Stream<Path> files = Files.list(written)) {
      Path file = files.filter(f -> f.toString().endsWith("." + format)).findFirst().orElseThrow();
      whole = Files.readAllBytes(file);
    }
    return folder.resolve("x." + format);
  }

  /** Other letters would stand for the bytes, and two labels be one. */
  @ParameterizedTest
  @ValueSource(strings = {"parquet", "orc"})
  void aLabelThatIsNotUtf8IsARejectAndNoOtherLabel(String format) {
    String table = path("x." + format);
    SparkSession.active()
        .range(4)
        .selectExpr(
            "CAST(unhex(IF(id < 2, concat('F', id, '41'), '61')) AS STRING) AS a", "id AS b")
        .coalesce(1)
        .write()
        .format(format)
        .save(table);
    String[] line = {table, path("o.weft"), "--format", format, "--mode", "a", "--mode", "b"};
    ingest(line).fails(2, "WEFT-300", "." + format, "expected text in UTF-8, found");
    assertThat(folder.resolve("o.weft")).doesNotExist();
    List<String> rejecting = new ArrayList<>(List.of(line));
    rejecting.addAll(List.of("--rejects", path("r")));
    ingest(rejecting.toArray(String[]::new)).succeeds();
    assertThat(labels("o.weft", 0)).containsExactly("a");
    assertThat(Run.read(path("r")).lines().filter(row -> row.contains("in UTF-8"))).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"parquet", "orc"})
  void damageIsAnErrorOfTheFile(String format) throws IOException {
    Path table = table(format);
    Random random = new Random(format.length());
    int refused = 0;
    for (int attempt = 0; attempt < TRIES; attempt++) {
      byte[] bytes = whole.clone();
      int from = attempt * (bytes.length / TRIES);
      for (int at = from; at < Math.min(bytes.length, from + 40); at++) {
        bytes[at] ^= (byte) (1 + random.nextInt(255));
      }
      Files.write(table, bytes);
      Run run =
          ingest(
              table.toString(),
              path("o.weft"),
              "--mode",
              "a",
              "--mode",
              "b",
              "--value",
              "v",
              "--overwrite");
      assertThat(run.status()).as(run.err()).isIn(0, 2);
      if (run.status() == 2) {
        refused++;
        assertThat(run.err()).containsPattern("WEFT-30[0345]: ").contains("x." + format);
      }
    }
    assertThat(refused).isGreaterThan(TRIES / 4);
  }
}
