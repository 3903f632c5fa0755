package org.weft.compiler.lower;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.KernelRequest;
import org.weft.compiler.TensorCompiler;
import org.weft.runtime.Kernel;
import org.weft.runtime.KernelImage;
import org.weft.runtime.KernelLibrary;

/** Every operator in formats that lead to different loops, against {@link DenseEvaluator}. */
class OperatorsTest {
  private static final List<String> ADD = List.of("+", "min", "max", "any", "or");
  private static final List<String> MULTIPLY =
      List.of("*", "+", "-", "min", "max", "first", "second", "pair", "and", "or");

  @Test
  void everySemiringInEveryKindOfProduct() {
    List<String> formats =
        List.of(
            "C=CSR:2 A=CSR:2 B=CSR:2",
            "C=Dense:2 A=CSR:2 B=CSR:2",
            "C=Dense:2 A=CSR:2 B=CSC:2",
            "C=Dense:2 A=COO:2 B=Dense:2",
            "C=CSF:2 A=CSF:2 B=CSC:2",
            "C=Dense:2 A=Dense:2 B=Dense:2",
            "C={CU,D}:2 A=CSF:2 B=Dense:2");
    List<KernelCase> cases = new ArrayList<>();
    for (String add : ADD) {
      for (String multiply : MULTIPLY) {
        int number = cases.size();
        String text = "C(i,k) = A(i,j) @(" + add + "," + multiply + ") B(j,k)";
        cases.add(KernelGoldenTest.sample(text, formats.get(number % formats.size())));
        cases.add(KernelGoldenTest.sample(text, formats.get((number + 3) % formats.size())));
      }
      for (String format :
          List.of(
              "y=Dense:1 A=CSR:2 x=Dense:1",
              "y=Dense:1 A=CSC:2 x=CSF:1",
              "y=Dense:1 A=COO:2 x=Dense:1",
              "y=CSF:1 A=CSF:2 x=CSF:1")) {
        cases.add(KernelGoldenTest.sample("y(i) = A(i,j) @(" + add + ",+) x(j)", format));
      }
    }
    run(cases);
  }

  @Test
  void semiringsInsideExpressions() {
    run(
        samples(
            "y(i) = A(i,j) @(min,+) x(j) + z(i) | y=Dense:1 A=CSR:2 x=Dense:1 z=Dense:1",
            "y(i) = A(i,j) @(min,+) x(j) - z(i) | y=CSF:1 A=CSR:2 x=Dense:1 z=CSF:1",
            "y(i) = z(i) @(max) (A(i,j) @(min,+) x(j)) | y=Dense:1 A=CSF:2 x=CSF:1 z=CSF:1",
            "y(i) = z(i) * (A(i,j) @(min,+) x(j)) | y=Dense:1 A=CSR:2 x=Dense:1 z=Dense:1",
            "y(i) = -(A(i,j) @(min,*) x(j)) | y=Dense:1 A=CSR:2 x=Dense:1",
            "D(i,l) = A(i,j) @(min,+) B(j,k) @(max,*) C(k,l) | D=Dense:2 A=CSR:2 B=CSR:2 C=CSR:2",
            "D(i,l) = A(i,j) @(min,+) B(j,k) @(min,+) C(k,l) | D=CSR:2 A=CSR:2 B=CSR:2 C=CSR:2",
            "s = A(i,j) @(max,second) B(i,j) | s=Dense:0 A=CSR:2 B=CSR:2",
            "y(i) = A(i,j) @(min,first) x(i) | y=Dense:1 A=CSR:2 x=Dense:1",
            "y(i) = A(i,j) @(any,second) x(k) | y=Dense:1 A=CSR:2 x=CSF:1",
            "y(k) = A(i,j) @(max,*) T(i,j,k) | y=Dense:1 A=CSR:2 T=CSF:3",
            "y(i) = T(i,j,k) @(min,+) A(j,k) | y=CSF:1 T=CSF:3 A=Dense:2",
            "y(i) += A(i,j) @(min,+) x(j) | y=Dense:1 A=CSR:2 x=Dense:1",
            "y(j) += A(i,j) @(max,*) x(i) | y=Dense:1 A=CSR:2 x=Dense:1",
            "y(j) += A(i,j) @(or,and) x(i) | y=Dense:1 A=CSR:2 x=Dense:1"));
  }

