package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code weft diagnose} on a tensor of two components, with one slice that has another. */
class DiagnoseCommandTest extends FolderCase {
  @BeforeEach
  void decompose() {
    Random random = new Random(5);
    double[][][] factors = new double[3][][];
    int[] sizes = {9, 8, 7};
    for (int mode = 0; mode < 3; mode++) {
      factors[mode] = new double[sizes[mode]][];
      for (int i = 0; i < sizes[mode]; i++) {
        factors[mode][i] = random.doubles(2, -1, 1).toArray();
      }
    }
    StringBuilder text = new StringBuilder();
    for (int cell = 0; cell < 9 * 8 * 7; cell++) {
      int i = cell / 56;
      int j = cell / 7 % 8;
      int k = cell % 7;
      double value = 0.02 * random.nextGaussian() + (i == 4 ? 0.2 * random.nextGaussian() : 0);
      for (int r = 0; r < 2; r++) {
        value += factors[0][i][r] * factors[1][j][r] * factors[2][k][r];
      }
      text.append(i + 1).append(' ').append(j + 1).append(' ').append(k + 1).append(' ');
      text.append(value).append('\n');
    }
    Run.write(folder, "x.tns", text.toString());
    Run.write(folder, "small.tns", "1 1 1 1\n2 2 2 2\n");
    Run.write(folder, "users", "a\nb\nc\nd\nodd_one of\nf\ng\nh\ni\n");
    weft("cpd DIR/x.tns --rank 2 --seed 3 --iterations 200 --labels 0=DIR/users --output DIR/m")
        .succeeds();
  }

  @Test
  void aGoodModelAndItsWorstSlice() throws IOException {
    Run text = weft("diagnose DIR/m DIR/x.tns").succeeds();
    assertThat(text.out()).contains("core consistency", "degenerate        false", "odd_one of");
    Run run = weft("diagnose DIR/m DIR/x.tns --json");
    JsonNode found = new ObjectMapper().readTree(run.out());
    assertThat(found.get("core_consistency").asDouble()).isBetween(95.0, 100.0);
    JsonNode summary = new ObjectMapper().readTree(folder.resolve("m/summary.json").toFile());
    assertThat(found.get("fit").asDouble()).isCloseTo(summary.get("fit").asDouble(), within(1e-9));
    double norm = summary.get("norm").asDouble();
    for (int r = 0; r < 2; r++) {
      double lambda = summary.get("lambda").get(r).asDouble();
      assertThat(found.get("component_norms").get(r).asDouble())
          .isCloseTo(lambda, within(1e-9 * lambda));
      assertThat(found.get("component_shares").get(r).asDouble())
          .isCloseTo(lambda * lambda / norm / norm, within(1e-9));
    }
    JsonNode worst = found.get("slices").get(0);
    assertThat(worst.get("slice").asText()).isEqualTo("odd_one of");
    assertThat(worst.get("error_share").asDouble()).isGreaterThan(0.5);
    assertThat(found.get("entries").get(0).get("at").get(0).asText()).isEqualTo("odd_one of");
    assertThat(text.out()).contains("\nodd_one of / ");
    assertThat(found.get("alike").size()).isEqualTo(1);
  }

  private JsonNode json(String line) throws IOException {
    Run run = weft(line).succeeds();
    return new ObjectMapper().readTree(run.out());
  }

  private JsonNode summary(String model) throws IOException {
    return new ObjectMapper().readTree(folder.resolve(model + "/summary.json").toFile());
  }

  @Test
  void ofATuckerModelTheCoreIsShown() throws IOException {
    String tucker = "tucker DIR/x.tns --ranks 2,2,2 --labels 0=DIR/users --output DIR/t";
    weft(tucker).succeeds();
    JsonNode found = json("diagnose DIR/t DIR/x.tns --json");
    double fit = summary("t").get("fit").asDouble();
    assertThat(found.get("fit").asDouble()).isCloseTo(fit, within(1e-9));
    assertThat(found.has("core_consistency") || found.has("component_norms")).isFalse();
    assertThat(found.get("core_ranks")).hasToString("[2,2,2]");
    double sum = 0;
    for (JsonNode column : found.get("core_columns")) {
      sum += column.get("core_share").asDouble();
    }
    assertThat(sum).isCloseTo(3, within(1e-9)); // 1 for each mode
    JsonNode largest = found.get("core_entries").get(0);
    assertThat(largest.get("columns").size()).isEqualTo(3);
    assertThat(largest.get("share").asDouble()).isBetween(0.125, 1.0);
    assertThat(found.get("slices").get(0).get("slice").asText()).isEqualTo("odd_one of");
    Run text = weft("diagnose DIR/t DIR/x.tns");
    assertThat(text.out())
        .contains("no core consistency  the core of a Tucker model has entries everywhere")
        .contains("core columns", "core entries", "odd_one of");
  }

