package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code --reproducible}: the same bits whatever the number of threads and cores. */
class ReproducibleTest {
  @TempDir Path folder;
  private String matrix = "";
  private String tensor = "";

  @BeforeEach
  void generate() {
    matrix = folder.resolve("a.mtx").toString();
    tensor = folder.resolve("t.tns").toString();
    succeeds(Run.of("generate", "power-law", "--scale", "0.01", matrix));
    succeeds(Run.of("generate", "uber", "--scale", "0.02", tensor));
  }

  private static Run succeeds(Run run) {
    assertThat(run.status()).as(run.err()).isZero();
    return run;
  }

  @Test
  void sumsOfAnExpression() {
    String[] found = new String[4];
    for (int threads = 1; threads < 4; threads++) {
      found[threads] =
          succeeds(
                  Run.line(
                      "eval %s --input A=%s --reproducible --threads %s",
                      "s = A(i,j) * A(i,j) * A(i,j)", matrix, Integer.toString(threads)))
              .out();
    }
    assertThat(found[1]).isEqualTo(found[2]).isEqualTo(found[3]).isNotBlank();
  }

  @Test
  void jobsOnSpark() throws IOException {
    byte[][] product = new byte[4][];
    byte[][] factor = new byte[4][];
    for (int threads : new int[] {1, 3}) {
      String count = Integer.toString(threads);
      String m = folder.resolve("m" + threads + ".npy").toString();
      String out = folder.resolve("f" + threads).toString();
      succeeds(
          Run.line(
              "mttkrp %s --mode 1 --rank 5 --seed 1 --output %s --reproducible --threads %s",
              tensor, m, count));
      succeeds(
          Run.line(
              "cpd %s --rank 4 --iterations 3 --output %s --reproducible --threads %s",
              tensor, out, count));
      product[threads] = Files.readAllBytes(Path.of(m));
      factor[threads] = Files.readAllBytes(Path.of(out, "mode2.npy"));
    }
    assertThat(product[1]).isEqualTo(product[3]);
    assertThat(factor[1]).isEqualTo(factor[3]);
  }
}
