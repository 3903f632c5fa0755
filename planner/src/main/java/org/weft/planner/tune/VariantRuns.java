package org.weft.planner.tune;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import org.weft.compiler.KernelRequest;
import org.weft.compiler.TensorCompiler;
import org.weft.compiler.eval.Evaluator;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.MemoryScope;
import org.weft.runtime.Kernel;
import org.weft.runtime.KernelImage;
import org.weft.runtime.KernelLibrary;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * Runs of variants: compiled once, operands converted once for each format, and every answer
 * compared with the reference before the first timed run. A timed run is the kernel alone.
 */
final class VariantRuns implements AutoCloseable {
  private final TensorCompiler compiler;
  private final Evaluator evaluator;
  private final MemoryScope scope;
  private final TuningTask task;
  private final TensorStorage reference;
  private final CooBlock expected;
  private final Map<String, TensorStorage> converted = new HashMap<>();
  private final Map<Variant, Prepared> prepared = new LinkedHashMap<>();

  private record Prepared(
      KernelLibrary library, Kernel kernel, String result, Map<String, TensorStorage> operands) {}

  VariantRuns(
      TensorCompiler compiler,
      Evaluator evaluator,
      MemoryScope scope,
      TuningTask task,
      TensorStorage reference) {
    this.compiler = compiler;
    this.evaluator = evaluator;
    this.scope = scope;
    this.task = task;
    this.reference = reference;
    this.expected = Packing.unpack(reference);
  }

  /**
   * Compiles, runs once and verifies.
   *
   * @return seconds of the run; nothing when a format does not hold this result
   */
  OptionalDouble prepare(Variant variant) {
    KernelRequest request =
        new KernelRequest(
            "tuned", task.expression(), variant.formats(), Map.of(), variant.schedule());
    KernelImage image = compiler.compile(List.of(request));
    Map<String, TensorStorage> operands = new HashMap<>();
    task.operands().forEach((name, storage) -> operands.put(name, operand(name, storage, variant)));
    KernelLibrary library = KernelLibrary.open(image);
    try {
      Kernel kernel = Kernel.of(library, image.kernels().get(0));
      String result = image.kernels().get(0).tensors().get(0).name();
      Prepared ready = new Prepared(library, kernel, result, operands);
      double seconds = run(ready, storage -> verify(variant, storage));
      prepared.put(variant, ready);
      return OptionalDouble.of(seconds);
    } catch (WeftException e) {
      library.close();
      if (e.code() == ErrorCode.WIDTH_OVERFLOW) {
        return OptionalDouble.empty();
      }
      throw e;
    }
  }

  private TensorStorage operand(String name, TensorStorage given, Variant variant) {
    TensorFormat wanted = variant.formats().getOrDefault(name, given.format());
    return given.format().equals(wanted)
        ? given
        : converted.computeIfAbsent(
            name + " " + wanted, key -> evaluator.convert(scope, given, wanted));
  }

  /** Seconds of one run. */
  double seconds(Variant variant) {
    Prepared ready = prepared.get(variant);
    if (ready == null) {
      throw new IllegalStateException("a variant is prepared before it is timed: " + variant);
    }
    return run(ready, storage -> {});
  }

  private interface Use {
    void accept(TensorStorage result);
  }

  private double run(Prepared ready, Use use) {
    MemoryScope own = scope.child("run");
    try {
      Map<String, TensorStorage> bound = new HashMap<>(ready.operands());
      TensorFormat format = reference.format();
      boolean dense = format.isInsertable();
      if (dense) {
        bound.put(ready.result(), zeros(own));
      }
      long start = System.nanoTime();
      Map<String, TensorStorage> made =
          ready.kernel().run(bound, Map.of(ready.result(), reference.shape()), own, task.threads());
      double seconds = (System.nanoTime() - start) / 1e9;
      TensorStorage result = dense ? bound.get(ready.result()) : made.get(ready.result());
      if (result == null) {
        throw new IllegalStateException("the kernel made no " + ready.result());
      }
      use.accept(result);
      return seconds;
    } finally {
      own.close();
    }
  }

  private TensorStorage zeros(MemoryScope own) {
    return reference
            .format()
            .equals(TensorFormat.dense(reference.shape().order(), reference.format().valueType()))
        ? TensorStorage.dense(own, reference.shape(), reference.format().valueType())
        : Packing.pack(own, reference.shape(), reference.format(), List.of());
  }

  private void verify(Variant variant, TensorStorage result) {
    CooBlock found = Packing.unpack(result);
    if (found.size() != expected.size()) {
      throw differs(variant, found.size() + " entries, expected " + expected.size());
    }
    double largest = 0;
    for (int e = 0; e < expected.size(); e++) {
      largest = Math.max(largest, Math.abs(expected.value(e)));
    }
    ValueType type = result.format().valueType();
    double epsilon =
        switch (type) {
          case DOUBLE -> 1e-10;
          case FLOAT -> 1e-4;
          case INT, LONG -> 0;
        };
    for (int e = 0; e < expected.size(); e++) {
      for (int mode = 0; mode < expected.order(); mode++) {
        if (found.coordinate(mode, e) != expected.coordinate(mode, e)) {
          throw differs(variant, "another coordinate in entry " + e);
        }
      }
      double a = expected.value(e);
      double b = found.value(e);
      if (Double.compare(a, b) != 0 && !(Math.abs(a - b) <= epsilon * largest)) {
        throw differs(variant, "value " + b + " in entry " + e + ", expected " + a);
      }
    }
  }

  private WeftException differs(Variant variant, String how) {
    return new WeftException(
        ErrorCode.KERNEL_FAILURE,
        task.expression()
            + " gives "
            + how
            + " with "
            + variant
            + "; this is a bug in the compiler, report the expression and the variant");
  }

  @Override
  public void close() {
    prepared.values().forEach(ready -> ready.library().close());
  }
}
