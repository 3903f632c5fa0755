package org.weft.compiler.lower;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.KernelRequest;
import org.weft.compiler.Schedule;
import org.weft.compiler.TensorCompiler;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.runtime.Kernel;
import org.weft.runtime.KernelImage;
import org.weft.runtime.KernelLibrary;

/** The kernels of decompositions for every order up to 8, and along different modes. */
class KernelOrdersTest {
  private static final String LABELS = "ijklmnop";

  @Test
  void mttkrpTtvAndTtmOfEveryOrder() {
    List<KernelCase> cases = new ArrayList<>();
    for (int order = 1; order <= (Boolean.getBoolean("weft.long") ? 8 : 6); order++) {
      for (int mode : IntStream.of(0, order / 2, order - 1).distinct().toArray()) {
        cases.add(mttkrp(order, mode, "CSF"));
        cases.add(mttkrp(order, mode, "COO"));
        cases.add(contraction(order, mode, false));
        cases.add(contraction(order, mode, true));
      }
    }
    run(cases);
  }

  /** The tensor's mode order starts with the result's mode. */
  private static KernelCase mttkrp(int order, int mode, String format) {
    StringBuilder text = new StringBuilder("M(" + LABELS.charAt(mode) + ",r) = T(");
    text.append(labels(order, -1)).append(")");
    StringBuilder formats = new StringBuilder("M=Dense:2 r=3 T=" + format);
    formats.append(modeOrder(order, mode, true)).append(":").append(order);
    for (int other = 0; other < order; other++) {
      if (other != mode) {
        text.append(" * F").append(other).append("(").append(LABELS.charAt(other)).append(",r)");
        formats.append(" F").append(other).append("=Dense:2");
      }
    }
    return sized(KernelGoldenTest.sample(text.toString(), formats.toString()));
  }

  /** TTV, or TTM with a dense last level, with the contracted mode stored last. */
  private static KernelCase contraction(int order, int mode, boolean matrix) {
    String rest = labels(order, mode);
    char contracted = LABELS.charAt(mode);
    String result = rest + (matrix ? (rest.isEmpty() ? "r" : ",r") : "");
    int resultOrder = order - 1 + (matrix ? 1 : 0);
    String levels = matrix ? "{" + "CU,".repeat(order - 1) + "D}" : order == 1 ? "Dense" : "CSF";
    String text =
        "Y"
            + (result.isEmpty() ? "" : "(" + result + ")")
            + " = T("
            + labels(order, -1)
            + (matrix ? ") * U(" + contracted + ",r)" : ") * v(" + contracted + ")");
    String formats =
        "T=CSF"
            + modeOrder(order, mode, false)
            + ":"
            + order
            + " Y="
            + levels
            + ":"
            + resultOrder
            + (matrix ? " U=Dense:2 r=5" : " v=Dense:1");
    return sized(KernelGoldenTest.sample(text, formats));
  }

  private static KernelCase sized(KernelCase sample) {
    LABELS.chars().forEach(c -> sample.sizes().put(String.valueOf((char) c), 2L));
    return sample;
  }

  private static String labels(int order, int without) {
    return IntStream.range(0, order)
        .filter(m -> m != without)
        .mapToObj(m -> String.valueOf(LABELS.charAt(m)))
        .collect(Collectors.joining(","));
  }

  private static String modeOrder(int order, int mode, boolean first) {
    List<Integer> modes = new ArrayList<>(IntStream.range(0, order).boxed().toList());
    modes.remove(Integer.valueOf(mode));
    modes.add(first ? 0 : modes.size(), mode);
    return "@" + modes.stream().map(String::valueOf).collect(Collectors.joining(","));
  }