  /** Half of the cells are unknown, and those that are known have a mean and biases. */
  @Test
  void ofACompletionBiasesAreNoComponentsAndUnknownCellsNoErrors() throws IOException {
    StringBuilder text = new StringBuilder();
    Random random = new Random(2);
    for (int cell = 0; cell < 20 * 18 * 16; cell += 1 + random.nextInt(3)) {
      int i = cell / 288;
      int j = cell / 16 % 18;
      int k = cell % 16;
      double value = 50 + 3 * Math.sin(i) + 2 * Math.cos(j) + Math.sin(i * j) * Math.cos(k);
      text.append(i + 1).append(' ').append(j + 1).append(' ').append(k + 1).append(' ');
      text.append(value).append('\n');
    }
    Run.write(folder, "y.tns", text.toString());
    weft("complete DIR/y.tns --rank 2 --split 0,0 --ridge 0.01 --output DIR/c").succeeds();
    JsonNode found = json("diagnose DIR/c DIR/y.tns --json");
    double fit = summary("c").get("fit").asDouble();
    assertThat(found.get("fit").asDouble()).isCloseTo(fit, within(1e-6));
    assertThat(found.get("component_norms").size()).isEqualTo(2);
    assertThat(found.get("alike").size()).isEqualTo(1);
    found
        .get("component_shares")
        .forEach(share -> assertThat(share.asDouble()).isBetween(0.0, 0.01));
    assertThat(found.get("mean").asDouble()).isCloseTo(50, within(1.0));
    assertThat(found.get("biases").findValues("size").get(0).asDouble()).isBetween(1.5, 3.0);
    assertThat(found.has("core_consistency") || found.has("error_at_entries")).isFalse();
    assertThat(found.get("no_core_consistency").asText()).contains("unknown");
    double shares = 0;
    for (JsonNode slice : json("diagnose DIR/c DIR/y.tns --json --count 20").get("slices")) {
      shares += slice.get("error_share").asDouble();
    }
    assertThat(shares).isCloseTo(3, within(1e-9)); // all of the error, in each mode
    weft("diagnose DIR/c DIR/y.tns --ranks 1..2")
        .fails(2, "with --ranks", "found one of weft complete");
  }

  @Test
  void ranksAreTriedFromSeveralStarts() throws IOException {
    Run run =
        weft("diagnose DIR/m DIR/x.tns --ranks 1..4 --starts 2 --json --plot DIR/ranks.svg")
            .succeeds();
    JsonNode scan = new ObjectMapper().readTree(run.out()).get("ranks");
    assertThat(scan.findValuesAsText("rank")).containsExactly("1", "2", "3", "4");
    for (int at = 1; at < 4; at++) {
      assertThat(scan.get(at).get("fit").asDouble())
          .isGreaterThan(scan.get(at - 1).get("fit").asDouble());
    }
    assertThat(scan.get(1).get("core_consistency").asDouble()).isGreaterThan(95);
    assertThat(scan.get(1).get("stability").asDouble()).isGreaterThan(0.95);
    assertThat(scan.get(3).get("core_consistency").asDouble()).isLessThan(80);
    assertThat(folder.resolve("ranks.svg")).content().contains("<svg", "core consistency");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "DIR/m DIR/x.tns --ranks 5..2 | expected --ranks A..B with A of at least 1",
        "DIR/m DIR/x.tns --ranks few | expected --ranks as A..B, such as 2..20, found 'few'",
        "DIR/m DIR/x.tns --starts 0 | expected --starts of at least 1, found 0",
        "DIR/m DIR/x.tns --count 0 | expected --count of at least 1, found 0",
        "DIR/m DIR/x.tns --starts 2 | expected --ranks A..B with --starts, found none",
        "DIR/m DIR/x.tns --seed 2 | expected --ranks A..B with --seed, found none",
        "DIR/m DIR/x.tns --iterations -1 | expected --iterations of at least 1, found -1",
        "DIR/m DIR/x.tns --tolerance NaN | expected --tolerance of at least 0, found NaN",
        "DIR/m DIR/x.tns --plot DIR/p.svg | expected --ranks A..B with --plot, found none",
        "DIR/m DIR/small.tns | expected the model's tensor of 9 x 8 x 7, found",
        "DIR DIR/x.tns | expected the folder of a decomposition, found no summary.json",
      })
  void mistakesAreOneError(String line, String message) {
    weft("diagnose " + line).fails(2, message);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "cpd --rank 2",
        "tucker --ranks 2,2,2",
        "complete --rank 2 --split 0,0 --ridge 0.01 --iterations 2"
      })
  void anotherTensorIsOneErrorForEveryKindOfModel(String method) {
    weft(method + " DIR/x.tns --output DIR/other").succeeds();
    Run.write(folder, "flat.tns", "1 2 3.5\n");
    Run.write(folder, "deep.tns", "1 2 1 1 1 3.5\n");
    Run.write(folder, "large.tns", "99 2 1 3.5\n");
    for (String tensor : List.of("flat.tns", "deep.tns", "large.tns")) {
      weft("diagnose DIR/other DIR/" + tensor)
          .fails(2, "WEFT-103", tensor + ": expected the model's tensor of 9 x");
    }
  }
}
