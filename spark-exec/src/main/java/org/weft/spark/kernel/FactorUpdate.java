package org.weft.spark.kernel;

import java.io.Serializable;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.weft.decomposition.FactorKernels;
import org.weft.decomposition.FactorRows;
import org.weft.decomposition.FactorSteps;
import org.weft.decomposition.RowUpdate;
import org.weft.memory.MemoryScope;
import org.weft.runtime.Kernel;
import org.weft.runtime.KernelImage;
import org.weft.runtime.KernelLibrary;
import org.weft.spark.resident.FactorBlocks;
import org.weft.spark.resident.FactorVersion;
import org.weft.spark.resident.TaskMemory;
import org.weft.spark.wire.Sent;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;

/**
 * How tasks bring their rows of a factor up to date: by a rule from the rows of the MTTKRP, and
 * into the block store.
 *
 * @param image the plan's library
 * @param algebra the kernels of {@link FactorKernels} in it, in their order
 * @param rule of this update
 * @param inner whether the inner sums are wanted
 * @param previous the factor as it is
 * @param space number of the blocks that the new rows go to
 * @param copies processes that are to have a block
 * @param threads of a kernel
 */
public record FactorUpdate(
    Sent<KernelImage> image,
    List<String> algebra,
    RowUpdate rule,
    boolean inner,
    FactorVersion previous,
    long space,
    int copies,
    int threads)
    implements Serializable {
  private static final Map<String, FactorKernels> LOADED = new ConcurrentHashMap<>();

  /**
   * Updates the rows of a range.
   *
   * @param m the range's rows of the MTTKRP; closed here
   */
  FactorSums update(int partition, int range, TensorStorage m) {
    MemoryScope scope = TaskMemory.ofTask().scope();
    long from = previous.starts()[range];
    long rows = previous.starts()[range + 1] - from;
    TensorShape shape = TensorShape.of(rows, previous.columns());
    try (TensorStorage factor = TensorStorage.dense(scope, shape, previous.type())) {
      if (rule instanceof RowUpdate.Nonnegative) {
        previous.copy(from, from + rows, factor.vals().address());
      }
      FactorSteps.Sums sums = rows(scope).update(rule, factor, m, inner);
      m.close();
      FactorBlocks.put(space, range, factor, copies);
      return FactorSums.of(partition, sums.gram(), sums.inner());
    }
  }

  /** {@code A^T A} of a range of the factor as it is. */
  FactorSums gram(int range) {
    MemoryScope scope = TaskMemory.ofTask().scope();
    long from = previous.starts()[range];
    long to = previous.starts()[range + 1];
    TensorShape shape = TensorShape.of(to - from, previous.columns());
    try (TensorStorage factor = TensorStorage.dense(scope, shape, previous.type())) {
      previous.copy(from, to, factor.vals().address());
      return FactorSums.of(range, rows(scope).gram(factor), new double[0]);
    }
  }

  private FactorRows rows(MemoryScope scope) {
    return new FactorRows(kernels(), previous.columns(), threads, scope);
  }

  private FactorKernels kernels() {
    KernelImage library = image.value();
    return LOADED.computeIfAbsent(
        library.sha256() + algebra,
        key -> {
          KernelLibrary opened = KernelLibrary.open(library);
          List<Kernel> kernels =
              algebra.stream()
                  .map(symbol -> Kernel.of(opened, library, symbol).reproducible())
                  .toList();
          return new FactorKernels(kernels.get(0), kernels.get(1), kernels.get(2));
        });
  }
}
