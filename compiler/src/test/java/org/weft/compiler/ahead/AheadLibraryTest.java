package org.weft.compiler.ahead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.compiler.Schedule;
import org.weft.error.WeftException;
import org.weft.runtime.CpuFeatures;
import org.weft.tensor.ValueType;

/**
 * Libraries as C programs and Python use them, in processes of their own: {@code check.c} and
 * {@code check.py}. Skipped with a reason where gcc, or Python 3 with NumPy and SciPy, is missing.
 */
class AheadLibraryTest {
  private static final long SECONDS = 300;

  /** Cases of check.py, in order. */
  private static final List<String> CASES =
      List.of(
          "spmv",
          "spmv_errors",
          "spmm",
          "spgemm",
          "sddmm",
          "add",
          "csc",
          "coo",
          "coo_result",
          "ttv",
          "contraction",
          "columns",
          "scalar",
          "single",
          "whole",
          "adds",
          "sized",
          "threads");

  @TempDir private static Path folder;

  private static Map<String, String> outcomes = Map.of();

  @BeforeAll
  static void compile() throws Exception {
    library("spmv", "y(i) = A(i,j) * x(j)", Map.of("A", "CSR"));
    library("spmm", "Y(i,k) = A(i,j) * D(j,k)", Map.of("A", "CSR"));
    library("spgemm", "C(i,k) = A(i,j) * B(j,k)", Map.of("A", "CSR", "B", "CSR", "C", "CSR"));
    library("sddmm", "D(i,j) = S(i,j) * P(i,k) * Q(k,j)", Map.of("S", "CSR", "D", "CSR"));
    library("add", "C(i,j) = A(i,j) + B(i,j)", Map.of("A", "CSR", "B", "CSR", "C", "CSR"));
    library("csc", "y(i) = A(i,j) * x(j)", Map.of("A", "CSC"));
    library("coo", "y(i) = A(i,j) * x(j)", Map.of("A", "COO"));
    library("coo_result", "C(i,j) = A(i,j) + B(i,j)", Map.of("A", "COO", "B", "COO", "C", "COO"));
    library("ttv", "Y(i,j) = T(i,j,k) * v(k)", Map.of("T", "CSF", "Y", "CSF"));
    library("contraction", "C(i,l) = A(i,j,k) * B(k,j,l)", Map.of());
    library("columns", "C(i,j) = A(i,j) + B(i,j)", Map.of("C", "Dense@1,0", "B", "Dense@1,0"));
    library("scalar", "s = a * x(i) * A(i,j) * y(j)", Map.of("A", "CSR"));
    library("single", "y(i) = A(i,j) * x(j)", Map.of("A", "CSR"), ValueType.FLOAT, Map.of());
    library("whole", "y(i) = A(i,j) * x(j)", Map.of("A", "CSR"), ValueType.LONG, Map.of());
    library("adds", "y(i) += A(i,j) * x(j)", Map.of("A", "CSR"));
    library("sized", "C(i,j) = a(i)", Map.of(), ValueType.DOUBLE, Map.of("j", 4L));
    outcomes = runCases();
  }

  private static void library(String name, String statement, Map<String, String> formats)
      throws IOException {
    library(name, statement, formats, ValueType.DOUBLE, Map.of());
  }

  private static void library(
      String name,
      String statement,
      Map<String, String> formats,
      ValueType type,
      Map<String, Long> sizes)
      throws IOException {
    AheadLibrary made =
        AheadCompiler.compile(request("k_" + name, statement, formats, type, sizes));
    Files.write(folder.resolve("k_" + name + ".so"), made.library());
    Files.writeString(folder.resolve("k_" + name + ".h"), made.header());
    Files.writeString(folder.resolve("k_" + name + ".py"), made.python("k_" + name + ".so"));
  }

  private static AheadRequest request(
      String name,
      String statement,
      Map<String, String> formats,
      ValueType type,
      Map<String, Long> sizes) {
    return new AheadRequest(
        name,
        statement,
        formats,
        type,
        sizes,
        Schedule.parallel(),
        CpuFeatures.level(),
        0,
        Optional.of(name));
  }

  private record Ended(int status, String text) {}

