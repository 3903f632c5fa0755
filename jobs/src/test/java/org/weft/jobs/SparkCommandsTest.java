package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.storage.file.FileAccess;
import org.weft.storage.npy.NpyFile;
import org.weft.tensor.DenseMatrix;

/** Each command end to end on Spark in this process, against sums written out in the test. */
class SparkCommandsTest extends FolderCase {
  private String tensor = "";
  private final Map<String, Double> entries = new TreeMap<>();

  @BeforeEach
  void writeTensor() {
    StringBuilder text = new StringBuilder("# 3 x 4 x 5, with a duplicate\n");
    long state = 12345;
    for (int n = 0; n < 40; n++) {
      state = state * 6364136223846793005L + 1442695040888963407L;
      long bits = state >>> 20;
      int i = (int) (bits % 3);
      int j = (int) (bits / 3 % 4);
      int k = (int) (bits / 12 % 5);
      double value = (bits / 60 % 1000) / 100.0;
      entries.merge(i + " " + j + " " + k, value, Double::sum);
      text.append(i + 1).append(' ').append(j + 1).append('\t').append(k + 1);
      text.append(' ').append(value).append('\n');
    }
    text.append("3 4 5 1\n");
    entries.merge("2 3 4", 1.0, Double::sum);
    tensor = Run.write(folder, "t.tns", text.toString());
  }

  private static DenseMatrix npy(String file) {
    return NpyFile.read(FileAccess.local(), file);
  }

  private static int[] coordinates(String key) {
    String[] parts = key.split(" ");
    return new int[] {
      Integer.parseInt(parts[0]), Integer.parseInt(parts[1]), Integer.parseInt(parts[2])
    };
  }

  @Test
  void mttkrpInEveryModeWithFactorsFromFiles() throws IOException {
    Files.createDirectory(folder.resolve("f"));
    DenseMatrix[] factors = new DenseMatrix[3];
    for (int m = 0; m < 3; m++) {
      factors[m] = DenseMatrix.random(3 + m, 4, 50 + m);
      try (var out = Files.newOutputStream(folder.resolve("f/mode" + m + ".npy"))) {
        NpyFile.write(out, factors[m]);
      }
    }
    for (int mode = 0; mode < 3; mode++) {
      String out = path("m" + mode + ".npy");
      Run.line(
              "mttkrp %s --mode %s --factors %s --output %s --master local[2] --partitions 2"
                  + " --check --schedule %s",
              tensor, mode, path("f"), out, "parallel(" + "ijk".charAt(mode) + ")")
          .succeeds();
      double[][] expected = new double[3 + mode][4];
      for (Map.Entry<String, Double> e : entries.entrySet()) {
        int[] c = coordinates(e.getKey());
        for (int r = 0; r < 4; r++) {
          double term = e.getValue();
          for (int m = 0; m < 3; m++) {
            term *= m == mode ? 1 : factors[m].get(c[m], r);
          }
          expected[c[mode]][r] += term;
        }
      }
      DenseMatrix found = npy(out);
      assertThat(found.rows()).isEqualTo(3 + mode);
      for (int i = 0; i < expected.length; i++) {
        for (int r = 0; r < 4; r++) {
          assertThat(found.get(i, r)).isCloseTo(expected[i][r], within(1e-10));
        }
      }
    }
  }

  @Test
  void denseContractionsOfArraysAndContainers() throws IOException {
    DenseMatrix a = DenseMatrix.random(70, 30, 1);
    DenseMatrix b = DenseMatrix.random(40, 30, 2);
    for (Map.Entry<String, DenseMatrix> file : Map.of("a", a, "b", b).entrySet()) {
      try (var out = Files.newOutputStream(folder.resolve(file.getKey() + ".npy"))) {
        NpyFile.write(out, file.getValue());
      }
      String name = file.getKey();
      Run.of("convert", path(name + ".npy"), path(name + ".weft"), "-q").succeeds();
    }
    for (String kind : List.of(".npy", ".weft")) {
      Run.line(
              "eval %s --input A=%s --input B=%s --format A=Dense --format B=Dense --format "
                  + "C=Dense --master local[2] --partitions 3 --overwrite --output %s -q",
              "C(k,i) = A(i,j) * B(k,j)", path("a" + kind), path("b" + kind), path("c.npy"))
          .succeeds();
      DenseMatrix found = npy(path("c.npy"));
      assertThat(found.rows()).isEqualTo(40);
      assertThat(found.columns()).isEqualTo(70);
      for (int k = 0; k < 40; k++) {
        for (int i = 0; i < 70; i++) {
          double sum = 0;
          for (int j = 0; j < 30; j++) {
            sum += a.get(i, j) * b.get(k, j);
          }
          assertThat(found.get(k, i)).isCloseTo(sum, withinPercentage(1e-10));
        }
      }
    }
  }

