package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.storage.TensorFiles;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;

/** Whoever keeps a mode keeps its name and its labels. */
class KeptModesTest extends FolderCase {
  private static final List<String> USERS = List.of("ann", "bob");
  private static final List<String> ITEMS = List.of("x", "y", "z");
  private static final List<String> DAYS = List.of("mon", "tue");

  @BeforeEach
  void writeTensor() throws IOException {
    write("t.weft", List.of("user", "item", "day"), List.of(USERS, ITEMS, DAYS));
  }

  private void write(String file, List<String> names, List<List<String>> labels)
      throws IOException {
    int order = names.size();
    CooBlock.Builder block = new CooBlock.Builder(order, 4);
    for (int e = 0; e < 2; e++) {
      long[] at = new long[order];
      java.util.Arrays.fill(at, e);
      block.add(at, 1 + e);
    }
    LabelledTensor.write(folder.resolve(file), names, labels, block.build());
  }

  private List<String> names(String file) {
    return TensorFiles.modeNames(FileAccess.local(), path(file));
  }

  private Map<Integer, List<String>> labels(String file) {
    Map<Integer, List<String>> labels = new java.util.TreeMap<>();
    TensorFiles.labels(FileAccess.local(), path(file))
        .forEach((mode, known) -> labels.put(mode, List.copyOf(known.toList())));
    return labels;
  }

  @Test
  void aModeIsNamedWhereItCanBeNumbered() {
    ok("ttv", path("t.weft"), "--mode", "item", "--output", path("named.tns"));
    ok("ttv", path("t.weft"), "--mode", "1", "--output", path("numbered.tns"));
    assertThat(Run.read(path("named.tns"))).isEqualTo(Run.read(path("numbered.tns")));
    ok("convert", path("t.weft"), path("o.weft"), "--mode-order", "day,user,item");
    assertThat(
            Run.of("convert", path("t.weft"), path("p.weft"), "--mode-order", "day,u,item").err())
        .contains("expected --mode-order 0 to 2 or user, item, day, found u");
  }

  @Test
  void convertAndReorderKeepThem() {
    ok("convert", path("t.weft"), path("c.weft"), "--mode-order", "2,0,1");
    ok("reorder", path("t.weft"), path("r.weft"), "--method", "random:2");
    for (String file : List.of("c.weft", "r.weft")) {
      assertThat(names(file)).containsExactly("user", "item", "day");
      assertThat(labels(file)).isEqualTo(Map.of(0, USERS, 1, ITEMS, 2, DAYS));
    }
    assertThat(ok("convert", path("t.weft"), path("t.tns")))
        .contains(
            "without names and labels of modes, which a .tns file cannot hold; to keep them, write a .weft");
    assertThat(ok("convert", path("t.weft"), path("t.wtb")))
        .contains("without names of modes, which a .wtb file cannot hold");
    ok("convert", path("t.tns"), path("n.weft"), "--names", "a,b,c");
    ok("reorder", path("t.tns"), path("o.weft"), "--names", "a,b,c");
    assertThat(names("n.weft")).isEqualTo(names("o.weft")).containsExactly("a", "b", "c");
    for (String wrong : List.of("a,b", "a,b,b", "a,,c")) {
      Run.of("convert", path("t.tns"), path("w.weft"), "--names", wrong)
          .fails(2, "expected 3 different names");
    }
    assertThat(Run.of("reorder", path("t.weft"), "--names", "a,b,c").err())
        .contains("expected names for a tensor without");
  }

  @Test
  void jobsKeepThoseOfTheModesThatAreLeft() {
    ok("ttv", path("t.weft"), "--mode", "1", "--output", path("v.weft"));
    assertThat(names("v.weft")).containsExactly("user", "day");
    assertThat(labels("v.weft")).isEqualTo(Map.of(0, USERS, 1, DAYS));
    ok("ttm", path("t.weft"), "--mode", "1", "--rank", "2", "--output", path("m.weft"));
    assertThat(names("m.weft")).containsExactly("user", "mode1", "day");
    assertThat(labels("m.weft")).isEqualTo(Map.of(0, USERS, 2, DAYS));
    ok("ttv", path("t.weft"), "--mode", "0", "--output", path("v.wtb"));
    assertThat(labels("v.wtb")).isEqualTo(Map.of(0, ITEMS, 1, DAYS));
    assertThat(ok("ttv", path("t.weft"), "--mode", "0", "--output", path("v.tns")))
        .contains("without names and labels of modes, which a .tns file cannot hold");
    assertThat(ok("stats", path("v.tns"), "--names", "item,day")).contains("modes       item, day");
  }

