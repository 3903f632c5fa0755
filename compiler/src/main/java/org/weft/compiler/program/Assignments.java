package org.weft.compiler.program;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.weft.compiler.algebra.StatementType;
import org.weft.compiler.lang.Mask;
import org.weft.compiler.lang.Statement;
import org.weft.compiler.lang.Syntax;
import org.weft.compiler.program.check.Accesses;
import org.weft.compiler.program.space.CoordinateRange;
import org.weft.compiler.program.space.ModeIdentity;
import org.weft.compiler.program.space.ProgramStatement;
import org.weft.compiler.program.space.ProgramTensor;
import org.weft.compiler.program.space.StoredAs;
import org.weft.compiler.program.space.SurvivingModes;
import org.weft.compiler.program.space.TensorSpace;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * Evaluates the right sides of statements: binds operands, gives labels sizes, takes slices, and
 * stores the result in its tensor.
 */
final class Assignments {
  private final TensorSpace space;
  private final CallFrame frame;
  private final Shapes shapes;
  private final FilledTensors tensors;
  private final AddressedParts slices;
  private final Capacity capacity;

  Assignments(
      TensorSpace space,
      CallFrame frame,
      Shapes shapes,
      FilledTensors tensors,
      AddressedParts slices,
      Capacity capacity) {
    this.space = space;
    this.frame = frame;
    this.shapes = shapes;
    this.tensors = tensors;
    this.slices = slices;
    this.capacity = capacity;
  }

  /** {@code C[i,k] = A[i,j] * B[j,k]}, with mask and {@code +=}. */
  void assign(Statement written) {
    Statement statement = Accesses.positional(written);
    TensorVariable target = frame.tensor(statement.target());
    try (Operands operands = bind(Accesses.operands(statement))) {
      List<Optional<CoordinateRange>> ranges = targetRanges(target, written.target(), operands);
      requireSameRanges(target, written.target(), statement.target(), operands);
      if (ranges.isEmpty()) {
        List<Optional<ModeIdentity>> standFor = SurvivingModes.of(statement, this::modes);
        ProgramTensor value = whole(target, statement, operands);
        target.countBy(slices.counting(written.target()));
        target.store(value, standFor);
      } else {
        SurvivingModes.require(statement, this::modes);
        target.store(part(target, statement, operands, ranges), target.modes());
      }
    }
  }

  /** What the modes of an operand stand for, as its labels address them. */
  List<Optional<ModeIdentity>> modes(Syntax.Access access) {
    if (!frame.isTensor(access.tensor())) {
      return List.of();
    }
    TensorVariable tensor = frame.tensor(access);
    TensorShape shape = tensor.shape();
    List<Optional<ModeIdentity>> modes = new ArrayList<>(tensor.modes());
    for (int m = 0; shape != null && m < Math.min(modes.size(), access.labels().size()); m++) {
      Optional<CoordinateRange> range = slices.range(access, m, shape.size(m));
      if (range.isPresent()) {
        CoordinateRange part = range.get();
        modes.set(m, modes.get(m).map(all -> all.part(part.start(), part.step(), part.count())));
      }
    }
    return modes;
  }

  /** {@code SUM(e)} as a number, which is whole if all that it comes from is. */
  Scalar sum(Syntax.Sum sum) {
    List<Syntax.Access> accesses = Accesses.of(sum.body());
    try (Operands operands = bind(accesses)) {
      boolean integers =
          operands.tensors.values().stream()
                  .noneMatch(tensor -> tensor.valueType().elementType().isFloating())
              && operands.numbers.values().stream().allMatch(Long.class::isInstance)
              && !StatementType.isFractional(sum.body());
      Syntax.Access result = new Syntax.Access(unused("Sum", operands), List.of(), sum.span());
      Statement statement =
          new Statement(
              result,
              null,
              Statement.Assignment.ASSIGN,
              Accesses.map(sum, access -> operands.bound.getOrDefault(access, access)));
      SurvivingModes.of(new Statement(result, null, Statement.Assignment.ASSIGN, sum), this::modes);
      ProgramStatement input =
          new ProgramStatement(
              statement,
              operands.tensors,
              operands.numbers,
              new StoredAs("Dense", 0, integers ? ValueType.LONG : ValueType.DOUBLE),
              Map.of(),
              Optional.empty());
      try (ProgramTensor value = space.evaluate(input)) {
        return Scalar.computed(space.scalar(value));
      }
    }
  }

