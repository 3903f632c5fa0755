package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.weft.storage.file.FileAccess;
import org.weft.storage.npy.NpyFile;
import org.weft.tensor.DenseMatrix;

/** {@code weft cpd --factors-table}: the table has what the folder has. */
class FactorsTableTest extends FolderCase {
  @Test
  void factorsAreATableWithLabels() throws IOException {
    String tensor = Run.write(folder, "t.tns", "1 1 1 2\n2 1 3 1\n3 2 2 4\n1 2 3 3\n");
    String names = Run.write(folder, "names", "ada\nbob\ncleo\n");
    String[] command = {
      "cpd",
      tensor,
      "--rank",
      "2",
      "--iterations",
      "3",
      "--labels",
      "0=" + names,
      "-q",
      "--output",
      path("factors"),
      "--factors-table",
      path("factors.parquet")
    };
    Run.of(command).succeeds();
    assertThat(Run.names(folder)).containsExactly("factors", "factors.parquet", "names", "t.tns");

    assertThat(Run.of(command).err()).contains("WEFT-104"); // it exists
    try (SparkSession spark = session()) {
      List<Row> rows =
          spark
              .read()
              .parquet(path("factors.parquet"))
              .orderBy("mode", "index", "component")
              .collectAsList();
      assertThat(rows).hasSize((3 + 2 + 3) * 2);
      DenseMatrix lambda = NpyFile.read(FileAccess.local(), path("factors/lambda.npy"));
      for (Row row : rows) {
        int mode = row.getInt(0);
        DenseMatrix factor = NpyFile.read(FileAccess.local(), path("factors/mode" + mode + ".npy"));
        assertThat(row.getDouble(4)).isEqualTo(factor.get(row.getLong(1), row.getInt(3)));
        assertThat(row.getDouble(5)).isEqualTo(lambda.get(row.getInt(3), 0));
        assertThat(row.getString(2))
            .isEqualTo(mode > 0 ? null : List.of("ada", "bob", "cleo").get((int) row.getLong(1)));
      }
    }
  }

  @Test
  void anotherFolderIsNotOverwritten() throws IOException {
    String tensor = Run.write(folder, "t.tns", "1 1 1 2\n2 1 3 1\n");
    Files.createDirectory(folder.resolve("mine"));
    Run.write(folder.resolve("mine"), "notes.txt", "x");
    Run.line(
            "cpd %s --rank 1 --overwrite --output %s --factors-table %s",
            tensor, path("factors"), path("mine"))
        .fails(2, "WEFT-104", "notes.txt");
    assertThat(Files.exists(folder.resolve("factors"))).isFalse();
  }

  private static SparkSession session() {
    return SparkSession.builder()
        .master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "localhost")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .getOrCreate();
  }
}
