package org.weft.engine.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.compiler.lang.SourceText;
import org.weft.compiler.program.ProgramRunner;
import org.weft.compiler.program.TestedPrograms;
import org.weft.compiler.program.space.ModeIdentity;
import org.weft.compiler.program.space.ProgramFiles;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.engine.local.LocalBackend;
import org.weft.error.WeftException;
import org.weft.spark.LocalSpark;
import org.weft.spark.SparkEngine;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/** Programs whose tensors lie in parts print what they print in one process. */
class PartedProgramsTest {
  @TempDir Path folder;

  @ParameterizedTest
  @MethodSource("org.weft.compiler.program.TestedPrograms#names")
  void inThisProcess(String name) throws IOException {
    EngineOptions options = EngineOptions.defaults().planning(p -> p.withPartitions(3));
    try (Engine engine = LocalBackend.engine(FileAccess.local(), options)) {
      assertThat(run(engine, name, TestedPrograms.text(name))).isEqualTo(expected(name));
    }
  }

  /** Two of them: ProgramsOnClusterIT has others on executors. */
  static List<String> someOfThem() throws IOException {
    List<String> all = TestedPrograms.names();
    return IntStream.range(0, all.size()).filter(n -> n % 8 == 2).mapToObj(all::get).toList();
  }

  @Tag("long")
  @ParameterizedTest
  @MethodSource("org.weft.compiler.program.TestedPrograms#names")
  void allOnSpark(String name) throws IOException {
    onSpark(name);
  }

  @ParameterizedTest
  @MethodSource("someOfThem")
  void onSpark(String name) throws IOException {
    EngineOptions options = EngineOptions.defaults().planning(p -> p.withPartitions(3));
    try (Engine engine = SparkEngine.create(LocalSpark.context(), options)) {
      assertThat(run(engine, name, TestedPrograms.text(name))).isEqualTo(expected(name));
    }
  }

  /** Every form of slice, on both sides, of tensors that lie in parts. */
  @Tag("long")
  @Test
  void slicesAndLoops() throws IOException {
    String program =
        """
        def main() {
          IndexLabel [i, j] = [6];
          IndexLabel [v, w] = [1:4];
          IndexLabel [e] = [0:6:2];
          Tensor<double> A([i, j], {CSR});
          Tensor<double> B([i, j], {CSR});
          Tensor<double> x([i], {Dense});
          Tensor<double> y([i], {Dense});
          A[i, j] = 2.0;
          x[i] = 1.0;
          x[v] = 3.0;
          x[e] += x[e];
          print(x);
          for k in range(0, 5, 1):
            y[i] = A[i, j] * x[j];
            x[i] = 0.01 * y[i];
          end
          print(x);
          B[v, w] = A[v, w];
          B[e, j] += A[e, j];
          print(B);
          B[i, i] += x[i];
          print(B);
          var s = SUM(B[i, j]);
          print(s);
        }
        """;
    EngineOptions options = EngineOptions.defaults().planning(p -> p.withPartitions(4));
    String stored;
    try (Engine engine = LocalBackend.engine(FileAccess.local(), options)) {
      stored = inOneProcess(engine, program);
      assertThat(run(engine, "slices.ta", program)).isEqualTo(stored);
    }
    try (Engine engine = SparkEngine.create(LocalSpark.context(), options)) {
      assertThat(run(engine, "slices.ta", program)).isEqualTo(stored);
    }
  }

  /** Checks that a program prints in three parts what it prints in one, with these words. */
  private void printsInParts(String program, CharSequence... words) throws IOException {
    EngineOptions options = EngineOptions.defaults().planning(p -> p.withPartitions(3));
    try (Engine engine = LocalBackend.engine(FileAccess.local(), options)) {
      String stored = inOneProcess(engine, program);
      assertThat(stored).contains(words);
      assertThat(run(engine, "parts.ta", program)).isEqualTo(stored);
    }
  }

