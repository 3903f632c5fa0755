package org.weft.compiler.lower;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.KernelRequest;
import org.weft.compiler.Schedule;
import org.weft.compiler.TensorCompiler;
import org.weft.compiler.loop.Goldens;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.runtime.Kernel;
import org.weft.runtime.KernelImage;
import org.weft.runtime.KernelLibrary;

/** Every directive, on loops of every kind, against the naive evaluator. */
class ScheduledKernelTest {
  private static final String SPMV = "y(i) = A(i,j) * x(j)";
  private static final String SPGEMM = "Y(i,j) = A(i,k) * B(k,j)";
  private static final String MTTKRP = "M(i,r) = T(i,j,k) * C(j,r) * D(k,r)";

  private static KernelCase sample(String expression, String formats, String schedule) {
    KernelCase plain = KernelGoldenTest.sample(expression, formats);
    Map<String, Long> sizes = new TreeMap<>(Map.of("i", 37L, "j", 23L, "k", 11L, "r", 5L));
    plain.sizes().forEach((name, size) -> sizes.putIfAbsent(name, size));
    Set<String> constants = new HashSet<>(plain.constants());
    return new KernelCase(
        expression.trim(), plain.formats(), sizes, constants, Schedule.parse(schedule));
  }

  private static void run(KernelCase sample, boolean check, int runs) {
    int optimisation = Boolean.getBoolean("weft.long") ? 3 : 1;
    CompilerOptions options =
        CompilerOptions.forThisHost().withCheck(check).withOptimisation(optimisation);
    try (TensorCompiler compiler = TensorCompiler.create(options)) {
      KernelImage image = compiler.compile(List.of(sample.request("kernel")));
      try (KernelLibrary library = KernelLibrary.open(image)) {
        for (int run = 0; run < runs; run++) {
          sample.check(Kernel.of(library, image.kernels().get(0)), new Random(run));
        }
      }
    }
  }

