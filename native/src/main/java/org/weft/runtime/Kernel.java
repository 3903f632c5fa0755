package org.weft.runtime;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.weft.error.WeftException;
import org.weft.memory.MemoryScope;
import org.weft.memory.NativeArray;
import org.weft.memory.NativeMemory;
import org.weft.runtime.TensorParameter.Role;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;

/**
 * A compiled kernel that can be called. Thread-safe: every call has its own argument block. A call
 * costs about a microsecond beyond the kernel's own time, plus one {@code malloc}.
 */
public final class Kernel {
  private final long function;
  private final KernelSignature signature;
  private final List<SparseOutput> sparseOutputs;
  private final boolean reproducible;
  private final MatrixCopies copies;
  private final SizeRules sizes;

  private Kernel(
      long function,
      KernelSignature signature,
      List<SparseOutput> sparseOutputs,
      boolean reproducible,
      MatrixCopies copies) {
    this.function = function;
    this.signature = signature;
    this.sparseOutputs = sparseOutputs;
    this.reproducible = reproducible;
    this.copies = copies;
    this.sizes = new SizeRules(signature);
  }

  /**
   * The kernel {@code symbol} of {@code image}, which {@code library} is. Row-major matrices may be
   * bound where it wants them in blocks, if the image has kernels that copy them: {@link
   * MatrixCopies}.
   *
   * @throws WeftException {@code KERNEL_FAILURE} if the library has no such symbol
   * @throws IllegalArgumentException if the image has no such kernel, or none that copies a matrix
   */
  public static Kernel of(KernelLibrary library, KernelImage image, String symbol) {
    Kernel kernel = of(library, image.signature(symbol));
    MatrixCopies copies = MatrixCopies.of(library, image, kernel.signature);
    return new Kernel(
        kernel.function, kernel.signature, kernel.sparseOutputs, kernel.reproducible, copies);
  }

  /**
   * The kernel of {@code signature} in {@code library}. It outlives the library's handle.
   *
   * @throws WeftException {@code KERNEL_FAILURE} if the library has no such symbol
   * @throws IllegalArgumentException if the signature lacks a slot of a sparse output
   */
  public static Kernel of(KernelLibrary library, KernelSignature signature) {
    List<SparseOutput> outputs = new ArrayList<>();
    for (int tensor = 0; tensor < signature.tensors().size(); tensor++) {
      if (signature.tensors().get(tensor).role() == Role.OUTPUT_SPARSE) {
        outputs.add(new SparseOutput(signature, tensor));
      }
    }
    return new Kernel(
        library.address(signature.symbol()),
        signature,
        List.copyOf(outputs),
        false,
        MatrixCopies.NONE);
  }

  /**
   * The same kernel, whose results are the same bits for every number of threads: loops are divided
   * at points that depend on the work alone. Without this, equal calls with equal threads have
   * equal results. Costs single-threaded calls the search for those points.
   */
  public Kernel reproducible() {
    return new Kernel(function, signature, sparseOutputs, true, copies);
  }

  public KernelSignature signature() {
    return signature;
  }

  /**
   * Runs the kernel to its end.
   *
   * @param bound inputs and dense outputs by tensor name, in the formats of the signature, or
   *     row-major where {@link #copies()} has another; borrowed for the call, and not to be closed
   *     or written by others during it
   * @param outputShapes shapes of the sparse outputs by tensor name
   * @param outputScope owner of the sparse outputs, and of copies during the call
   * @param threads threads that the call may use, the calling one included
   * @return the sparse outputs by tensor name, each in a child of {@code outputScope}; closing one
   *     frees it
   * @throws WeftException {@code SHAPE_MISMATCH} before anything is computed, when modes that share
   *     a label differ in size; {@code OUT_OF_MEMORY}; {@code WIDTH_OVERFLOW} naming tensor and
   *     level; {@code KERNEL_FAILURE}. Then no sparse output exists, and what the dense outputs
   *     hold is unspecified
   * @throws IllegalArgumentException if a tensor is missing or has another format or order
   */
  public Map<String, TensorStorage> run(
      Map<String, TensorStorage> bound,
      Map<String, TensorShape> outputShapes,
      MemoryScope outputScope,
      int threads) {
    if (threads < 1) {
      throw new IllegalArgumentException("expected at least 1 thread, found " + threads);
    }
    return copies.isEmpty()
        ? runOn(bound, outputShapes, outputScope, threads)
        : copies.around(
            signature,
            bound,
            outputScope,
            threads,
            copied -> runOn(copied, outputShapes, outputScope, threads));
  }

