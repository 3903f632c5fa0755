package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CodesignCommandTest {
  private static final String SAMPLE = Pages.ROOT.resolve("conf/accelerators.conf").toString();

  @TempDir Path folder;

  private static List<String[]> cells(String tsv) {
    return Run.read(tsv).lines().map(line -> line.split("\t", -1)).toList();
  }

  @Test
  void theSampleIsThePapersTableAndItsFindings() {
    String tsv = folder.resolve("c.tsv").toString();
    String svg = folder.resolve("c.svg").toString();
    Run run = Run.of("codesign", SAMPLE, "--report", tsv, "--plot", svg);
    assertThat(run.status()).as(run.err()).isZero();
    assertThat(run.out())
        .containsPattern("16x16 +16 x 16 x 16 +131 .* 5\\.077 +0\\.05583 ")
        .containsPattern("64x64 +64 x 64 x 64 +1026 .* 13\\.64 +0\\.2241 ")
        .containsPattern("256x256 +256 x 256 x 256 +32770 .* 73\\.80 +4\\.097 ")
        .contains("assumed\n- ", "the paper states neither clock nor depth");
    List<String[]> rows = cells(tsv);
    assertThat(rows).hasSize(1 + 3 * 30);
    int speed = List.of(rows.get(0)).indexOf("gflops_per_second");
    Map<String, Integer> best = new TreeMap<>();
    double fastest = 0;
    for (int contraction = 1; contraction <= 30; contraction++) {
      double small = Double.parseDouble(rows.get(contraction)[speed]);
      double middle = Double.parseDouble(rows.get(30 + contraction)[speed]);
      double large = Double.parseDouble(rows.get(60 + contraction)[speed]);
      best.merge(middle > small && middle > large ? "64" : "other", 1, Integer::sum);
      fastest = Math.max(fastest, middle);
    }
    // 12 and 20 to 30 are large enough for 256 x 256, which has no limit of bandwidth here.
    assertThat(best).containsEntry("64", 18).containsEntry("other", 12);
    assertThat(fastest).isBetween(155.9, 156.4);
    assertThat(Run.read(svg)).startsWith("<svg").contains("64x64, 122.2").endsWith("</svg>\n");
  }

  @Test
  void formulasAndBandwidthDetermineTimes() {
    String file =
        Run.write(
            folder,
            "d.conf",
            """
            host-picoseconds-per-flop = 0
            designs = [
              {name = dot, tile = [4, 4, 8], cycles = "dot(2, 3)", clock-ghz = 1}
              {name = array, tile = [4, 2, 8], cycles = systolic, clock-ghz = 2}
              {name = slow, tile = [4, 4, 8], cycles = 1, clock-ghz = 1, bandwidth-gbs = 1}
            ]
            """);
    String tsv = folder.resolve("d.tsv").toString();
    Run run =
        Run.of(
            "codesign",
            file,
            "--expression",
            "C(b,i,j) = A(b,i,k) * B(b,k,j)",
            "--sizes",
            "b=3,i=4,j=5,k=8",
            "--report",
            tsv);
    assertThat(run.status()).as(run.err()).isZero();
    List<String[]> rows = cells(tsv);
    int seconds = List.of(rows.get(0)).indexOf("seconds");
    // Tiles: 3 x 1 x 2 x 1, 3 x 1 x 3 x 1, 3 x 1 x 2 x 1.
    assertThat(Double.parseDouble(rows.get(1)[seconds]))
        .isCloseTo(6 * 11e-9, withinPercentage(1e-6));
    assertThat(Double.parseDouble(rows.get(2)[seconds]))
        .isCloseTo(9 * 16 / 2e9, withinPercentage(1e-6));
    assertThat(Double.parseDouble(rows.get(3)[seconds]))
        .isCloseTo(6 * 8 * (32 + 32 + 16) / 1e9, withinPercentage(1e-6));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "tile = [4,4,4], cycles = 0, clock-ghz = 1 | :2: cycles: expected a number above 0",
        "tile = [4,4,4], cycles = dot, clock-ghz = 1 | :2: cycles:",
        "tile = [4,4,4], cycles = \"dot(0,0)\", clock-ghz = 1 | :2: cycles:",
        "tile = [4,4], cycles = 5, clock-ghz = 1 | :2: tile: expected [m, n, k]",
        "tile = [4,4,0], cycles = 5, clock-ghz = 1 | :2: tile: expected a number of at least 1",
        "tile = [4,4,1.5], cycles = 5, clock-ghz = 1 | :2: tile: expected whole numbers",
        "tile = [4,4,4], cycles = 5, clock-ghz = 0 | :2: clock-ghz: expected a number above 0",
        "tile = [4,4,4], cycles = 5, clok-ghz = 1 | :2: clok-ghz: expected one of the fields",
        "tile = [4,4,4], cycles = 5 | :2: clock-ghz: expected a value, found none",
        "tile = [4,4,4], cycles = 5, clock-ghz = 1, power-mw = -1 | :2: power-mw:",
        "tile = [64,64,64], cycles = 5, clock-ghz = 1, scratchpad-kb = 8 | at least 96 for three",
        "tile = [4,4,4 | expected a file of designs"
      })
  void badDesignsAreOneErrorWithLineAndField(String fields, String message) {
    String file = Run.write(folder, "bad.conf", "designs = [\n { name = a, " + fields + " }\n]\n");
    Run run = Run.of("codesign", file, "--report", folder.resolve("x.tsv").toString());
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).contains("WEFT-300", "bad.conf", message);
    assertThat(run.err().lines()).hasSize(1);
    assertThat(folder.resolve("x.tsv")).doesNotExist();
  }

  @Test
  void filesWithoutDesignsAndTwiceTheSameAreErrors() {
    String none = Run.write(folder, "none.conf", "designs = []\n");
    assertThat(Run.of("codesign", none).err()).contains("none.conf:1: expected designs = [");
    String other = Run.write(folder, "other.conf", "design = []\n");
    assertThat(Run.of("codesign", other).err()).contains("other.conf:1: design: expected one of");
    String one = "{name = a, tile = [1,1,1], cycles = 1, clock-ghz = 1}\n";
    String twice = Run.write(folder, "twice.conf", "designs = [" + one + one + "]\n");
    assertThat(Run.of("codesign", twice).err()).contains("twice.conf:2: name: expected another");
  }

  @ParameterizedTest
  @CsvSource({
    "--expressions ccsd, 'comet or tccg, found ccsd'",
    "--sizes i=2, '--expression EXPR with --sizes'",
    "--report x.json, '.tsv file'",
    "--plot x.gif, '.png or .svg'",
    "'--expression C(i)=A(i)+B(i) --sizes i=2', 'a product of two tensors'"
  })
  void whatItCannotPredictIsAnError(String options, String message) {
    Run run = Run.of(("codesign " + SAMPLE + " " + options).split(" "));
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).contains(message);
  }
}