  @ParameterizedTest(name = "{0} {1} {2}")
  @CsvSource(
      delimiter = '|',
      value = {
        SPMV + " | y=Dense:1 A=CSR:2 x=Dense:1 | order(i,j) split(i:coordinate:8) parallel(i)",
        SPMV + " | y=Dense:1 A=CSR:2 x=Dense:1 | split(j:position:3) vector(j)",
        SPMV + " | y=Dense:1 A=CSR:2 x=Dense:1 | parallel(i) unroll(i,2) vector(j) unroll(j,2)",
        SPMV + " | y=Dense:1 A=CSC:2 x=Dense:1 | parallel(j)",
        SPMV + " | y=Dense:1 A=COO:2 x=Dense:1 | parallel(i)",
        SPMV + " | y=Dense:1 A=COO:2 x=Dense:1 | split(i:position:16) unroll(i,2)",
        "s = x(i) * y(i)     | s=Dense:0 x=Dense:1 y=Dense:1 | parallel(i)",
        "s = x(i) * y(i)     | s=Dense:0 x=CSF:1 y=CSF:1 | split(i:coordinate:4)",
        "s = A(i,j) * B(i,j) | s=Dense:0 A=CSF:2 B=CSF:2 | parallel(j)",
        "Y(i,j) = A(i,j) + B(i,j) | Y=CSR:2 A=CSR:2 B=CSR:2 | split(i:position:4)"
            + " split(j:coordinate:3)",
        "Y(i,j) = A(i,j) .* B(i,j) | Y=COO:2 A=COO:2 B=COO:2 | split(i:coordinate:3)",
        "Y(i,j) = A(i,k) * B(k,j) | Y=CSR:2 A=CSR:2 B=CSR:2 | workspace(j:hashed)",
        "Y(i,j) = A(i,k) * B(k,j) | Y=Dense:2 A=Dense:2 B=Dense:2 | order(k,i,j) parallel(k)"
            + " vector(j)",
        MTTKRP + " | M=Dense:2 T=CSF:3 C=Dense:2 D=Dense:2 r=16 | split(i:position:4) parallel(i)",
        MTTKRP + " | M=Dense:2 T=CSF:3 C=Dense:2 D=Dense:2 r=16 | parallel(r)",
        MTTKRP + " | M=Dense:2 T=CSF@1,0,2:3 C=Dense:2 D=Dense:2 r=16 | parallel(j)",
        MTTKRP
            + " | M=Dense:2 T=COO:3 C=Dense:2 D=Dense:2 r=16 | split(i:coordinate:4) parallel(i)",
        MTTKRP + " | M=Dense:2 T=COO:3 C=Dense:2 D=Dense:2 r=42 | prefetch(j:3) prefetch(k:1000)",
        MTTKRP + " | M=Dense:2 T={D,CN,S}:3 C=Dense:2 D=Dense:2 | parallel prefetch(j:8)",
        SPMV + " | y=Dense:1 A=DCSR:2 x=Dense:1 | split(i:coordinate:4) parallel(i) prefetch(j:5)",
        "Y(i,j) = T(i,j,k) * v(k) | Y=CSF:2 T=CSF:3 v=Dense:1 | parallel prefetch(k:8)",
        "Y(i,k) = A(i,j) * X(j,k) | Y=Dense:2 A=CSR:2 X=Dense:2 | parallel prefetch(j:3)",
        SPGEMM + " | Y=Dense:2 A=COO:2 B=CSR:2 | parallel prefetch(k:1)",
        "Y(i,l) = A(i,k) * B(k,j,l) | Y=CSR:2 A=CSR:2 B={D,CN,S}:3 | prefetch(k:2)",
        "Y(i,j) = T(i,j,k) * v(k) | Y=CSF:2 T=CSF:3 v=Dense:1 | vector(k) split(j:position:2)",
        "y(i) += A(i,j) * x(j) + z(i) | y=Dense:1 A=CSR:2 x=Dense:1 z=Dense:1 |"
            + " split(i:coordinate:8) parallel(i)"
      })
  void sameAsTheNaiveEvaluator(String expression, String formats, String schedule) {
    run(sample(expression, formats, schedule), false, 6);
    // Guarded kernels are those of half of the cases.
    if (Boolean.getBoolean("weft.long") || (expression + schedule).hashCode() % 2 == 0) {
      run(sample(expression, formats, schedule), true, 2);
    }
  }

