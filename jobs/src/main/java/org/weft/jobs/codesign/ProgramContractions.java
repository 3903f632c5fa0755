package org.weft.jobs.codesign;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.weft.compiler.Schedule;
import org.weft.compiler.algebra.TensorAssignment;
import org.weft.compiler.eval.EvaluationStep;
import org.weft.compiler.eval.Evaluator;
import org.weft.compiler.eval.OperandOutline;
import org.weft.compiler.eval.StatementAlgebra;
import org.weft.compiler.lang.SourceSpan;
import org.weft.compiler.lang.Statement;
import org.weft.compiler.program.space.CommonModes;
import org.weft.compiler.program.space.CoordinateRange;
import org.weft.compiler.program.space.Diagonals;
import org.weft.compiler.program.space.ModeIdentity;
import org.weft.compiler.program.space.ProgramFiles;
import org.weft.compiler.program.space.ProgramStatement;
import org.weft.compiler.program.space.ProgramTensor;
import org.weft.compiler.program.space.StoredAs;
import org.weft.compiler.program.space.TensorSpace;
import org.weft.memory.MemoryScope;
import org.weft.storage.InputPlan;
import org.weft.storage.ReadOptions;
import org.weft.storage.TensorFiles;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * The contractions of a program that runs here without numbers: a tensor is its shape and the
 * number of its entries, and a statement is the plan that the evaluator has for it. Every number of
 * the program is 1; loops have bounds of their own, so that none depends on it.
 */
public final class ProgramContractions implements TensorSpace {
  private final Evaluator evaluator;
  private final FileAccess files;
  private final ReadOptions options;
  private final Map<String, MatrixProduct> products = new LinkedHashMap<>();
  private final Map<String, String> others = new LinkedHashMap<>();

  /**
   * @param evaluator plans the statements
   * @param options how files are read, of which the shape counts
   */
  public ProgramContractions(Evaluator evaluator, FileAccess files, ReadOptions options) {
    this.evaluator = evaluator;
    this.files = files;
    this.options = options;
  }

  /** What was found so far, in the order of the program, each once. */
  public List<MatrixProduct> products() {
    return List.copyOf(products.values());
  }

  /** Steps that are no dense contraction: place, statement and reason, one line each. */
  public List<String> others() {
    return List.copyOf(others.values());
  }

  private record Outlined(
      TensorShape shape, boolean declaresShape, TensorFormat format, double entries)
      implements ProgramTensor, Input {
    Outlined(TensorShape shape, TensorFormat format, double entries) {
      this(shape, true, format, entries);
    }

    @Override
    public Outlined within(TensorShape larger) {
      return new Outlined(larger, format, format.isDense() ? larger.cells() : entries);
    }

    @Override
    public Outlined at(CommonModes.Places common) {
      return within(common.shape());
    }

    @Override
    public ValueType valueType() {
      return format.valueType();
    }

    @Override
    public List<Optional<ModeIdentity>> modes() {
      return List.of();
    }

    OperandOutline operand() {
      return new OperandOutline(format, shape, entries);
    }

    @Override
    public void close() {}
  }

  private static Outlined of(TensorShape shape, StoredAs stored, double entries) {
    TensorFormat format = stored.parsed();
    return new Outlined(shape, format, format.isDense() ? shape.cells() : entries);
  }

  @Override
  public Input read(String uri, Diagonals part, StoredAs stored) {
    InputPlan plan = TensorFiles.open(files, uri, options);
    Optional<TensorShape> declared = plan.header().shape();
    if (declared.isPresent() && plan.header().records().isPresent()) {
      return of(declared.get(), stored, plan.header().declaredRecords());
    }
    TensorFiles.AllEntries all = TensorFiles.readAll(files, plan);
    Outlined found = of(all.summary().shape(plan.header()), stored, all.summary().entries());
    return new Outlined(found.shape(), declared.isPresent(), found.format(), found.entries());
  }

