package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code --reproducible}: the same bits whatever the number of threads and cores. */
class ReproducibleTest extends FolderCase {
  private static final String[] MASTERS = {"", " --master local[1]", " --master local[3]"};

  /** Models are usually made on three cores alone, products and statements on one too. */
  private static final String[] MASTERS_OF_MODELS =
      Boolean.getBoolean("weft.long") ? MASTERS : new String[] {"", " --master local[3]"};

  @TempDir private static Path inputs;
  private static String matrix = "";
  private static String tensor = "";

  @BeforeAll
  static void generate() {
    matrix = inputs.resolve("a.mtx").toString();
    tensor = inputs.resolve("t.tns").toString();
    Run.of("generate", "power-law", "--scale", "0.01", matrix).succeeds();
    Run.of("generate", "uber", "--scale", "0.02", tensor).succeeds();
  }

  @Test
  void sumsOfAnExpression() {
    String[] found = new String[4];
    for (int threads = 1; threads < 4; threads++) {
      found[threads] =
          Run.line(
                  "eval %s --input A=%s --reproducible --threads %s",
                  "s = A(i,j) * A(i,j) * A(i,j)", matrix, Integer.toString(threads))
              .succeeds()
              .out();
    }
    assertThat(found[1]).isEqualTo(found[2]).isEqualTo(found[3]).isNotBlank();
  }

