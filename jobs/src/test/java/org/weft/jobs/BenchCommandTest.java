package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BenchCommandTest extends FolderCase {
  @Test
  void figuresOfFilesAndOfTheSuiteInAllForms() {
    String file = Run.write(folder, "a.tns", "1 1 1 2\n2 1 3 4\n2 2 1 1.5\n");
    String tsv = folder.resolve("b.tsv").toString();
    String svg = folder.resolve("b.svg").toString();
    Run run =
        Run.line(
                "bench --kernels spmv,mttkrp --tensors %s,uniform --scale 0.001 --ranks 2,3 "
                    + "--rounds 2 --threads 2 --report %s --plot %s",
                file, tsv, svg)
            .succeeds();
    assertThat(run.out()).contains("bounds    1 thread: triad", "bounds    2 threads: triad");
    assertThat(run.err()).contains("read " + file, "generate uniform");
    assertThat(run.out()).contains("2 rounds, generated tensors at 0.001 of full size, seed 0");
    // 3 modes x 2 ranks of the file, and SpMV of the matrix in CSR and in blocks, as it is full at
    // this scale; each with 1 and 2 threads.
    assertThat(Run.read(tsv).lines()).hasSize(1 + 2 * (6 + 2));
    assertThat(Run.read(tsv)).contains("\t4 x 4 blocks\t");
    assertThat(Run.read(tsv)).startsWith("kernel\ttensor\tparameters\tthreads\tmedian_seconds");
    assertThat(Run.read(svg)).startsWith("<svg").contains("mode 2 R3").endsWith("</svg>\n");
    Run.line(
            "bench --kernels add --tensors banded --scale 0.0001 --rounds 1 --threads 1 "
                + "--report %s",
            folder.resolve("b.json").toString())
        .succeeds();
    assertThat(Run.read(folder.resolve("b.json").toString()))
        .contains("\"bounds\"", "\"kernel\" : \"add\"", "\"threads\" : 1");
  }

  @Test
  void figuresOfFilesDoNotSpeakOfGeneratedTensors() {
    String file = Run.write(folder, "a.tns", "1 1 1 2\n2 1 3 4\n2 2 1 1.5\n");
    Run run =
        Run.of("bench", "--kernels", "ttv", "--tensors", file, "--rounds", "1", "--threads", "1")
            .succeeds();
    assertThat(run.err()).contains("read " + file);
    assertThat(run.out() + run.err())
        .contains("run       double, medians of 1 round, seed 0")
        .doesNotContain("generate");
  }

  @Test
  void anotherProgramTakesTurns() throws IOException {
    String requests = folder.resolve("requests").toString();
    String program =
        script(
            "[ $1 = ttv ] && { echo none; exit; }",
            "echo $@ >> " + requests,
            "echo ready",
            "while read mode; do echo $mode >> " + requests + "; echo 3600; done");
    String file = Run.write(folder, "a.tns", "1 1 1 2\n2 1 3 4\n2 2 1 1.5\n");
    String tsv = folder.resolve("b.tsv").toString();
    Run run =
        Run.line(
                "bench --kernels ttv,mttkrp --tensors %s --ranks 5 --rounds 1 --threads 1 "
                    + "--beside %s --report %s",
                file, program, tsv)
            .succeeds();
    assertThat(run.out()).contains(" other x");
    List<String> asked = Run.read(requests).lines().toList();
    assertThat(asked.get(0)).isEqualTo("mttkrp " + file + " 1 5");
    // Twice to warm up; then one sample, mode by mode.
    assertThat(asked.subList(1, asked.size()))
        .containsExactly("0", "0", "1", "1", "2", "2", "0", "1", "2");
    List<String[]> rows = Run.read(tsv).lines().map(line -> line.split("\t", -1)).toList();
    int ratio = List.of(rows.get(0)).indexOf("other_over_this");
    assertThat(rows.get(1)[ratio]).isEmpty();
    assertThat(Double.parseDouble(rows.get(2)[ratio])).isGreaterThan(1000);
  }

  @Test
  void anotherProgramThatDoesNotAnswerIsAnError() throws IOException {
    String file = Run.write(folder, "a.tns", "1 1 1 2\n");
    assertThat(bench(file, "/nowhere/program").err())
        .contains("cannot start '/nowhere/program ttv");
    assertThat(bench(file, script("echo what")).err())
        .contains("expected 'ready' or 'none' from '", "found 'what'");
    assertThat(bench(file, script("echo ready; read mode; echo soon")).err())
        .contains("expected seconds from '", "found 'soon'");
    Run ends = bench(file, script("echo ready"));
    assertThat(ends.err()).contains("expected seconds from '", "the end of its output");
    assertThat(ends.status()).isEqualTo(2);
  }

  @Test
  void statementsOnRandomOperandsUnderSchedulesInTurns() throws IOException {
    String tsv = folder.resolve("s.tsv").toString();
    String requests = folder.resolve("requests").toString();
    String program =
        script("echo $@ >> " + requests, "echo ready", "while read mode; do echo 3600; done");
    Run run =
        Run.line(
                "bench --expression %s --sizes i=40,j=8,k=30 --format A=CSR:0.1 --schedule "
                    + "parallel --schedule order(i,k,j) --rounds 1 --threads 1 --beside %s --report "
                    + "%s",
                "C(i,j) = A(i,k) * B(k,j)", program, tsv)
            .succeeds();
    assertThat(run.out()).contains("C(i,j)=A(i,k)*B(k,j)", "order(i,k,j)");
    assertThat(Run.read(requests)).isEqualTo("C(i,j)=A(i,k)*B(k,j) i=40,j=8,k=30,A=CSR:0.1 1 0\n");
    List<String[]> rows = Run.read(tsv).lines().map(line -> line.split("\t", -1)).toList();
    assertThat(rows).hasSize(3);
    int nonzeros = List.of(rows.get(0)).indexOf("nonzeros");
    int flops = List.of(rows.get(0)).indexOf("flops");
    assertThat(rows.get(1)[nonzeros]).isEqualTo("120.0");
    assertThat(Double.parseDouble(rows.get(1)[flops])).isEqualTo(2 * 120 * 8);
    assertThat(List.of(rows.get(2))).contains("order(i,k,j)");
  }

  @Test
  void theListOfContractionsIsKnownByName() {
    Run run = Run.of("bench", "--expressions", "tccg", "--dry-run", "--threads", "1").succeeds();
    assertThat(run.out()).contains("would time 48 statements of random operands with 1 thread\n");
  }

  @ParameterizedTest
  @CsvSource({
    "--sizes i=2, 'a size of the label j'",
    "'--sizes i=2,j=0', 'at least 1 of the labels i, j, found j=0'",
    "'--sizes i=2,j=2,k=2', 'no label k; its labels are i, j'",
    "'--sizes i=2,j=2 --format B=CSR', 'of A or the result y, found B'",
    "'--sizes i=2,j=2 --format A=CSR:2', 'density above 0 and at most 1'",
    "'--sizes i=2,j=2 --format A=CSX:1', '--format A=CSX: bad tensor format'",
    "'--sizes i=2,j=2 --tensors uber', 'or --tensors, found both'",
    "'--sizes i=2,j=2 --expressions tccg', 'found both'",
    "'--sizes i=2,j=2 --schedule gem(i)', 'gem'"
  })
  void statementsThatCannotBeTimedAreErrorsBeforeAnyWork(String options, String message) {
    List<String> words = new ArrayList<>(List.of("bench", "--expression", "y(i) = A(i,j)"));
    words.addAll(List.of(options.split(" ")));
    Run run = Run.of(words.toArray(String[]::new)).fails(2, message);
    assertThat(run.err()).doesNotContain("[1/");
  }

  @ParameterizedTest
  @CsvSource({"'1 1 1 2\n', spmv", "'1 1 2\n', mttkrp", "'1 2\n', spmv"})
  void aTensorThatNoKernelIsForIsAnError(String entries, String kernel) {
    String tensor = Run.write(folder, "x.tns", entries.replace("\\n", "\n"));
    Run.of("bench", "--kernels", kernel, "--tensors", tensor, "--rounds", "1")
        .fails(2, "WEFT-100", "expected a kernel of --kernels for its order");
  }

  @ParameterizedTest
  @CsvSource({
    "'--kernels spmv', 'spmv of banded, fem, power-law, uniform with'",
    "'--kernels mttkrp', 'mttkrp of nell-2, nell-1, vast, uber, lbnl, half-slice with'",
    "'--kernels mttkrp,add', ' of nell-2, nell-1, vast, uber, lbnl, half-slice, banded, fem, '"
  })
  void kernelsAloneTimeThoseOfTheSuiteThatTheyAreFor(String options, String timed) {
    List<String> words = new ArrayList<>(List.of("bench", "--dry-run"));
    words.addAll(List.of(options.split(" ")));
    assertThat(Run.of(words.toArray(String[]::new)).out()).contains(timed);
  }

  @Test
  void theSecondMatrixHasTheShapeOfTheFirst() {
    String a = Run.write(folder, "a.tns", "1 1 2\n2 2 4\n");
    String b = Run.write(folder, "b.tns", "1 2 2\n2 1 4\n");
    String c = Run.write(folder, "c.tns", "1 2 2\n3 1 4\n");
    String[] words = {
      "bench", "--kernels", "add", "--tensors", a, "--rounds", "1", "--threads", "1", "--second", b
    };
    Run.of(words).succeeds();
    words[words.length - 1] = c;
    Run.of(words).fails(2, "--second of shape 2 x 2", "3 x 2");
  }

  private Run bench(String file, String program) {
    return Run.line("bench --kernels ttv --tensors %s --rounds 1 --beside %s", file, program);
  }

  private String script(String... lines) throws IOException {
    Path file = folder.resolve("program.sh");
    Files.writeString(file, "#!/bin/sh\n" + String.join("\n", lines) + "\n");
    assertThat(file.toFile().setExecutable(true)).isTrue();
    return file.toString();
  }

  @Test
  void ordersAreTimedWithTheirMetrics() {
    String file = Run.write(folder, "x.tns", "1 1 1 1\n2 1 3 2\n2 2 2 3\n4 3 1 4\n");
    String tsv = folder.resolve("o.tsv").toString();
    String svg = folder.resolve("o.svg").toString();
    Run run =
        Run.line(
                "bench --orders lexi,partition:2 --tensors %s,banded --scale 0.0005 --ranks 2 "
                    + "--rounds 1 --threads 2 --report %s --plot %s",
                file, tsv, svg)
            .succeeds();
    assertThat(run.out()).contains("SpMV", "SpMM 2", "TTV", "TTM 2", "MTTKRP 2", "rows fetched");
    // 3 kernels of the file under 3 orders, 2 of the matrix under 4, each with 1 and 2 threads.
    assertThat(Run.read(tsv).lines()).hasSize(1 + 2 * (3 * 3 + 2 * 4));
    assertThat(Run.read(tsv)).startsWith("tensor\tshape\tentries\torder\torder_seconds");
    assertThat(Run.read(tsv)).contains("\tshuffled\t").doesNotContain("NaN");
    assertThat(Run.read(svg))
        .doesNotContainPattern("([1-9]\\d*\\.\\d\\d+|0\\.0*[1-9]\\d\\d+) ms") // few digits
        .startsWith("<svg")
        .contains("banded, SpMV, 1 thread", "lexi: ")
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
    "--plot, b.gif, .svg",
    "--second, b.mtx, one --tensors FILE",
    "--beside, ' ', a command after --beside",
    "--expressions, abc, '--expressions tccg, found abc'",
    "--sizes, i=2, '--expression EXPR with --sizes'",
    "--schedule, gemm(i), '--expression EXPR with --schedule'"
  })
  void whatItCannotDoIsAnErrorBeforeAnyWork(String option, String value, String message) {
    Run run = Run.of("bench", option, value).fails(2, message);
    assertThat(run.err()).doesNotContain("[1/");
  }
}
