package org.weft.compiler.convert;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.Schedule;
import org.weft.compiler.TensorCompiler;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorAssignment;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.algebra.TensorVar;
import org.weft.compiler.lang.SourceSpan;
import org.weft.compiler.lang.SourceText;
import org.weft.compiler.lower.LoweredKernel;
import org.weft.compiler.lower.Lowering;
import org.weft.memory.MemoryScope;
import org.weft.memory.NativeArray;
import org.weft.runtime.EntrySort;
import org.weft.tensor.LevelSpec;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;

/** Runs conversion plans. Stateless apart from the compiler. */
public final class Converter {
  private static final String SYMBOL = "convert";
  private static final String SOURCE = "Source";
  private static final String RESULT = "Result";

  private final KernelCalls kernels;

  /** A converter that compiles with {@code compiler}, which stays the caller's. */
  public Converter(TensorCompiler compiler, int threads) {
    this(new KernelCalls(compiler, threads));
  }

  /** A converter that calls its kernels by {@code kernels}. */
  public Converter(KernelCalls kernels) {
    this.kernels = kernels;
  }

  /**
   * The entries of {@code from} in format {@code to}, in a child of {@code parent}.
   *
   * @param from borrowed
   * @throws org.weft.error.WeftException {@code INVALID_FORMAT}; {@code WIDTH_OVERFLOW} when {@code
   *     to} is too narrow; {@code OUT_OF_MEMORY}. Nothing stays allocated then
   */
  public TensorStorage convert(MemoryScope parent, TensorStorage from, TensorFormat to) {
    return run(parent, from, ConversionPlan.of(from.format(), to, from.shape()));
  }

  /**
   * The stored entries of {@code tensor} in the order of its modes: {@code tensor} itself where it
   * has them so, else a copy in a child of {@code parent}. Zeros of a format that {@linkplain
   * TensorFormat#pads pads} are no entries; those of any other are.
   *
   * @throws org.weft.error.WeftException {@code OUT_OF_MEMORY}
   */
  public TensorStorage inModeOrder(MemoryScope parent, TensorStorage tensor) {
    TensorFormat format = tensor.format();
    int[] modes = IntStream.range(0, format.order()).toArray();
    boolean ordered = format.levels().stream().allMatch(level -> level.properties().ordered());
    boolean inOrder = ordered && Arrays.equals(format.modeOrder(), modes);
    if (format.isOrdinary() && inOrder && !format.pads()) {
      return tensor;
    }
    TensorFormat to =
        format.isDense()
            ? TensorFormat.dense(format.order(), format.valueType())
            : TensorFormat.csf(format.order(), format.valueType());
    return format.isOrdinary() && !format.pads()
        ? run(parent, tensor, ConversionPlan.ofStored(format, to, tensor.shape()))
        : convert(parent, tensor, to);
  }

  /** As {@link #convert}, by a plan made for the storage's format and shape. */
  public TensorStorage run(MemoryScope parent, TensorStorage from, ConversionPlan plan) {
    TensorStorage current = from;
    try {
      for (ConversionStep step : plan.steps()) {
        TensorStorage next = step(parent, current, from.shape(), step);
        if (current != from && !reusesArrays(step)) {
          current.close();
        }
        current = next;
      }
      return current;
    } catch (RuntimeException e) {
      if (current != from) {
        current.close();
      }
      throw e;
    }
  }

  private static boolean reusesArrays(ConversionStep step) {
    return step instanceof ConversionStep.Sort || step instanceof ConversionStep.Declare;
  }

  private TensorStorage step(
      MemoryScope parent, TensorStorage from, TensorShape shape, ConversionStep step) {
    if (step instanceof ConversionStep.Sort sort) {
      return declared(EntrySort.sort(from, sort.to().modeOrder(), sort.keys()), sort.to());
    } else if (step instanceof ConversionStep.Declare declare) {
      return declared(from, declare.to());
    }
    TensorShape made =
        step instanceof ConversionStep.Enumerate list
            ? ConversionPlan.listShape(list.by(), shape)
            : shape;
    return kernels.run(parent, step, () -> lower(step), Map.of(SOURCE, from), made, null);
  }

