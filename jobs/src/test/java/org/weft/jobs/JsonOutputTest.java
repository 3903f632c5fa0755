package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What commands say as JSON. */
class JsonOutputTest {
  @TempDir Path folder;

  private String tensor() {
    return Run.write(folder, "x.tns", "1 1 1 2\n1 2 1 3\n3 1 2 -4\n3 1 2 1\n");
  }

  private static JsonNode json(String... arguments) throws IOException {
    Run run = Run.of(arguments);
    assertThat(run.status()).as(run.err()).isZero();
    return new ObjectMapper().readTree(run.out());
  }

  @Test
  void statsHaveTheFiguresOfTheTable() throws IOException {
    JsonNode stats = json("stats", tensor(), "--json", "--names", "user,item,week");
    assertThat(stats.path("dims").toString()).isEqualTo("[3,2,2]");
    assertThat(stats.path("nnz").asLong()).isEqualTo(3);
    assertThat(stats.path("duplicates").asLong()).isEqualTo(1);
    assertThat(stats.path("density").asDouble()).isEqualTo(0.25);
    assertThat(stats.path("min_value").asDouble()).isEqualTo(-4);
    assertThat(stats.at("/modes/0/name").asText()).isEqualTo("user");
    assertThat(stats.at("/modes/0/empty_slices").asLong()).isEqualTo(1);
    assertThat(stats.at("/modes/0/max").asLong()).isEqualTo(2);
    assertThat(stats.at("/modes/2/storage_bytes").asDouble()).isPositive();
  }

  @Test
  void plansHaveTheirPredictions() throws IOException {
    JsonNode plan = json("explain", "--json", "cpd", tensor(), "--rank", "2");
    assertThat(plan.path("nnz").asLong()).isEqualTo(4);
    assertThat(plan.path("passes")).hasSize(3);
    assertThat(plan.at("/passes/1/mode").asInt()).isEqualTo(1);
    assertThat(plan.at("/passes/1/flops").asDouble()).isPositive();
    assertThat(plan.path("steps").toString()).contains("kernel");
    assertThat(plan.path("seconds").asDouble()).isPositive();
    Run other = Run.of("explain", "--json", "stats", tensor());
    assertThat(other.status()).isEqualTo(2);
    assertThat(other.err()).contains("explain --json works with mttkrp");
  }

  @Test
  void topHasTheLabelsOfEachComponent() throws IOException {
    String model = folder.resolve("model").toString();
    assertThat(Run.of("cpd", tensor(), "--rank", "2", "--output", model).status()).isZero();
    JsonNode top = json("top", model, "--json", "--count", "1");
    assertThat(top.path("components")).hasSize(2);
    assertThat(top.at("/components/0/lambda").asDouble())
        .isGreaterThan(top.at("/components/1/lambda").asDouble());
    assertThat(top.at("/components/1/modes/2/labels")).hasSize(1);
    assertThat(top.at("/components/1/modes/2/labels/0/weight").isNumber()).isTrue();
  }

  @Test
  void benchHasTheFiguresOfItsReport() throws IOException {
    String report = folder.resolve("report.json").toString();
    List<String> bench =
        List.of("bench", "--tensors", tensor(), "--rounds", "1", "--threads", "1", "--json");
    JsonNode kernels = json(with(bench, "--kernels", "ttv", "--report", report));
    assertThat(kernels).isEqualTo(new ObjectMapper().readTree(Run.read(report)));
    assertThat(kernels.path("rows")).hasSize(1);
    assertThat(kernels.at("/rows/0/kernel").asText()).isEqualTo("ttv");
    assertThat(kernels.at("/rows/0/median_seconds").asDouble()).isPositive();
    assertThat(kernels.at("/rows/0/other_over_this").isNull()).isTrue();
    assertThat(kernels.at("/bounds/1/triad").asDouble()).isPositive();

    JsonNode orders = json(with(bench, "--orders", "degree", "--ranks", "2"));
    assertThat(orders.path("rows").findValuesAsText("order")).contains("degree");
    Run wrong = Run.of("bench", "--calibrate", "m.tsv", "--json");
    assertThat(wrong.status()).isEqualTo(2);
    assertThat(wrong.err()).contains("--plot, --json and --orders, found m.tsv");
  }

  private static String[] with(List<String> arguments, String... more) {
    return Stream.concat(arguments.stream(), Stream.of(more)).toArray(String[]::new);
  }
}
