package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The unit of measurement does not matter: a tensor times a power of two, which rounds nothing, has
 * the same fits after each iteration. Factors have the same bits where the unit is in the weights
 * alone.
 */
class ScaledTensorsTest extends FolderCase {
  private static final int ITERATIONS = 6;
  private static final int[] POWERS =
      Boolean.getBoolean("weft.long") ? new int[] {-83, -70, -30, 30, 60, 83} : new int[] {-83, 60};

  /** Two components with noise, times {@code 2^power}. */
  private String tensor(int power) {
    Random random = new Random(5);
    StringBuilder text = new StringBuilder();
    for (int cell = 0; cell < 7 * 6 * 5; cell++) {
      int i = cell % 7;
      int j = cell / 7 % 6;
      int k = cell / 42;
      double value = (i + 1) * (6 - j) * 0.02 + (7 - i) * (j + 1) * k * 0.01;
      value += 0.2 * random.nextDouble();
      text.append(i + 1).append(' ').append(j + 1).append(' ').append(k + 1).append(' ');
      text.append(Math.scalb(value, power)).append('\n');
    }
    return Run.write(folder, "x" + power + ".tns", text.toString());
  }

  private JsonNode fits(String line, int power) throws IOException {
    String model = folder.resolve("m" + power).toString();
    String all = line.startsWith("cpapr") ? " --kkt 0" : " --tolerance 0";
    String command = line + " --iterations " + ITERATIONS + all + " --output " + model;
    Run.of(command.replace("IN", tensor(power)).split(" ")).succeeds();
    return new ObjectMapper().readTree(Path.of(model, "summary.json").toFile()).get("fits");
  }

  private void assertSameFactors(int power) throws IOException {
    for (int mode = 0; mode < 3; mode++) {
      String file = "mode" + mode + ".npy";
      Path expected = folder.resolve("m0").resolve(file);
      assertThat(Files.mismatch(folder.resolve("m" + power).resolve(file), expected))
          .as("2^%d, %s", power, file)
          .isEqualTo(-1);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "cpd IN --rank 2 --type float",
        "cpd IN --rank 2 --nonnegative --init nvecs",
        "cpd IN --rank 2 --method arls --sample 0.5",
        "cpd IN --rank 2 --ridge 0.01",
        "cpd IN --rank 2 --constrain 0=nonneg,1=l1:0.05 --type float",
        "cpd IN --rank 2 --constrain 0=simplex,2=smooth:0.1",
        "tucker IN --ranks 2,2,2 --type float",
        "complete IN --rank 1 --ridge 0.01",
        "complete IN --rank 1 --ridge 0.01 --missing-weight 0.3",
        "complete IN --rank 1 --ridge 0.01 --method ccd",
        "complete IN --rank 1 --ridge 0.01 --method sgd",
        "gcp IN --rank 2 --loss gaussian --nonnegative",
      })
  void fitsAreThoseOfAnotherUnit(String line) throws IOException {
    JsonNode expected = fits(line, 0);
    for (int power : POWERS) {
      JsonNode found = fits(line, power);
      assertThat(found.size()).isEqualTo(expected.size());
      if (line.matches("(cpd|tucker).*")) {
        assertSameFactors(power);
      }
      double unit = line.startsWith("gcp") ? Math.scalb(1.0, 2 * power) : 1; // its fit is a loss
      for (int it = 0; it < expected.size(); it++) {
        double fit = expected.get(it).asDouble();
        assertThat(found.get(it).asDouble() / unit)
            .as("2^%d, iteration %d", power, it + 1)
            .isCloseTo(fit, within(1e-6 * Math.max(1, Math.abs(fit))));
      }
    }
  }

  /** The other cases of {@link #fitsAreThoseOfAnotherUnit}. */
  @Tag("long")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "cpd IN --rank 2",
        "cpd IN --rank 2 --nonnegative",
        "cpd IN --rank 2 --nonnegative --type float",
        "cpd IN --rank 2 --method arls --sample 0.5 --nonnegative",
        "cpd IN --rank 2 --init nvecs",
        "cpd IN --rank 2 --constrain 0=nonneg,1=l1:0.05",
        "cpd IN --rank 2 --constrain 0=nonneg,1=l1:0.05 --init nvecs",
        "cpd IN --rank 2 --constrain 0=simplex,2=smooth:0.1 --type float",
        "tucker IN --ranks 2,2,2",
        "tucker IN --ranks 2,2,2 --nonnegative",
      })
  void fitsOfOtherMethodsAreThoseOfAnotherUnit(String line) throws IOException {
    fitsAreThoseOfAnotherUnit(line);
  }

  /** The log-likelihood of counts c x is that of x, with {@code log c} for each of them. */
  @ParameterizedTest
  @ValueSource(strings = {"mu", "pdnr", "pqnr", "mu --type float"})
  void modelsOfCountsAreThoseOfAnotherUnit(String update) throws IOException {
    String line = "cpapr IN --rank 2 --method " + update;
    JsonNode expected = fits(line, 0);
    double total = 0;
    for (String entry : Files.readAllLines(Path.of(tensor(0)))) {
      total += Double.parseDouble(entry.substring(entry.lastIndexOf(' ')));
    }
    for (int power : POWERS) {
      JsonNode found = fits(line, power);
      assertThat(found.size()).isEqualTo(expected.size());
      for (int it = 0; it < expected.size(); it++) {
        double likelihood = expected.get(it).asDouble() + total * power * Math.log(2);
        assertThat(Math.scalb(found.get(it).asDouble(), -power))
            .as("2^%d, iteration %d", power, it + 1)
            .isCloseTo(likelihood, within(1e-5 * Math.abs(likelihood)));
      }
      assertSameFactors(power);
    }
  }

  /** Squares of residuals are added up as floats, and would be 0 or infinite. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "complete IN --rank 1 --type float",
        "gcp IN --rank 2 --loss gaussian --type float",
      })
  void valuesWithoutSquaresInFloatAreAnError(String line) {
    for (int power : new int[] {-60, 60}) {
      assertRefused(line, power, "type float");
    }
  }

  /** The squares of the values are finite, and those of the gradient are not. */
  @ParameterizedTest
  @ValueSource(strings = {"adam", "lbfgs"})
  void gradientsWithoutSquaresAreAnError(String optimizer) {
    String line = "gcp IN --rank 2 --loss gaussian --optimizer " + optimizer;
    assertRefused(line, 500, "iteration 1, mode 0: the sum of the gradient's squares is Infinity");
  }

  private void assertRefused(String line, int power, String about) {
    String model = folder.resolve("none").toString();
    Run.of((line + " --output " + model).replace("IN", tensor(power)).split(" "))
        .fails(2, "WEFT-301", about);
    assertThat(folder.resolve("none")).doesNotExist();
  }

  /** Their squares would be 0, and so would every fit. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "cpd IN --rank 2",
        "cpd IN --rank 2 --init nvecs",
        "tucker IN --ranks 2,2,2",
        "tucker IN --ranks 2,2,2 --nonnegative",
        "complete IN --rank 1",
        "cpapr IN --rank 2",
        "gcp IN --rank 2 --loss gaussian",
      })
  void valuesWithoutSquaresAreAnError(String line) {
    for (int power : new int[] {-500, -700, -1040}) {
      assertRefused(line, power, "x" + power + ".tns: expected values whose squares are numbers");
    }
  }
}
