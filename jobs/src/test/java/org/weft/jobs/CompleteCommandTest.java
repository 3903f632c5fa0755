package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.storage.file.FileAccess;
import org.weft.storage.npy.NpyFile;
import org.weft.tensor.DenseMatrix;

/** {@code weft complete} from file to folder. */
class CompleteCommandTest extends FolderCase {
  private String tensor = "";

  @BeforeEach
  void writeTensor() {
    Random random = new Random(4);
    StringBuilder text = new StringBuilder();
    for (int cell = 0; cell < 12 * 10 * 8; cell++) {
      int i = cell % 12;
      int j = cell / 12 % 10;
      int k = cell / 120;
      if (random.nextInt(3) == 0) {
        double value = 3 + (i - 6) * (j - 5) * (k + 1) * 0.05 + i * 0.2;
        text.append(i + 1).append(' ').append(j + 1).append(' ').append(k + 1).append(' ');
        text.append(value).append('\n');
      }
    }
    tensor = Run.write(folder, "x.tns", text.toString());
  }

  @Test
  void writesTheFolderOfACpModelWithErrors() throws IOException {
    String labels = Run.write(folder, "names", "a\nb\nc\nd\ne\nf\ng\nh\n");
    for (String name : new String[] {"d1", "d2"}) {
      Run run =
          Run.line(
                  "complete %s --rank 1 --output %s --labels product=%s --names user,place,product"
                      + " --threads 2 --starts 3",
                  tensor, path(name), labels)
              .succeeds();
      assertThat(run.out()).contains("iteration   2", " of validation, ", "wrote " + path(name));
      assertThat(run.err()).contains("training, ").contains("validation, ");
    }
    assertThat(Run.names(folder.resolve("d1")))
        .containsExactly(
            "lambda.npy", "mode0.npy", "mode1.npy", "mode2.npy", "mode2.tsv", "summary.json");
    for (String file : new String[] {"lambda.npy", "mode0.npy", "mode1.npy", "mode2.npy"}) {
      assertThat(folder.resolve("d1").resolve(file))
          .hasSameBinaryContentAs(folder.resolve("d2").resolve(file));
    }
    JsonNode summary = new ObjectMapper().readTree(folder.resolve("d1/summary.json").toFile());
    assertThat(summary.get("method").asText()).isEqualTo("complete");
    assertThat(summary.get("rank").asInt()).isEqualTo(5);
    assertThat(summary.get("lambda").size()).isEqualTo(5);
    assertThat(summary.get("rmse_test").asDouble()).isLessThan(0.2);
    assertThat(summary.get("modes").toString()).isEqualTo("[\"user\",\"place\",\"product\"]");
    assertThat(summary.get("starts").size()).as("four ridges").isEqualTo(4 * 3);
    for (JsonNode start : summary.get("starts")) {
      double kept =
          summary.get("rmse_validation").get(summary.get("best_iteration").asInt() - 1).asDouble();
      assertThat(start.get("rmse").asDouble()).isGreaterThanOrEqualTo(kept);
    }
    assertThat(summary.get("rmse_validation").size()).isEqualTo(summary.get("iterations").asInt());
  }

  /** Biases are what a cell has without components: the value of a model of biases alone. */
  @Test
  void biasesAreNoComponents() throws IOException {
    String line = "complete %s --rank 1 --ridge 0.01 --output %s --names user,place,product";
    Run.line(line, tensor, path("m")).succeeds();
    Run top = Run.of("top", path("m"), "--count", "12");
    assertThat(top.out()).containsOnlyOnce("component ").contains("biases, added to a mean of ");
    JsonNode found =
        new ObjectMapper().readTree(Run.of("top", path("m"), "--count", "12", "--json").out());
    assertThat(found.get("components")).hasSize(1);
    double product = found.at("/components/0/lambda").asDouble();
    double sum = found.get("mean").asDouble();
    List<String> cell = new ArrayList<>();
    for (int mode = 0; mode < 3; mode++) {
      JsonNode weights = found.at("/components/0/modes/" + mode + "/labels");
      JsonNode bias = found.at("/biases/" + mode + "/labels/0");
      cell.add(found.at("/biases/" + mode + "/mode").asText() + "=" + bias.get("label").asText());
      product *= weight(weights, bias.get("label").asText());
      sum += bias.get("weight").asDouble();
    }
    String value = Run.of("predict", path("m"), "--at", String.join(",", cell)).out();
    assertThat(Double.parseDouble(value.split("\t")[3])).isCloseTo(sum + product, within(1e-9));

    Run.of("report", path("m"), path("m.html"), "--json", path("m.json")).succeeds();
    assertThat(Run.read(path("m.html")))
        .contains("1 component, ", "id=\"biases\"", "Every cell has the mean")
        .doesNotContain("id=\"c2\"");
    JsonNode figures = new ObjectMapper().readTree(Run.read(path("m.json")));
    assertThat(figures.get("components")).hasSize(1);
    assertThat(
            figures.at("/biases/share").asDouble() + figures.at("/components/0/share").asDouble())
        .isCloseTo(1, within(1e-9));
  }

