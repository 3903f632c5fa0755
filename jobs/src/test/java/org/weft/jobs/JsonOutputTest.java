package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
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
}
