package org.weft.compiler.program;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.weft.compiler.Schedule;
import org.weft.compiler.eval.StatementInput;
import org.weft.compiler.lang.Mask;
import org.weft.compiler.lang.Statement;
import org.weft.compiler.lang.Syntax;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.MemoryScope;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * Evaluates the right sides of statements: binds operands, gives labels sizes, takes slices, and
 * stores the result in its tensor.
 */
final class Assignments {
  private final Frame frame;
  private final Shapes shapes;
  private final Tensors tensors;
  private final Slices slices;

  Assignments(Frame frame, Shapes shapes, Tensors tensors, Slices slices) {
    this.frame = frame;
    this.shapes = shapes;
    this.tensors = tensors;
    this.slices = slices;
  }

  /** {@code C[i,k] = A[i,j] * B[j,k]}, with mask and {@code +=}. */
  void assign(Statement written) {
    Statement statement = positional(written);
    TensorVariable target = frame.tensor(statement.target());
    try (MemoryScope temporary = frame.scope().child("statement")) {
      Operands operands = bind(temporary, Accesses.operands(statement));
      List<Optional<Slices.Range>> ranges = targetRanges(target, statement.target(), operands);
      requireSameRanges(target, written.target(), statement.target(), operands);
      TensorStorage result =
          ranges.isEmpty()
              ? whole(target, statement, operands)
              : part(temporary, target, statement, operands, ranges);
      target.store(
          result, ranges.isEmpty() ? SurvivingModes.of(statement, this::modes) : target.modes());
    }
  }

  /** What the modes of an operand stand for, as its labels address them. */
  private List<Optional<ModeIdentity>> modes(Syntax.Access access) {
    if (!frame.isTensor(access.tensor())) {
      return List.of();
    }
    TensorVariable tensor = frame.tensor(access);
    TensorStorage storage = tensor.storage();
    List<Optional<ModeIdentity>> modes = new ArrayList<>(tensor.modes());
    for (int m = 0; storage != null && m < modes.size(); m++) {
      Optional<Slices.Range> range = slices.range(access.labels().get(m), storage.shape().size(m));
      if (range.isPresent()) {
        Slices.Range part = range.get();
        modes.set(m, modes.get(m).map(all -> all.part(part.start(), part.step(), part.count())));
      }
    }
    return modes;
  }

  /** {@code SUM(e)} as a number. */
  Scalar sum(Syntax.Sum sum) {
    try (MemoryScope temporary = frame.scope().child("sum")) {
      List<Syntax.Access> accesses = Accesses.of(sum.body());
      Operands operands = bind(temporary, accesses);
      boolean integers =
          operands.storages.values().stream()
              .noneMatch(storage -> storage.format().valueType().elementType().isFloating());
      Syntax.Access result =
          new Syntax.Access(unused("Sum", operands.storages.keySet()), List.of(), sum.span());
      TensorFormat format = TensorFormat.dense(0, integers ? ValueType.LONG : ValueType.DOUBLE);
      Statement statement =
          new Statement(
              result,
              null,
              Statement.Assignment.ASSIGN,
              Accesses.map(sum, access -> operands.bound.getOrDefault(access, access)));
      StatementInput input =
          new StatementInput(
              statement,
              operands.storages,
              format,
              Map.of(),
              Optional.empty(),
              Schedule.parallel());
      try (TensorStorage value = tensors.evaluate(input)) {
        return Tensors.scalarOf(value);
      }
    }
  }

  /** The part of a tensor that the labels of {@code access} address, for printing. */
  Optional<TensorStorage> slice(MemoryScope scope, Syntax.Access access) {
    TensorVariable tensor = frame.tensor(access);
    TensorStorage storage = tensors.require(tensor, access, Map.of());
    List<Optional<Slices.Range>> ranges = slices.ranges(access, storage.shape());
    return ranges.isEmpty()
        ? Optional.empty()
        : Optional.of(slices.take(scope, storage, tensor.declaration().parsedFormat(), ranges));
  }

