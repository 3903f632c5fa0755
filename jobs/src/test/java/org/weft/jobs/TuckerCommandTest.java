package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.storage.file.FileAccess;
import org.weft.storage.npy.NpyFile;

/** {@code weft tucker} from file to folder. */
class TuckerCommandTest extends FolderCase {
  private String tensor = "";

  @BeforeEach
  void writeTensor() {
    tensor = scattered(60, e -> 1 + e % 9 * 0.5);
  }

  private Run tucker(String output, String... more) {
    String[] all = {"tucker", tensor, "--ranks", "2,3,4", "--output", path(output)};
    String[] arguments = Arrays.copyOf(all, all.length + more.length);
    System.arraycopy(more, 0, arguments, all.length, more.length);
    return Run.of(arguments);
  }

  @Test
  void writesItsFolderAndTheSameBitsForTheSameSeed() throws IOException {
    String labels = Run.write(folder, "names", "ant\nbee\ncat\ndog\neel\n");
    for (String name : new String[] {"d1", "d2"}) {
      Run run = tucker(name, "--seed", "9", "--labels", "0=" + labels, "--threads", "2").succeeds();
      assertThat(run.out()).contains("iteration   2", "fit 0.", "wrote " + path(name));
    }
    assertThat(Run.names(folder.resolve("d1")))
        .containsExactly(
            "core.npy", "mode0.npy", "mode0.tsv", "mode1.npy", "mode2.npy", "summary.json");
    for (String file : new String[] {"core.npy", "mode0.npy", "mode1.npy", "mode2.npy"}) {
      assertThat(folder.resolve("d1").resolve(file))
          .hasSameBinaryContentAs(folder.resolve("d2").resolve(file));
    }
    assertThat(
            new String(
                Files.readAllBytes(folder.resolve("d1/core.npy")), StandardCharsets.ISO_8859_1))
        .contains("'shape': (2, 3, 4)");
    assertThat(Run.read(path("d1/mode0.tsv"))).startsWith("ant\t").contains("\nbee\t", "\neel\t");
    JsonNode summary = new ObjectMapper().readTree(folder.resolve("d1/summary.json").toFile());
    assertThat(summary.get("method").asText()).isEqualTo("tucker");
    assertThat(summary.get("ranks").toString()).isEqualTo("[2,3,4]");
    assertThat(summary.get("dims").toString()).isEqualTo("[5,6,7]");
    assertThat(summary.get("fits").size()).isEqualTo(summary.get("iterations").asInt());
    assertThat(summary.get("fit").asDouble()).isBetween(0.1, 1.0);
  }

  private Run run(String line) {
    Run run = Run.of(line.replace("@", folder + "/").split(" ")).succeeds();
    return run;
  }

  private JsonNode json(String text) throws IOException {
    return new ObjectMapper().readTree(text);
  }

  /** Columns have shares of the core that add up to 1; entries of the core are the largest. */
  @Test
  void topShowsColumnsAndTheCore() throws IOException {
    String labels = Run.write(folder, "names", "ant\nbee\ncat\ndog\neel\n");
    tucker("d", "--labels", "0=" + labels, "--names", "who,what,when").succeeds();
    Run text = run("top @d --count 2");
    assertThat(text.out()).contains("who\n", "column 1, ", "columns of who, what, when");
    JsonNode top = json(run("top @d --json --count 2").out());
    double[] core = NpyFile.readArray(FileAccess.local(), path("d/core.npy"), 2, 3, 4);
    double squares = Arrays.stream(core).map(value -> value * value).sum();
    for (int mode = 0; mode < 3; mode++) {
      JsonNode columns = top.at("/modes/" + mode + "/columns");
      assertThat(columns).hasSize(mode + 2);
      double shares = 0;
      for (JsonNode column : columns) {
        shares += column.get("share").asDouble();
        assertThat(column.get("labels")).hasSize(2);
      }
      assertThat(shares).isCloseTo(1, within(1e-12));
    }
    double row = Arrays.stream(core, 0, 12).map(value -> value * value).sum();
    assertThat(top.at("/modes/0/columns/0/share").asDouble())
        .isCloseTo(row / squares, within(1e-12));
    assertThat(top.get("core")).hasSize(10);
    double most = Arrays.stream(core).map(Math::abs).max().orElseThrow();
    JsonNode first = top.at("/core/0");
    assertThat(Math.abs(first.get("value").asDouble())).isEqualTo(most);
    int[] at = {
      first.at("/columns/0").asInt(), first.at("/columns/1").asInt(), first.at("/columns/2").asInt()
    };
    assertThat(core[(at[0] * 3 + at[1]) * 4 + at[2]]).isEqualTo(first.get("value").asDouble());
    assertThat(first.get("share").asDouble()).isCloseTo(most * most / squares, within(1e-12));
  }