  static void run(List<KernelCase> cases) {
    List<KernelRequest> requests = new ArrayList<>();
    for (int c = 0; c < cases.size(); c++) {
      requests.add(cases.get(c).request("kernel" + c));
    }
    try (TensorCompiler compiler =
        TensorCompiler.create(CompilerOptions.forThisHost().withOptimisation(1))) {
      KernelImage image = compiler.compile(requests);
      try (KernelLibrary library = KernelLibrary.open(image)) {
        for (int c = 0; c < cases.size(); c++) {
          try {
            cases.get(c).check(Kernel.of(library, image.kernels().get(c)), new Random(c));
          } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(cases.get(c).toString(), e);
          }
        }
      }
    }
  }

  @Test
  void unionsOfManyOperandsShareOneBody() {
    List<KernelCase> cases = new ArrayList<>();
    for (String format : List.of("CSF", "COO", "CSR")) {
      cases.add(
          KernelGoldenTest.sample(
              "Y(i,j) = A(i,j) + B(i,j) * E(i,j) - C(i,j) + D(i,j) + 2 * F(i,j)",
              "Y=CSF:2 A=CSF:2 B=CSF:2 C=COO:2 D=CSF:2 E=CSF:2 F=" + format + ":2"));
      cases.add(
          KernelGoldenTest.sample(
              "Y(i,j) = A(i,j) + B(i,j) + C(i,j) + D(i,j) + x(i)",
              "Y=Dense:2 A=CSF:2 B=CSF:2 C=COO:2 D=" + format + ":2 x=CSF:1"));
    }
    run(cases);
    long alone = loopLines(cases.get(0).request("kernel").withSchedule(Schedule.sequential()));
    long inTasks = loopLines(cases.get(0).request("kernel").withSchedule(Schedule.parallel()));
    assertThat(alone).isLessThan(300);
    assertThat(inTasks - alone).isBetween(1L, 150L);
  }

  private static long loopLines(KernelRequest request) {
    return Lowering.lower(request).stages().get("loops").lines().count();
  }

  /** Sparse fibers below a dense level: each coordinate of the workspace is present or not. */
  @Test
  void presenceOfADenseWorkspaceIsPerCoordinate() {
    run(
        List.of(
            KernelGoldenTest.sample(
                "Y(i,k) = sum(i, A(j,i)) .* B(k,j)", "Y=CSR:2 A=DCSC:2 B=CSR:2"),
            KernelGoldenTest.sample("Y(i,k) = x(i) * sum(j, B(k,j))", "Y=CSR:2 x=CSF:1 B=CSR:2")));
  }

  /** A mask may have free buckets, and be one half of a level that blocks split. */
  @Test
  void masksOfAnyLevelMarkTheirCoordinates() {
    run(
        List.of(
            KernelGoldenTest.sample("Y(j) = h(j) * B(i,j)", "Y=Dense:1 h=HashVector:1 B=CSR:2"),
            KernelGoldenTest.sample(
                "Y(j) = x(j) * B(i,j)", "Y=Dense:1 x=CSF:1 B=BCSR(2,2)@1,0:2")));
  }

  @Test
  void unionsOfTwentyOperandsAreCoiterated() {
    String plus =
        IntStream.range(0, 20).mapToObj(n -> "A" + n + "(i,j)").collect(Collectors.joining(" + "));
    StringBuilder formats = new StringBuilder("Y=CSF:2");
    for (int n = 0; n < 20; n++) {
      formats
          .append(" A")
          .append(n)
          .append(n % 3 == 0 ? "=CSR:2" : n % 3 == 1 ? "=CSF:2" : "=COO:2");
    }
    run(List.of(KernelGoldenTest.sample("Y(i,j) = " + plus, formats.toString())));
  }

  @Test
  void coordinatesThatDoNotFitTheResultAreAnErrorNotAWrongAnswer() {
    KernelCase wide = KernelGoldenTest.sample("Y(i) = 2 * x(i)", "Y={CU[16,8]}:1 x=Dense:1");
    wide.sizes().put("i", 300L);
    assertThatThrownBy(() -> run(List.of(wide)))
        .hasRootCauseInstanceOf(WeftException.class)
        .rootCause()
        .satisfies(e -> assertThat(((WeftException) e).code()).isEqualTo(ErrorCode.WIDTH_OVERFLOW));
    KernelCase many = KernelGoldenTest.sample("Y(i) = 2 * x(i)", "Y={CU[8,16]}:1 x=Dense:1");
    many.sizes().put("i", 300L);
    assertThatThrownBy(() -> run(List.of(many))).hasRootCauseInstanceOf(WeftException.class);
  }

  @Test
  void requestsWithoutALoweringSayWhatToChange() {
    KernelCase singleton = KernelGoldenTest.sample("Y(i,j) = A(i,j)", "Y={D,S}:2 A=CSR:2");
    assertThatThrownBy(() -> Lowering.lower(singleton.request("kernel")))
        .isInstanceOf(WeftException.class)
        .hasMessageContaining("cannot be assembled");
  }
}