  @Override
  public Input entries(ProgramFiles.Entries entries) {
    TensorShape shape = entries.shape();
    TensorFormat listed = TensorFormat.coo(shape.order(), ValueType.DOUBLE);
    return new Outlined(shape, listed, entries.count());
  }

  @Override
  public ProgramTensor store(Input input, StoredAs stored) {
    return of(input.shape(), stored, ((Outlined) input).entries());
  }

  @Override
  public ProgramTensor filled(TensorShape shape, StoredAs stored, Number value) {
    return of(shape, stored, value.doubleValue() == 0 ? 0 : shape.cells());
  }

  @Override
  public ProgramTensor random(TensorShape shape, StoredAs stored) {
    return of(shape, stored, shape.cells());
  }

  /** Nothing is stored, so that every format suits. */
  @Override
  public int partitions() {
    return Integer.MAX_VALUE;
  }

  @Override
  public long availableBytes() {
    return Long.MAX_VALUE;
  }

  @Override
  public ProgramTensor evaluate(ProgramStatement statement) {
    Map<String, OperandOutline> operands = new HashMap<>();
    statement
        .tensors()
        .forEach((name, tensor) -> operands.put(name, ((Outlined) tensor).operand()));
    statement
        .numbers()
        .forEach(
            (name, value) -> {
              ValueType type = value instanceof Long ? ValueType.LONG : ValueType.DOUBLE;
              operands.put(
                  name, new OperandOutline(TensorFormat.dense(0, type), TensorShape.of(), 1));
            });
    StatementAlgebra algebra =
        StatementAlgebra.of(
            statement.statement(), operands, statement.result().parsed(), statement.sizes());
    for (EvaluationStep step : evaluator.plan(algebra, Schedule.parallel(), Set.of()).steps()) {
      if (step instanceof EvaluationStep.Compute compute) {
        note(statement.statement(), compute.algebra(), algebra.sizes());
      }
    }
    return of(
        algebra.resultShape(),
        statement.result(),
        Math.min(algebra.resultShape().cells(), algebra.resultEntries()));
  }

  private void note(Statement statement, TensorAssignment algebra, Map<String, Long> sizes) {
    SourceSpan span = statement.value().span();
    String place = span.source().name() + ":" + span.source().line(span.offset());
    String name = place + " " + algebra.toString().replaceAll("\\s+", "");
    String reason = MatrixProduct.reason(algebra, sizes);
    if (!reason.isEmpty()) {
      others.put(name, place + ": " + algebra + ": " + reason);
      return;
    }
    MatrixProduct product = MatrixProduct.of(name, algebra, sizes).orElseThrow();
    String key = name + " " + product.m() + " " + product.n() + " " + product.k();
    products.merge(key, product, (old, same) -> old.called(1));
  }

  @Override
  public Number scalar(ProgramTensor tensor) {
    return tensor.valueType().elementType().isFloating() ? (Number) 1.0 : (Number) 1L;
  }

  @Override
  public ProgramTensor part(
      ProgramTensor whole, StoredAs stored, List<Optional<CoordinateRange>> ranges) {
    long[] sizes = whole.shape().toArray();
    double share = 1;
    for (int mode = 0; mode < ranges.size(); mode++) {
      long all = sizes[mode];
      sizes[mode] = ranges.get(mode).map(CoordinateRange::count).orElse(all);
      share *= all == 0 ? 0 : (double) sizes[mode] / all;
    }
    return of(TensorShape.of(sizes), stored, share * ((Outlined) whole).entries());
  }

  @Override
  public ProgramTensor replaced(
      ProgramTensor whole,
      ProgramTensor part,
      StoredAs stored,
      List<Optional<CoordinateRange>> ranges) {
    return whole;
  }

  /** There are no numbers to print: a tensor of order 0 stands for any. */
  @Override
  public TensorStorage storage(MemoryScope scope, ProgramTensor tensor, StoredAs stored) {
    return TensorStorage.dense(scope, TensorShape.of(), ValueType.DOUBLE);
  }

  @Override
  public void write(String uri, ProgramTensor tensor, List<Optional<ModeIdentity>> modes) {}
}