  /** The part of a tensor that the labels of {@code access} address, if it is not the whole. */
  Optional<ProgramTensor> slice(Syntax.Access access) {
    TensorVariable tensor = frame.tensor(access);
    ProgramTensor whole = tensors.require(tensor, access, Map.of());
    List<Optional<CoordinateRange>> ranges = slices.ranges(access, whole.shape());
    return ranges.isEmpty()
        ? Optional.empty()
        : Optional.of(space.part(whole, tensor.stored(), ranges));
  }

  /**
   * Operands by name, the accesses to use instead of those written, and label sizes. Closing it
   * frees the parts that were taken for the statement.
   */
  private static final class Operands implements AutoCloseable {
    private final Map<String, ProgramTensor> tensors = new HashMap<>();
    private final Map<String, Number> numbers = new HashMap<>();
    private final Map<Syntax.Access, Syntax.Access> bound = new HashMap<>();
    private final Map<String, Long> sizes = new HashMap<>();
    private final List<ProgramTensor> parts = new ArrayList<>();

    @Override
    public void close() {
      parts.forEach(ProgramTensor::close);
    }
  }

  private Operands bind(List<Syntax.Access> accesses) {
    Operands operands = new Operands();
    try {
      bind(operands, accesses);
      return operands;
    } catch (RuntimeException e) {
      operands.close();
      throw e;
    }
  }

  private void bind(Operands operands, List<Syntax.Access> accesses) {
    for (Syntax.Access access : accesses) {
      if (frame.isTensor(access.tensor())) {
        TensorShape shape = frame.tensor(access).shape();
        if (shape != null) {
          note(operands, access, shape);
        }
      } else {
        operands.numbers.put(access.tensor(), frame.scalar(access.tensor()).value());
      }
    }
    for (Syntax.Access access : accesses) {
      if (frame.isTensor(access.tensor())) {
        TensorVariable tensor = frame.tensor(access);
        ProgramTensor value = tensors.require(tensor, access, operands.sizes);
        note(operands, access, value.shape());
        bind(operands, access, value);
      }
    }
  }

  private void note(Operands operands, Syntax.Access access, TensorShape shape) {
    TensorShape cut = CoordinateRange.cut(shape, slices.ranges(access, shape));
    for (int m = 0; m < access.labels().size(); m++) {
      operands.sizes.putIfAbsent(access.labels().get(m).name(), cut.size(m));
    }
  }

  private void bind(Operands operands, Syntax.Access access, ProgramTensor value) {
    List<Optional<CoordinateRange>> ranges = slices.ranges(access, value.shape());
    if (ranges.isEmpty()) {
      operands.tensors.put(access.tensor(), value);
      return;
    }
    String name = unused(access.tensor() + "Part", operands);
    ProgramTensor part = space.part(value, frame.tensor(access).stored(), ranges);
    operands.parts.add(part);
    operands.tensors.put(name, part);
    operands.bound.put(access, new Syntax.Access(name, access.labels(), access.span()));
  }

  /** A name that no tensor, variable or operand has. */
  private String unused(String wanted, Operands operands) {
    Set<String> taken = new HashSet<>(operands.tensors.keySet());
    taken.addAll(operands.numbers.keySet());
    frame.tensors().forEach(tensor -> taken.add(tensor.name()));
    String name = wanted;
    for (int n = 1; taken.contains(name); n++) {
      name = wanted + n;
    }
    return name;
  }

  private List<Optional<CoordinateRange>> targetRanges(
      TensorVariable target, Syntax.Access access, Operands operands) {
    return slices.possible(access)
        ? slices.ranges(access, shape(target, access, operands))
        : List.of();
  }