  @Test
  void theReportShowsTheCoreAndItsColumns() throws IOException {
    String labels = Run.write(folder, "names", "ant\nbee\ncat\ndog\n<eel>\n");
    tucker("d", "--labels", "0=" + labels).succeeds();
    Run report = run("report @d @d.html --json @d.json --tensor " + tensor);
    assertThat(report.out()).contains("a core of 2 x 3 x 4");
    assertThat(Run.read(path("d.html")))
        .contains("Tucker model of x.tns", "The core in 4 slices", "mode0, column 1", "&lt;eel&gt;")
        .contains("id=\"columns2\"", "Largest entries of the core")
        .doesNotContain("Overlap", "<eel>");
    JsonNode figures = json(Run.read(path("d.json")));
    JsonNode summary = json(Run.read(path("d/summary.json")));
    double fit = summary.get("fit").asDouble();
    assertThat(figures.get("share").asDouble()).isCloseTo(1 - (1 - fit) * (1 - fit), within(1e-6));
    assertThat(figures.at("/outliers/relativeError").asDouble()).isCloseTo(1 - fit, within(1e-6));
    assertThat(figures.at("/columns/1")).hasSize(3);
    double error = 0;
    for (JsonNode slice : figures.at("/outliers/slices/0")) {
      error += slice.get("share").asDouble();
    }
    assertThat(error).as("all five slices").isCloseTo(1, within(1e-6));
    assertThat(Run.of("report", path("d"), path("e.html"), "--beside", path("d")).err())
        .contains("WEFT-100", "found a Tucker model");
  }

  @Test
  void modelsAreComparedByTheSpansOfTheirColumns() throws IOException {
    tucker("a", "--iterations", "200", "--tolerance", "0").succeeds();
    tucker("b", "--iterations", "200", "--tolerance", "0", "--type", "float").succeeds();
    Run same = run("compare @a @b --count 1 --output @c.json");
    assertThat(same.out()).contains("angles between the spans of the columns, in degrees: 0.");
    JsonNode found = json(Run.read(path("c.json")));
    assertThat(found.get("drift").asDouble()).isLessThan(1e-4);
    assertThat(found.get("components")).isEmpty();
    assertThat(found.at("/modes/2/angles")).hasSize(4);
    String other = Run.write(folder, "y.tns", "5 6 7 1\n1 1 1 2\n2 3 4 3\n3 2 2 1\n");
    run("tucker " + other + " --ranks 2,2,2 --output @o");
    Run.of("compare", path("a"), path("o"), "--limit", "0.1")
        .fails(2, "WEFT-306", "most of it in mode mode");
    run("cpd " + tensor + " --rank 2 --output @p");
    assertThat(Run.of("compare", path("a"), path("p")).err())
        .contains("WEFT-100", "found one of each");
  }

  /** Columns that are not orthonormal span what they span. */
  @Test
  void nonnegativeModelsAreComparedByTheSpansOfTheirColumns() throws IOException {
    tucker("n", "--nonnegative", "--iterations", "30").succeeds();
    JsonNode summary = json(Run.read(path("n/summary.json")));
    assertThat(summary.get("nonnegative").asBoolean()).isTrue();
    assertThat(summary.get("start").asText()).isEqualTo("random");
    run("compare @n @n --output @c.json");
    JsonNode found = json(Run.read(path("c.json")));
    assertThat(found.get("drift").asDouble()).isLessThan(1e-9);
    for (JsonNode mode : found.get("modes")) {
      assertThat(mode.get("drift").asDouble()).isLessThan(1e-6);
      for (JsonNode change : mode.get("changes")) {
        assertThat(change.get("distance").asDouble()).isLessThan(1e-5);
      }
    }
    run("report @n @n.html --json @n.json --tensor " + tensor);
    double error = json(Run.read(path("n.json"))).at("/outliers/relativeError").asDouble();
    assertThat(error).isCloseTo(1 - summary.get("fit").asDouble(), within(1e-6));
  }

  @Test
  void floatsGiveNearlyTheSameFit() throws IOException {
    tucker("d", "--iterations", "20").succeeds();
    tucker("f", "--iterations", "20", "--type", "float").succeeds();
    ObjectMapper mapper = new ObjectMapper();
    double exact = mapper.readTree(folder.resolve("d/summary.json").toFile()).get("fit").asDouble();
    double rough = mapper.readTree(folder.resolve("f/summary.json").toFile()).get("fit").asDouble();
    assertThat(rough).isCloseTo(exact, within(1e-3));
  }

  @Test
  void aDryRunShowsTheStatements() {
    Run run = tucker("none", "--dry-run").succeeds();
    assertThat(run.out())
        .contains("M(i,r1,r2) = T(i,j,k) * F1(j,r1) * F2(k,r2)")
        .contains("M(k,r0,r1) = T(i,j,k) * F0(i,r0) * F1(j,r1)");
    assertThat(folder.resolve("none")).doesNotExist();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--ranks 0,1,1 --output D | WEFT-100 | each at least 1",
        "--ranks 2,x,1 --output D | WEFT-100 | --ranks",
        "--ranks 5,2,2 --output D | WEFT-100 | at most 4, the product of the other ranks, found 5",
        "--ranks 2,2 --output D | WEFT-100 | expected 3 ranks for a tensor of 3 modes, found 2",
        "--ranks 6,3,3 --output D | WEFT-100 | rank of mode 0 of at most 5, its size, found 6",
        "--ranks 2,2,2 --iterations 0 --output D | WEFT-100 | expected at least 1 iteration",
        "--ranks 2,2,2 | WEFT-100 | expected --output DIR",
        "--ranks 2,2,2 --output D --nonnegative --init sthosvd | WEFT-100 | expected --init random",
        "--ranks 2,2,2 --output D --labels 7=x | WEFT-100 | --labels of a mode from 0 to 2",
      })
  void mistakesAreOneError(String line, String code, String message) {
    String[] arguments = ("tucker " + tensor + " " + line.replace("D", path("out"))).split(" ");
    Run.of(arguments).fails(2, code, message);
    assertThat(folder.resolve("out")).doesNotExist();
  }
}