  /**
   * The one result of a kernel that has one, in a child of {@code parent}.
   *
   * @param operands by name; borrowed
   * @param previous what a result in dense storage holds before, null for zeros; borrowed
   * @throws WeftException as {@link #run}; then nothing stays allocated
   */
  public TensorStorage evaluate(
      MemoryScope parent,
      Map<String, TensorStorage> operands,
      TensorShape shape,
      @Nullable TensorStorage previous,
      int threads) {
    TensorParameter result = signature.tensors().get(0);
    String name = result.name();
    if (result.role() == Role.OUTPUT_SPARSE) {
      return Objects.requireNonNull(run(operands, Map.of(name, shape), parent, threads).get(name));
    }
    TensorStorage filled = filled(parent, shape, result.format(), previous);
    try {
      Map<String, TensorStorage> bound = new HashMap<>(operands);
      bound.put(name, filled);
      run(bound, Map.of(), parent, threads);
      return filled;
    } catch (RuntimeException e) {
      filled.close();
      throw e;
    }
  }

  /** A tensor of full levels with the values of {@code previous}, or zeros. */
  private static TensorStorage filled(
      MemoryScope parent,
      TensorShape shape,
      TensorFormat format,
      @Nullable TensorStorage previous) {
    MemoryScope scope = parent.child("result " + shape);
    try {
      long[] positions = new long[format.levelCount()];
      long cells = 1;
      for (int level = 0; level < positions.length; level++) {
        cells = TensorShape.positions(cells, format.levelSize(shape, level));
        positions[level] = cells;
      }
      NativeArray values = scope.allocate(format.valueType().elementType(), cells);
      if (previous != null) {
        NativeMemory.copy(previous.vals().address(), values.address(), values.byteSize());
      }
      @Nullable NativeArray[] none = new NativeArray[positions.length];
      return TensorStorage.ofArrays(scope, shape, format, positions, none, none, values);
    } catch (RuntimeException e) {
      scope.close();
      throw e;
    }
  }

  /**
   * How this kernel stores the matrices that are copied for it; empty if it takes them row-major.
   */
  public MatrixCopies copies() {
    return copies;
  }

  private Map<String, TensorStorage> runOn(
      Map<String, TensorStorage> bound,
      Map<String, TensorShape> outputShapes,
      MemoryScope outputScope,
      int threads) {
    try (ArgumentBlock block = new ArgumentBlock(signature.slots().size(), threads, reproducible)) {
      bind(block, bound, outputShapes);
      NativeRuntime.invoke(function, block.address());
      try {
        KernelStatus.check(signature, block.status(), block.statusDetail());
        return takeOutputs(block, outputShapes, outputScope);
      } finally {
        sparseOutputs.forEach(output -> output.release(block));
      }
    }
  }

  /**
   * The kernel over these tensors, to be run many times.
   *
   * @param bound inputs and dense outputs by tensor name, in the formats of the signature: nothing
   *     is copied; borrowed until what is returned is closed
   * @param threads threads that a run may use, the calling one included
   * @throws WeftException {@code SHAPE_MISMATCH}
   * @throws IllegalArgumentException as {@link #run}, or if the kernel makes sparse outputs
   */
  public BoundKernel bind(Map<String, TensorStorage> bound, int threads) {
    if (threads < 1 || !sparseOutputs.isEmpty()) {
      throw new IllegalArgumentException(
          "expected at least 1 thread and no sparse outputs, found " + threads + ", " + signature);
    }
    ArgumentBlock block = new ArgumentBlock(signature.slots().size(), threads, reproducible);
    try {
      bind(block, bound, Map.of());
      return new BoundKernel(function, signature, block);
    } catch (RuntimeException e) {
      block.close();
      throw e;
    }
  }

