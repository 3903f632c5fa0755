package org.weft.it.differential;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * CP-ALS by what its files must satisfy, whatever the algorithm: the fit that it reports is the fit
 * of the factors that it writes, it does not fall, planted components come back, and the same seed
 * gives the same bytes.
 */
final class CpDecompositionTest {

  @ParameterizedTest(name = "{0} rank {1}{2}")
  @CsvSource({"nations, 5, --nonnegative", "bitcoin-otc, 4, ''"})
  void theReportedFitIsThatOfTheFactors(String name, int rank, String option, @TempDir Path folder)
      throws IOException {
    Path input = RealTensors.fileOrSkip(name);
    Path output = folder.resolve("factors");
    List<Object> words =
        new ArrayList<>(List.of("cpd", input, "--rank", rank, "--iterations", 6, "--seed", 3));
    words.addAll(List.of("--tolerance", 0, "--output", output, "-q"));
    if (!option.isEmpty()) {
      words.add(option);
    }
    WeftCommand.run(words.toArray());
    Entries tensor = Entries.read(input);
    Model model = Model.read(output, tensor.order());
    JsonNode summary = new ObjectMapper().readTree(output.resolve("summary.json").toFile());
    assertThat(summary.get("norm").doubleValue())
        .isCloseTo(Math.sqrt(NaiveEvaluator.normSquared(tensor)), within(1e-6));
    assertThat(summary.get("fit").doubleValue()).isCloseTo(model.fit(tensor), within(1e-7));
    double before = Double.NEGATIVE_INFINITY;
    for (JsonNode fit : summary.get("fits")) {
      assertThat(fit.doubleValue()).isGreaterThan(before - 1e-9);
      before = fit.doubleValue();
    }
    model.checkNormalised();
    if (!option.isEmpty()) {
      model.checkNonnegative();
    }
  }

  @Tag("long")
  @ParameterizedTest(name = "{0} rank {1}{2}")
  @CsvSource({"nations, 5, ''", "kinship, 8, ''", "icews14s, 6, ''"})
  void theReportedFitIsThatOfTheFactorsOfOthers(
      String name, int rank, String option, @TempDir Path folder) throws IOException {
    theReportedFitIsThatOfTheFactors(name, rank, option, folder);
  }

  @Tag("long")
  @Test
  void aminoacidsThreeComponentsAreFound(@TempDir Path folder) throws IOException {
    Path input = RealTensors.fileOrSkip("aminoacid");
    Path output = folder.resolve("factors");
    WeftCommand.run("cpd", input, "--rank", 3, "--seed", 1, "--output", output, "-q");
    double fit = Model.read(output, 3).fit(Entries.read(input));
    assertThat(fit).isGreaterThan(0.97);
  }

  @Tag("long")
  @Test
  void theSameSeedGivesTheSameBytes(@TempDir Path folder) throws IOException {
    Path input = RealTensors.fileOrSkip("umls");
    for (String run : List.of("a", "b")) {
      Path output = folder.resolve(run);
      WeftCommand.run(
          "cpd", input, "--rank", 7, "--iterations", 5, "--seed", 9, "--output", output, "-q");
    }
    for (String file : List.of("mode0.npy", "mode1.npy", "mode2.npy", "lambda.npy")) {
      assertThat(folder.resolve("a").resolve(file))
          .hasSameBinaryContentAs(folder.resolve("b").resolve(file));
    }
  }

  @Test
  void plantedComponentsComeBack(@TempDir Path folder) throws IOException {
    plantedComponentsComeBack(3, folder);
  }

  @Tag("long")
  @Test
  void plantedComponentsOfFourModesComeBack(@TempDir Path folder) throws IOException {
    plantedComponentsComeBack(4, folder);
  }

  private static void plantedComponentsComeBack(int order, Path folder) throws IOException {
    int rank = 4;
    Model planted = Model.random(order, 14, rank, 71 + order);
    Entries tensor = planted.sample(0.01, new SplittableRandom(order));
    Path input = folder.resolve("planted.tns");
    tensor.write(input);
    Path output = folder.resolve("factors");
    WeftCommand.run(
        "cpd",
        input,
        "--rank",
        rank,
        "--iterations",
        200,
        "--tolerance",
        1e-9,
        "--seed",
        5,
        "--output",
        output,
        "-q");
    assertThat(Files.exists(output.resolve("mode" + (order - 1) + ".npy"))).isTrue();
    assertThat(planted.factorMatchScore(Model.read(output, order))).isGreaterThan(0.99);
  }
}
