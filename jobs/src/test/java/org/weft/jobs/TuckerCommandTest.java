package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code weft tucker} from file to folder. */
class TuckerCommandTest {
  @TempDir Path folder;
  private String tensor = "";

  @BeforeEach
  void writeTensor() {
    StringBuilder text = new StringBuilder();
    for (int e = 0; e < 60; e++) {
      text.append(e % 5 + 1).append(' ').append(e * 7 % 6 + 1).append(' ').append(e * 11 % 7 + 1);
      text.append(' ').append(1 + e % 9 * 0.5).append('\n');
    }
    tensor = Run.write(folder, "x.tns", text.toString());
  }

  private String path(String name) {
    return folder.resolve(name).toString();
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
      Run run = tucker(name, "--seed", "9", "--labels", "0=" + labels, "--threads", "2");
      assertThat(run.status()).as(run.err()).isZero();
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

  @Test
  void floatsGiveNearlyTheSameFit() throws IOException {
    assertThat(tucker("d", "--iterations", "20").status()).isZero();
    assertThat(tucker("f", "--iterations", "20", "--type", "float").status()).isZero();
    ObjectMapper mapper = new ObjectMapper();
    double exact = mapper.readTree(folder.resolve("d/summary.json").toFile()).get("fit").asDouble();
    double rough = mapper.readTree(folder.resolve("f/summary.json").toFile()).get("fit").asDouble();
    assertThat(rough).isCloseTo(exact, within(1e-3));
  }

  @Test
  void aDryRunShowsTheStatements() {
    Run run = tucker("none", "--dry-run");
    assertThat(run.status()).as(run.err()).isZero();
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
        "--ranks 2,2,2 --output D --labels 7=x | WEFT-100 | --labels of a mode from 0 to 2",
      })
  void mistakesAreOneError(String line, String code, String message) {
    String[] arguments = ("tucker " + tensor + " " + line.replace("D", path("out"))).split(" ");
    Run run = Run.of(arguments);
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).contains(code, message);
    assertThat(folder.resolve("out")).doesNotExist();
  }
}