  private Map<String, TensorStorage> takeOutputs(
      ArgumentBlock block, Map<String, TensorShape> shapes, MemoryScope outputScope) {
    Map<String, TensorStorage> taken = new LinkedHashMap<>();
    try {
      for (SparseOutput output : sparseOutputs) {
        TensorShape shape = shape(shapes, output.parameter());
        taken.put(output.parameter().name(), output.take(block, shape, outputScope));
      }
      return taken;
    } catch (RuntimeException e) {
      taken.values().forEach(TensorStorage::close);
      throw e;
    }
  }

  private void bind(
      ArgumentBlock block, Map<String, TensorStorage> bound, Map<String, TensorShape> shapes) {
    List<Binding> bindings = new ArrayList<>();
    for (TensorParameter parameter : signature.tensors()) {
      bindings.add(
          parameter.role() == Role.OUTPUT_SPARSE
              ? new Pending(shape(shapes, parameter))
              : new Bound(storage(bound, parameter)));
    }
    long[] words = new long[signature.slots().size()];
    for (int number = 0; number < words.length; number++) {
      Slot slot = signature.slots().get(number);
      if (slot.tensor() >= 0) {
        words[number] = bindings.get(slot.tensor()).value(slot);
        block.set(number, words[number]);
      }
    }
    sizes.check(words);
  }

  private TensorStorage storage(Map<String, TensorStorage> bound, TensorParameter parameter) {
    TensorStorage storage = bound.get(parameter.name());
    if (storage == null) {
      throw mismatch(parameter, "a bound tensor", "only " + bound.keySet());
    }
    if (!storage.format().equals(parameter.format())) {
      throw mismatch(
          parameter,
          parameter.format() + " of " + parameter.format().valueType().keyword(),
          storage.format() + " of " + storage.format().valueType().keyword());
    }
    return storage;
  }

  private TensorShape shape(Map<String, TensorShape> shapes, TensorParameter parameter) {
    TensorShape shape = shapes.get(parameter.name());
    if (shape == null) {
      throw mismatch(parameter, "the shape of a sparse output", "only " + shapes.keySet());
    }
    if (shape.order() != parameter.format().order()) {
      throw mismatch(parameter, "order " + parameter.format().order(), "shape " + shape);
    }
    return shape;
  }

  private IllegalArgumentException mismatch(
      TensorParameter parameter, String expected, String found) {
    return new IllegalArgumentException(
        "tensor "
            + parameter.name()
            + " of kernel '"
            + signature.symbol()
            + "': expected "
            + expected
            + ", found "
            + found);
  }

  /** Where the slots of one tensor get their values. */
  private interface Binding {
    long value(Slot slot);
  }

  private record Bound(TensorStorage storage) implements Binding {
    @Override
    public long value(Slot slot) {
      return switch (slot.kind()) {
        case MODE_SIZE -> storage.shape().size(slot.level());
        case POSITIONS -> storage.positions(slot.level());
        case POS -> storage.pos(slot.level()).address();
        case CRD -> storage.crd(slot.level()).address();
        case VALS -> storage.vals().address();
        case SCALAR -> bits(storage.vals());
        case POS_LENGTH -> storage.pos(slot.level()).length();
        case CRD_LENGTH -> storage.crd(slot.level()).length();
        case VALS_LENGTH -> storage.vals().length();
        case LEVEL_SIZE -> storage.format().levelSize(storage.shape(), slot.level());
        case RUNTIME, STATUS, STATUS_DETAIL -> throw new AssertionError(slot);
      };
    }

    private static long bits(NativeArray values) {
      return values.type().bytes() == Long.BYTES
          ? NativeMemory.getLong(values.address())
          : NativeMemory.getInt(values.address()) & 0xFFFF_FFFFL;
    }
  }

  /** A sparse output before the call: arrays and counts are the kernel's to write. */
  private record Pending(TensorShape shape) implements Binding {
    @Override
    public long value(Slot slot) {
      return slot.kind() == Slot.Kind.MODE_SIZE ? shape.size(slot.level()) : 0;
    }
  }
}
