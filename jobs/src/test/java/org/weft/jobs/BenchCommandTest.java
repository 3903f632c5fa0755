package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BenchCommandTest {
  @TempDir Path folder;

  @Test
  void figuresOfFilesAndOfTheSuiteInAllForms() {
    String file = Run.write(folder, "a.tns", "1 1 1 2\n2 1 3 4\n2 2 1 1.5\n");
    String tsv = folder.resolve("b.tsv").toString();
    String svg = folder.resolve("b.svg").toString();
    Run run =
        Run.of(
            "bench",
            "--kernels",
            "spmv,mttkrp",
            "--tensors",
            file + ",uniform",
            "--scale",
            "0.001",
            "--ranks",
            "2,3",
            "--rounds",
            "2",
            "--threads",
            "2",
            "--report",
            tsv,
            "--plot",
            svg);
    assertThat(run.status()).as(run.err()).isZero();
    assertThat(run.out()).contains("bounds   1 thread: triad", "bounds   2 threads: triad");
    // 3 modes x 2 ranks of the file, and SpMV of the matrix in CSR and in blocks, as it is full at
    // this scale; each with 1 and 2 threads.
    assertThat(Run.read(tsv).lines()).hasSize(1 + 2 * (6 + 2));
    assertThat(Run.read(tsv)).contains("\t4 x 4 blocks\t");
    assertThat(Run.read(tsv)).startsWith("kernel\ttensor\tparameters\tthreads\tmedian_seconds");
    assertThat(Run.read(svg)).startsWith("<svg").contains("mode 2 R3").endsWith("</svg>\n");
    Run json =
        Run.of(
            "bench",
            "--kernels",
            "add",
            "--tensors",
            "banded",
            "--scale",
            "0.0001",
            "--rounds",
            "1",
            "--threads",
            "1",
            "--report",
            folder.resolve("b.json").toString());
    assertThat(json.status()).as(json.err()).isZero();
    assertThat(Run.read(folder.resolve("b.json").toString()))
        .contains("\"bounds\"", "\"kernel\" : \"add\"", "\"threads\" : 1");
  }

  @Test
  void ordersAreTimedWithTheirMetrics() {
    String file = Run.write(folder, "x.tns", "1 1 1 1\n2 1 3 2\n2 2 2 3\n4 3 1 4\n");
    String tsv = folder.resolve("o.tsv").toString();
    String svg = folder.resolve("o.svg").toString();
    Run run =
        Run.of(
            "bench",
            "--orders",
            "lexi,partition:2",
            "--tensors",
            file + ",banded",
            "--scale",
            "0.0005",
            "--ranks",
            "2",
            "--rounds",
            "1",
            "--threads",
            "2",
            "--report",
            tsv,
            "--plot",
            svg);
    assertThat(run.status()).as(run.err()).isZero();
    assertThat(run.out()).contains("SpMV", "SpMM 2", "TTV", "TTM 2", "MTTKRP 2", "rows fetched");
    // 3 kernels of the file under 3 orders, 2 of the matrix under 4, each with 1 and 2 threads.
    assertThat(Run.read(tsv).lines()).hasSize(1 + 2 * (3 * 3 + 2 * 4));
    assertThat(Run.read(tsv)).startsWith("tensor\tshape\tentries\torder\torder_seconds");
    assertThat(Run.read(tsv)).contains("\tshuffled\t").doesNotContain("NaN");
    assertThat(Run.read(svg))
        .startsWith("<svg")
        .contains("banded, SpMV, lexi")
        .endsWith("</svg>\n");
  }

  @ParameterizedTest
  @CsvSource({
    "--kernels, spmw, it has spmv",
    "--tensors, nell-3, the suite has nell-2",
    "--rounds, 0, at least 1",
    "--ranks, '8,0', at least 1",
    "--orders, lexy, lexi",
    "--report, b.txt, '.tsv or .json'",
    "--plot, b.png, .svg"
  })
  void whatItCannotDoIsAnErrorBeforeAnyWork(String option, String value, String message) {
    Run run = Run.of("bench", option, value);
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).contains(message).doesNotContain("[1/");
  }
}
