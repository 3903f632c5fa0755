package org.weft.compiler.program;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.TensorCompiler;
import org.weft.compiler.eval.EvaluationStep;
import org.weft.compiler.eval.Evaluator;
import org.weft.compiler.lang.SourceText;
import org.weft.compiler.program.space.StoredSpace;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;

/**
 * Programs whose statements share products, with and without sharing. Values are small integers, so
 * that sums do not depend on the order of their terms. {@code -Dweft.seed} draws others.
 */
class SharingTest {
  private static final int PROGRAMS = Boolean.getBoolean("weft.long") ? 200 : 8;
  private static final int SIZE = 6;
  private static final SharingLimits ALL = new SharingLimits(0, 1e9);

  @AutoClose
  private static final TensorCompiler COMPILER =
      TensorCompiler.create(CompilerOptions.forThisHost().withOptimisation(0));

  @TempDir Path folder;

  @BeforeEach
  void write() throws IOException {
    Random random = new Random(1);
    for (String name : List.of("a", "b", "c", "d")) {
      StringBuilder text = new StringBuilder();
      int entries = 0;
      for (int row = 1; row <= SIZE; row++) {
        for (int column = 1; column <= SIZE; column++) {
          if (random.nextInt(name.equals("d") ? 4 : 2) == 0) {
            text.append(row + " " + column + " " + (1 + random.nextInt(3)) + "\n");
            entries++;
          }
        }
      }
      Files.writeString(
          folder.resolve(name + ".mtx"), SIZE + " " + SIZE + " " + entries + "\n" + text);
    }
  }

  /**
   * What a program did.
   *
   * @param kernels calls of kernels
   * @param live bytes of the program before each statement that was evaluated
   */
  private record Ran(String printed, List<String> notes, int kernels, List<Long> live) {
    long shared() {
      return notes.stream().filter(note -> note.contains(": shared ")).count();
    }
  }

  private Ran run(String text, SharingLimits limits) {
    StringBuilder printed = new StringBuilder();
    List<String> notes = new ArrayList<>();
    List<Long> live = new ArrayList<>();
    int[] kernels = new int[1];
    Evaluator evaluator = new Evaluator(COMPILER, 1);
    LocalFiles files = new LocalFiles(folder);
    try (MemoryScope scope = MemoryScope.root("program", MemorySource.system())) {
      StoredSpace space =
          new StoredSpace(
              evaluator,
              files,
              scope,
              input -> {
                live.add(scope.liveBytes());
                evaluator.plan(input).steps().stream()
                    .filter(EvaluationStep.Compute.class::isInstance)
                    .forEach(step -> kernels[0]++);
              });
      new ProgramRunner(files, Map.of(), printed::append, limits)
          .run(ProgramRunner.parse(new SourceText("shared.ta", text)), space, notes::add);
    }
    return new Ran(printed.toString(), notes, kernels[0], live);
  }

  /** Runs the program with and without sharing and requires that both print the same. */
  private Ran shared(String text) {
    Ran plain = run(text, SharingLimits.NONE);
    Ran shared = run(text, ALL);
    assertThat(plain.shared()).isZero();
    assertThat(shared.printed()).as(text).isEqualTo(plain.printed()).isNotEmpty();
    return shared;
  }

  private static String matrices(String steps) {
    return """
    def main() {
      IndexLabel [i, j, k, l, m, n] = [6];
      IndexLabel [s] = [1:4];
      Tensor<double> A([i, j], {Dense});
      Tensor<double> B([i, j], {Dense});
      Tensor<double> C([i, j], {CSR});
      Tensor<double> D([i, j], {CSR});
      Tensor<double> R([i, j], {Dense});
      Tensor<double> S([i, j], {Dense});
      Tensor<double> T([i, j], {Dense});
      Tensor<double> P([i, j], {Dense});
      Tensor<double> Q([i, j], {Dense});
      A[i, j] = read("a.mtx");
      B[i, j] = read("b.mtx");
      C[i, j] = read("c.mtx");
      D[i, j] = read("d.mtx");
      R[i, j] = 0.0;
      S[i, j] = 0.0;
      T[i, j] = 0.0;
      Q[i, j] = 2.0;
    """
        + steps.replaceAll("(?m)^ *", "  ")
        + "\n  print(R);\n  print(S);\n  print(T);\n}\n";
  }

