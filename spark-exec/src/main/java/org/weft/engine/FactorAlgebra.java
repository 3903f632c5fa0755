package org.weft.engine;

import java.util.List;
import org.weft.compiler.KernelRequest;
import org.weft.compiler.TensorCompiler;
import org.weft.decomposition.FactorKernels;
import org.weft.planner.FactorStatements;
import org.weft.planner.JobPlan;
import org.weft.runtime.Kernel;
import org.weft.runtime.KernelImage;
import org.weft.runtime.KernelLibrary;
import org.weft.tensor.ValueType;

/** The dense algebra of a decomposition: {@link FactorStatements}, compiled. */
public final class FactorAlgebra {
  private FactorAlgebra() {}

  /** The kernels that were compiled with those of a plan. */
  public static FactorKernels of(JobPlan plan) {
    return kernels(plan.image(), plan.algebra());
  }

  /** The kernels for factors of {@code rank} columns. */
  public static FactorKernels compile(TensorCompiler compiler, int rank, ValueType type) {
    List<KernelRequest> requests = FactorStatements.of(rank, type);
    return kernels(compiler.compile(requests), requests);
  }

  private static FactorKernels kernels(KernelImage image, List<KernelRequest> requests) {
    try (KernelLibrary library = KernelLibrary.open(image)) {
      List<Kernel> kernels =
          requests.stream()
              .map(request -> Kernel.of(library, image.signature(request.symbol())).reproducible())
              .toList();
      return new FactorKernels(kernels.get(0), kernels.get(1), kernels.get(2));
    }
  }
}