  @Test
  void ttvAndTtmWriteSparseFiles() throws IOException {
    try (var out = Files.newOutputStream(folder.resolve("v.npy"))) {
      NpyFile.writeVector(out, new double[] {1, 2, 3, 4});
    }
    Run.line(
            "ttv %s --mode 1 --vector %s --output %s --threads 1",
            tensor, path("v.npy"), path("y.mtx"))
        .succeeds();
    double expected = 0;
    for (Map.Entry<String, Double> e : entries.entrySet()) {
      int[] c = coordinates(e.getKey());
      expected += e.getValue() * (c[1] + 1) * (c[0] + 1) * (c[2] + 1);
    }
    double found = 0;
    for (String line :
        Run.read(path("y.mtx")).lines().filter(l -> !l.startsWith("%")).skip(1).toList()) {
      String[] f = line.split(" ");
      found += Double.parseDouble(f[2]) * Integer.parseInt(f[0]) * Integer.parseInt(f[1]);
    }
    assertThat(found).isCloseTo(expected, within(1e-9));
    Run ttm =
        Run.line(
            "ttm %s --mode 2 --rank 3 --seed 5 --output %s --threads 1", tensor, path("y.tns"));
    ttm.succeeds();
    long fibers = entries.keySet().stream().map(k -> k.substring(0, 3)).distinct().count();
    assertThat(Run.read(path("y.tns")).lines()).hasSize((int) fibers * 3);
  }

  @Test
  void cpdWritesItsFolderWithLabelsAndTheSameBitsForTheSameSeed() throws IOException {
    String labels = Run.write(folder, "names", "ant\nbee\ncat\n");
    for (String name : new String[] {"d1", "d2"}) {
      Run run =
          Run.line(
              "cpd %s --rank 2 --iterations 4 --seed 9 --labels 0=%s --output %s --threads " + "2",
              tensor, labels, path(name));
      run.succeeds();
      assertThat(run.out()).contains("iteration   4");
    }
    assertThat(Run.names(folder.resolve("d1")))
        .containsExactly(
            "lambda.npy", "mode0.npy", "mode0.tsv", "mode1.npy", "mode2.npy", "summary.json");
    for (String file : new String[] {"lambda.npy", "mode0.npy", "mode1.npy", "mode2.npy"}) {
      assertThat(folder.resolve("d1").resolve(file))
          .hasSameBinaryContentAs(folder.resolve("d2").resolve(file));
    }
    assertThat(Run.read(path("d1/mode0.tsv"))).startsWith("ant\t").contains("\nbee\t", "\ncat\t");
    JsonNode summary = new ObjectMapper().readTree(folder.resolve("d1/summary.json").toFile());
    assertThat(summary.get("dims").toString()).isEqualTo("[3,4,5]");
    assertThat(summary.get("nnz").asLong()).isEqualTo(entries.size());
    assertThat(summary.get("fits").size()).isEqualTo(summary.get("iterations").asInt());
    assertThat(summary.get("versions").get("spark").asText()).isEqualTo("4.2.0");
    Run refused = Run.of("cpd", tensor, "--rank", "2", "--output", path("d1"));
    assertThat(refused.status()).isEqualTo(2);
    Run.of("cpd", tensor, "--rank", "2", "--labels", "1=" + labels, "--output", path("d3"))
        .fails(2, "WEFT-103", "expected at least 4 labels");
  }

  @Test
  void statsCountsDuplicatesExactly() {
    Run run = Run.of("stats", tensor, "--threads", "1");
    run.succeeds();
    assertThat(run.out())
        .contains("order       3", "mode sizes  3 x 4 x 5")
        .contains("duplicates  " + (41 - entries.size()) + ", summed")
        .contains("nonzeros    " + entries.size() + " ")
        .contains("partitions");
  }

  @Test
  void explainShowsPlanLoopsAndCodeAndWritesNothing() {
    Run run =
        Run.line(
            "explain --loops --llvm --asm mttkrp %s --mode 0 --rank 4 --output %s",
            tensor, path("m.npy"));
    run.succeeds();
    assertThat(run.out()).contains("M(i,r) = T(i,j,k)", "for (int64_t", "define", "ret");
    Run dry = Run.of("ttv", tensor, "--mode", "0", "--dry-run", "--output", path("y.tns"));
    dry.succeeds();
    assertThat(dry.out()).contains("partition").doesNotContain("for (int64_t");
    Run.of("ttv", tensor, "--mode", "0", "--dry-run", "--schedule", "order(z)")
        .fails(2, "weft: WEFT-110: order(z) is illegal for", "z is not a label of the statement");
    assertThat(Run.names(folder)).containsExactly("t.tns");
  }

  @Test
  void aBadFileUnderSparkIsOneErrorWithoutOutput() {
    String bad = Run.write(folder, "bad.tns", "1 1 1 1\n2 2 two 2\n");
    Run run = Run.of("mttkrp", bad, "--mode", "0", "--rank", "2", "--output", path("m.npy"), "-q");
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).startsWith("weft: WEFT-300: ").contains("bad.tns:2");
    assertThat(run.err().strip().lines()).hasSize(1);
    Run shape =
        Run.of("ttv", tensor, "--mode", "0", "--vector", path("v.npy"), "--output", path("y.tns"));
    assertThat(shape.status()).isEqualTo(2);
    assertThat(Run.names(folder)).containsExactly("bad.tns", "t.tns");
  }
}