  /** Intermediates of coupled-cluster equations recur under other labels and in other modes. */
  private static final String COUPLED_CLUSTER =
      """
      def main() {
        IndexLabel [i, j, k, l, m, n] = [6];
        IndexLabel [a, b, c, d, e, f] = [6];
        Tensor<double> A([a, i], {Dense});
        Tensor<double> B([b, j], {Dense});
        Tensor<double> v([k, l, c, d], {Dense});
        Tensor<double> t([a, b, i, j], {Dense});
        Tensor<double> R([a, i], {Dense});
        Tensor<double> S([a, b, i, j], {Dense});
        A[a, i] = read("a.mtx");
        B[b, j] = read("b.mtx");
        v[k, l, c, d] = A[c, k] * B[d, l] - B[c, l] * A[d, k];
        t[a, b, i, j] = A[a, i] * B[b, j] + B[a, j] * A[b, i];
        R[a, i] = 0.0;
        S[a, b, i, j] = 0.0;
        R[a, i] += v[k, l, c, d] * A[c, k] * t[a, d, i, l];
        R[a, i] -= v[m, n, e, f] * A[e, m] * A[f, i] * A[a, n];
        S[a, b, i, j] += v[n, m, f, e] * A[f, n] * A[e, i] * t[a, b, m, j];
        S[a, b, i, j] -= 2 * v[k, l, c, d] * A[d, l] * A[c, j] * t[a, b, i, k];
        S[a, b, i, j] += v[l, k, c, d] * t[c, d, i, j] * t[a, b, k, l];
        R[a, i] += v[k, l, c, d] * A[c, k] * t[a, d, i, l];
        print(R);
        print(S);
      }
      """;

  @Test
  void coupledClusterProgramsCallFewerKernels() {
    Ran shared = shared(COUPLED_CLUSTER);
    assertThat(shared.shared()).isPositive();
    assertThat(shared.kernels()).isLessThan(run(COUPLED_CLUSTER, SharingLimits.NONE).kernels());
    assertThat(shared.notes().get(0))
        .startsWith("shared.ta:16: shared Shared1[")
        .contains("v[k,l,c,d] * A[c,k]")
        .contains("2 uses until line 17");
    assertThat(shared.notes().get(1)).contains("= Shared1[l,d] * t[a,d,i,l]: 2 uses until line 21");
  }

