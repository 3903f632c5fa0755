package org.weft.compiler.lower;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.KernelRequest;
import org.weft.compiler.Schedule;
import org.weft.compiler.TensorCompiler;
import org.weft.compiler.differential.ArrayCheck;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.runtime.Kernel;
import org.weft.runtime.KernelImage;
import org.weft.runtime.KernelLibrary;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.TensorStorage.EntryVisitor;
import org.weft.tensor.ValueType;

/** Sparse results whose values come in another order than the one they are stored in. */
class ScatteredResultsTest {
  @AutoClose
  private static final TensorCompiler COMPILER =
      TensorCompiler.create(CompilerOptions.forThisHost().withOptimisation(1));

  private static final List<String> SCHEDULES = List.of("sequential", "dense", "hashed");

  private static final List<String> LABELS = List.of("i", "j", "k", "l");
  private static final List<Boolean> BOTH = List.of(false, true);

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

  /** Rows of few terms, of as many as are ranked, and of more, in one result. */
  @ParameterizedTest(name = "{0}, {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "Y(i,j) = A(i,k) * B(k,j)             | Y=CSR:2 A=CSR:2 B=CSR:2",
        "Y(i,j) = A(i,k) * B(k,j)             | Y=CSF:2 A=CSF:2 B=CSF:2",
        "Y(i,j) = A(i,k) * B(k,j)             | Y=CSR:2 A=COO:2 B=CSR:2",
        "Y(i,j) = A(i,k) @(min,+) B(k,j)      | Y=CSR:2 A=CSR:2 B=CSR:2",
        "Y(i,j) = A(i,k) @(max,min) B(k,j)    | Y=CSR:2 A=CSR:2 B=CSR:2",
        "Y(i,j) = A(i,k) @(any,pair) B(k,j)   | Y=CSR:2 A=CSR:2 B=CSR:2",
        "Y(i,j) = X(i,j) + A(i,k) * B(k,j)    | Y=CSR:2 X=CSR:2 A=CSR:2 B=CSR:2",
        "Y(i,j) = A(i,k) * (B(k,j) + C(k,j))  | Y=CSR:2 A=CSR:2 B=CSR:2 C=CSR:2",
        "Y(i,l) = A(i,j) * B(j,k) * C(k,l)    | Y=CSR:2 A=CSR:2 B=CSR:2 C=CSR:2",
        "Y(i,j) = T(i,k,l) * B(k,j) * c(l)    | Y=CSR:2 T=CSF:3 B=CSR:2 c=Dense:1",
        "Y(i,k,j) = T(i,k,l) * B(l,j)         | Y=CSF:3 T=CSF:3 B=CSR:2"
      })
  void rowsOfAnyNumberOfTerms(String expression, String formats) {
    KernelCase sample = KernelGoldenTest.sample(expression, formats);
    boolean small = sample.sizes().containsKey("l");
    Map.of("i", small ? 3L : 30L, "k", 20L, "j", 50L, "l", 8L)
        .forEach((label, size) -> sample.sizes().replace(label, size));
    run(List.of(sample.request("kernel0")), List.of(sample));
  }

  /** Workspaces take memory for what is stored, not for the 2^80 or 2^120 cells there could be. */
  @Test
  void modesOf2To40() {
    long n = 1L << 40;
    TensorFormat csf2 = TensorFormat.csf(2, ValueType.DOUBLE);
    TensorFormat csf3 = TensorFormat.csf(3, ValueType.DOUBLE);
    Random random = new Random(5);
    CooBlock.Builder a = new CooBlock.Builder(2, 0);
    CooBlock.Builder t = new CooBlock.Builder(3, 0);
    Map<List<Long>, Double> product = new HashMap<>();
    Map<List<Long>, Double> turned = new HashMap<>();
    Set<List<Long>> rows = new LinkedHashSet<>();
    for (int entry = 0; entry < 2000; entry++) {
      long k = random.nextInt(20) * (n / 32) + 7;
      long i = entry % 2 == 0 ? random.nextLong(n) : random.nextInt(10);
      if (rows.add(List.of(k, i))) {
        a.add(new long[] {k, i}, 2);
        t.add(new long[] {k, i, n - 1 - k}, entry);
        turned.put(List.of(n - 1 - k, i, k), (double) entry);
      }
    }
    for (List<Long> left : rows) {
      for (List<Long> right : rows) {
        if (left.get(0).equals(right.get(0))) {
          product.merge(List.of(left.get(1), right.get(1)), 4.0, Double::sum);
        }
      }
    }
    MemoryScope scope = MemoryScope.root("huge", MemorySource.system());
    try {
      TensorShape matrix = TensorShape.of(n, n);
      TensorStorage packed = Packing.pack(scope, matrix, csf2, List.of(a.build()));
      KernelRequest outer =
          new KernelRequest(
              "outer",
              "Y(i,j) = A(k,i) * B(k,j)",
              Map.of("Y", csf2, "A", csf2, "B", csf2),
              Map.of(),
              Schedule.sequential());
      assertThat(entries(outer, Map.of("A", packed, "B", packed), matrix, scope))
          .isEqualTo(product);
      TensorShape cube = TensorShape.of(n, n, n);
      KernelRequest turn =
          new KernelRequest(
              "turn",
              "Y(k,j,i) = T(i,j,k)",
              Map.of("Y", csf3, "T", csf3),
              Map.of(),
              Schedule.sequential());
      TensorStorage third = Packing.pack(scope, cube, csf3, List.of(t.build()));
      assertThat(entries(turn, Map.of("T", third), cube, scope)).isEqualTo(turned);
    } finally {
      scope.close();
    }
  }

  /** Rows that are stored in full take memory for each of them, not for each of their entries. */
  @ParameterizedTest(name = "{0}, {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "Y(i,j) = A(i,j)          | COO:2",
        "Y(i,j) = A(i,j) + A(i,j) | COO:2",
        "Y(i,j) = A(i,j) + B(i,j) | COO:2",
        "Y(i,j) = A(i,j) * B(i,j) | COO:2",
        "Y(i,j) = A(j,i)          | CSF@1,0:2",
        "Y(i,j) = A(j,i)          | CSF:2",
        "Y(i,j) = A(k,i) * B(k,j) | CSF:2"
      })
  void longRowsOfManyEntries(String expression, String operands) {
    int rows = 3;
    int each = 30_000;
    boolean product = expression.contains("k");
    boolean turned = expression.contains("A(j,i)");
    TensorShape shape = TensorShape.of(3000, 1 << 20);
    TensorShape right = product ? TensorShape.of(1, 1 << 20) : shape;
    TensorShape left =
        TensorShape.of(turned ? 1 << 20 : product ? 1 : 3000, turned || product ? 3000 : 1 << 20);
    CooBlock.Builder a = new CooBlock.Builder(2, rows * each);
    CooBlock.Builder b = new CooBlock.Builder(2, rows * each);
    for (int n = 0; n < rows * each; n++) {
      long i = n / each * 1000L;
      long j = n % each * 30L;
      a.add(turned ? new long[] {j, i} : product ? new long[] {0, i} : new long[] {i, j}, 1);
      b.add(product ? new long[] {0, j} : new long[] {i, j}, 1);
    }
    TensorFormat stored = TensorFormat.parse(operands.replace(":2", ""), 2, ValueType.DOUBLE);
    TensorFormat full = TensorFormat.parse("{CU,D}", 2, ValueType.DOUBLE);
    KernelRequest request =
        new KernelRequest(
            "rows",
            expression,
            expression.contains("B")
                ? Map.of("Y", full, "A", stored, "B", stored)
                : Map.of("Y", full, "A", stored),
            Map.of(),
            Schedule.sequential());
    MemoryScope scope = MemoryScope.root("long rows", MemorySource.system());
    try {
      Map<String, TensorStorage> packed =
          Map.of(
              "A", Packing.pack(scope, left, stored, List.of(a.build())),
              "B", Packing.pack(scope, right, stored, List.of(b.build())));
      long[] nonzeros = {0};
      forEachEntry(
          request, packed, shape, scope, (coordinates, value) -> nonzeros[0] += value == 0 ? 0 : 1);
      assertThat(nonzeros[0]).isEqualTo(rows * each);
    } finally {
      scope.close();
    }
  }

  private static Map<List<Long>, Double> entries(
      KernelRequest request,
      Map<String, TensorStorage> operands,
      TensorShape shape,
      MemoryScope scope) {
    Map<List<Long>, Double> found = new HashMap<>();
    forEachEntry(
        request,
        operands,
        shape,
        scope,
        (coordinates, value) -> found.put(Arrays.stream(coordinates).boxed().toList(), value));
    return found;
  }

  private static void forEachEntry(
      KernelRequest request,
      Map<String, TensorStorage> operands,
      TensorShape shape,
      MemoryScope scope,
      EntryVisitor visitor) {
    KernelImage image = COMPILER.compile(List.of(request));
    try (KernelLibrary library = KernelLibrary.open(image)) {
      Kernel kernel = Kernel.of(library, image.kernels().get(0));
      TensorStorage result = kernel.run(operands, Map.of("Y", shape), scope, 1).get("Y");
      assertThat(ArrayCheck.violation(result)).isEmpty();
      result.forEachEntry(visitor);
    }
  }
}