  /** Unknown cells have no error: a model may have any value there. */
  @Test
  void aReportJudgesTheKnownEntries() throws IOException {
    Run.line("complete %s --rank 1 --ridge 0.1,0.01 --output %s", tensor, path("m")).succeeds();
    Run.of("report", path("m"), path("m.html"), "--tensor", tensor, "--json", path("m.json"))
        .succeeds();
    assertThat(Run.read(path("m.html")))
        .contains("% of the norm of the ", " known entries.", "<dt>Rank</dt><dd>1</dd>")
        .contains("2 runs ended with a fit of ")
        .doesNotContain("has zeros", "id=\"overlap\"", "#overlap");
    JsonNode outliers = new ObjectMapper().readTree(Run.read(path("m.json"))).get("outliers");
    assertThat(outliers.get("relativeError").asDouble()).isLessThan(0.5);
    assertThat(outliers.get("storedShare").asDouble()).isCloseTo(1, within(1e-9));
  }

  private static double weight(JsonNode labels, String label) {
    for (JsonNode one : labels) {
      if (one.get("label").asText().equals(label)) {
        return one.get("weight").asDouble();
      }
    }
    return 0;
  }

  @Test
  void biasesAreComparedWithBiases() throws IOException {
    List<String> line =
        List.of("complete", tensor, "--rank", "1", "--ridge", "0.01", "--output", path("with"));
    List<String> other = new ArrayList<>(line);
    other.set(line.size() - 1, path("without"));
    other.add("--no-biases");
    for (List<String> command : List.of(line, other)) {
      Run.of(command.toArray(String[]::new)).succeeds();
    }
    Run run = Run.of("compare", path("with"), path("without"), "--output", path("c.json"));
    assertThat(run.out()).contains("biases of mode0: drift 1.0000", "other mean 0");
    JsonNode found = new ObjectMapper().readTree(Run.read(path("c.json")));
    assertThat(found.get("components")).hasSize(1);
    assertThat(found.at("/biases/modes")).hasSize(3);
    assertThat(found.get("drift").asDouble()).isGreaterThanOrEqualTo(4 / 5.0);
    Run same = Run.of("compare", path("with"), path("with"));
    assertThat(same.out()).startsWith("drift 0.000000").contains("biases of mode2: drift 0.0000");
    assertThat(Run.of("compare", path("without"), path("without")).out()).doesNotContain("biases");
  }

  @Test
  void anotherMethodWritesTheSameFolder() throws IOException {
    writesTheSameFolder("ccd", 30);
  }

  @Tag("long")
  @Test
  void stochasticDescentWritesTheSameFolder() throws IOException {
    writesTheSameFolder("sgd", 200);
  }

  private void writesTheSameFolder(String method, int iterations) throws IOException {
    String line =
        "complete %s --rank 1 --ridge 0.01 --starts 3 --method %s --iterations %s --output %s";
    for (String name : new String[] {"d1", "d2"}) {
      Run.line(line, tensor, method, iterations, path(name)).succeeds();
    }
    assertThat(folder.resolve("d1/mode1.npy"))
        .hasSameBinaryContentAs(folder.resolve("d2/mode1.npy"));
    JsonNode summary = new ObjectMapper().readTree(folder.resolve("d1/summary.json").toFile());
    assertThat(summary.get("algorithm").asText()).isEqualTo(method);
    assertThat(summary.has("batches")).isEqualTo(method.equals("sgd"));
    assertThat(summary.get("rmse_test").asDouble()).isLessThan(0.3);
  }

