package org.weft.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.spark.LocalSpark;

/** Models are saved and loaded, and folders of something else are refused. */
class SavedModelTest {
  @TempDir Path folder;

  @AfterAll
  static void stop() {
    LocalSpark.stop();
  }

  private static Tensor tensor(Weft weft) {
    long[][] at = {{0, 1, 2, 0}, {0, 1, 0, 1}, {0, 0, 1, 1}};
    return weft.tensor(at, new double[] {1, 2, 3, 4}, 3, 2, 2);
  }

  static Stream<TensorModel> models(Weft weft) {
    Tensor x = tensor(weft);
    return Stream.of(
        x.cpd(2).iterations(3).run(),
        x.tucker(2, 2, 1).iterations(3).run(),
        x.complete(1).heldOut(0).iterations(3).run(),
        x.complete(1).biases(false).heldOut(0.4).iterations(3).run());
  }

  @Test
  void everyModelIsReadAsItWasWritten() {
    try (Weft weft = Weft.local()) {
      int[] number = {0};
      models(weft)
          .forEach(
              model -> {
                String uri = folder.resolve("m" + number[0]++).toString();
                model.save(uri);
                TensorModel read = weft.model(uri);
                requireEqual(read, model);
                read.save(uri + "-again");
                requireEqual(weft.model(uri + "-again"), model);
              });
      assertThat(number[0]).isEqualTo(4);
    }
  }

  private static void requireEqual(TensorModel read, TensorModel model) {
    assertThat(read).hasSameClassAs(model);
    assertThat(read.modes()).isEqualTo(model.modes());
    for (String mode : model.modes()) {
      assertThat(read.matrix(mode)).isDeepEqualTo(model.matrix(mode));
    }
    assertThat(read.predict(1, 1, 0)).isEqualTo(model.predict(1, 1, 0));
    assertThat(read.fits()).isEqualTo(model.fits()).isNotEmpty();
    assertThat(read.fit()).isEqualTo(model.fit());
    assertThat(read.converged()).isEqualTo(model.converged());
    if (model instanceof CompletionModel completed) {
      CompletionModel found = (CompletionModel) read;
      assertThat(found.rank()).isEqualTo(completed.rank()).isEqualTo(1);
      assertThat(found.lambda()).isEqualTo(completed.lambda());
      assertThat(found.mean()).isEqualTo(completed.mean());
      assertThat(found.rmse()).isEqualTo(completed.rmse());
      assertThat(found.best()).isEqualTo(completed.best());
      assertThat(found.trainingErrors()).isEqualTo(completed.trainingErrors()).isNotEmpty();
      assertThat(found.heldOutErrors()).isEqualTo(completed.heldOutErrors());
    } else if (model instanceof TuckerModel tucker) {
      assertThat(((TuckerModel) read).core()).isEqualTo(tucker.core());
      assertThat(((TuckerModel) read).ranks()).isEqualTo(tucker.ranks());
    } else {
      assertThat(((CpModel) read).lambda()).isEqualTo(((CpModel) model).lambda());
    }
  }

  @Tag("long")
  @Test
  void labelsKeepTheirTypes() {
    SparkSession spark = LocalSpark.session();
    Dataset<Row> rows =
        spark.sql(
            "SELECT * FROM VALUES ('a', 10, DATE'2024-01-02', 2.0), ('b', 9, DATE'2024-01-09',"
                + " 3.0), ('b', 10, DATE'2024-01-02', 1.0) AS t(user, size, day, value)");
    String uri = folder.resolve("labelled").toString();
    Dataset<Row> predicted;
    try (Weft weft = Weft.on(spark)) {
      CpModel model = weft.tensor(rows, List.of("user", "size", "day"), "value").cpd(2).run();
      model.save(uri);
      predicted = model.transform(rows);
      try (Weft other = Weft.on(spark)) {
        TensorModel read = other.model(uri);
        for (String mode : model.modes()) {
          assertThat(read.factors(mode).schema()).isEqualTo(model.factors(mode).schema());
          assertThat(read.factors(mode).collectAsList())
              .isEqualTo(model.factors(mode).collectAsList());
        }
        assertThat(read.transform(rows).sort("user", "size").collectAsList())
            .isEqualTo(predicted.sort("user", "size").collectAsList());
        assertThat(read.recommend(rows.select("user"), "size", 1).collectAsList())
            .isEqualTo(model.recommend(rows.select("user"), "size", 1).collectAsList())
            .hasSize(2);
      }
    }
    try (Weft local = Weft.local()) {
      assertThat(local.model(uri).modes()).containsExactly("user", "size", "day");
    }
  }

  @Test
  void aFolderIsOverwrittenWhenAskedAndIfItIsAModel() throws IOException {
    try (Weft weft = Weft.local()) {
      CpModel model = tensor(weft).cpd(1).run();
      String uri = folder.resolve("model").toString();
      model.save(uri);
      assertThat(failure(() -> model.save(uri)).code()).isEqualTo(ErrorCode.OUTPUT_EXISTS);
      CpModel other = tensor(weft).cpd(2).run();
      other.save(uri, true);
      requireEqual(weft.model(uri), other);

      Path foreign = Files.createDirectory(folder.resolve("foreign"));
      Files.writeString(foreign.resolve("notes.txt"), "mine");
      assertThat(failure(() -> model.save(foreign.toString(), true)))
          .hasMessageContaining("found other files and no summary.json")
          .extracting(WeftException::code)
          .isEqualTo(ErrorCode.OUTPUT_EXISTS);
      assertThat(foreign.resolve("notes.txt")).hasContent("mine");
    }
  }

  /** A file of the folder, what is put in place of a text in it, and what is said of that. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          summary.json | "schema" : 1        | "schema" : 9         | UNSUPPORTED_OPERATION | by a newer Weft
          summary.json | {                   | (                    | MALFORMED_INPUT       | summary.json:1:1: expected JSON
          summary.json | "dims" : [ 3, 2, 2  | "dims" : [ 3, 2, 5   | SHAPE_MISMATCH        | expected a row for each of 5 slices
          summary.json | "dims"              | "sizes"              | MALFORMED_INPUT       | found none
          summary.json | "cpd",              | "parafac",           | MALFORMED_INPUT       | found parafac
          summary.json | "cpd",              | "tucker",            | INPUT_NOT_FOUND       | core.npy: expected a file
          summary.json |                     |                      | INPUT_NOT_FOUND       | found no summary.json at
          mode1.npy    |                     |                      | INPUT_NOT_FOUND       | mode1.npy
          lambda.npy   |                     |                      | USAGE                 | without lambda.npy
          mode2.npy    | NUMPY               | NUMPI                | MALFORMED_INPUT       | mode2.npy
          """)
  void anotherFolderIsOneClearError(
      String file, String text, String instead, ErrorCode code, String said) throws IOException {
    try (Weft weft = Weft.local()) {
      Path model = folder.resolve("model");
      tensor(weft).cpd(2).run().save(model.toString());
      Path damaged = model.resolve(file);
      if (text == null) {
        Files.delete(damaged);
      } else {
        String whole = Files.readString(damaged, StandardCharsets.ISO_8859_1);
        String other = whole.replaceFirst(Pattern.quote(text), instead);
        assertThat(other).isNotEqualTo(whole);
        Files.writeString(damaged, other, StandardCharsets.ISO_8859_1);
      }
      assertThat(failure(() -> weft.model(model.toString())))
          .hasMessageContaining(said)
          .extracting(WeftException::code)
          .isEqualTo(code);
    }
  }

  private static WeftException failure(Runnable work) {
    return catchThrowableOfType(WeftException.class, work::run);
  }
}
