package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code --starts} of the commands that decompose. */
class StartsTest extends FolderCase {
  private static final int SEED = 5;
  private static final int STARTS = 3;

  private String tensor = "";

  @BeforeEach
  void writeTensor() {
    tensor = scattered(90, e -> 1 + e * e % 9);
  }

  private JsonNode run(String line, String output, String more) throws IOException {
    String all = line.replace("IN", tensor) + " --iterations 4 --output " + folder.resolve(output);
    Run run = Run.of((all + more).split(" ")).succeeds();
    JsonNode summary =
        new ObjectMapper().readTree(folder.resolve(output + "/summary.json").toFile());
    int starts = summary.get("starts").size();
    assertThat(run.out().contains("start " + starts + " of " + starts + ", seed "))
        .isEqualTo(starts > 1);
    assertThat(run.out().contains(starts + " starts, ")).isEqualTo(starts > 1);
    return summary;
  }

  /** Each start has the bits of a run from its seed, and the best of them is in the folder. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "cpd IN --rank 2",
        "tucker IN --ranks 2,2,2",
        "cpapr IN --rank 2",
        "cpapr IN --rank 2 --method pqnr",
        "gcp IN --rank 2 --loss poisson",
        "gcp IN --rank 2 --loss gaussian --optimizer lbfgs",
      })
  void theBestOfSeveralStartsIsKept(String line) throws IOException {
    JsonNode all = run(line, "all", " --seed " + SEED + " --starts " + STARTS);
    int best = 0;
    for (int start = 0; start < STARTS; start++) {
      JsonNode alone = run(line, "s" + start, " --seed " + (SEED + start));
      JsonNode among = all.get("starts").get(start);
      assertThat(alone.get("starts").get(0)).isEqualTo(among);
      assertThat(alone.get("fit")).isEqualTo(among.get("fit"));
      best = among.get("fit").asDouble() > fit(all, best) ? start : best;
    }
    assertThat(all.get("fit").asDouble()).isEqualTo(fit(all, best));
    assertThat(
            StreamSupport.stream(all.get("starts").spliterator(), false)
                .map(start -> start.get("fit").asDouble())
                .distinct())
        .as("fits of different starts")
        .hasSize(STARTS);
    for (String file : Run.names(folder.resolve("all"))) {
      if (file.endsWith(".npy")) {
        assertThat(folder.resolve("all").resolve(file))
            .hasSameBinaryContentAs(folder.resolve("s" + best).resolve(file));
      }
    }
  }

  private static double fit(JsonNode all, int start) {
    return all.get("starts").get(start).get("fit").asDouble();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "cpd IN --rank 2",
        "tucker IN --ranks 2,2,2",
        "cpapr IN --rank 2",
        "gcp IN --rank 2 --loss poisson",
        "complete IN --rank 2",
      })
  void noStartIsOneError(String line) {
    String all = line.replace("IN", tensor) + " --starts 0 --output " + folder.resolve("out");
    Run.of(all.split(" ")).fails(2, "WEFT-100", "expected --starts of at least 1, found 0");
    assertThat(folder.resolve("out")).doesNotExist();
  }
}
