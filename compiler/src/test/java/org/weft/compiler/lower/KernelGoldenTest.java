package org.weft.compiler.lower;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.KernelRequest;
import org.weft.compiler.Schedule;
import org.weft.compiler.TensorCompiler;
import org.weft.compiler.loop.Goldens;
import org.weft.runtime.Kernel;
import org.weft.runtime.KernelImage;
import org.weft.runtime.KernelLibrary;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.ValueType;

/** The loops of well-known kernels, as text and executed. */
class KernelGoldenTest {
  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "spmv-csr    | y(i) = A(i,j) * x(j)                          | y=Dense:1 A=CSR:2 x=Dense:1",
        "spmv-csf    | y(i) = A(i,j) * x(j)                          | y=Dense:1 A=CSF:2 x=Dense:1",
        "spmv-coo    | y(i) = A(i,j) * x(j)                          | y=Dense:1 A=COO:2 x=Dense:1",
        "spmv-dense | y(i) = A(i,j) * x(j) | y=Dense:1 A=Dense:2 x=Dense:1",
        "spmv-csc | y(i) = A(i,j) * x(j) | y=Dense:1 A=CSC:2 x=Dense:1",
        "spmv-dcsr | y(i) = A(i,j) * x(j) | y=Dense:1 A=DCSR:2 x=Dense:1",
        "spmv-dcsc | y(i) = A(i,j) * x(j) | y=Dense:1 A=DCSC:2 x=Dense:1",
        "spmv-cdr | y(i) = A(i,j) * x(j) | y=Dense:1 A=CDR:2 x=Dense:1",
        "spmv-ell | y(i) = A(i,j) * x(j) | y=Dense:1 A=ELL:2 x=Dense:1",
        "spmv-dia | y(i) = A(i,j) * x(j) | y=Dense:1 A=DIA:2 x=Dense:1",
        "spmv-bcsr | y(i) = A(i,j) * x(j) | y=Dense:1 A=BCSR(2,3):2 x=Dense:1",
        "spmv-csb | y(i) = A(i,j) * x(j) | y=Dense:1 A=CSB(2,3):2 x=Dense:1",
        "spmv-hashmatrix | y(i) = A(i,j) * x(j) | y=Dense:1 A=HashMatrix:2 x=Dense:1",
        "spmv-bitmap | y(i) = A(i,j) * x(j) | y=Dense:1 A={D,B}:2 x=Dense:1",
        "spmm | Y(i,k) = A(i,j) * B(j,k) | Y=Dense:2 A=CSR:2 B=Dense:2",
        "ttv         | Y(i,j) = T(i,j,k) * v(k)                      | Y=CSF:2 T=CSF:3 v=Dense:1",
        "ttm         | Y(i,j,r) = T(i,j,k) * U(k,r)                  | Y={CU,CU,D}:3 T=CSF:3 U=Dense:2 r=16",
        "mttkrp-3    | M(i,r) = T(i,j,k) * C(j,r) * D(k,r)           | M=Dense:2 T=CSF:3 C=Dense:2 D=Dense:2 r=16",
        "mttkrp-4    | M(i,r) = T(i,j,k,l) * C(j,r) * D(k,r) * E(l,r) | M=Dense:2 T=CSF:4 C=Dense:2 D=Dense:2 E=Dense:2 r=16",
        "mttkrp-coo  | M(i,r) = T(i,j,k) * C(j,r) * D(k,r)           | M=Dense:2 T=COO:3 C=Dense:2 D=Dense:2 r=16",
        "add-csr-csr | Y(i,j) = A(i,j) + B(i,j)                      | Y=CSR:2 A=CSR:2 B=CSR:2",
        "mul-csr-coo | Y(i,j) = A(i,j) * B(i,j)                      | Y=CSR:2 A=CSR:2 B=COO:2",
        "add-csr-coo | Y(i,j) = A(i,j) + B(i,j)                      | Y=Dense:2 A=CSR:2 B=COO:2",
        "spgemm      | Y(i,j) = A(i,k) * B(k,j)                      | Y=CSR:2 A=CSR:2 B=CSR:2",
        "spgemm-dcsr | Y(i,j) = A(i,k) * B(k,j)                     | Y=CSR:2 A=CSR:2 B=DCSR:2",
        "spgemm-minplus | Y(i,j) = A(i,k) @(min,+) B(k,j)           | Y=CSR:2 A=CSR:2 B=CSR:2",
        "spmv-orand  | y(i) = A(i,j) @(or,and) x(j)                  | y=Dense:1 A=CSR:2 x=CSF:1",
        "spgemm-mask-push | Y(i,j)<M,push> = A(i,k) * B(k,j)         | Y=CSR:2 A=CSR:2 B=CSR:2 M=CSR:2 j=7",
        "spgemm-mask-pull | Y(i,j)<M,pull> = A(i,k) * B(k,j)         | Y=CSR:2 A=CSR:2 B=CSC:2 M=CSR:2",
        "spgemm-mask-auto | Y(i,j)<M> = A(i,k) * B(k,j)              | Y=Dense:2 A=CSR:2 B=Dense:2 M=CSR:2",
        "chain-elementwise | Y(i,j) = A(i,j) * B(i,j) - C(i,j) * D(i,j) | Y=CSR:2 A=CSR:2 B=CSR:2 C=CSR:2 D=CSR:2",
        "sddmm       | Y(i,j) = S(i,j) * A(i,k) * B(k,j)             | Y=CSR:2 S=CSR:2 A=Dense:2 B=Dense:2",
        "shares      | y(i) = x(i) / sum(j, z(j))                     | y=Dense:1 x=Dense:1 z=Dense:1"
      })
  void kernel(String name, String expression, String formats) throws IOException {
    KernelCase sample = sample(expression, formats);
    KernelRequest request = sample.request("kernel");
    Map<String, String> stages = Lowering.lower(request).stages();
    Goldens.check(
        "kernel-" + name + ".txt",
        "// " + stages.get("algebra") + stages.get("lattices") + stages.get("loops"));
    try (TensorCompiler compiler = TensorCompiler.create(CompilerOptions.forThisHost())) {
      KernelImage image = compiler.compile(List.of(request));
      try (KernelLibrary library = KernelLibrary.open(image)) {
        for (int run = 0; run < 20; run++) {
          sample.check(Kernel.of(library, image.kernels().get(0)), new Random(run));
        }
      }
    }
  }

  static KernelCase sample(String expression, String formats) {
    Map<String, TensorFormat> parsed = new TreeMap<>();
    Map<String, Long> sizes = new TreeMap<>(Map.of("i", 5L, "j", 7L, "k", 4L, "l", 3L));
    Set<String> constants = new HashSet<>();
    for (String format : formats.trim().split(" +")) {
      String[] parts = format.split("=");
      int order = parts[1].lastIndexOf(':');
      if (order < 0) {
        sizes.put(parts[0], Long.parseLong(parts[1]));
        constants.add(parts[0]);
      } else {
        String levels = parts[1].substring(0, order);
        int modes = Integer.parseInt(parts[1].substring(order + 1));
        parsed.put(parts[0], TensorFormat.parse(levels, modes, ValueType.DOUBLE));
      }
    }
    return new KernelCase(expression.trim(), parsed, sizes, constants, Schedule.parallel());
  }
}
