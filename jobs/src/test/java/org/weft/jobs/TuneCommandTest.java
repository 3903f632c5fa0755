package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code weft tune}, and that {@code weft eval} uses what it kept. */
class TuneCommandTest {
  private static final String CACHE = "weft.kernel-cache";
  private static final String PRODUCT = "y(i) = A(i,j) * x(j)";

  @TempDir Path folder;
  @TempDir Path cache;

  private String a = "";
  private String x = "";

  @BeforeEach
  void files() {
    System.setProperty(CACHE, cache.toString());
    a =
        Run.write(
            folder,
            "a.mtx",
            "%%MatrixMarket matrix coordinate real general\n3 4 4\n1 1 2\n2 3 5\n3 4 1.5\n3 1 7\n");
    x = Run.write(folder, "x.tns", "1 2\n3 1\n4 4\n");
  }

  @AfterEach
  void defaults() {
    System.clearProperty(CACHE);
  }

  private Run tune(String... more) {
    String[] all = new String[6 + more.length];
    String[] first = {"tune", PRODUCT, "--input", "A=" + a, "--input", "x=" + x};
    System.arraycopy(first, 0, all, 0, first.length);
    System.arraycopy(more, 0, all, first.length, more.length);
    return Run.of(all);
  }

  @Test
  void theWinnerIsPlottedKeptAndUsed() {
    String plot = folder.resolve("t.svg").toString();
    Run tuned = tune("--trials", "3", "--plot", plot);
    assertThat(tuned.status()).as(tuned.err()).isZero();
    assertThat(tuned.out()).contains("3 timed and verified", "(without tuning)");
    assertThat(Run.read(plot)).startsWith("<svg").endsWith("</svg>\n");

    Run used = Run.of("eval", PRODUCT, "--input", "A=" + a, "--input", "x=" + x);
    assertThat(used.out()).isEqualTo("1 4\n2 5\n3 20\n");
    assertThat(used.err()).contains("tuned: ");
    Run plain = Run.of("eval", PRODUCT, "--input", "A=" + a, "--input", "x=" + x, "--no-tuned");
    assertThat(plain.out()).isEqualTo(used.out());
    assertThat(plain.err()).doesNotContain("tuned: ");
  }

  @Test
  void aDryRunAndWrongOptionsSearchNothing() {
    assertThat(tune("--dry-run").out()).contains("would search");
    assertThat(tune("--trials", "0").status()).isEqualTo(2);
    assertThat(tune("--schedule", "parallel(i)").err()).contains("tune chooses the schedule");
    assertThat(tune("--plot", folder.resolve("t.png").toString()).err()).contains(".svg");
    assertThat(Run.names(folder)).containsExactly("a.mtx", "x.tns");
    assertThat(Run.names(cache)).isEmpty();
  }
}