  /** Values have the type of their tensor between statements, wherever they lie. */
  @Test
  void valuesAreOfTheTypeOfTheirTensor() throws IOException {
    String program =
        """
        def main() {
          IndexLabel [i, j] = [5];
          Tensor<double> A([i, j], {CSR});
          Tensor<float> F([i], {Dense});
          Tensor<int> N([i], {CSF});
          Tensor<long> L([i], {Dense});
          Tensor<double> D([i], {Dense});
          A[i, j] = 0.75;
          F[i] = 0.1;
          D[i] = 1000000 * F[i] - 100000;
          print(D);
          N[i] = A[i, j];
          D[i] = N[i];
          print(D);
          N[i] += 1.9 * D[i];
          D[i] = 2.5 * N[i];
          print(D);
          F[i] = N[i] / D[i] + 0.1;
          D[i] = 1000000 * F[i] - 500000;
          print(D);
          L[i] = -1.5 * N[i];
          L[i] += 9007199254740993;
          print(L);
          N[i] = 4294967297 * L[i];
          D[i] = N[i];
          print(D);
          F[i] = 16777217 * N[i] + L[i];
          D[i] = F[i];
          print(D);
        }
        """;
    printsInParts(program, "0.00149012,", "3,3,3,3,3,");
  }

  /** Variables have the type of their sum, with all digits, and statements compute in it. */
  @Test
  void variablesAreOfTheTypeOfTheirSum() throws IOException {
    String program =
        """
        def main() {
          IndexLabel [i] = [3];
          Tensor<long> L([i], {Dense});
          Tensor<int> N([i], {Dense});
          Tensor<double> D([i], {Dense});
          N[i] = 2;
          L[i] = 3002399751580331;
          var whole = SUM(L[i]);
          L[i] = whole * N[i];
          print(L);
          N[i] = whole - 9007199254740991 + 0 * N[i];
          print(N);
          D[i] = 0.5;
          var half = SUM(D[i]);
          N[i] = half * N[i];
          print(N);
          L[i] = whole * N[i];
          L[i] += half * N[i];
          print(L);
        }
        """;
    printsInParts(program, "18014398509481986,", "\n3,3,3,");
  }

  /** Long values keep their digits where a tensor is made of values from several steps. */
  @Test
  void longValuesAreExactInFillsAndSlices() throws IOException {
    String program =
        """
        def main() {
          IndexLabel [i] = [5];
          IndexLabel [w] = [1:5:2];
          Tensor<long> L([i], {Dense});
          Tensor<long> Z([i], {Dense});
          Tensor<long> S([i], {CSF});
          L[i] = 9007199254740993;
          print(L);
          Z[i] = 0;
          Z[w] = L[w];
          print(Z);
          Z[w] += 2;
          print(Z);
          S[i] = -9223372036854775807;
          S[w] = 3 * S[w];
          print(S);
        }
        """;
    printsInParts(program, "0,9007199254740993,0,", "0,9007199254740995,0,");
  }

  /** What a program writes from parts, another one reads. */
  @Test
  void writesWhatItReads() throws IOException {
    Files.writeString(folder.resolve("a.tns"), "1 1 1.5\n3 2 2\n5 5 -1\n");
    String target = folder.resolve("b.tns").toUri().toString();
    String program =
        """
        def main() {
          IndexLabel [i, j] = [?];
          IndexLabel [v] = [1:5];
          Tensor<double> A([i, j], {CSR});
          Tensor<double> B([i, j], {CSR});
          Tensor<double> x([i], {CSF});
          IndexLabel [none] = [0];
          Tensor<double> Z([none, 3], {CSR});
          Z[none, j] = 1.0;
          A[i, j] = read("%s");
          x[i] = A[i, j];
          x[v] += A[v, j];
          B[i, j] = A[j, i];
          write(B, "%s");
          write(A, "%s");
          write(x, "%s");
          write(Z, "%s");
        }
        """
            .formatted(
                folder.resolve("a.tns").toUri(),
                target,
                folder.resolve("same.tns").toUri(),
                folder.resolve("x.tns").toUri(),
                folder.resolve("z.tns").toUri());
    try (Engine engine =
        SparkEngine.create(
            LocalSpark.context(), EngineOptions.defaults().planning(p -> p.withPartitions(2)))) {
      run(engine, "write.ta", program);
    }
    assertThat(lines("b.tns")).containsExactlyInAnyOrder("1 1 1.5", "2 3 2.0", "5 5 -1.0");
    assertThat(lines("x.tns")).containsExactlyInAnyOrder("1 1.5", "3 4.0", "5 -2.0");
    assertThat(folder.resolve("z.tns")).hasContent("# extended FROSTT format\n2 0\n0 3");
    assertThat(lines("same.tns")).containsExactlyInAnyOrder("1 1 1.5", "3 2 2.0", "5 5 -1.0");
  }