  /** What adds up over rows or partitions adds in one order, wherever it runs. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "mttkrp %s --mode 0 --rank 5 --seed 1",
        "ttm %s --mode 2 --rank 3 --seed 1",
        "ttv %s --mode 0 --seed 1",
        "cpd %s --rank 4 --iterations 3",
        "cpd %s --rank 4 --iterations 3 --csf one",
        "cpd %s --rank 4 --iterations 3 --csf grid",
        "cpd %s --rank 4 --iterations 3 --dimension-tree on",
        "cpd %s --rank 4 --iterations 3 --nonnegative",
        "cpd %s --rank 4 --iterations 3 --type float",
        "tucker %s --ranks 2,3,2,3 --iterations 2",
        "complete %s --rank 3 --iterations 2 --ridge 0.1",
        "cpapr %s --rank 3 --iterations 2",
        "gcp %s --rank 3 --iterations 2 --inner 3 --loss gaussian"
      })
  void jobsInOneProcessAndOnSpark(String line) throws IOException {
    boolean model = !line.matches("(mttkrp|ttm|ttv).*");
    String ending = model ? "" : line.startsWith("mttkrp") ? ".npy" : ".tns";
    String[] masters = model ? MASTERS_OF_MODELS : MASTERS;
    Map<String, byte[]> first = Map.of();
    for (int run = 0; run < masters.length; run++) {
      Path out = folder.resolve("out" + run + ending);
      String more = " --reproducible --output %s" + masters[run];
      Run.line(line + more, tensor, out.toString()).succeeds();
      Map<String, byte[]> found = numbers(out);
      assertThat(found).isNotEmpty();
      if (run == 0) {
        first = found;
      }
      assertThat(found.keySet()).isEqualTo(first.keySet());
      for (Map.Entry<String, byte[]> each : first.entrySet()) {
        assertThat(found.get(each.getKey()))
            .as(masters[run] + " " + each.getKey())
            .isEqualTo(each.getValue());
      }
    }
  }

  /** The bytes of a result, or of the arrays of a model, by file. */
  private static Map<String, byte[]> numbers(Path out) throws IOException {
    Map<String, byte[]> numbers = new TreeMap<>();
    try (Stream<Path> files = Files.walk(out)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        if (file.equals(out) || file.toString().endsWith(".npy")) {
          numbers.put(out.relativize(file).toString(), Files.readAllBytes(file));
        }
      }
    }
    return numbers;
  }

  /**
   * What an elementwise operator means may depend on whether an operand is an array. On Spark, one
   * core and three take turns: so few entries keep one busy.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "D(i,j) = A(i,j) @(max) B(i,j)",
        "D(i,j) = B(i,j) @(min) A(i,j)",
        "D(i,j) = A(i,j) @(-) B(i,j)",
        "D(i,j) = (A(i,j) + B(i,j)) @(+) B(i,j)"
      })
  void operandsThatHaveAllEntriesByChance(String statement) throws IOException {
    Path full = folder.resolve("full.tns");
    Files.writeString(full, "1 1 3\n1 2 4\n2 1 5\n2 2 6\n");
    Path few = folder.resolve("few.mtx");
    Files.writeString(few, "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 9\n");
    Path array = folder.resolve("full.npy");
    Run.line("eval %s --input A=%s --output %s", "D(i,j) = A(i,j)", full, array).succeeds();
    int turns = 0;
    for (Path operand : new Path[] {full, array}) {
      for (String format : new String[] {"D=CSR", "A=ELL", "A=CSR", "A=Dense"}) {
        String line = "eval %s --input A=%s --input B=%s --format " + format;
        String here = Run.line(line, statement, operand, few).succeeds().out();
        String more = " --reproducible" + MASTERS[1 + turns++ % 2];
        assertThat(Run.line(line + more, statement, operand, few).succeeds().out())
            .as("%s of %s", format, operand)
            .isEqualTo(here);
      }
      turns++; // each format has both
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "s = T(i,j,k,l) * T(i,j,k,l) * T(i,j,k,l)",
        "y(j) = T(i,j,k,l)",
        "y(j,m) = T(i,j,k,l) * T(i,m,k,l)"
      })
  void statementsInOneProcessAndOnSpark(String statement) {
    String[] found = new String[MASTERS.length];
    for (int run = 0; run < MASTERS.length; run++) {
      String more = " --reproducible" + MASTERS[run];
      found[run] = Run.line("eval %s --input T=%s" + more, statement, tensor).succeeds().out();
    }
    assertThat(found).doesNotContain("").containsOnly(found[0]);
  }

  @Test
  void programsInOneProcessAndOnSpark() {
    String program =
        Run.write(
            folder,
            "p.ta",
            """
            def main() {
              IndexLabel [i, j, k, l, m] = [?];
              Tensor<double> T([i, j, k, l], {CSF});
              Tensor<double> Y([j, m], {CSR});
              T[i, j, k, l] = read("%s");
              Y[j, m] = T[i, j, k, l] * T[i, m, k, l];
              print(Y);
              var s = SUM(Y[j, m] * Y[m, j]);
              print(s);
            }
            """
                .formatted(tensor));
    String[] found = new String[MASTERS.length];
    for (int run = 0; run < MASTERS.length; run++) {
      String more = " --reproducible" + MASTERS[run];
      found[run] = Run.line("run %s" + more, program).succeeds().out();
    }
    assertThat(found).doesNotContain("").containsOnly(found[0]);
  }

  @Test
  void jobsOnSpark() throws IOException {
    byte[][] product = new byte[4][];
    byte[][] factor = new byte[4][];
    for (int threads : new int[] {1, 3}) {
      String count = Integer.toString(threads);
      String m = folder.resolve("m" + threads + ".npy").toString();
      String out = folder.resolve("f" + threads).toString();
      Run.line(
              "mttkrp %s --mode 1 --rank 5 --seed 1 --output %s --reproducible --threads %s",
              tensor, m, count)
          .succeeds();
      Run.line(
              "cpd %s --rank 4 --iterations 3 --output %s --reproducible --threads %s",
              tensor, out, count)
          .succeeds();
      product[threads] = Files.readAllBytes(Path.of(m));
      factor[threads] = Files.readAllBytes(Path.of(out, "mode2.npy"));
    }
    assertThat(product[1]).isEqualTo(product[3]);
    assertThat(factor[1]).isEqualTo(factor[3]);
  }
}