  @Test
  void anotherFileDecidesAndMayNotOverlap() throws IOException {
    String later = Run.write(folder, "later.tns", "12 10 8 20\n1 1 9 3\n");
    Run run =
        Run.of("complete", tensor, "--rank", "1", "--validate", later, "--output", path("v"))
            .succeeds();
    assertThat(run.err()).contains(" 2 validation, ");
    JsonNode summary = new ObjectMapper().readTree(folder.resolve("v/summary.json").toFile());
    assertThat(summary.get("dims").toString()).isEqualTo("[12,10,9]");
    assertThat(summary.get("inputs").findValuesAsText("uri")).containsExactly(tensor, later);
    assertThat(summary.get("inputs").get(1).get("bytes").asInt()).isEqualTo(19);
    assertThat(summary.get("inputs").findValuesAsText("sum")).doesNotHaveDuplicates().hasSize(2);
    String first = Run.read(tensor).lines().findFirst().orElseThrow();
    String same = Run.write(folder, "same.tns", first.replaceAll(" [^ ]*$", " 9\n"));
    Run.line("complete %s --rank 1 --validate %s --split 0,0 --output %s", tensor, same, path("w"))
        .fails(2, "WEFT-300", "found the coordinates [", "in both");
    assertThat(folder.resolve("w")).doesNotExist();
  }

  /** {@code CompletionTest} of the engine has it in every build. */
  @Tag("long")
  @Test
  void executorsMakeTheModelOfOneProcess() throws IOException {
    String line =
        "complete %s --rank 1 --ridge 0.01 --iterations 4 --partitions 3 --reproducible --output %s";
    Run.line(line, tensor, path("here")).succeeds();
    Run.line(line + " --master local[2]", tensor, path("there")).succeeds();
    for (String file : new String[] {"lambda.npy", "mode0.npy", "mode1.npy", "mode2.npy"}) {
      DenseMatrix here = NpyFile.read(FileAccess.local(), path("here/" + file));
      DenseMatrix there = NpyFile.read(FileAccess.local(), path("there/" + file));
      double largest = Arrays.stream(here.chunk(0)).map(Math::abs).max().orElseThrow();
      assertThat(there.chunk(0)).containsExactly(here.chunk(0), within(1e-10 * largest));
    }
  }

