package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What commands say as JSON. */
class JsonOutputTest extends FolderCase {
  private String tensor() {
    return Run.write(folder, "x.tns", "1 1 1 2\n1 2 1 3\n3 1 2 -4\n3 1 2 1\n");
  }

  private static JsonNode json(String... arguments) throws IOException {
    Run run = Run.of(arguments).succeeds();
    return new ObjectMapper().readTree(run.out());
  }

  @Test
  void statsHaveTheFiguresOfTheTable() throws IOException {
    JsonNode stats = json("stats", tensor(), "--json", "--names", "user,item,week");
    assertThat(stats.path("dims").toString()).isEqualTo("[3,2,2]");
    assertThat(stats.path("nnz").asLong()).isEqualTo(3);
    assertThat(stats.path("duplicates").asLong()).isEqualTo(1);
    assertThat(stats.path("density").asDouble()).isEqualTo(0.25);
    assertThat(stats.path("min_value").asDouble()).isEqualTo(-3);
    assertThat(stats.at("/modes/0/name").asText()).isEqualTo("user");
    assertThat(stats.at("/modes/0/empty_slices").asLong()).isEqualTo(1);
    assertThat(stats.at("/modes/0/max").asLong()).isEqualTo(2);
    assertThat(stats.at("/modes/2/storage_bytes").asDouble()).isPositive();
  }

  /** What a file repeats is one entry to jobs, and so to the figures of the file. */
  @Test
  void statsAreOfWhatJobsComputeWith() throws IOException {
    Run norm = Run.of("eval", "s = SUM(T(i,j,k) * T(i,j,k))", "--input", "T=" + tensor());
    assertThat(norm.out()).as(norm.err()).isEqualTo("22\n");
    List<String> masters =
        Boolean.getBoolean("weft.long") ? List.of("", "--master local[2]") : List.of("");
    for (String master : masters) {
      String line = "stats " + tensor() + " --json " + master;
      JsonNode stats = json(line.strip().split(" "));
      assertThat(stats.path("duplicates").asLong()).isEqualTo(1);
      assertThat(Math.pow(stats.path("norm").asDouble(), 2)).isCloseTo(22, within(1e-12));
      assertThat(stats.path("min_value").asDouble()).isEqualTo(-3);
      assertThat(stats.path("max_value").asDouble()).isEqualTo(3);
      assertThat(stats.at("/modes/2/max").asLong()).isEqualTo(2);
      assertThat(stats.at("/modes/2/min").asLong()).isEqualTo(1);
    }
    Run table = Run.of("stats", tensor());
    assertThat(table.out()).contains("duplicates  1, summed (entries in the file: 4)");
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
    Run.of("explain", "--json", "stats", tensor())
        .fails(2, "explain --json works with eval, run, mttkrp");
  }

  @Test
  void analysedPlansHaveWhatWasMeasured() throws IOException {
    JsonNode plan = json("explain", "--json", "--analyze", "cpd", tensor(), "--rank", "2");
    assertThat(plan.path("passes")).hasSize(3);
    JsonNode measured = plan.path("measured");
    assertThat(measured.path("iterations").asInt()).isPositive();
    assertThat(measured.path("passes")).hasSize(3);
    assertThat(measured.at("/seconds/kernel").asDouble()).isPositive();
    assertThat(measured.path("packed_bytes").asLong()).isPositive();
    assertThat(measured.path("peak_memory_bytes").asLong()).isPositive();
  }

  @Test
  void statementsHaveTheirStepsAndNodes() throws IOException {
    String[] eval = {"eval", "y(i) = T(i,j,k)", "--input", "T=" + tensor()};
    JsonNode here = json(with(List.of("explain", "--json"), eval));
    assertThat(here.at("/operands/0/dims").toString()).isEqualTo("[3,2,2]");
    assertThat(here.at("/steps/0/step").asText()).isEqualTo("compute");
    assertThat(here.at("/steps/0/result").asText()).isEqualTo("y");
    JsonNode parts = json(with(List.of("explain", "--json", "--executors", "4"), eval));
    assertThat(parts.at("/nodes/0/node").asText()).startsWith("kernel y(i)");
    assertThat(parts.at("/alternatives/0/seconds").asDouble()).isPositive();
    assertThat(parts.findValue("measured")).isNull();
    JsonNode measured = json(with(List.of("explain", "--json", "--analyze"), eval));
    assertThat(measured.at("/nodes/0/measured/entries").asLong()).isEqualTo(3);
    assertThat(measured.path("entries").asLong()).isEqualTo(3);
  }

  @Test
  void programsHaveThePlanOfEachStatement() throws IOException {
    String program =
        Run.write(
            folder,
            "p.ta",
            """
            def main() {
              IndexLabel [i, j] = [2];
              Tensor<double> A([i, j], {CSR});
              Tensor<double> y([i], {Dense});
              A[i, j] = 1;
              y[i] = A[i, j] * A[i, j];
              print(y);
            }
            """);
    for (List<String> how : List.of(List.<String>of(), List.of("--analyze"))) {
      List<String> explain = Stream.concat(Stream.of("explain", "--json"), how.stream()).toList();
      JsonNode statements = json(with(explain, "run", program)).path("statements");
      assertThat(statements.findValuesAsText("line")).contains("6");
      assertThat(statements.findValuesAsText("file")).containsOnly(program);
      assertThat(statements.get(0).has(how.isEmpty() ? "steps" : "nodes")).isTrue();
    }
  }

  @Test
  void topHasTheLabelsOfEachComponent() throws IOException {
    String model = folder.resolve("model").toString();
    Run.of("cpd", tensor(), "--rank", "2", "--output", model).succeeds();
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
    Run.of("bench", "--calibrate", "m.tsv", "--json")
        .fails(2, "--plot, --json and --orders, found m.tsv");
  }

  private static String[] with(List<String> arguments, String... more) {
    return Stream.concat(arguments.stream(), Stream.of(more)).toArray(String[]::new);
  }
}