  /** What is written twice is walked to, and computed, once: values stay those of the text. */
  @Test
  void repeatedOperandsAndSums() {
    run(
        samples(
            "y(i) = A(i,j) * A(i,j) * x(j) - A(i,j) | y=Dense:1 A=CSR:2 x=Dense:1",
            "C(i,j) = A(i,j) * A(i,j) + B(i,j) | C=CSR:2 A=CSR:2 B=CSR:2",
            "y(i) = sum(j, A(i,j)) * sum(j, A(i,j)) | y=Dense:1 A=CSR:2",
            "y(i) = sum(j, A(i,j)) * sum(k, A(i,k)) | y=CSF:1 A=CSF:2",
            "C(i,j) = sum(k, B(i,k)) * A(i,j) + sum(k, B(i,k)) | C=Dense:2 A=CSR:2 B=CSR:2",
            "C(i,j) = A(i,j) * (A(i,j) - sum(k, B(k,j)) - sum(k, B(k,j)) * A(i,j)) | C=CSR:2"
                + " A=CSR:2 B=Dense:2",
            "M(i,r) = (T(i,j,k) / max(sum(s, A(i,s) * B(j,s) * C(k,s)), 0.25)) * B(j,r) * C(k,r) |"
                + " M=Dense:2 T=CSF:3 A=Dense:2 B=Dense:2 C=Dense:2 r=3 s=3",
            "M(i,r) = ((T(i,j,k) * T(i,j,k) - sum(s, A(i,s) * B(j,s) * C(k,s)) * exp(sum(s, A(i,s) *"
                + " B(j,s) * C(k,s)))) @(+,first) T(i,j,k)) * B(j,r) * C(k,r) | M=Dense:2 T=CSF:3"
                + " A=Dense:2 B=Dense:2 C=Dense:2 r=3 s=3",
            "M(i,r,q) = (T(i,j,k) @(+,pair) 1) * B(j,r) * C(k,r) * B(j,q) * C(k,q) | M=Dense:3"
                + " T=CSF:3 B=Dense:2 C=Dense:2 r=3 q=3"));
  }

  @Test
  void monoids() {
    List<KernelCase> cases = new ArrayList<>();
    for (String op : List.of("+", "-", "*", "min", "max")) {
      for (String format :
          List.of(
              "C=CSR:2 A=CSR:2 B=CSR:2",
              "C=Dense:2 A=CSR:2 B=COO:2",
              "C=COO:2 A=COO:2 B=Dense:2",
              "C=CSR:2 A=Dense:2 B=CSR:2",
              "C=Dense:2 A=CSR:2 B=Dense:2",
              "C=Dense:2 A=Dense:2 B=Dense:2",
              "C=CSF:2 A=CSF:2 B={CU,D}:2")) {
        cases.add(KernelGoldenTest.sample("C(i,j) = A(i,j) @(" + op + ") B(i,j)", format));
      }
      cases.add(
          KernelGoldenTest.sample(
              "C(i,j) = A(i,j) @(" + op + ") B(i,j) @(max) D(i,j) @(min) E(i,j)",
              "C=CSR:2 A=CSR:2 B=CSR:2 D=CSR:2 E=COO:2"));
      cases.add(
          KernelGoldenTest.sample(
              "y(i) = sum(j, A(i,j)) @(" + op + ") x(i)", "y=Dense:1 A=CSR:2 x=CSF:1"));
    }
    run(cases);
  }

  @Test
  void masks() {
    List<KernelCase> cases = new ArrayList<>();
    for (String strategy : List.of("push", "pull", "auto")) {
      for (String format :
          List.of(
              "C=CSR:2 A=CSR:2 B=CSC:2 M=CSR:2",
              "C=CSR:2 A=CSR:2 B=CSR:2 M=CSR:2",
              "C=CSR:2 A=CSR:2 B=Dense:2 M=CSR:2",
              "C=Dense:2 A=CSR:2 B=CSR:2 M=CSF:2",
              "C=CSF:2 A=CSF:2 B=CSF:2 M=COO:2",
              "C=CSR:2 A=Dense:2 B=Dense:2 M=COO:2",
              "C=CSR:2 A=CSR:2 B=CSR:2 M=Dense:2")) {
        boolean legal =
            !(strategy.equals("pull") && format.contains("B=CS") && !format.contains("B=CSC"));
        legal &= !(strategy.equals("push") && format.contains("B=CSC"));
        if (legal) {
          cases.add(
              KernelGoldenTest.sample("C(i,k)<M," + strategy + "> = A(i,j) * B(j,k)", format));
          cases.add(
              KernelGoldenTest.sample(
                  "C(i,k)<M," + strategy + "> = A(i,j) @(min,+) B(j,k)", format));
        }
      }
    }
    cases.addAll(
        samples(
            "C(i,j)<M> = A(i,j) + B(i,j) | C=CSR:2 A=CSR:2 B=CSR:2 M=CSR:2",
            "C(i,j)<M> = 2 | C=CSR:2 M=CSR:2",
            "C(i,j)<M> += A(i,j) | C=Dense:2 A=CSR:2 M=CSR:2",
            "C(i,j)<M(j,i)> = A(i,j) | C=CSR:2 A=CSR:2 M=CSC:2",
            "C(i,j)<x(i)> -= A(i,k) * B(k,j) | C=Dense:2 A=CSR:2 B=CSR:2 x=CSF:1",
            "C(i,j)<x(j)> = A(i,k) * B(k,j) | C=CSR:2 A=CSR:2 B=CSR:2 x=CSF:1",
            "y(j)<m> = A(i,j) * x(i) | y=Dense:1 A=CSR:2 x=CSF:1 m=CSF:1",
            "C(i,k)<M,push> = A(i,j) * B(j,k) + D(i,k) | C=CSR:2 A=CSR:2 B=CSR:2 D=CSR:2 M=CSR:2"));
    run(cases);
  }

