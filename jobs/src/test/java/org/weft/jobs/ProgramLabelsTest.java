package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.storage.Labels;
import org.weft.storage.TensorFiles;
import org.weft.storage.file.FileAccess;

/** {@code weft run} compares modes that have labels by their labels, in the whole program. */
class ProgramLabelsTest extends FolderCase {
  private static final List<String> PEOPLE = List.of("ann", "bob", "cid");
  private static final List<String> ITEMS = List.of("milk", "tea", "coffee");

  private void writeAll(
      String prefix, List<List<String>> sales, List<String> prices, List<List<String>> rates)
      throws Exception {
    LabelledFile.write(
        folder.resolve(prefix + "sales.weft"), sales, "ann milk 2", "ann tea 3", "bob tea 1");
    LabelledFile.write(
        folder.resolve(prefix + "prices.weft"), List.of(prices), "coffee 9", "tea 5");
    LabelledFile.write(
        folder.resolve(prefix + "rates.weft"), rates, "cid tea 7", "ann tea 1", "bob coffee 4");
  }

  @BeforeEach
  void writeTensors() throws Exception {
    writeAll(
        "apart-",
        List.of(List.of("ann", "bob"), List.of("milk", "tea")),
        List.of("coffee", "tea"),
        List.of(List.of("cid", "bob", "ann"), List.of("tea", "coffee")));
    writeAll("together-", List.of(PEOPLE, ITEMS), ITEMS, List.of(PEOPLE, ITEMS));
  }

  private Run run(String master, String steps) {
    String text =
        "def main() {\n  IndexLabel [u, i, v] = [?]; IndexLabel [s] = [0:1];\n"
            + "  Tensor<double> S([u, i], {CSR}); Tensor<double> T([u, i], {CSR});\n"
            + "  Tensor<double> P([i], {CU}); Tensor<double> R([u, i], {CSR});\n"
            + "  Tensor<double> Y([u], {CU}); Tensor<double> Z([u, i], {CSR});\n"
            + "  Tensor<double> W([u, v], {CSR}); Tensor<double> B([s, i], {CSR});\n"
            + steps.replaceAll("\"(\\S+)\"", "\"" + folder + "/$1\"")
            + "\n}\n";
    List<String> line = new ArrayList<>(List.of("run", Run.write(folder, "p.ta", text)));
    line.add("--overwrite");
    if (!master.isEmpty()) {
      line.addAll(List.of("--master", master));
    }
    return Run.of(line.toArray(String[]::new));
  }

  private String lines(String master, String steps) {
    Run run = run(master, steps).succeeds();
    assertThat(run.err()).doesNotContain("warning");
    return run.out().replace('\t', ' ');
  }

  private static final String READ =
      "S[u, i] = read(\"apart-sales.weft\"); P[i] = read(\"apart-prices.weft\");"
          + " R[u, i] = read(\"apart-rates.weft\");\n";

  @ParameterizedTest
  @ValueSource(strings = {"", "local[2]"})
  void tablesOfTwoIngestsAreComparedAsThoseOfOne(String master) {
    String steps =
        READ
            + "  T[u, i] = S[u, i];\n" // i is summed through an intermediate, u is kept
            + "  Y[u] = T[u, i] * P[i]; print(Y);\n"
            + "  Z[u, i] = T[u, i] + R[u, i]; print(Z); write(Z, \"z.weft\");\n";
    String apart = lines(master, steps);
    Map<Integer, Labels> labels = TensorFiles.labels(FileAccess.local(), path("z.weft"));
    assertThat(labels.get(0).toList()).containsExactlyElementsOf(PEOPLE);
    assertThat(labels.get(1).toList()).containsExactlyElementsOf(ITEMS);
    assertThat(apart).isEqualTo(lines("", steps.replace("apart-", "together-")));
    assertThat(apart)
        .isEqualTo("ann 15\nbob 5\nann milk 2\nann tea 4\nbob tea 1\nbob coffee 4\ncid tea 7\n");
  }

  @Test
  void numbersLoopsAndFilesOfTheProgramAreComparedByLabels() {
    String steps =
        READ
            + "  var s = SUM(S[u, i] * P[i]); print(s); Z[u, i] = R[u, i];\n"
            + "  for n in range(0, 2): Z[u, i] += S[u, i]; end\n"
            + "  W[u, v] = Z[u, i] * R[v, i]; print(W);\n"
            + "  write(Z, \"again.weft\"); T[u, i] = read(\"again.weft\");\n"
            + "  Y[u] = T[u, i] * P[i]; print(Y);";
    String apart = lines("", steps);
    assertThat(apart)
        .startsWith("20\n")
        .contains("ann ann 7\n", "ann cid 49\n", "ann 35\n", "bob 46\n", "cid 35\n");
    assertThat(apart.lines().sorted())
        .containsExactlyElementsOf(
            lines("", steps.replace("apart-", "together-")).lines().sorted().toList());
  }

  @Test
  void modesOfOneTensorShareLabels() throws Exception {
    LabelledFile.write(
        folder.resolve("links.weft"),
        List.of(List.of("a", "b", "c"), List.of("b", "c", "d")),
        "a b 1",
        "b c 2",
        "c d 3");
    assertThat(lines("", "S[u, i] = read(\"links.weft\"); W[u, v] = S[u, i] * S[i, v]; print(W);"))
        .isEqualTo("a c 2\nb d 6\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "local[2]"})
  void whatCannotBeMatchedIsOneError(String master) {
    run(master, READ + "B[s, i] = S[s, i] * R[s, i]; write(B, \"b.weft\");")
        .fails(2, "WEFT-103", "s: expected the same labels", "leave out the slice");
  }

  @Test
  void slicesCompareNumbersOfEqualLabelsOnly() {
    assertThat(run("", READ + "var s = SUM(S[s, i] * R[s, i]); print(s);").err())
        .contains("WEFT-103", "s: expected the same labels");
    assertThat(run("", READ + "S[s, i] = R[s, i]; print(S);").err())
        .contains("WEFT-103", "s: expected the same labels");
  }

  @Test
  void aFileWithoutLabelsCannotBeMatchedWithTwoDictionaries() throws Exception {
    String steps =
        READ.replace("P[i] = read(\"apart-prices.weft\")", "P[i] = read(\"q.tns\")")
            + "Z[u, i] = S[u, i] + R[u, i]; Y[u] = Z[u, i] * P[i]; print(Y);";
    Run.write(folder, "q.tns", "1 1\n2 1\n3 1\n");
    Run run = run("", steps).fails(2, "WEFT-103", "q.tns, mode 0: expected labels", "found none");
    run = run("", steps.replace("apart-", "together-"));
    assertThat(run.out().replace('\t', ' ')).as(run.err()).isEqualTo("ann 6\nbob 5\ncid 7\n");
  }
}