  @Test
  void evalKeepsThoseThatLabelsOfTheResultIndex() throws IOException {
    String t = "T=" + path("t.weft");
    ok("eval", "S(k,i) = T(i,j,k)", "--input", t, "--output", path("s.weft"));
    assertThat(names("s.weft")).containsExactly("day", "user");
    assertThat(labels("s.weft")).isEqualTo(Map.of(0, DAYS, 1, USERS));
    ok("eval", "S(i,l) = T(i,j,k) * T(l,j,k)", "--input", t, "--output", path("p.weft"));
    assertThat(names("p.weft")).containsExactly("user", "user_2");
    write("u.weft", List.of("who", "topic"), List.of(List.of("bob", "ann"), List.of("q", "r")));
    assertThat(
            ok(
                "eval",
                "S(i,l) = T(i,j,k) * U(i,l)",
                "--input",
                t,
                "--input",
                "U=" + path("u.weft"),
                "--output",
                path("d.weft")))
        .doesNotContain("warning");
    assertThat(names("d.weft")).containsExactly("user", "topic");
    assertThat(labels("d.weft")).isEqualTo(Map.of(0, USERS, 1, List.of("q", "r")));
  }

  private void program(String steps) {
    String text =
        "def main() {\n  IndexLabel [i, j, k, u] = [?];\n  IndexLabel [s] = [1:3];\n"
            + "  Tensor<double> T([i, j, k], {CSF});\n  Tensor<double> S([k, i], {CSR});\n"
            + "  Tensor<double> P([i, u], {CSR});\n  Tensor<double> V([s, k], {CSR});\n"
            + "  Tensor<double> U([i, u], {CSR});\n"
            + "  T[i, j, k] = read(\"t.weft\");\n  U[i, u] = read(\"u.weft\");\n"
            + steps
            + "}\n";
    for (String file : List.of("t.weft", "u.weft")) {
      text = text.replace("\"" + file, "\"" + path(file));
    }
    text = text.replaceAll("(write\\(., )\"", "$1\"" + folder + "/");
    said = ok("run", Run.write(folder, "p.ta", text));
  }

  private String said = "";

  @Test
  void programsKeepThoseThatLabelsOfEachResultIndex() throws IOException {
    write("u.weft", List.of("who", "topic"), List.of(List.of("bob", "ann"), List.of("q", "r")));
    program(
        "  S[k, i] = T[i, j, k]; write(S, \"s.weft\"); write(S, \"s.wtb\");\n"
            + "  write(S, \"s.tns\");\n");
    assertThat(names("s.weft")).containsExactly("day", "user");
    assertThat(labels("s.weft")).isEqualTo(Map.of(0, DAYS, 1, USERS));
    assertThat(labels("s.wtb")).isEqualTo(Map.of(0, DAYS, 1, USERS));
    assertThat(said).contains("s.tns is written without names and labels of modes");
    program(
        "  for n in range(0, 2): P[i, u] = T[i, j, k] * U[i, u]; end\n"
            + "  write(P, \"p.weft\");\n");
    assertThat(names("p.weft")).containsExactly("user", "topic");
    assertThat(labels("p.weft")).isEqualTo(Map.of(0, USERS, 1, List.of("q", "r")));
    assertThat(said).doesNotContain("warning");
    program("  V[s, k] = T[i, s, k]; write(V, \"v.weft\");\n");
    assertThat(names("v.weft")).containsExactly("item", "day");
    assertThat(labels("v.weft")).isEqualTo(Map.of(0, ITEMS.subList(1, 3), 1, DAYS));
    program("  P[i, u] = U[i, u]; P[i, u] += T[i, j, u]; write(P, \"q.weft\");\n");
    assertThat(labels("q.weft")).isEqualTo(Map.of(0, USERS, 1, List.of("mon", "tue", "q", "r")));
    program("  P[i, u] = transpose(U[i, u], {u, i}); write(P, \"x.weft\");\n");
    assertThat(names("x.weft")).containsExactly("topic", "who");
    program("  P[i, u] = U[i, u]; P[i, u] = 1.0; write(P, \"f.weft\");\n");
    assertThat(labels("f.weft")).isEmpty();
  }

  @Test
  void oldVersionsAreNamedByNumber() throws IOException {
    ok("convert", path("t.weft"), path("x.weft"));
    ok("convert", path("t.weft"), path("x.weft"), "--append");
    ok("convert", path("x.weft@1"), path("old.tns"));
    ok("convert", path("t.weft"), path("t.tns"));
    assertThat(Run.read(path("old.tns"))).isEqualTo(Run.read(path("t.tns")));
    assertThat(ok("stats", path("x.weft@1"))).contains("modes       user, item, day");
    ok("eval", "S(i) = T(i,j,k)", "--input", "T=" + path("x.weft@1"), "--output", path("s.weft"));
    assertThat(labels("s.weft")).isEqualTo(Map.of(0, USERS));
    for (String command : List.of("stats", "spy")) {
      Run run = Run.of(command, path("x.weft@7"), path("x.svg"));
      Run stats = command.equals("stats") ? Run.of(command, path("x.weft@7")) : run;
      assertThat(stats.status()).isEqualTo(2);
      assertThat(stats.err()).contains("expected version 7", "@1, @2");
    }
    Run.of("convert", path("t.weft"), path("x.weft@3")).fails(2, "versions do not change");
  }
}