  /**
   * The arrays of {@code storage} as a tensor whose levels have the properties of {@code format};
   * it takes them over, so that {@code storage} must not be used or closed any more.
   *
   * @param format the storage's own but for the properties of levels; widths are not looked at
   */
  public static TensorStorage declared(TensorStorage storage, TensorFormat format) {
    TensorFormat as = format;
    int levels = format.levelCount();
    long[] positions = new long[levels];
    @Nullable NativeArray[] pos = new NativeArray[levels];
    @Nullable NativeArray[] crd = new NativeArray[levels];
    for (int level = 0; level < levels; level++) {
      LevelSpec stored = storage.format().level(level);
      as = as.withLevelWidths(level, stored.posWidth(), stored.crdWidth());
      positions[level] = storage.positions(level);
      pos[level] = storage.hasPos(level) ? storage.pos(level) : null;
      crd[level] = storage.hasCrd(level) ? storage.crd(level) : null;
    }
    return TensorStorage.ofArrays(
        storage.scope(), storage.shape(), as, positions, pos, crd, storage.vals());
  }

  /** The kernel of a step that is one. */
  public static LoweredKernel lower(ConversionStep step) {
    if (step instanceof ConversionStep.Copy copy) {
      TensorAssignment algebra = assignment(operand(copy.from()), copy.to(), copy.dropZeros());
      return Lowering.lower(SYMBOL, algebra, Schedule.sequential());
    } else if (step instanceof ConversionStep.Enumerate list) {
      TensorFormat walked = ConversionPlan.walked(list.from());
      TensorVar source = new TensorVar(SOURCE, walked, TensorVar.Kind.OPERAND, list.from());
      TensorVar entries = new TensorVar(RESULT, list.to(), TensorVar.Kind.RESULT);
      return Lowering.lowerList(SYMBOL, source, list.dropZeros(), entries, list.by());
    } else if (step instanceof ConversionStep.Assemble assemble) {
      TensorVar result = new TensorVar(RESULT, assemble.to(), TensorVar.Kind.RESULT);
      return Lowering.lowerAssembly(SYMBOL, operand(assemble.from()), result);
    } else if (step instanceof ConversionStep.Bucket bucket) {
      TensorAssignment algebra =
          assignment(operand(bucket.from()), bucket.to(), bucket.dropZeros());
      List<IndexVar> loops = new ArrayList<>();
      for (int mode : bucket.from().modeOrder()) {
        loops.add(algebra.target().variables().get(mode));
      }
      return Lowering.lowerInBuckets(SYMBOL, algebra, loops);
    }
    throw new IllegalArgumentException("not a kernel: " + step);
  }

  private static TensorVar operand(TensorFormat format) {
    return new TensorVar(SOURCE, format, TensorVar.Kind.OPERAND);
  }

  /** {@code Result(i0, i1) = Source(i0, i1)}. */
  private static TensorAssignment assignment(TensorVar source, TensorFormat to, boolean dropZeros) {
    List<IndexVar> variables = new ArrayList<>();
    for (int mode = 0; mode < to.order(); mode++) {
      variables.add(new IndexVar("i" + mode));
    }
    SourceSpan span = new SourceSpan(SourceText.expression("conversion"), 0, 0);
    TensorVar target = new TensorVar(RESULT, to, TensorVar.Kind.RESULT);
    TensorExpr value = new TensorExpr.Access(1, source, variables, span);
    return new TensorAssignment(
        new TensorExpr.Access(0, target, variables, span),
        false,
        dropZeros ? new TensorExpr.Apply(TensorExpr.Function.NONZERO, List.of(value)) : value,
        Map.of());
  }
}
