package org.weft.compiler.eval;

import java.util.HashMap;
import java.util.Map;
import org.weft.compiler.Schedule;
import org.weft.compiler.TensorCompiler;
import org.weft.compiler.algebra.AlgebraBuilder;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorAssignment;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.convert.Converter;
import org.weft.compiler.convert.KernelCall;
import org.weft.compiler.lang.Diagnostics;
import org.weft.compiler.lower.Lowering;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.MemoryScope;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;

/**
 * Evaluates statements and converts tensors in this process. Stateless apart from the compiler, so
 * one evaluator may serve several threads.
 */
public final class Evaluator {
  private static final String SYMBOL = "statement";

  private final KernelCall kernels;
  private final Converter converter;

  /**
   * An evaluator that compiles with {@code compiler}, which stays the caller's.
   *
   * @param threads threads that one statement may use, the calling one included
   */
  public Evaluator(TensorCompiler compiler, int threads) {
    if (threads < 1) {
      throw new WeftException(
          ErrorCode.USAGE, "expected at least 1 thread, found " + threads + "; give 1 or more");
    }
    this.kernels = new KernelCall(compiler, threads);
    this.converter = new Converter(compiler, threads);
  }

  /**
   * The value of the statement's result, in a child of {@code parent}.
   *
   * @throws WeftException {@code INVALID_EXPRESSION}, {@code INVALID_FORMAT}, {@code
   *     SHAPE_MISMATCH}, {@code UNSUPPORTED_OPERATION} for a statement that cannot be evaluated;
   *     {@code OUT_OF_MEMORY}, {@code WIDTH_OVERFLOW}. Nothing stays allocated then
   */
  public TensorStorage evaluate(MemoryScope parent, StatementInput input) {
    TensorAssignment algebra = algebra(input);
    LabelSizes labels = labels(algebra, input);
    return run(parent, algebra, input.operands(), labels, input.schedule());
  }

  /**
   * The same entries in another format, in a child of {@code parent}; {@code from} is borrowed.
   *
   * @throws WeftException as {@link #evaluate}
   */
  public TensorStorage convert(MemoryScope parent, TensorStorage from, TensorFormat to) {
    return converter.convert(parent, from, to);
  }

  private static TensorAssignment algebra(StatementInput input) {
    Map<String, TensorFormat> formats = new HashMap<>();
    input.operands().forEach((name, storage) -> formats.put(name, storage.format()));
    formats.put(input.statement().target().tensor(), input.resultFormat());
    Diagnostics diagnostics = new Diagnostics();
    TensorAssignment algebra =
        AlgebraBuilder.build(input.statement(), formats, Map.of(), diagnostics);
    diagnostics.throwIfErrors();
    return algebra;
  }

  private static LabelSizes labels(TensorAssignment algebra, StatementInput input) {
    Map<String, TensorShape> shapes = new HashMap<>();
    for (TensorExpr.Access access : algebra.value().accesses()) {
      TensorStorage storage = input.operands().get(access.tensor().name());
      if (storage != null) {
        shapes.put(access.tensor().name(), storage.shape());
      }
    }
    String result = algebra.target().tensor().name();
    input.previous().ifPresent(previous -> shapes.put(result, previous.shape()));
    Map<String, Long> stated = new HashMap<>(input.sizes());
    stated.keySet().removeIf(name -> !algebra.variables().contains(new IndexVar(name)));
    return LabelSizes.of(algebra, shapes, stated);
  }

  private TensorStorage run(
      MemoryScope parent,
      TensorAssignment algebra,
      Map<String, TensorStorage> operands,
      LabelSizes labels,
      Schedule schedule) {
    TensorShape shape = labels.shape(algebra.target().variables());
    return kernels.run(parent, Lowering.lower(SYMBOL, algebra, schedule), operands, shape, null);
  }
}
