package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code weft gcp} from file to folder. */
class GcpCommandTest extends FolderCase {
  private String tensor = "";

  @BeforeEach
  void writeTensor() {
    tensor = scattered(60, e -> 1);
    Run.write(folder, "two.tns", "1 1 1 2\n2 2 2 1\n");
  }

  private Run gcp(String line) {
    return weft("gcp " + line);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "--type float", "--master local[2]"})
  void anErrorNamesTheRowWhereNumbersEnd(String more) {
    Run.write(folder, "large.tns", "1 1 1 1\n2 2 2 1\n4 1 3 30\n3 3 1 2\n");
    String loss = " --loss exp(x*x)*m*m --zeros 0 --rank 2 --output DIR/none ";
    gcp(("DIR/large.tns" + loss + more).trim())
        .fails(
            2, "WEFT-301", "iteration 1, mode 0", "first in row 3 of mode 0, both counted from 0");
    assertThat(folder.resolve("none")).doesNotExist();
  }

  @ParameterizedTest
  @CsvSource({
    "auto, 1.0, adam",
    "all, 1.0, adam",
    "3, 1., adam",
    "0, 1.0, adam",
    "3, 1., lbfgs",
  })
  void aModelOfCellsOrOfEntries(String zeros, String weight, String optimizer) throws IOException {
    String line = "DIR/x.tns --rank 2 --loss poisson --output DIR/d --optimizer " + optimizer;
    Run run = gcp(line + " --zeros " + zeros).succeeds();
    assertThat(run.out()).contains("minus the loss", "wrote " + folder + "/d");
    JsonNode summary = new ObjectMapper().readTree(folder.resolve("d/summary.json").toFile());
    assertThat(summary.get("loss").asText()).isEqualTo("poisson");
    assertThat(summary.get("optimizer").asText()).isEqualTo(optimizer);
    assertThat(summary.get("nonnegative").asBoolean()).isTrue();
    assertThat(summary.get("zeros").asText()).isEqualTo(zeros.equals("auto") ? "all" : zeros);
    assertThat(summary.get("zero_weight").asText()).startsWith(weight);
    assertThat(summary.get("losses").size()).isEqualTo(summary.get("iterations").asInt());
    Run.of("top", folder + "/d").succeeds();
    Run.of("report", folder + "/d", folder + "/d.html", "--tensor", tensor).succeeds();
    assertThat(Run.read(folder + "/d.html"))
        .contains(zeros.equals("0") ? " known entries." : "the rest where the tensor has zeros.");
  }

  /** A model of at least 0 is as near as it can be to entries below 0. */
  @ParameterizedTest
  @ValueSource(strings = {"gaussian", "(x-m)^2"})
  void nonnegativeModelsTakeNegativeEntries(String loss) throws IOException {
    Run.write(folder, "signs.tns", "1 1 1 -2\n2 2 2 3\n");
    gcp("DIR/signs.tns --rank 1 --nonnegative --output DIR/s --loss " + loss).succeeds();
    JsonNode summary = new ObjectMapper().readTree(folder.resolve("s/summary.json").toFile());
    assertThat(summary.get("fit").asDouble()).isCloseTo(-4, within(1e-2));
  }

  @Test
  void aDryRunShowsTheStatements() {
    Run run = gcp("DIR/x.tns --rank 2 --loss (x-m)^2 --dry-run").succeeds();
    assertThat(run.out()).contains("gcp");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "DIR/x.tns --rank 0 --loss poisson | WEFT-100 | gcp: expected a rank of at least 1, found 0",
        "DIR/x.tns --rank 2 --loss poisson --rate 0 | WEFT-100 | expected a rate above 0, found 0",
        "DIR/x.tns --rank 2 --loss cauchy | WEFT-100 | --loss: expected one of gaussian, poisson,",
        "DIR/x.tns --rank 2 --loss (x-k)^2 | WEFT-101 | found 'k'",
        "DIR/x.tns --rank 2 --loss exp( | WEFT-101 | --loss 'exp(': expression:1:9",
        "DIR/x.tns --rank 2 --loss log(m) --optimizer lbfgs | WEFT-301 | the loss 'log(m)', or its",
        "DIR/x.tns --rank 2 --loss log(m) --optimizer adam | WEFT-301 | the loss 'log(m)', or its",
        "DIR/x.tns --rank 2 --loss poisson --zeros some | WEFT-100 | expected --zeros auto, all or",
        "DIR/two.tns --rank 2 --loss bernoulli-odds | WEFT-300 | expected 0 or 1, found 2.0 at the",
      })
  void mistakesAreOneError(String line, String code, String message) {
    gcp(line + " --output DIR/out").fails(2, code, message);
    assertThat(folder.resolve("out")).doesNotExist();
  }
}