  /** The other cases of {@link #sameAsTheNaiveEvaluator}. */
  @Tag("long")
  @ParameterizedTest(name = "{0} {1} {2}")
  @CsvSource(
      delimiter = '|',
      value = {
        SPMV + " | y=Dense:1 A=CSR:2 x=Dense:1 | split(i:position:8) parallel(i) unroll(j,4)",
        SPMV + " | y=Dense:1 A=CSR:2 x=Dense:1 | vector(j)",
        SPMV + " | y=Dense:1 A=CSR:2 x=Dense:1 | split(j:coordinate:5)",
        SPMV + " | y=Dense:1 A=CSR:2 x=Dense:1 | parallel(j)",
        SPMV + " | y=Dense:1 A=DCSR:2 x=Dense:1 | split(i:position:4) parallel(i)",
        SPMV + " | y=Dense:1 A=DCSR:2 x=Dense:1 | split(i:coordinate:4) parallel(i)",
        SPMV + " | y=Dense:1 A=CSC:2 x=Dense:1 | split(j:coordinate:4) parallel(j)",
        SPMV + " | y=Dense:1 A=CSC:2 x=Dense:1 | vector(i) unroll(i,4)",
        SPMV + " | y=Dense:1 A=COO:2 x=Dense:1 | split(i:position:16) parallel(i)",
        SPMV + " | y=Dense:1 A=COO:2 x=Dense:1 | split(i:coordinate:8) parallel(i)",
        SPMV + " | y=Dense:1 A=Dense:2 x=Dense:1 | order(j,i) vector(i) split(j:position:4)",
        SPMV + " | y=Dense:1 A=Dense:2 x=Dense:1 | parallel(i) vector(j)",
        "s = x(i) * y(i)     | s=Dense:0 x=Dense:1 y=Dense:1 | split(i:position:8) parallel(i)"
            + " vector(i)",
        "s = x(i) * y(i)     | s=Dense:0 x=CSF:1 y=CSF:1 | parallel(i)",
        "s = x(i) + y(i)     | s=Dense:0 x=CSF:1 y=CSF:1 | parallel(i)",
        "s = A(i,j) * B(i,j) | s=Dense:0 A=CSF:2 B=CSF:2 | parallel(i)",
        "Y(i,j) = A(i,j) + B(i,j) | Y=Dense:2 A=CSF:2 B=CSF:2 | split(i:coordinate:4) parallel(i)",
        "Y(i,j) = A(i,j) + B(i,j) | Y=Dense:2 A=CSF:2 B=COO:2 | split(i:coordinate:4) parallel(i)",
        "Y(i,j) = A(i,j) + B(i,j) | Y=CSR:2 A=CSR:2 B=COO:2 | split(j:coordinate:3)",
        "Y(i,j) = A(i,j) * B(i,j) | Y=CSR:2 A=CSR:2 B=CSR:2 | split(i:coordinate:3)",
        "Y(i,j) = A(i,k) * B(k,j) | Y=CSR:2 A=CSR:2 B=CSR:2 | split(i:coordinate:3) unroll(i,2)",
        "Y(i,j) = A(i,k) * B(k,j) | Y=CSR:2 A=CSR:2 B=CSR:2 | workspace(j:dense)",
        "Y(i,j) = A(i,k) * B(k,j) | Y=Dense:2 A=CSR:2 B=CSR:2 | parallel(i)",
        "Y(i,j) = A(i,k) * B(k,j) | Y=Dense:2 A=CSR:2 B=CSR:2 | order(i,k,j) parallel(k)",
        "Y(i,j) = A(i,k) * B(k,j) | Y=Dense:2 A=Dense:2 B=Dense:2 | order(i,k,j)"
            + " split(j:coordinate:8) vector(j) parallel(i)",
        "Y(i,j) = A(i,k) * B(k,j) | Y=Dense:2 A=Dense:2 B=Dense:2 | order(i,k,j)"
            + " split(i:coordinate:8) parallel(i) unroll(k,4)",
        MTTKRP + " | M=Dense:2 T=CSF:3 C=Dense:2 D=Dense:2 r=16 | parallel(j)",
        MTTKRP + " | M=Dense:2 T=CSF:3 C=Dense:2 D=Dense:2 r=16 | parallel(k)",
        MTTKRP + " | M=Dense:2 T=CSF:3 C=Dense:2 D=Dense:2 r=16 | order(r,i,j,k) parallel(r)",
        MTTKRP + " | M=Dense:2 T=CSF:3 C=Dense:2 D=Dense:2 r=16 | unroll(r,1) unroll(k,2)",
        MTTKRP + " | M=Dense:2 T=CSF:3 C=Dense:2 D=Dense:2 | parallel(i) vector(r)",
        MTTKRP + " | M=Dense:2 T=COO:3 C=Dense:2 D=Dense:2 r=16 | parallel(i)",
        MTTKRP
            + " | M=Dense:2 T=COO:3 C=Dense:2 D=Dense:2 | split(i:position:64) parallel(i)"
            + " vector(r)",
        MTTKRP + " | M=Dense:2 T={CU,CN,S}:3 C=Dense:2 D=Dense:2 r=16 | parallel prefetch(k:24)",
        MTTKRP + " | M=Dense:2 T={D:2/4,CU:0,CU:1,CU:2%4}:3 C=Dense:2 D=Dense:2 r=16 | parallel(i)",
        MTTKRP + " | M=Dense:2 T={D:2/4,CU:0,CN:1,S:2%4}@0,2,1:3 C=Dense:2 D=Dense:2 | parallel(i)",
        SPMV + " | y=Dense:1 A=CSR:2 x=Dense:1 | parallel prefetch(j:48)",
        SPMV + " | y=Dense:1 A=CSR:2 x=Dense:1 | split(j:position:3) prefetch(j:2) unroll(j,2)",
        SPMV + " | y=Dense:1 A=COO:2 x=Dense:1 | parallel prefetch(j:7)",
        MTTKRP + " | M=Dense:2 T=CSF:3 C=Dense:2 D=Dense:2 | parallel prefetch(j:2) prefetch(k:9)",
        "Y(i,j,r) = T(i,j,k) * U(k,r) | Y={CU,CU,D}:3 T=CSF:3 U=Dense:2 | parallel prefetch(k:8)",
        "Y(i,j) = S(i,j) * A(i,k) * B(j,k) | Y=CSR:2 S=CSR:2 A=Dense:2 B=Dense:2 | parallel"
            + " prefetch(j:8)",
        SPGEMM + " | Y=CSR:2 A=CSR:2 B=CSR:2 | parallel prefetch(k:2)",
        SPGEMM + " | Y=CSR:2 A=CSR:2 B=CSR:2 | workspace(j:hashed) prefetch(k:3)",
        SPGEMM + " | Y=CSR:2 A=DCSR:2 B={D,CN}:2 | prefetch(k:2)",
        "Y(i,l) = A(i,k) * B(k,j,l) | Y=CSR:2 A=CSR:2 B={D,CU,CU}:3 | prefetch(k:2)",
        "Y(i,l) = A(i,k) * B(k,j,l) | Y=CSR:2 A=CSR:2 B={D,D,CU}:3 | prefetch(k:2)",
        "Y(i,j) = T(i,j,k) * v(k) | Y=CSF:2 T=CSF:3 v=Dense:1 | unroll(k,3) vector(k)",
        "Y(i,j,r) = T(i,j,k) * U(k,r) | Y={CU,CU,D}:3 T=CSF:3 U=Dense:2 r=16 | vector(r)"
            + " unroll(k,2)",
        "Y(i,j) = S(i,j) * A(i,k) * B(k,j) | Y=CSR:2 S=CSR:2 A=Dense:2 B=Dense:2 | vector(k)"
            + " split(i:position:8)"
      })
  void moreSchedulesAreSameAsTheNaiveEvaluator(String expression, String formats, String schedule) {
    sameAsTheNaiveEvaluator(expression, formats, schedule);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "split-position   | "
            + SPMV
            + " | y=Dense:1 A=DCSR:2 x=Dense:1 | split(i:position:8) parallel(i)",
        "split-coordinate | Y(i,j) = A(i,j) + B(i,j) | Y=Dense:2 A=CSF:2 B=CSF:2 |"
            + " split(i:coordinate:4) parallel(i)",
        "private-sums     | "
            + SPMV
            + " | y=Dense:1 A=COO:2 x=Dense:1 | split(i:position:64) parallel(i)",
        "prefetch         | " + SPMV + " | y=Dense:1 A=CSR:2 x=Dense:1 | parallel prefetch(j:48)",
        "prefetch-rows    | "
            + MTTKRP
            + " | M=Dense:2 T=CSF:3 C=Dense:2 D=Dense:2 r=16 | prefetch(j:4) prefetch(k:16)",
        "prefetch-fibers  | "
            + SPGEMM
            + " | Y=CSR:2 A=CSR:2 B=CSR:2 | workspace(j:dense) prefetch(k:8)",
        "vector-unroll    | "
            + SPMV
            + " | y=Dense:1 A=CSR:2 x=Dense:1 | vector(j) unroll(j,4) parallel(i)"
      })
  void loops(String name, String expression, String formats, String schedule) throws IOException {
    KernelRequest request = sample(expression, formats, schedule).request("kernel");
    Goldens.check("schedule-" + name + ".txt", Lowering.lower(request).stages().get("loops"));
  }

  @Test
  void illegalDirectivesSayWhyAndWhatWouldBeLegal() throws IOException {
    StringBuilder text = new StringBuilder();
    for (String[] wrong :
        new String[][] {
          {SPMV, "y=Dense:1 A=CSR:2 x=Dense:1", "parallel(k)"},
          {SPMV, "y=Dense:1 A=CSR:2 x=Dense:1", "order(i,k)"},
          {SPMV, "y=Dense:1 A=DCSR:2 x=Dense:1", "order(j,i)"},
          {SPMV, "y=Dense:1 A=CSR:2 x=Dense:1", "vector(i)"},
          {SPMV, "y=Dense:1 A=CSR:2 x=Dense:1", "parallel(i) parallel(j)"},
          {SPMV, "y=Dense:1 A=COO:2 x=Dense:1", "vector(j)"},
          {SPMV, "y=Dense:1 A=COO:2 x=Dense:1", "vector(i)"},
          {"y(i) = x(i)", "y=Dense:1 x=Dense:1", "parallel(i) vector(i)"},
          {"Y(i,j) = A(i,j) + B(i,j)", "Y=CSR:2 A=CSR:2 B=CSR:2", "parallel(j)"},
          {
            "Y(i,j) = A(i,j) + B(i,j)", "Y=CSR:2 A=CSR:2 B=CSR:2", "split(i:position:4) parallel(i)"
          },
          {"Y(i,j) = A(i,j) + B(i,j)", "Y=CSR:2 A=CSR:2 B=CSR:2", "split(j:position:4)"},
          {"Y(i,j) = A(i,j) + B(i,j)", "Y=CSR:2 A=CSR:2 B=CSR:2", "unroll(j,4)"},
          {"Y(i,j) = A(i,j) + B(i,j)", "Y=CSR:2 A=CSR:2 B=CSR:2", "vector(j)"},
          {"Y(i,j) = A(i,j) + B(i,j)", "Y=Dense:2 A=CSF:2 B=CSF:2", "parallel(i)"},
          {"s = x(i) * y(i)", "s=Dense:0 x=CSF:1 y=CSF:1", "split(i:position:4) parallel(i)"},
          {"Y(i,j) = A(i,k) * B(k,j)", "Y=CSR:2 A=CSR:2 B=CSR:2", "parallel(k)"},
          {"Y(i,j) = A(i,j)", "Y=CSR:2 A=CSR:2", "workspace(j:dense)"},
          {SPMV, "y=Dense:1 A=CSR:2 x=Dense:1", "prefetch(i:24)"},
          {SPMV, "y=Dense:1 A=CSC:2 x=Dense:1", "prefetch(i:24)"},
          {SPMV, "y=Dense:1 A=CSR:2 x=CSF:1", "prefetch(j:24)"},
          {SPGEMM, "Y=CSR:2 A=CSR:2 B={D,B}:2", "prefetch(k:24)"},
          {SPGEMM, "Y=CSR:2 A=CSR:2 B={D,H}:2", "prefetch(k:24)"},
          {"Y(i,j) = T(i,j,k) * v(k)", "Y=CSF:2 T=CSF:3 v=Dense:1", "parallel(k)"},
          {"Y(i,j) = T(i,j,k) * v(k)", "Y=CSF:2 T=CSF:3 v=CSF:1", "parallel(k) unroll(k,2)"}
        }) {
      text.append(wrong[0]).append(" [").append(wrong[1]).append("] ").append(wrong[2]);
      assertThatExceptionOfType(WeftException.class)
          .as("%s with %s", wrong[0], wrong[2])
          .isThrownBy(() -> Lowering.lower(sample(wrong[0], wrong[1], wrong[2]).request("k")))
          .satisfies(e -> assertThat(e.code().kind()).isEqualTo(ErrorCode.Kind.USER))
          .satisfies(e -> text.append('\n').append(e.getMessage()).append("\n\n"));
    }
    Goldens.check("schedule-illegal.txt", text.toString());
  }
}