  /** Each refused in one process, too, by the same words but for the memory that there is. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "IndexLabel [i,j] = [1048576]; Tensor<double> Y([i,j], {Dense}); Y[i,j] = 1.0;",
        "IndexLabel [i,j] = [1048576]; Tensor<double> Y([i,j], {CSR}); Y[i,j] = 1.0;",
        "IndexLabel [i,j] = [1048576]; Tensor<double> Y([i,j], {Dense}); Y[i,j] = random();",
        "IndexLabel [i,j] = [1048576]; Tensor<double> v([i], {Dense}); v[i] = 1.0;"
            + " Tensor<double> Y([i,j], {Dense}); Y[i,j] = v[i] * v[j];",
        "IndexLabel [i] = [1099511627776]; IndexLabel [j] = [9];"
            + " Tensor<double> Y([i,j], {CSR}); Y[i,j] = 0.0;",
        "IndexLabel [i] = [9]; IndexLabel [j] = [1000];"
            + " Tensor<double> Y([i,j], {D, CU[8,8]}); Y[i,j] = 1.0;",
        "IndexLabel [i] = [9]; IndexLabel [j] = [1000]; Tensor<double> v([i], {Dense}); v[i] = 1.0;"
            + " Tensor<double> Y([i,j], {D, CU[8,8]}); Tensor<double> E([i,j], {CSR}); E[i,j] = 0.0;"
            + " Y[i,j] = E[i,j];"
      })
  void whatOneProcessRefusesExecutorsDo(String steps) {
    String program = "def main() {\n" + steps.replace("; ", ";\n") + "\nprint(1);\n}\n";
    EngineOptions options = EngineOptions.defaults().planning(p -> p.withPartitions(2));
    try (Engine engine = LocalBackend.engine(FileAccess.local(), options)) {
      Throwable here = catchThrowable(() -> inOneProcess(engine, program));
      Throwable inParts = catchThrowable(() -> run(engine, "slices.ta", program));
      assertThat(here).isInstanceOf(WeftException.class).hasMessageContaining("slices.ta:");
      assertThat(inParts).isInstanceOf(WeftException.class);
      assertThat(((WeftException) inParts).code()).isEqualTo(((WeftException) here).code());
      assertThat(withoutMemory(inParts)).isEqualTo(withoutMemory(here));
    }
  }

  private static String withoutMemory(Throwable refused) {
    return refused.getMessage().replaceAll("of which [^ ]+ [A-Za-z]+ are", "of which some are");
  }

  private List<String> lines(String name) throws IOException {
    return Files.readAllLines(folder.resolve(name)).stream()
        .map(line -> line.matches(".*[.][0-9]+") ? line : line + ".0")
        .toList();
  }

  private static String expected(String name) throws IOException {
    return Files.readString(TestedPrograms.printed(name));
  }

  private String run(Engine engine, String name, String written) throws IOException {
    String text = written.replace("copy.mtx", folder.resolve("copy.mtx").toUri().toString());
    StringBuilder printed = new StringBuilder();
    new ProgramRunner(new Text(), TestedPrograms.files(name), printed::append)
        .run(
            ProgramRunner.parse(new SourceText(name, text)),
            new PartedSpace(engine, PartedSpace.Files.PLAIN, PartedSpace.Plans.NONE));
    return printed.toString();
  }

  private String inOneProcess(Engine engine, String text) {
    StringBuilder printed = new StringBuilder();
    new ProgramRunner(new Text(), Map.of(), printed::append)
        .run(
            ProgramRunner.parse(new SourceText("slices.ta", text)),
            new org.weft.compiler.eval.Evaluator(engine.compiler(), 2));
    return printed.toString();
  }

  /** Text of local files; nothing else is asked of it. */
  private static final class Text implements ProgramFiles {
    @Override
    public Entries read(String uri, ValueType type) {
      throw new AssertionError(uri);
    }

    @Override
    public BufferedReader openText(String uri) {
      try {
        return Files.newBufferedReader(Path.of(uri));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void write(String uri, TensorStorage tensor, List<Optional<ModeIdentity>> modes) {
      throw new AssertionError(uri);
    }

    @Override
    public void checkOutput(String uri) {}
  }
}
