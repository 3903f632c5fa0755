package org.weft.spark;

import java.util.List;
import java.util.Map;
import org.weft.compiler.KernelRequest;
import org.weft.compiler.Schedule;
import org.weft.compiler.TensorCompiler;
import org.weft.runtime.Kernel;
import org.weft.runtime.KernelImage;
import org.weft.runtime.KernelLibrary;
import org.weft.spark.cpd.FactorKernels;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.ValueType;

/** Compiles the dense algebra of an in-process decomposition. */
public final class FactorAlgebra {
  private static final TensorFormat VECTOR = TensorFormat.dense(1, ValueType.DOUBLE);
  private static final TensorFormat MATRIX = TensorFormat.dense(2, ValueType.DOUBLE);

  private FactorAlgebra() {}

  /** The kernels for {@code rank}. Their sums do not depend on the number of threads. */
  public static FactorKernels compile(TensorCompiler compiler, int rank) {
    Map<String, Long> sizes = Map.of("r", (long) rank);
    KernelRequest product =
        new KernelRequest(
            "factor_product",
            "A(i,r) = M(i,s) * P(s,r)",
            Map.of("A", MATRIX, "M", MATRIX, "P", MATRIX),
            Map.of("r", (long) rank, "s", (long) rank),
            Schedule.parse("order(i,s,r) parallel(i)"));
    KernelRequest gram =
        new KernelRequest(
            "factor_gram",
            "G(r,s) = A(i,r) * A(i,s)",
            Map.of("G", MATRIX, "A", MATRIX),
            Map.of("r", (long) rank, "s", (long) rank),
            Schedule.parse("order(i,r,s) parallel(i)"));
    KernelRequest inner =
        new KernelRequest(
            "factor_inner",
            "d(r) = M(i,r) * A(i,r)",
            Map.of("d", VECTOR, "M", MATRIX, "A", MATRIX),
            sizes,
            Schedule.parse("order(i,r) parallel(i)"));
    KernelImage image = compiler.compile(List.of(product, gram, inner));
    try (KernelLibrary library = KernelLibrary.open(image)) {
      return new FactorKernels(
          kernel(library, image, product),
          kernel(library, image, gram),
          kernel(library, image, inner));
    }
  }

  private static Kernel kernel(KernelLibrary library, KernelImage image, KernelRequest request) {
    return Kernel.of(library, image.signature(request.symbol())).reproducible();
  }
}
