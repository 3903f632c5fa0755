package org.weft.compiler.lower;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.KernelRequest;
import org.weft.compiler.Schedule;
import org.weft.compiler.TensorCompiler;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.runtime.Kernel;
import org.weft.runtime.KernelImage;
import org.weft.runtime.KernelLibrary;

/** Sparse results whose values come in another order than the one they are stored in. */
class ScatteredResultsTest {
  private static final TensorCompiler COMPILER =
      TensorCompiler.create(CompilerOptions.forThisHost().withOptimisation(1));

  private static final List<String> SCHEDULES = List.of("sequential", "dense", "hashed");

  private static final List<String> LABELS = List.of("i", "j", "k", "l");
  private static final List<Boolean> BOTH = List.of(false, true);

  @AfterAll
  static void close() {
    COMPILER.close();
  }

  @ParameterizedTest(name = "{0}, {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "Y(i,j) = A(k,i) * B(k,j)               | Y=CSR:2 A=CSR:2 B=CSR:2",
        "Y(i,j) = A(k,i) * B(k,j)               | Y=CSF:2 A=CSF:2 B=CSF:2",
        "Y(i,j) = A(k,i) * B(k,j)               | Y=CSC:2 A=COO:2 B=CSF:2",
        "Y(i,j) = A(i,k) * B(k,j)               | Y=COO:2 A=CSC:2 B=CSR:2",
        "Y(i,j) = A(i,k) * B(k,j)               | Y=CSR:2 A=CSR:2 B=CSR:2",
        "Y(i,j) = A(i,k) * B(k,j)               | Y=CSC:2 A=CSR:2 B=CSR:2",
        "Y(j,i) = A(i,j)                        | Y=CSR:2 A=CSR:2",
        "Y(j,i) = A(i,j)                        | Y=CSF:2 A=COO:2",
        "Y(j,i) = A(i,j)                        | Y=COO:2 A=CSF:2",
        "Y(j,i) = A(i,j)                        | Y={CU,D}:2 A=CSR:2",
        "Y(i,j) = A(i,j)                        | Y=CSC:2 A=CSR:2",
        "Y(i,j) = A(i,j)                        | Y=CSR:2 A=DCSC:2",
        "Y(i,j,k) = T(i,j,k)                    | Y=CSF@2,0,1:3 T=CSF:3",
        "Y(i,j,k) = T(i,j,k)                    | Y=CSF@1,0,2:3 T=COO:3",
        "Y(i,j,k) = T(i,j,k)                    | Y=CSF@0,2,1:3 T=CSF:3",
        "Y(i,j,k) = T(i,j,k)                    | Y={D,CU,CU}@1,2,0:3 T=CSF:3",
        "Y(i,j,k) = T(i,j,k)                    | Y={CU,D,CU}@1,2,0:3 T=CSF:3",
        "Y(i,j,k) = T(i,j,k)                    | Y={CU,CU,D}@2,1,0:3 T=CSF:3",
        "Y(i,j,k) = A(l,i,j) * B(l,k)           | Y=CSF:3 A=CSF:3 B=CSF:2",
        "Y(i,j,k) = A(l,j,i) * B(l,k)           | Y={D,CU,CU}:3 A=CSF:3 B=CSF:2",
        "Y(j,i) = A(i,j) + B(i,j)               | Y=CSF:2 A=CSF:2 B=COO:2",
        "Y(j,i) = A(i,j) * B(i,j) - C(i,j)      | Y=CSR:2 A=CSR:2 B=CSF:2 C=COO:2",
        "Y(i,j) = X(i,j) * (A(k,i) * B(k,j))    | Y=CSR:2 X=CSR:2 A=CSR:2 B=CSR:2",
        "Y(i,j) = X(i,j) + A(k,i) * B(k,j)      | Y=CSR:2 X=CSR:2 A=CSR:2 B=CSR:2",
        "Y(j,i) = X(i,j) + A(k,i) * B(k,j)      | Y=CSR:2 X=CSR:2 A=CSR:2 B=CSR:2",
        "y(i) = X(i,j) * (A(k,i) * B(k,j))      | y=Dense:1 X=CSR:2 A=CSR:2 B=CSR:2",
        "Y(i,l) = A(i,j) * B(j,k) * C(k,l)      | Y=CSR:2 A=CSR:2 B=CSR:2 C=CSR:2",
        "Y(l,i) = A(i,j) * B(j,k) * C(k,l)      | Y=CSR:2 A=CSR:2 B=CSR:2 C=CSR:2",
        "Y(i,j) = abs(A(k,i) * B(k,j)) + 2*X(i,j) | Y=CSF:2 X=CSR:2 A=CSR:2 B=CSR:2",
        "Y(i,j) = x(i) * y(j)                   | Y=CSC:2 x=CSF:1 y=CSF:1",
        "y(j) = A(i,j) * x(i)                   | y=CSF:1 A=CSR:2 x=CSF:1",
        "Y(j,i) = A(i,j) * 2                    | Y={CU[16,16],CU[16,16]}:2 A=CSR:2",
        "Y(i,j) = x(j)                          | Y=CSR:2 x=CSF:1"
      })
  void anyOrderIntoAnyFormat(String expression, String formats) {
    KernelCase sample = KernelGoldenTest.sample(expression, formats);
    List<KernelRequest> requests = new ArrayList<>();
    List<KernelCase> cases = new ArrayList<>();
    for (String workspace : SCHEDULES) {
      for (boolean constant : SCHEDULES.get(0).equals(workspace) ? BOTH : List.of(false)) {
        KernelCase variant =
            with(
                new KernelCase(
                    sample.expression(),
                    sample.formats(),
                    sample.sizes(),
                    constant ? sample.sizes().keySet() : sample.constants(),
                    Schedule.sequential()),
                workspace);
        requests.add(variant.request("kernel" + cases.size()));
        cases.add(variant);
      }
    }
    run(requests, cases);
  }

  /** The workspace asked for along every label that takes one. */
  private static KernelCase with(KernelCase sample, String workspace) {
    KernelCase changed = sample;
    for (String label : workspace.equals("sequential") ? List.<String>of() : LABELS) {
      Schedule one = Schedule.parse("workspace(" + label + ":" + workspace + ")");
      try {
        Lowering.lower(sample.request("kernel").withSchedule(one));
        Schedule more = changed.schedule().with(one.directives().get(0));
        changed =
            new KernelCase(
                sample.expression(), sample.formats(), sample.sizes(), sample.constants(), more);
      } catch (WeftException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.INVALID_SCHEDULE);
      }
    }
    return changed;
  }

  private static void run(List<KernelRequest> requests, List<KernelCase> cases) {
    KernelImage image = COMPILER.compile(requests);
    try (KernelLibrary library = KernelLibrary.open(image)) {
      for (int c = 0; c < cases.size(); c++) {
        for (int run = 0; run < 12; run++) {
          try {
            cases
                .get(c)
                .check(Kernel.of(library, image.kernels().get(c)), new Random(31L * run + c));
          } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(
                cases.get(c) + "\n" + Lowering.lower(requests.get(c)).stages().get("loops"), e);
          }
        }
      }
    }
  }

  /** The hash table grows while it is filled, and again in a later round. */
  @Test
  void moreCellsThanTheFirstHashTableHolds() {
    KernelCase product =
        KernelGoldenTest.sample("Y(i,j) = A(i,k) * B(k,j)", "Y=CSR:2 A=CSR:2 B=CSR:2");
    KernelCase outer =
        KernelGoldenTest.sample("Y(i,j) = A(k,i) * B(k,j)", "Y=CSR:2 A=CSR:2 B=CSR:2");
    for (KernelCase sample : List.of(product, outer)) {
      sample.sizes().put("i", sample == product ? 4L : 60L);
      sample.sizes().put("k", 3L);
      sample.sizes().put("j", sample == product ? 3000L : 120L);
      KernelCase hashed = with(sample, "hashed");
      run(List.of(hashed.request("kernel0")), List.of(hashed));
    }
  }
}
