package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CodesignCommandTest extends FolderCase {
  private static final String SAMPLE = Pages.ROOT.resolve("conf/accelerators.conf").toString();

  private static List<String[]> cells(String tsv) {
    return Run.read(tsv).lines().map(line -> line.split("\t", -1)).toList();
  }

  @Test
  void theSampleIsThePapersTableAndItsFindings() {
    String tsv = folder.resolve("c.tsv").toString();
    String svg = folder.resolve("c.svg").toString();
    Run run = Run.of("codesign", SAMPLE, "--report", tsv, "--plot", svg).succeeds();
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
    Run.line(
            "codesign %s --expression %s --sizes b=3,i=4,j=5,k=8 --report %s",
            file, "C(b,i,j) = A(b,i,k) * B(b,k,j)", tsv)
        .succeeds();
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
        "tile = [4,4,0], cycles = 5, clock-ghz = 1 | :2: tile: expected whole numbers from 1",
        "tile = [4,4,1.5], cycles = 5, clock-ghz = 1 | :2: tile: expected whole numbers",
        "tile = [4,4,4], cycles = 5, clock-ghz = 0 | :2: clock-ghz: expected a number above 0",
        "tile = [4,4,4], cycles = 5, clok-ghz = 1 | :2: clok-ghz: expected one of the fields",
        "tile = [4,4,4], cycles = 5 | :2: clock-ghz: expected a value, found none",
        "cycles = 5, clock-ghz = 1 | :2: tile: expected a value, found none",
        "tile = 4, cycles = 5, clock-ghz = 1 | :2: tile: expected [m, n, k], found 4",
        "tile = [4,x,4], cycles = 5, clock-ghz = 1 | :2: tile: expected whole numbers from 1",
        "tile = [4,4,4], cycles = -5, clock-ghz = 1 | :2: cycles: expected a number above 0",
        "tile = [4,4,4], cycles = 5, clock-ghz = -1 | :2: clock-ghz: expected a number above 0",
        "tile = [4,4,4], cycles = 5, clock-ghz = fast | :2: clock-ghz: expected a number above 0",
        "tile = [4,4,4], cycles = 5, clock-ghz = 1, name = \"\" | :2: name: expected a word",
        "tile = [4,4,4], cycles = 5, clock-ghz = 1, name = [b] | :2: name: expected a word",
        "tile = [4,4,4], cycles = 5, clock-ghz = 1, power-mw = -1 | :2: power-mw:",
        "tile = [64,64,64], cycles = 5, clock-ghz = 1, scratchpad-kb = 8 | at least 96 for three",
        "tile = [4,4,99999999999999999999], cycles = 5, clock-ghz = 1 | from 1 to 2^20, found [4, 4, 9",
        "tile = [4,4,4], cycles = 1e300, clock-ghz = 1 | :2: cycles: expected a number above 0 and below",
        "tile = [4,4,4], cycles = 10d, clock-ghz = 1 | :2: cycles: expected a number above 0",
        "tile = [4,4,4], cycles = 0x1p3, clock-ghz = 1 | :2: cycles: expected a number above 0",
        "tile = [4,4,4 | in HOCON or JSON, found an error: List should have ended"
      })
  void badDesignsAreOneErrorWithLineAndField(String fields, String message) {
    String file = Run.write(folder, "bad.conf", "designs = [\n { name = a, " + fields + " }\n]\n");
    Run run =
        Run.of("codesign", file, "--report", folder.resolve("x.tsv").toString())
            .fails(2, "WEFT-300", "bad.conf", message);
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
    "'--expression C(i)=A(i)+B(i) --sizes i=2', 'products of two tensors'",
    "'--expression C(i,j)=A(i)*B(j) --sizes i=2,j=2', 'nothing is summed'",
    "'--expression C(i,j)=A(i,k)@(min,+)B(k,j) --sizes i=2,j=2,k=2', 'operators than + and *'",
    "--rounds 0, '--rounds of at least 1'",
    "'--program x.ta --expressions comet', 'found two of them'",
    "'--program x.ta --sizes i=2', 'which has its own sizes'"
  })
  void whatItCannotPredictIsAnError(String options, String message) {
    Run.of(("codesign " + SAMPLE + " " + options).split(" ")).fails(2, message);
  }

  private static final String PROGRAM =
      """
      def main() {
        IndexLabel [a, b] = [12];
        IndexLabel [c] = [?];
        IndexLabel [d, f] = [10];
        IndexLabel [s] = [0:4];
        Tensor<double> A([a, b, c], {Dense});
        Tensor<double> B([c, d], {Dense});
        Tensor<double> C([a, b, d], {Dense});
        Tensor<double> D([d, b], {Dense});
        Tensor<double> E([a, b], {Dense});
        Tensor<double> S([b, c], {CSR});
        Tensor<double> F([a, b, f], {Dense});
        Tensor<double> X([d, f], {Dense});
        X[d, f] = 0.25;
        S[b, c] = read("%s");
        A[a, b, c] = random();
        B[c, d] = 1.5;
        D[d, b] = 0.5;
        for n in range(0, 3):
          C[a, b, d] += A[a, b, c] * B[c, d];
        end
        E[a, b] = C[a, b, d] * D[d, b];
        C[s, b, d] = A[s, b, c] * B[c, d];
        E[a, b] = A[a, b, c] * S[b, c] + E[a, b];
        F[a, b, f] = A[a, b, c] * B[c, d] * X[d, f];
        var sum = SUM(E[a, b]);
        print(sum);
        print(C);
        write(C, "%s");
      }
      """;

  private String program() {
    String matrix =
        Run.write(
            folder, "s.mtx", "%%MatrixMarket matrix coordinate real general\n12 7 1\n1 1 2\n");
    return Run.write(folder, "p.ta", PROGRAM.formatted(matrix, folder.resolve("never.tns")));
  }

  @Test
  void contractionsOfAProgramAreCostedAndItsOtherStatementsListed() {
    String tsv = folder.resolve("p.tsv").toString();
    Run run = Run.of("codesign", SAMPLE, "--program", program(), "--report", tsv).succeeds();
    assertThat(run.out())
        .containsPattern("p\\.ta:20 C\\(a,b,d\\)=.* 144 x 10 x 7 +3 ")
        .containsPattern("p\\.ta:23 .* 48 x 10 x 7 +1 ")
        .contains("no dense contractions, left out")
        .containsPattern("p\\.ta:24: .* S is not dense")
        .containsPattern("p\\.ta:26: Sum = .* no product of two dense tensors")
        .doesNotContain("data =");
    assertThat(folder.resolve("never.tns")).doesNotExist();
    List<String[]> rows = cells(tsv);
    List<String> head = List.of(rows.get(0));
    String[] repeated =
        rows.stream()
            .filter(row -> row[head.indexOf("contraction")].contains("p.ta:20 "))
            .findFirst()
            .orElseThrow();
    assertThat(repeated[head.indexOf("calls")]).isEqualTo("3");
    assertThat(Double.parseDouble(repeated[head.indexOf("flops")])).isEqualTo(2.0 * 144 * 10 * 7);
    assertThat(repeated[head.indexOf("emulated_seconds")]).isEmpty();
    // A statement of three tensors is contractions of two.
    assertThat(run.out())
        .containsPattern("p\\.ta:25 T\\(c,f\\)=.* 7 x 10 x 10 +1 ")
        .containsPattern("p\\.ta:25 F\\(a,b,f\\)=.* 144 x 10 x 7 +1 ");
  }

  @Test
  void aProgramWithoutContractionsIsAnErrorThatSaysWhatItComputes() {
    String file =
        Run.write(
            folder,
            "sum.ta",
            """
            def main() {
              IndexLabel [i] = [4];
              Tensor<double> A([i], {Dense});
              Tensor<double> B([i], {Dense});
              A[i] = 1.0;
              B[i] = A[i] + A[i];
            }
            """);
    Run.of("codesign", SAMPLE, "--program", file)
        .fails(2, "dense contractions, found none in " + file, "sum.ta:6: B(i) = A(i) + A(i)");
  }

  @Test
  void emulatedTimesStandBesidePredictions() {
    String file =
        Run.write(
            folder,
            "e.conf",
            """
            designs = [
              {name = unit, tile = [8, 16, 4], cycles = 2000, clock-ghz = 1}
              {name = large, tile = [128, 96, 64], cycles = 5000, clock-ghz = 1}
              {name = fast, tile = [4, 4, 4], cycles = 1, clock-ghz = 10}
              {name = huge, tile = [8192, 8192, 4], cycles = 5000, clock-ghz = 1}
            ]
            """);
    String tsv = folder.resolve("e.tsv").toString();
    String svg = folder.resolve("e.svg").toString();
    String[] line =
        ("codesign %s --expression C(b,i,j)=A(i,b,k)*B(k,j,b) --sizes b=2,i=17,j=33,k=9 --emulate"
                + " --rounds 1 --report %s --plot %s")
            .formatted(file, tsv, svg)
            .split(" ");
    Run run = Run.of(line).succeeds();
    assertThat(run.out())
        .contains("predicted, and emulated (nothing is computed)", "not the product")
        .contains("fast is not emulated: a tile takes 0.100 ns, and the shortest wait here takes ")
        .contains("huge is not emulated: one of its tiles has more than 2^24 cells")
        .containsPattern("unit: a wait of 2000 ns took ");
    List<String[]> rows = cells(tsv);
    List<String> head = List.of(rows.get(0));
    int seconds = head.indexOf("emulated_seconds");
    int speed = head.indexOf("emulated_gflops_per_second");
    assertThat(Double.parseDouble(rows.get(1)[seconds])).isPositive();
    assertThat(Double.parseDouble(rows.get(2)[seconds])).isPositive();
    assertThat(Double.parseDouble(rows.get(1)[speed])).isPositive();
    assertThat(rows.get(3)[seconds]).isEmpty();
    assertThat(rows.get(4)[speed]).isEmpty();
    assertThat(Double.parseDouble(rows.get(1)[head.indexOf("own_gflops_per_second")])).isPositive();
    assertThat(Run.read(svg)).contains("this core computes", "predicted").endsWith("</svg>\n");
  }

  @Test
  void theFrontIsWhatNoOtherDesignBeats() {
    String file =
        Run.write(
            folder,
            "f.conf",
            """
            host-picoseconds-per-flop = 0
            designs = [
              {name = a, tile = [4, 4, 4], cycles = 8, clock-ghz = 1, power-mw = 10, area-um2 = 2e6}
              {name = b, tile = [4, 4, 4], cycles = 8, clock-ghz = 1, power-mw = 10, area-um2 = 1e6}
              {name = c, tile = [4, 4, 4], cycles = 4, clock-ghz = 1, power-mw = 40, area-um2 = 4e6}
              {name = d, tile = [4, 4, 4], cycles = 16, clock-ghz = 1}
            ]
            """);
    String tsv = folder.resolve("f.tsv").toString();
    Run run =
        Run.of(
                ("codesign "
                        + file
                        + " --expression C(i,j)=A(i,k)*B(k,j) --sizes i=4,j=4,k=4 --report ")
                    .concat(tsv)
                    .split(" "))
            .succeeds();
    List<String[]> rows = cells(tsv);
    List<String> head = List.of(rows.get(0));
    // 128 operations in 8, 8, 4 and 16 ns.
    String[][] expected = {
      {"16.0", "1600.0", "8.0", "no"},
      {"16.0", "1600.0", "16.0", "yes"},
      {"32.0", "800.0", "8.0", "yes"},
      {"8.0", "", "", "no"}
    };
    for (int design = 0; design < 4; design++) {
      String[] row = rows.get(1 + design);
      for (int column = 0; column < 4; column++) {
        String name =
            List.of("gflops_per_second", "gflops_per_watt", "gflops_per_mm2", "front").get(column);
        String found = row[head.indexOf(name)];
        String wanted = expected[design][column];
        if (wanted.matches("[0-9.]+")) {
          assertThat(Double.parseDouble(found))
              .as(row[0] + " " + name)
              .isCloseTo(Double.parseDouble(wanted), withinPercentage(1e-9));
        } else {
          assertThat(found).as(row[0] + " " + name).isEqualTo(wanted);
        }
      }
    }
    assertThat(run.out()).containsPattern("b +4 x 4 x 4 .* 16\\.0 +1600 +16 +yes");
  }
}