  /**
   * A transposition alone on the right names the modes of the result, whatever labels the left side
   * has: {@code B[i,j] = transpose(A[i,j], {j,i})} is the transpose of A, as in COMET.
   */
  private static Statement positional(Statement statement) {
    if (statement.value() instanceof Syntax.Transpose transpose
        && transpose.operand() instanceof Syntax.Access
        && transpose.labels().size() == statement.target().labels().size()) {
      Syntax.Access target = statement.target();
      return new Statement(
          new Syntax.Access(target.tensor(), transpose.labels(), target.span()),
          statement.mask(),
          statement.assignment(),
          statement.value());
    }
    return statement;
  }

  /** Operand storages by name, the accesses to use instead of those written, and label sizes. */
  private static final class Operands {
    private final Map<String, TensorStorage> storages = new HashMap<>();
    private final Map<Syntax.Access, Syntax.Access> bound = new HashMap<>();
    private final Map<String, Long> sizes = new HashMap<>();
  }

  private Operands bind(MemoryScope temporary, List<Syntax.Access> accesses) {
    Operands operands = new Operands();
    for (Syntax.Access access : accesses) {
      if (frame.isTensor(access.tensor())) {
        TensorStorage storage = frame.tensor(access).storage();
        if (storage != null) {
          note(operands, access, storage.shape());
        }
      } else {
        operands.storages.put(
            access.tensor(), tensors.scalar(temporary, frame.scalar(access.tensor())));
      }
    }
    for (Syntax.Access access : accesses) {
      if (frame.isTensor(access.tensor())) {
        TensorVariable tensor = frame.tensor(access);
        TensorStorage storage = tensors.require(tensor, access, operands.sizes);
        note(operands, access, storage.shape());
        bind(temporary, operands, access, storage);
      }
    }
    return operands;
  }

  private void note(Operands operands, Syntax.Access access, TensorShape shape) {
    TensorShape cut = Slices.shape(shape, slices.ranges(access, shape));
    for (int m = 0; m < access.labels().size(); m++) {
      operands.sizes.putIfAbsent(access.labels().get(m).name(), cut.size(m));
    }
  }

  private void bind(
      MemoryScope temporary, Operands operands, Syntax.Access access, TensorStorage storage) {
    List<Optional<Slices.Range>> ranges = slices.ranges(access, storage.shape());
    if (ranges.isEmpty()) {
      operands.storages.put(access.tensor(), storage);
      return;
    }
    String name = unused(access.tensor() + "Part", operands.storages.keySet());
    TensorFormat format = frame.tensor(access).declaration().parsedFormat();
    operands.storages.put(name, slices.take(temporary, storage, format, ranges));
    operands.bound.put(access, new Syntax.Access(name, access.labels(), access.span()));
  }

  /** A name that no tensor, variable or operand has. */
  private String unused(String wanted, Set<String> operands) {
    Set<String> taken = new HashSet<>(operands);
    frame.tensors().forEach(tensor -> taken.add(tensor.name()));
    String name = wanted;
    for (int n = 1; taken.contains(name); n++) {
      name = wanted + n;
    }
    return name;
  }

  private List<Optional<Slices.Range>> targetRanges(
      TensorVariable target, Syntax.Access access, Operands operands) {
    return maySlice(access) ? slices.ranges(access, shape(target, access, operands)) : List.of();
  }

  /** The labels on the left must address what those of the transposition do. */
  private void requireSameRanges(
      TensorVariable target, Syntax.Access written, Syntax.Access used, Operands operands) {
    if (written.labels().equals(used.labels()) || !maySlice(written) && !maySlice(used)) {
      return;
    }
    TensorShape shape = shape(target, used, operands);
    for (int m = 0; m < shape.order(); m++) {
      Optional<Slices.Range> left = slices.range(written.labels().get(m), shape.size(m));
      Optional<Slices.Range> right = slices.range(used.labels().get(m), shape.size(m));
      if (!left.equals(right)) {
        throw new WeftException(
            ErrorCode.SHAPE_MISMATCH,
            "the label "
                + written.labels().get(m).name()
                + " means "
                + Slices.text(left)
                + " of mode "
                + m
                + " of "
                + target.name()
                + " but the label "
                + used.labels().get(m).name()
                + " of the transposition means "
                + Slices.text(right)
                + "; transpose into a tensor of that size, then assign it to "
                + target.name()
                + " with the range on the left");
      }
    }
  }

