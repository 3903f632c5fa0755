package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.decomposition.Setting;
import org.weft.storage.file.FileAccess;
import org.weft.storage.npy.NpyFile;

/** {@code weft cpapr} from file to folder. */
class CpaprCommandTest extends FolderCase {
  private String tensor = "";

  @BeforeEach
  void writeTensor() {
    tensor = scattered(60, e -> 1 + e % 9);
  }

  @Test
  void aReportNamesWhatIterationsRaise() throws IOException {
    Run.of("cpapr", tensor, "--rank", "2", "--output", path("d"));
    Run.of("report", path("d"), path("r.html")).succeeds();
    assertThat(folder.resolve("r.html"))
        .content()
        .contains("2 components, log-likelihood ", ">log-likelihood</th>")
        .doesNotContain(", fit ", "|T - model|");
  }

  /**
   * A square of R numbers per slice comes near what an int counts. What no machine has is wrong
   * usage of a completion.
   */
  @ParameterizedTest
  @ValueSource(ints = {32_767, 32_769, 40_000, 46_340, 46_341, 65_536})
  void ranksWhoseSquaresDoNotFitAreRefusedForMemory(int rank) {
    String line = "%s %s --method %s --rank " + rank + " --memory 4g --output " + path("d");
    for (String command : List.of("cpapr pdnr", "complete als")) {
      String[] words = command.split(" ");
      Run run = Run.of(line.formatted(words[0], tensor, words[1]).split(" "));
      boolean none = words[0].equals("complete") && rank > Setting.LARGEST_RANK;
      assertThat(run.err()).contains(none ? "WEFT-100" : "WEFT-400");
      assertThat(run.status()).as(run.err()).isEqualTo(none ? 2 : 1);
      assertThat(folder.resolve("d")).doesNotExist();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"mu", "pdnr", "pqnr"})
  void columnsAreProbabilitiesAndWeightsAreCounts(String update) throws IOException {
    String line =
        "cpapr %s --rank 2 --iterations 200 --method %s --output %s --names user,item,day"
            + " --labels 0=%s";
    String labels = Run.write(folder, "names", "ant\nbee\ncat\ndog\neel\n");
    Run run = Run.line(line, tensor, update, path("d"), labels).succeeds();
    assertThat(run.out()).contains("iteration   2   log-likelihood", "wrote " + path("d"));
    assertThat(Run.names(folder.resolve("d")))
        .containsExactly(
            "lambda.npy", "mode0.npy", "mode0.tsv", "mode1.npy", "mode2.npy", "summary.json");
    JsonNode summary = new ObjectMapper().readTree(folder.resolve("d/summary.json").toFile());
    assertThat(summary.get("method").asText()).isEqualTo("cpapr");
    assertThat(summary.get("update").asText()).isEqualTo(update);
    assertThat(summary.get("measure").asText()).isEqualTo("log-likelihood");
    assertThat(summary.get("kkt_violations").size()).isEqualTo(summary.get("iterations").asInt());
    double counted = 0;
    for (int e = 0; e < 60; e++) {
      counted += 1 + e % 9;
    }
    double[] lambda = NpyFile.read(FileAccess.local(), path("d/lambda.npy")).chunk(0);
    assertThat(Arrays.stream(lambda).sum()).isCloseTo(counted, within(1e-6 * counted));
    for (int mode = 0; mode < 3; mode++) {
      double[] rows = NpyFile.read(FileAccess.local(), path("d/mode" + mode + ".npy")).chunk(0);
      assertThat(Arrays.stream(rows).min().orElseThrow()).isNotNegative();
      assertThat(Arrays.stream(rows).sum()).isCloseTo(2, within(1e-12));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "x.tns --rank 0 | WEFT-100 | cpapr: expected a rank of at least 1, found 0",
        "x.tns --rank 2 --method newton | WEFT-100 | expected --method as one of mu, pdnr, pqnr",
        "x.tns --rank 200000 --method pdnr | WEFT-400 | normal: expected at most 2,147,483,647 numbers",
        "x.tns --rank 2 --inner 0 | WEFT-100 | expected at least 1 inner update, found 0",
        "x.tns --rank 2 --kkt -1 | WEFT-100 | a tolerance of at least 0",
        "n.tns --rank 2 | WEFT-300 | expected counts of at least 0, found -2.0 at the coordinates 2 1 1",
        "x.tns --rank 2000000000 | WEFT-400 | factors of 18 rows of 2000000000 numbers; give a lower",
      })
  void mistakesAreOneError(String line, String code, String message) {
    Run.write(folder, "n.tns", "1 1 1 3\n2 1 1 -2\n");
    String all = "cpapr " + folder + "/" + line + " --output " + path("out");
    Run run = Run.of(all.split(" "));
    assertThat(run.status()).as(run.err()).isEqualTo(code.equals("WEFT-400") ? 1 : 2);
    assertThat(run.err()).contains(code, message);
    assertThat(folder.resolve("out")).doesNotExist();
  }
}
