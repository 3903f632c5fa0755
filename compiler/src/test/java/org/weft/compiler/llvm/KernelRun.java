package org.weft.compiler.llvm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.weft.compiler.cache.CacheKey;
import org.weft.compiler.loop.LoopChecker;
import org.weft.compiler.loop.LoopFunction;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.runtime.CpuFeatures;
import org.weft.runtime.Kernel;
import org.weft.runtime.KernelImage;
import org.weft.runtime.KernelLibrary;
import org.weft.runtime.NativeRuntime;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/** Compiles one hand-built function, binds tensors, runs it, and checks that nothing leaks. */
final class KernelRun implements AutoCloseable {
  private final MemoryScope scope = MemoryScope.root("test", MemorySource.system());
  private final NativeRuntime.Statistics before = NativeRuntime.statistics();
  private final Map<String, TensorStorage> bound = new HashMap<>();
  private final KernelLibrary library;
  private final Kernel kernel;

  KernelRun(LoopFunction function) {
    this(function, CpuFeatures.level());
  }

  KernelRun(LoopFunction function, String cpu) {
    LoopChecker.check(function);
    Target target = new Target(cpu, 3);
    byte[] bytes = new CodeGenerator(target, (s, n) -> {}).library(List.of(function));
    String identity = CacheKey.of(List.of(function), target).sha256();
    library =
        KernelLibrary.open(KernelImage.of(bytes, identity, cpu, List.of(function.signature())));
    kernel = Kernel.of(library, function.signature());
  }

  TensorStorage dense(String name, ValueType type, double[] values, long... sizes) {
    TensorStorage storage = TensorStorage.dense(scope, TensorShape.of(sizes), type);
    for (int i = 0; i < values.length; i++) {
      if (type == ValueType.INT || type == ValueType.LONG) {
        storage.vals().setLong(i, (long) values[i]);
      } else {
        storage.vals().setDouble(i, values[i]);
      }
    }
    bound.put(name, storage);
    return storage;
  }

  TensorStorage sparse(String name, TensorFormat format, CooBlock entries, long... sizes) {
    TensorStorage storage = Packing.pack(scope, TensorShape.of(sizes), format, List.of(entries));
    bound.put(name, storage);
    return storage;
  }

  Map<String, TensorStorage> run(int threads, Map<String, TensorShape> outputs) {
    return kernel.run(bound, outputs, scope, threads);
  }

  void run(int threads) {
    assertThat(run(threads, Map.of())).isEmpty();
  }

  @Override
  public void close() {
    library.close();
    scope.close();
    assertThat(NativeRuntime.statistics().liveBlocks()).isEqualTo(before.liveBlocks());
  }
}