  private static Ended run(List<String> command) throws IOException, InterruptedException {
    Path log = Files.createTempFile(folder, "log", ".txt");
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("PYTHONDONTWRITEBYTECODE", "1");
    builder.environment().put("LD_LIBRARY_PATH", folder.toString());
    Process process = builder.redirectOutput(log.toFile()).start();
    if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new AssertionError(command + " does not end: " + Files.readString(log));
    }
    return new Ended(process.exitValue(), Files.readString(log));
  }

  /** Whether a command runs here; says why not. */
  private static boolean runs(String... command) throws InterruptedException {
    String why;
    try {
      Ended ended = run(List.of(command));
      if (ended.status() == 0) {
        return true;
      }
      why = ended.text().strip().replaceAll("(?s).*\n", "");
    } catch (IOException e) {
      why = e.getMessage();
    }
    System.out.println("skipped: " + String.join(" ", command) + ": " + why);
    return false;
  }

  private static Path resource(String name) throws IOException {
    try (InputStream in = AheadLibraryTest.class.getResourceAsStream("/ahead/" + name)) {
      Path file = folder.resolve(name);
      Files.write(file, Objects.requireNonNull(in).readAllBytes());
      return file;
    }
  }

  /** What check.py says of each case; empty where it cannot run. */
  private static Map<String, String> runCases() throws IOException, InterruptedException {
    if (!runs("python3", "-c", "import numpy, scipy.sparse")) {
      return Map.of();
    }
    List<String> command =
        new ArrayList<>(List.of("python3", resource("check.py").toString(), folder.toString()));
    command.addAll(CASES);
    Ended ended = run(command);
    Map<String, String> found = new TreeMap<>();
    for (String line : ended.text().split("\n")) {
      int at = line.indexOf(": ");
      if (at > 0 && CASES.contains(line.substring(0, at))) {
        found.put(line.substring(0, at), line.substring(at + 2));
      }
    }
    assertThat(found.keySet()).as(ended.text()).containsExactlyInAnyOrderElementsOf(CASES);
    if (!found.values().stream().allMatch("ok"::equals)) {
      System.out.println(ended.text());
    }
    return found;
  }

  static List<String> cases() {
    return CASES;
  }

  @ParameterizedTest
  @MethodSource("cases")
  void pythonComputes(String name) {
    Assumptions.assumeFalse(outcomes.isEmpty(), "no Python 3 with NumPy and SciPy here");
    assertThat(outcomes.get(name)).isEqualTo("ok");
  }

  @Test
  void cComputes() throws Exception {
    Assumptions.assumeTrue(runs("gcc", "--version"), "no gcc here");
    Path program = folder.resolve("check");
    List<String> command = new ArrayList<>(List.of("gcc", "-std=c11", "-Wall", "-Wextra"));
    command.addAll(List.of("-Werror", "-g", "-I" + folder, "-o", program.toString()));
    command.add(resource("check.c").toString());
    for (String library : List.of("k_spmv", "k_add", "k_ttv")) {
      command.add(folder.resolve(library + ".so").toString());
    }
    Ended compiled = run(command);
    assertThat(compiled.status()).as(compiled.text()).isZero();
    Ended ended = run(List.of(program.toString()));
    assertThat(ended.text()).isEmpty();
    assertThat(ended.status()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"c -std=c99", "c++ -std=c++11"})
  void headersCompileWithoutWarnings(String language) throws Exception {
    Assumptions.assumeTrue(runs("gcc", "--version") && runs("g++", "--version"), "no gcc here");
    List<String> command = new ArrayList<>(List.of("gcc", "-Wall", "-Wextra", "-Werror", "-x"));
    command.addAll(List.of(language.split(" ")));
    command.addAll(List.of("-pedantic", "-fsyntax-only", "-include"));
    command.addAll(List.of(folder.resolve("k_spmv.h").toString(), "/dev/null"));
    Ended compiled = run(command);
    assertThat(compiled.text()).isEmpty();
    assertThat(compiled.status()).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "y(i) = A(i,j * x(j) | A=CSR | WEFT-101",
        "y(i) = A(i,j) * x(j) | B=CSR | no tensor B",
        "y(i) = A(i,j) * x(j) | A=CSR[32,32] | leave the widths out",
        "y(i) = A(i,j) * x(j) | A=BCSR(2,2) | one level D, CU, CN or S",
        "y(i) = A(i,j) * out(j) | A=CSR | rename it",
        "y(i)<m(i)> = A(i,j) * x(j) | A=CSR | the mask m is dense",
        "C(i,j) = a(i) | C=CSR | size",
        "T(a,b,c,d,e,f,g,h,i) = S(a,b,c,d,e,f,g,h,i) | S=CSF | up to 8 modes",
      })
  void whatALibraryCannotDoIsRefused(String statement, String format, String words) {
    String[] parts = format.split("=", 2);
    assertThatThrownBy(
            () ->
                AheadCompiler.compile(
                    request(
                        "k", statement, Map.of(parts[0], parts[1]), ValueType.DOUBLE, Map.of())))
        .isInstanceOf(WeftException.class)
        .satisfies(
            e -> {
              WeftException failure = (WeftException) e;
              assertThat(failure.code().label() + " " + failure.getMessage()).contains(words);
            });
  }

  @Test
  void namesAreIdentifiers() {
    assertThatThrownBy(() -> request("a-b", "y(i) = x(i)", Map.of(), ValueType.DOUBLE, Map.of()))
        .hasMessageContaining("--name");
  }

  @Test
  void aLibraryOffersItsFunctionsAlone() throws Exception {
    Assumptions.assumeTrue(runs("nm", "--version"), "no nm here");
    Ended ended =
        run(List.of("nm", "-D", "--defined-only", folder.resolve("k_spgemm.so").toString()));
    assertThat(ended.text().lines().map(line -> line.replaceFirst(".* ", "")))
        .containsExactlyInAnyOrder(
            "k_spgemm_call", "k_spgemm_free", "k_spgemm_message", "PyInit_k_spgemm");
  }
}
