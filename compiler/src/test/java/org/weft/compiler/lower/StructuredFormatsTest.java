package org.weft.compiler.lower;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
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
import org.weft.tensor.TensorFormat;
import org.weft.tensor.ValueType;

/**
 * Tensors with more levels than modes, and range, offset, hashed and bitmap levels, as operands
 * that kernels walk, and blocked tensors as results.
 */
class StructuredFormatsTest {
  private static final List<String> MATRICES =
      List.of(
          "CSR",
          "CSC",
          "COO",
          "DCSR",
          "CDR",
          "ELL",
          "ELL@1,0",
          "DIA",
          "DIA@1,0",
          "BCSR(2,3)",
          "BCSR(3,2)@1,0",
          "BCSR(1,1)",
          "BCSR(64,64)",
          "CSB(2,3)",
          "CSB(4,2)@1,0",
          "HashMatrix",
          "HashMatrix@1,0",
          "{D, B}",
          "{B, B}@1,0",
          "{B, CU}",
          "{H, H}",
          "{D, CU?o}",
          "{D, CU?u}",
          "{CU?u, S?o}",
          "ModeGeneric(1)",
          "{CU:0/2, CU:1/2, D:0%2, D:1%2}",
          "{D:0/3, D:0%3, CU:1}",
          "{CU, D:1/2, CU:1%2}",
          "Dense",
          "{D:0/2, D:1/2, D:0%2, D:1%2}");

  private static TensorFormat format(String name, int order) {
    return TensorFormat.parse(name, order, ValueType.DOUBLE);
  }

  /** Compiles the cases into one library and runs each; returns the refusals. */
  private static List<String> run(
      TensorCompiler compiler, Map<String, KernelCase> cases, Random random) {
    List<String> refusals = new ArrayList<>();
    List<KernelCase> accepted = new ArrayList<>();
    List<KernelRequest> requests = new ArrayList<>();
    cases.forEach(
        (name, kernel) -> {
          KernelRequest request = kernel.request("kernel" + requests.size());
          try {
            Lowering.lower(request);
            accepted.add(kernel);
            requests.add(request);
          } catch (WeftException e) {
            assertThat(e.code())
                .as(name + ": " + e.getMessage())
                .isIn(ErrorCode.CONVERSION_REQUIRED, ErrorCode.UNSUPPORTED_OPERATION);
            refusals.add(name + ": " + e.getMessage());
          } catch (RuntimeException e) {
            throw new AssertionError(name, e);
          }
        });
    KernelImage image = compiler.compile(requests);
    try (KernelLibrary library = KernelLibrary.open(image)) {
      for (int k = 0; k < accepted.size(); k++) {
        Kernel compiled = Kernel.of(library, image.kernels().get(k));
        try {
          for (int round = 0; round < 4; round++) {
            accepted.get(k).check(compiled, random);
          }
        } catch (AssertionError | RuntimeException e) {
          throw new AssertionError(accepted.get(k).toString(), e);
        }
      }
    }
    return refusals;
  }

  /** Dense vectors and matrices for all names but {@code A}, by whether the name is a capital. */
  private static Map<String, TensorFormat> formats(String expression, String name) {
    Map<String, TensorFormat> formats = new TreeMap<>();
    formats.put("A", format(name, 2));
    for (String tensor : new String[] {"x", "y", "z", "X", "Y", "Z", "s"}) {
      int order = tensor.equals("s") ? 0 : tensor.compareTo("a") < 0 ? 2 : 1;
      if (expression.matches(".*\\b" + tensor + "\\b.*")) {
        formats.put(tensor, format("Dense", order));
      }
    }
    return formats;
  }

  private static Map<String, Long> sizes(String expression, long... all) {
    Map<String, Long> sizes = new TreeMap<>();
    for (int l = 0; l < all.length; l++) {
      String label = "ijkl".substring(l, l + 1);
      if (expression.matches(".*\\b" + label + "\\b.*")) {
        sizes.put(label, all[l]);
      }
    }
    return sizes;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"y(j) = A(i,j) * x(i) | 0", "Y(i,j) = A(i,j) + Z(i,j) | 9"})
  void everyMatrixFormatIsWalked(String expression, int refused) {
    Random random = new Random(99);
    List<String> refusals = new ArrayList<>();
    try (TensorCompiler compiler =
        TensorCompiler.create(CompilerOptions.forThisHost().withOptimisation(1))) {
      for (long[] size : new long[][] {{7, 5, 3}, {6, 6, 2}, {1, 9, 1}}) {
        Map<String, Long> sizes = sizes(expression, size);
        Set<String> known = size[0] == 6 ? sizes.keySet() : Set.of();
        Map<String, KernelCase> cases = new LinkedHashMap<>();
        for (String name : MATRICES) {
          Schedule schedule = random.nextBoolean() ? Schedule.parallel() : Schedule.sequential();
          cases.put(
              name, new KernelCase(expression, formats(expression, name), sizes, known, schedule));
        }
        refusals.addAll(run(compiler, cases, random));
      }
    }
    assertThat(refusals).hasSizeLessThanOrEqualTo(refused);
  }

  /** The other cases of {@link #everyMatrixFormatIsWalked}. */
  @Tag("long")
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "y(i) = A(i,j) * x(j) | 0",
        "y(i) = A(i,j) * x(j) + z(i) | 3",
        "Y(i,k) = A(i,j) * X(j,k) | 0",
        "Y(i,j) = 2 * A(i,j) | 0",
        "s = A(i,j) | 0"
      })
  void everyMatrixFormatIsWalkedByMoreStatements(String expression, int refused) {
    everyMatrixFormatIsWalked(expression, refused);
  }
}
