package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code weft diagnose} on a tensor of two components, with one slice that has another. */
class DiagnoseCommandTest {
  @TempDir Path folder;

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
    Run run =
        run("cpd DIR/x.tns --rank 2 --seed 3 --iterations 200 --labels 0=DIR/users --output DIR/m");
    assertThat(run.status()).as(run.err()).isZero();
  }

  private Run run(String line) {
    return Run.of(line.replace("DIR", folder.toString()).split(" "));
  }

  @Test
  void aGoodModelAndItsWorstSlice() throws IOException {
    Run text = run("diagnose DIR/m DIR/x.tns");
    assertThat(text.status()).as(text.err()).isZero();
    assertThat(text.out()).contains("core consistency", "degenerate        false", "odd_one of");
    Run run = run("diagnose DIR/m DIR/x.tns --json");
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

  @Test
  void ranksAreTriedFromSeveralStarts() throws IOException {
    Run run = run("diagnose DIR/m DIR/x.tns --ranks 1..4 --starts 2 --json --plot DIR/ranks.svg");
    assertThat(run.status()).as(run.err()).isZero();
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
        "DIR/m DIR/x.tns --ranks 5..2 | expected --ranks from 1 on, upwards",
        "DIR/m DIR/x.tns --ranks few | expected --ranks as 2..20, found 'few'",
        "DIR/m DIR/x.tns --starts 0 | expected --starts and --count of at least 1",
        "DIR/m DIR/x.tns --iterations -1 | expected --iterations of at least 1, found -1",
        "DIR/m DIR/x.tns --tolerance NaN | expected --tolerance of at least 0, found NaN",
        "DIR/m DIR/x.tns --plot DIR/p.svg | expected --ranks with --plot",
        "DIR/m DIR/small.tns | expected the model's tensor of 9 x 8 x 7, found",
        "DIR DIR/x.tns | expected the folder of a decomposition, found no summary.json",
      })
  void mistakesAreOneError(String line, String message) {
    Run run = run("diagnose " + line);
    assertThat(run.status()).as(run.err()).isEqualTo(2);
    assertThat(run.err()).contains(message);
  }
}