  @Test
  void sumsTranspositionsAndQuotients() {
    run(
        samples(
            "s = SUM(A(i,k) * B(k,j) .* D(i,j)) | s=Dense:0 A=CSR:2 B=CSR:2 D=CSR:2",
            "s = SUM(A(i,j)) | s=Dense:0 A=COO:2",
            "y(i) = x(i) * SUM(A(i,j)) | y=Dense:1 A=CSR:2 x=CSF:1",
            "y(i) = x(i) + SUM(A(i,j) + B(j,i)) / 4 | y=Dense:1 A=CSR:2 B=CSC:2 x=CSF:1",
            "s -= SUM(A(i,j) + x(i)) | s=Dense:0 A=CSR:2 x=CSF:1",
            "C(j,k) = transpose(A[i,j],{j,i}) * B[i,k] | C=Dense:2 A=CSR:2 B=CSR:2",
            "C(j,i) = B(j,i) .* transpose(A[i,j] + D[i,j],{j,i}) | C=CSC:2 A=CSR:2 B=CSC:2 D=CSR:2",
            "C(i,j) = A(i,j) / 3 - B(i,j) / x(j) | C=CSR:2 A=CSR:2 B=CSR:2 x=Dense:1",
            "C(i,j) -= A(i,k) * B(k,j) | C=Dense:2 A=CSR:2 B=CSR:2",
            "y(i) -= A(i,j) * x(j) - z(i) | y=Dense:1 A=CSR:2 x=Dense:1 z=CSF:1",
            "C(i,j) = x(i) | C=CSR:2 x=CSF:1",
            "C(i,j) = x(i) + A(i,j) + 1.5e0 | C=Dense:2 A=CSR:2 x=CSF:1",
            "C(i,j) = max(A(i,j), 0.25) * B(i,j) | C=CSR:2 A=CSR:2 B=CSR:2"));
  }

  private static List<KernelCase> samples(String... lines) {
    return Stream.of(lines)
        .map(line -> line.split("\\|", 2))
        .map(parts -> KernelGoldenTest.sample(parts[0].strip(), parts[1].strip()))
        .toList();
  }

  static void run(List<KernelCase> cases) {
    List<KernelRequest> requests = new ArrayList<>();
    for (int number = 0; number < cases.size(); number++) {
      requests.add(cases.get(number).request("case" + number));
    }
    List<Throwable> failures = new ArrayList<>();
    try (TensorCompiler compiler =
        TensorCompiler.create(
            CompilerOptions.forThisHost()
                .withOptimisation(Boolean.getBoolean("weft.long") ? 3 : 1))) {
      KernelImage image = compiler.compile(requests);
      try (KernelLibrary library = KernelLibrary.open(image)) {
        for (int number = 0; number < cases.size(); number++) {
          KernelCase sample = cases.get(number);
          Kernel kernel = Kernel.of(library, image.kernels().get(number));
          for (int seed = 0; seed < 12; seed++) {
            try {
              sample.check(kernel, new Random(seed));
            } catch (AssertionError e) {
              failures.add(new AssertionError(sample + " seed " + seed + ": " + e.getMessage()));
              break;
            }
          }
        }
      }
    }
    assertThat(failures).extracting(Throwable::getMessage).isEmpty();
  }

  @Test
  void theStagesShowOperators() {
    KernelCase sample =
        KernelGoldenTest.sample("C(i,k) = A(i,j) @(or,and) B(j,k)", "C=CSR:2 A=CSR:2 B=CSR:2");
    Map<String, String> stages = Lowering.lower(sample.request("kernel")).stages();
    assertThat(stages.get("algebra")).contains("C(i,k) = max_j(truth(A(i,j)) min truth(B(j,k)))");
  }
}
