package org.weft.engine.local;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.KernelRequest;
import org.weft.decomposition.RowProducts;
import org.weft.engine.entries.Shared;
import org.weft.memory.MemoryScope;
import org.weft.planner.JobPlan;
import org.weft.reorder.Relabelling;
import org.weft.runtime.Kernel;
import org.weft.runtime.KernelLibrary;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;

/** The statements and the algebra of a method in this process. */
final class LocalProducts implements RowProducts {
  private final LocalTensor tensor;
  private final JobPlan plan;
  private final LocalKernels kernels;
  private final MemoryScope scope;
  private final Map<String, Kernel> algebra = new HashMap<>();

  /**
   * @param kernels of the plan
   * @param scope owner of what the method allocates
   */
  LocalProducts(LocalTensor tensor, JobPlan plan, LocalKernels kernels, MemoryScope scope) {
    this.tensor = tensor;
    this.plan = plan;
    this.kernels = kernels;
    this.scope = scope;
    try (KernelLibrary library = KernelLibrary.open(plan.image())) {
      for (KernelRequest request : plan.algebra()) {
        String symbol = request.symbol();
        algebra.put(symbol, Kernel.of(library, plan.image(), symbol).reproducible());
      }
    }
  }

  @Override
  public TensorShape shape() {
    return tensor.statistics().shape();
  }

  @Override
  public MemoryScope scope() {
    return scope;
  }

  @Override
  public void run(int statement, List<TensorStorage> factors, TensorStorage rows) {
    kernels.run(plan.modes().get(statement), factors, rows);
  }

  @Override
  public void algebra(String symbol, Map<String, TensorStorage> tensors) {
    Kernel kernel = algebra.get(symbol);
    if (kernel == null) {
      throw new IllegalArgumentException(symbol + " is not in " + algebra.keySet());
    }
    kernel.run(tensors, Map.of(), scope, plan.resources().coresPerExecutor());
  }

  @Override
  public DenseMatrix uniform(int mode, int columns, long seed) {
    DenseMatrix rows = DenseMatrix.random(shape().size(mode), columns, seed);
    @Nullable Relabelling there = tensor.relabelling();
    return there == null ? rows : there.applyToRows(mode, rows);
  }

  @Override
  public DenseMatrix original(int mode, DenseMatrix rows) {
    Shared<Relabelling> back = tensor.resultRelabelling();
    return back == null ? rows : back.value().applyToRows(mode, rows);
  }
}