  /** The labels on the left must address what those of the transposition do. */
  private void requireSameRanges(
      TensorVariable target, Syntax.Access written, Syntax.Access used, Operands operands) {
    if (written.labels().equals(used.labels())
        || !slices.possible(written) && !slices.possible(used)) {
      return;
    }
    TensorShape shape = shape(target, used, operands);
    for (int m = 0; m < shape.order(); m++) {
      Optional<CoordinateRange> left = slices.range(written, m, shape.size(m));
      Optional<CoordinateRange> right = slices.listed(used, m, shape.size(m));
      if (!left.equals(right)) {
        throw new WeftException(
            ErrorCode.SHAPE_MISMATCH,
            "the label "
                + written.labels().get(m).name()
                + " means "
                + CoordinateRange.text(left)
                + " of mode "
                + m
                + " of "
                + target.name()
                + " but the label "
                + used.labels().get(m).name()
                + " of the transposition means "
                + CoordinateRange.text(right)
                + "; transpose into a tensor of that size, then assign it to "
                + target.name()
                + " with the range on the left");
      }
    }
  }

  private TensorShape shape(TensorVariable target, Syntax.Access access, Operands operands) {
    TensorShape known = target.shape();
    return known != null ? known : shapes.shape(target, access, operands.sizes);
  }

  private ProgramTensor whole(TensorVariable target, Statement statement, Operands operands) {
    Map<String, Long> sizes = targetSizes(target, statement.target(), operands);
    List<Long> known =
        statement.target().labels().stream().map(label -> sizes.get(label.name())).toList();
    if (known.stream().allMatch(Objects::nonNull)) { // the others have the sizes of entries
      capacity.require(target, TensorShape.of(known.stream().mapToLong(n -> n).toArray()));
    }
    Optional<ProgramTensor> previous = Optional.empty();
    if (statement.assignment() != Statement.Assignment.ASSIGN) {
      previous =
          Optional.of(tensors.require(target, statement.target(), with(operands.sizes, sizes)));
    }
    ProgramTensor result = space.evaluate(input(target, statement, operands, sizes, previous));
    try {
      shapes.requireDeclared(target, result.shape(), "the result");
    } catch (RuntimeException e) {
      result.close();
      throw e;
    }
    return result;
  }

  private ProgramTensor part(
      TensorVariable target,
      Statement statement,
      Operands operands,
      List<Optional<CoordinateRange>> ranges) {
    ProgramTensor old = tensors.require(target, statement.target(), operands.sizes);
    Optional<ProgramTensor> previous = Optional.empty();
    if (statement.assignment() != Statement.Assignment.ASSIGN) {
      ProgramTensor present = space.part(old, target.stored(), ranges);
      operands.parts.add(present);
      previous = Optional.of(present);
    }
    TensorShape shape = CoordinateRange.cut(old.shape(), ranges);
    Map<String, Long> sizes = new HashMap<>();
    for (int m = 0; m < shape.order(); m++) {
      sizes.putIfAbsent(statement.target().labels().get(m).name(), shape.size(m));
    }
    try (ProgramTensor value =
        space.evaluate(input(target, statement, operands, sizes, previous))) {
      return space.replaced(old, value, target.stored(), ranges);
    }
  }

  private ProgramStatement input(
      TensorVariable result,
      Statement statement,
      Operands operands,
      Map<String, Long> sizes,
      Optional<ProgramTensor> previous) {
    Syntax.Access target = statement.target();
    if (operands.tensors.containsKey(target.tensor())) {
      target =
          new Syntax.Access(
              unused(target.tensor() + "Next", operands), target.labels(), target.span());
    }
    Mask mask = statement.mask();
    if (mask != null) {
      Syntax.Access bound = operands.bound.getOrDefault(mask.tensor(), mask.tensor());
      mask = new Mask(bound, mask.strategy(), mask.span());
    }
    Syntax value =
        Accesses.map(statement.value(), access -> operands.bound.getOrDefault(access, access));
    return new ProgramStatement(
        new Statement(target, mask, statement.assignment(), value),
        operands.tensors,
        operands.numbers,
        result.stored(),
        sizes,
        previous);
  }

  /** Sizes of the target's labels, as far as they are known. */
  private Map<String, Long> targetSizes(
      TensorVariable target, Syntax.Access access, Operands operands) {
    Map<String, Long> sizes = new HashMap<>();
    for (int m = 0; m < access.labels().size(); m++) {
      String label = access.labels().get(m).name();
      if (operands.sizes.containsKey(label)) { // the operand may be inside a sum over the label
        sizes.put(label, operands.sizes.get(label));
      } else {
        TensorShape known = target.shape();
        if (known != null) {
          sizes.put(label, known.size(m));
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