  private TensorShape shape(TensorVariable target, Syntax.Access access, Operands operands) {
    TensorStorage storage = target.storage();
    return storage != null ? storage.shape() : shapes.shape(target, access, operands.sizes);
  }

  private boolean maySlice(Syntax.Access access) {
    return access.labels().stream()
        .anyMatch(label -> frame.label(label.name()).map(r -> r.slices()).orElse(false));
  }

  private TensorStorage whole(TensorVariable target, Statement statement, Operands operands) {
    Map<String, Long> sizes = missingSizes(target, statement.target(), operands);
    Optional<TensorStorage> previous = Optional.empty();
    if (statement.assignment() != Statement.Assignment.ASSIGN) {
      previous =
          Optional.of(tensors.require(target, statement.target(), with(operands.sizes, sizes)));
    }
    TensorStorage result =
        tensors.evaluate(
            input(statement, operands, target.declaration().parsedFormat(), sizes, previous));
    try {
      shapes.requireDeclared(target, result.shape(), "the result");
    } catch (RuntimeException e) {
      result.close();
      throw e;
    }
    return result;
  }

  private TensorStorage part(
      MemoryScope temporary,
      TensorVariable target,
      Statement statement,
      Operands operands,
      List<Optional<Slices.Range>> ranges) {
    TensorStorage old = tensors.require(target, statement.target(), operands.sizes);
    TensorFormat format = target.declaration().parsedFormat();
    Optional<TensorStorage> previous =
        statement.assignment() == Statement.Assignment.ASSIGN
            ? Optional.empty()
            : Optional.of(slices.take(temporary, old, format, ranges));
    TensorShape shape = Slices.shape(old.shape(), ranges);
    Map<String, Long> sizes = new HashMap<>();
    for (int m = 0; m < shape.order(); m++) {
      sizes.putIfAbsent(statement.target().labels().get(m).name(), shape.size(m));
    }
    try (TensorStorage value =
        tensors.evaluate(input(statement, operands, format, sizes, previous))) {
      return Slices.replace(frame.scope(), old, value, ranges);
    }
  }

  private StatementInput input(
      Statement statement,
      Operands operands,
      TensorFormat format,
      Map<String, Long> sizes,
      Optional<TensorStorage> previous) {
    Syntax.Access target = statement.target();
    if (operands.storages.containsKey(target.tensor())) {
      String name = unused(target.tensor() + "Next", operands.storages.keySet());
      target = new Syntax.Access(name, target.labels(), target.span());
    }
    Mask mask = statement.mask();
    if (mask != null) {
      Syntax.Access bound = operands.bound.getOrDefault(mask.tensor(), mask.tensor());
      mask = new Mask(bound, mask.strategy(), mask.span());
    }
    Syntax value =
        Accesses.map(statement.value(), access -> operands.bound.getOrDefault(access, access));
    return new StatementInput(
        new Statement(target, mask, statement.assignment(), value),
        operands.storages,
        format,
        sizes,
        previous,
        Schedule.parallel());
  }

  /** Sizes of the target's labels that no operand gives. */
  private Map<String, Long> missingSizes(
      TensorVariable target, Syntax.Access access, Operands operands) {
    Map<String, Long> sizes = new HashMap<>();
    for (int m = 0; m < access.labels().size(); m++) {
      String label = access.labels().get(m).name();
      if (!operands.sizes.containsKey(label)) {
        TensorStorage storage = target.storage();
        if (storage != null) {
          sizes.put(label, storage.shape().size(m));
        } else {
          shapes.size(target.declaration().modes().get(m)).ifPresent(n -> sizes.put(label, n));
        }
      }
    }
    return sizes;
  }

  private static Map<String, Long> with(Map<String, Long> first, Map<String, Long> second) {
    Map<String, Long> both = new HashMap<>(second);
    both.putAll(first);
    return both;
  }
}