  @Test
  void theSameProductIsComputedOnceWhateverItsLabels() {
    Ran shared =
        shared(
            matrices(
                """
                R[i, l] = A[i, j] * B[j, k] * C[k, l];
                S[m, i] = 3 * D[k, i] * A[m, j] * B[j, k];
                T[j, i] += B[n, i] * A[j, n];
                """));
    assertThat(shared.notes()).hasSize(1);
    assertThat(shared.notes().get(0)).contains("A[i,j] * B[j,k]: 3 uses");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "R[i,j] = A[i,k] * B[k,j]; S[i,j] = A[i,k] * B[j,k];",
        "R[i,j] = A[i,k] * B[k,j]; S[i,j] = A[i,k] .* B[i,j];",
        "R[i,j] = A[i,k] * B[k,j]; S[i,j] = A[i,i] * B[i,j];",
        "R[i,j] = A[i,k] * B[k,j]; S[s,j] = A[s,k] * B[k,j];",
        "R[i,j] = A[i,k] * B[k,j]; S[i,j] = A[i,s] * B[s,j];",
        "R[i,j] = A[i,k] * B[k,j]; S[i,j] = A[i,k] @(min,+) B[k,j];",
        "R[i,j] = A[i,k] * B[k,j]; S[i,j] = A[i,k] @(max,*) B[k,j];",
        "R[i,j] = A[i,k] * B[k,j]; S[i,j]<C> = A[i,k] * B[k,j];",
        "R[i,j] = A[i,k] * B[k,j]; A[i,j] = B[i,j]; S[i,j] = A[i,k] * B[k,j];",
        "R[i,j] = A[i,k] * B[k,j]; B[i,j] += C[i,j]; S[i,j] = A[i,k] * B[k,j];",
        "R[i,j] = A[i,k] * B[k,j]; B[s,j] = 1 * C[s,j]; S[i,j] = A[i,k] * B[k,j];",
        "R[i,j] = A[i,k] * B[k,j]; A[i,j] = 2.0; S[i,j] = A[i,k] * B[k,j];",
        "R[i,j] = A[i,k] * B[k,j]; A[i,j] = read(\"d.mtx\"); S[i,j] = A[i,k] * B[k,j];",
        "R[i,j] = A[i,k] * B[k,j]; for n in range(0, 1): S[i,j] = A[i,k] * B[k,j]; end",
        "R[i,j] = A[i,k] * B[k,j] + C[i,j]; S[i,j] = (A[i,k] + C[i,k]) * B[k,j];",
        "R[i,j] = A[i,k] * B[k,j]; S[i,j] = A[i,k] * B[k,j] + C[i,j] - D[i,k];"
      })
  void whatIsNotTheSameIsNotShared(String steps) {
    assertThat(shared(matrices(steps)).notes()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "R[i,j] = A[i,k] * B[k,j]; S[i,j] = A[i,k] * B[k,j];",
        "R[i,j] = A[i,k] * B[k,j]; C[i,j] = D[i,j]; S[i,j] = A[i,k] * B[k,j];",
        "R[i,j] = A[i,k] * B[k,j] + Q[i,k] * A[k,j] - Q[i,k] * B[k,j]; S[i,j] = Q[i,k] * A[k,j];",
        "P[i,j] = A[i,j]; R[i,j] = P[i,k] * B[k,j]; S[i,j] += P[i,k] * B[k,j];",
        "R[i,k] = A[i,i] * B[i,j] * A[j,k]; S[n,l] = A[n,n] * B[n,m] * A[m,l];",
        "R[i,j] = A[i,k] * A[k,j] * B[j,l]; S[i,j] = A[k,j] * A[i,k];",
        "for n in range(0, 3): R[i,j] += A[i,k] * B[k,j]; S[i,j] -= A[i,k] * B[k,j];"
            + " A[i,j] = C[i,j]; end",
      })
  void whatIsTheSameIsShared(String steps) {
    assertThat(shared(matrices(steps)).notes()).isNotEmpty();
  }

  /** Both orders of a chain of square matrices cost the same; the shared product decides. */
  @ParameterizedTest
  @CsvSource({"'A[j,k] * Q[k,l]', 'A[j,k] * Q[k,l]'", "'B[i,j] * A[j,k]', 'B[i,j] * A[j,k]'"})
  void ordersOfEqualCostPreferWhatIsShared(String other, String expected) {
    Ran shared =
        shared(
            matrices(
                "R[i,l] = B[i,j] * A[j,k] * Q[k,l];\n"
                    + (other.startsWith("A") ? "S[j,l] = " : "S[i,k] = ")
                    + other
                    + ";"));
    assertThat(shared.notes()).hasSize(1);
    assertThat(shared.notes().get(0)).contains("= " + expected + ": 2 uses");
  }

  @Test
  void productsAreFreedAfterTheirLastUse() {
    String text =
        matrices(
            """
            R[i,j] = A[i,k] * B[k,j];
            S[i,j] = A[i,k] * B[k,j];
            T[i,j] = 2 * C[i,j];
            """);
    Ran shared = run(text, ALL);
    Ran plain = run(text, SharingLimits.NONE);
    assertThat(shared.live()).hasSize(plain.live().size() + 1);
    int last = shared.live().size() - 1;
    assertThat(shared.live().get(last)).isEqualTo(plain.live().get(last - 1));
    assertThat(shared.live().get(last - 1)).isGreaterThan(plain.live().get(last - 2));
  }

  @Test
  void nothingIsSharedBeyondTheLimits() {
    String text = matrices("R[i,j] = A[i,k] * B[k,j]; S[i,j] = A[i,k] * B[k,j];");
    double bytes = 8.0 * SIZE * SIZE;
    assertThat(run(text, new SharingLimits(0, bytes)).shared()).isEqualTo(1);
    assertThat(run(text, new SharingLimits(0, bytes - 1)).shared()).isZero();
    assertThat(run(text, new SharingLimits(1e4, 1e9)).shared()).isZero();
    assertThat(run(text, SharingLimits.ofThisMachine()).shared()).isZero();
  }

  @Test
  void randomProgramsPrintTheSame() {
    long seed = Long.getLong("weft.seed", 20261124);
    long products = 0;
    for (int number = 0; number < PROGRAMS; number++) {
      Random random = new Random(seed * 1_000_003 + number);
      StringBuilder steps = new StringBuilder();
      for (int step = 3 + random.nextInt(5); step > 0; step--) {
        steps.append(step(random)).append('\n');
      }
      products += shared(matrices(steps.toString())).notes().size();
    }
    assertThat(products).isGreaterThan(PROGRAMS / 3);
  }

  private static String step(Random random) {
    String target = pick(random, "R", "S", "T");
    if (random.nextInt(8) == 0) {
      return pick(random, "A", "B", "C", "D") + "[i,j] = " + pick(random, "A", "C", "D") + "[j,i];";
    }
    StringBuilder text = new StringBuilder(target + "[i,j]");
    text.append(random.nextInt(8) == 0 ? "<C>" : "");
    text.append(pick(random, " = ", " += ", " -= "));
    int terms = 1 + random.nextInt(3);
    for (int term = 0; term < terms; term++) {
      text.append(term == 0 ? "" : pick(random, " + ", " - "));
      text.append(random.nextInt(4) == 0 ? "2 * " : "");
      text.append(random.nextInt(8) == 0 ? "A[i,k] @(min,+) B[k,j]" : chain(random));
    }
    return text.append(';').toString();
  }

  /** A product from i to j over few tensors, so that parts of it recur. */
  private static String chain(Random random) {
    List<String> labels = new ArrayList<>(List.of("k", "l", "m", "n"));
    java.util.Collections.shuffle(labels, random);
    int count = 2 + random.nextInt(3);
    List<String> factors = new ArrayList<>();
    boolean frequent = random.nextBoolean();
    String from = "i";
    for (int at = 0; at < count; at++) {
      String to = at == count - 1 ? "j" : random.nextInt(9) == 0 ? from : labels.get(at);
      String tensor = frequent ? List.of("A", "B", "Q", "D").get(at) : pick(random, "A", "B", "D");
      factors.add(tensor + "[" + from + "," + to + "]");
      from = to;
    }
    if (random.nextInt(3) == 0) {
      java.util.Collections.shuffle(factors, random);
    }
    return String.join(" * ", factors);
  }

  private static String pick(Random random, String... from) {
    return from[random.nextInt(from.length)];
  }
}