  @Test
  void aDryRunShowsTheStatements() {
    Run run = Run.of("complete", tensor, "--rank", "2", "--no-biases", "--dry-run").succeeds();
    assertThat(run.out())
        .contains("M(i,r) = T(i,j,k) * F1(j,r) * F2(k,r)")
        .contains("M(i,r,s) = ((1) @(+,first) T(i,j,k)) * F1(j,r) * F1(j,s) * F2(k,r) * F2(k,s)");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--rank 0 --output D | WEFT-100 | complete: expected a rank of 1 to 46340, found 0",
        "--rank 1000000000 --output D | WEFT-100 | a rank of 1 to 46340, found 1000000000",
        "--rank 2147483647 --method ccd --output D | WEFT-100 | complete: expected a rank of 1 to",
        "--rank 2 --patience 0 --output D | WEFT-100 | expected a patience of at least 1, found 0",
        "--rank 2 --ridge 1,NaN --output D | WEFT-100 | expected a ridge of at least 0, found NaN",
        "--rank 2 --iterations 0 --output D | WEFT-100 | expected at least 1 iteration, found 0",
        "--rank 2 --split 0.9999999,0 --output D | WEFT-300 | found none in a share of",
        "--rank 2 --method svd --output D | WEFT-100 | expected --method as one of als, ccd, sgd, found",
        "--rank 2 --batches 4 --output D | WEFT-100 | expected --method sgd with --batches, found als",
        "--rank 2 --method sgd --batches 0 --output D | WEFT-100 | --batches from 1 to 64, found 0",
        "--rank 2 --missing-weight 2 --output D | WEFT-100 | a missing weight from 0 to 1, found 2",
        "--rank 2 --missing-weight 0.1 --method ccd --output D | WEFT-100 | --method als with",
        "--rank 2 --split 0.5 --output D | WEFT-100 | expected --split of two shares",
        "--rank 2 --split 0.5,0.5 --output D | WEFT-100 | that leave entries to learn from",
        "--rank 2 --ridge -1 --output D | WEFT-100 | ridge of at least 0",
        "--rank 2 --output D --validate X --split 0.1,0 | WEFT-100 | expected --split 0,...",
        "--rank 2 | WEFT-100 | expected --output DIR",
        "--rank 2 --starts 0 --output D | WEFT-100 | --starts of at least 1",
        "--rank 2 --output D --labels 7=x | WEFT-100 | --labels of a mode from 0 to 2",
      })
  void mistakesAreOneError(String line, String code, String message) {
    String[] arguments =
        ("complete " + tensor + " " + line.replace(" D", " " + path("out"))).split(" ");
    Run.of(arguments).fails(2, code, message);
    assertThat(folder.resolve("out")).doesNotExist();
  }

  /** Rows that fit few entries become large, and with them the next steps, at any rate. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void anEpochOfGradientsThatDivergesIsUndone(int seed) throws IOException {
    Random random = new Random(seed);
    StringBuilder text = new StringBuilder();
    for (int entry = 0; entry < 600; entry++) {
      for (int mode = 0; mode < 4; mode++) {
        text.append(1 + random.nextInt(80)).append(' ');
      }
      text.append(Math.pow(10, 6 * random.nextDouble() - 3) * (random.nextBoolean() ? 1 : -1));
      text.append('\n');
    }
    String sparse = Run.write(folder, "sparse.tns", text.toString());
    Run.line(
            "complete %s --rank 2 --method sgd --ridge 0.001 --split 0,0 --iterations 30 --seed %s"
                + " --output %s",
            sparse, seed, path("m"))
        .succeeds();
    List<Double> errors = new ArrayList<>();
    new ObjectMapper()
        .readTree(folder.resolve("m/summary.json").toFile())
        .get("rmse_training")
        .forEach(error -> errors.add(error.asDouble()));
    for (int epoch = 1; epoch < errors.size(); epoch++) {
      assertThat(errors.get(epoch)).isLessThanOrEqualTo(2 * errors.get(epoch - 1));
    }
    assertThat(errors.get(errors.size() - 1)).isLessThan(errors.get(0));
  }

  /** Other seeds of {@link #anEpochOfGradientsThatDivergesIsUndone}. */
  @Tag("long")
  @ParameterizedTest
  @ValueSource(ints = {3, 4, 5, 6, 7, 8})
  void moreEpochsOfGradientsThatDivergeAreUndone(int seed) throws IOException {
    anEpochOfGradientsThatDivergesIsUndone(seed);
  }

  /** The first ridge is so large that its products with rows are not finite. */
  @Test
  void aRidgeWhoseRunDivergesIsLeftOut() throws IOException {
    String command = "complete %s --rank 1 --method ccd --iterations 3 --output %s --ridge ";
    Run run = Run.line(command + "1e308,0.01", tensor, path("m")).succeeds();
    assertThat(run.err()).contains("left out, ridge 1.0E308, seed 0: the error after iteration 1 ");
    assertThat(run.out()).contains("2 starts, fit none, ");
    JsonNode summary = new ObjectMapper().readTree(folder.resolve("m/summary.json").toFile());
    assertThat(summary.get("ridge").asDouble()).isEqualTo(0.01);
    assertThat(summary.get("starts").get(0).size()).as("ridge and seed").isEqualTo(2);
    assertThat(summary.get("starts").get(1).has("fit")).isTrue();
    Run.line("report %s %s", path("m"), path("m.html")).succeeds();

    Run.line(command + "1e308,1e307", tensor, path("n"))
        .fails(2, "left out, ridge 1.0E307", "weft: WEFT-301: the error after ");
    assertThat(folder.resolve("n")).doesNotExist();
  }
}
