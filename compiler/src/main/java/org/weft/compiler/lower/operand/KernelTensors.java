package org.weft.compiler.lower.operand;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorAssignment;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.algebra.TensorVar;
import org.weft.compiler.level.Code;
import org.weft.compiler.level.Level;
import org.weft.compiler.level.LevelEmitter;
import org.weft.compiler.level.LevelEmitters;
import org.weft.compiler.level.SplitLevel;
import org.weft.compiler.loop.Buffer;
import org.weft.compiler.loop.BufferBinding;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.ScalarType;
import org.weft.compiler.lower.rewrite.DiagonalIntersections;
import org.weft.memory.ElementType;
import org.weft.runtime.KernelSignature;
import org.weft.runtime.Slot;
import org.weft.runtime.TensorParameter;
import org.weft.tensor.LevelCoordinate;
import org.weft.tensor.LevelSpec;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.Width;

/**
 * The tensors of a kernel: its argument block, the buffers and levels of every tensor, and the
 * sizes of index variables. The result is tensor 0, operands follow in order of appearance.
 */
public final class KernelTensors {
  private final TensorAssignment assignment;
  private final Map<TensorVar, TensorLayout> layouts = new LinkedHashMap<>();
  private final List<TensorParameter> parameters = new ArrayList<>();
  private final List<Slot> slots = new ArrayList<>();
  private final List<BufferBinding> bindings = new ArrayList<>();
  private final Map<Slot, Buffer> buffers = new HashMap<>();
  private final Set<String> names = new HashSet<>();
  private final Map<IndexVar, Expr> sizes = new LinkedHashMap<>();
  private final Code head;
  private int accessIds;

  public KernelTensors(TensorAssignment assignment) {
    this.assignment = assignment;
    slots.addAll(List.of(Slot.runtime(), Slot.status(), Slot.statusDetail()));
    List<TensorExpr.Access> accesses = new ArrayList<>(List.of(assignment.target()));
    accesses.addAll(assignment.value().accesses());
    List<TensorExpr.Access> first = new ArrayList<>();
    for (TensorExpr.Access access : accesses) {
      accessIds = Math.max(accessIds, access.id() + 1);
      if (!DiagonalIntersections.isDiagonal(access.tensor()) && names.add(access.tensor().name())) {
        first.add(access);
      }
    }
    for (TensorExpr.Access access : first) {
      addParameter(access);
    }
    head = Code.function(names);
    for (TensorExpr.Access access : accesses) {
      boolean diagonal = DiagonalIntersections.isDiagonal(access.tensor());
      if (!diagonal && !layouts.containsKey(access.tensor())) {
        layouts.put(access.tensor(), layout(access, indexOf(access.tensor())));
      }
    }
    accesses.stream()
        .filter(a -> DiagonalIntersections.isDiagonal(a.tensor()))
        .forEach(this::addDiagonal);
  }

  private void addDiagonal(TensorExpr.Access access) {
    TensorVar tensor = access.tensor();
    List<Level> levels = new ArrayList<>();
    for (int number = 0; number < 2; number++) {
      LevelSpec spec = tensor.format().level(number);
      LevelEmitter emitter = number == 0 ? LevelEmitters.of(spec.format()) : new DiagonalEmitter();
      Expr size = size(access.variables().get(number));
      levels.add(
          new Level(
              tensor.name() + "_" + (number + 1),
              spec,
              true,
              emitter,
              null,
              null,
              size,
              -1,
              number));
    }
    Buffer none = new Buffer(tensor.name(), ElementType.F64, Buffer.Kind.WORKSPACE);
    layouts.put(tensor, new TensorLayout(tensor, levels, none));
  }

  private void addParameter(TensorExpr.Access access) {
    TensorFormat format = access.tensor().stored();
    TensorParameter.Role role =
        access.tensor().kind() == TensorVar.Kind.OPERAND
            ? TensorParameter.Role.INPUT
            : format.isInsertable()
                ? TensorParameter.Role.OUTPUT_DENSE
                : TensorParameter.Role.OUTPUT_SPARSE;
    int tensor = parameters.size();
    parameters.add(new TensorParameter(access.tensor().name(), format, role));
    for (int mode = 0; mode < format.order(); mode++) {
      slots.add(Slot.modeSize(tensor, mode));
    }
    for (int level = 0; level < format.levelCount(); level++) {
      if (role == TensorParameter.Role.OUTPUT_SPARSE || format.coordinate(level).isCounted()) {
        slots.add(Slot.positions(tensor, level));
      }
      if (format.level(level).format().hasPos()) {
        slots.add(Slot.pos(tensor, level));
      }
      if (format.level(level).format().hasCrd()) {
        slots.add(Slot.crd(tensor, level));
      }
    }
    slots.add(Slot.vals(tensor));
  }

  private TensorLayout layout(TensorExpr.Access access, int tensor) {
    TensorFormat format = access.tensor().format();
    Buffer.Kind kind =
        switch (parameters.get(tensor).role()) {
          case INPUT -> Buffer.Kind.INPUT;
          case OUTPUT_DENSE, OUTPUT_OVERWRITTEN -> Buffer.Kind.OUTPUT;
          case OUTPUT_SPARSE -> Buffer.Kind.GROWABLE;
        };
    List<Level> levels = new ArrayList<>();
    // Every path through a level and the branchless levels below it is stored once, so that a
    // non-unique level without such levels repeats nothing, and the end of a chain neither.
    boolean unique = true;
    int stored = -1;
    for (int number = 0; number < format.order(); number++) {
      LevelSpec spec = format.level(number);
      stored += isLowerHalf(spec) ? 0 : 1;
      String name = access.tensor().name() + (number + 1);
      String array = access.tensor().name() + (stored + 1);
      boolean last = number == format.order() - 1;
      boolean chainEnd = spec.properties().branchless() && format.branchlessBelow(number) == 0;
      boolean alone =
          !last
              && format.branchlessBelow(number) == 0
              && format.level(number + 1).properties().full()
              && unique;
      unique = alone || spec.properties().unique() && (unique || last || chainEnd);
      levels.add(
          new Level(
              name,
              spec,
              unique,
              LevelEmitters.of(spec.format()),
              spec.format().hasPos()
                  ? buffer(array + "_pos", element(spec.posWidth()), kind, Slot.pos(tensor, stored))
                  : null,
              spec.format().hasCrd()
                  ? buffer(array + "_crd", element(spec.crdWidth()), kind, Slot.crd(tensor, stored))
                  : null,
              levelSize(access, tensor, number, stored),
              tensor,
              number,
              stored,
              number == 0 ? null : levels.get(number - 1),
              format.levelCount() > number + 1 && isDiagonals(access, stored)
                  ? levelSize(access, tensor, number + 1, stored + 1)
                  : null));
    }
    Buffer vals =
        buffer(
            access.tensor().name() + "_vals",
            format.valueType().elementType(),
            kind,
            Slot.vals(tensor));
    return new TensorLayout(access.tensor(), levels, vals);
  }

  private static ElementType element(Width width) {
    return width.elementType();
  }

  /** The buffer of an array, which all accesses of a tensor share. */
  private Buffer buffer(String name, ElementType element, Buffer.Kind kind, Slot slot) {
    return buffers.computeIfAbsent(
        slot,
        array -> {
          Buffer buffer = new Buffer(head.fresh(name), element, kind);
          bindings.add(new BufferBinding(buffer, slots.indexOf(array)));
          return buffer;
        });
  }

  /** Whether the level stores the rows of diagonals, which end where the columns do. */
  private static boolean isDiagonals(TensorExpr.Access access, int stored) {
    return stored > 0
        && access.tensor().stored().coordinate(stored - 1) instanceof LevelCoordinate.Diagonal;
  }

  private static boolean isLowerHalf(LevelSpec spec) {
    return spec.format() instanceof SplitLevel half && half.offset();
  }

  /** Sizes that positions are computed with get a variable; others stay arguments until used. */
  private Expr levelSize(TensorExpr.Access access, int tensor, int number, int stored) {
    TensorFormat format = access.tensor().stored();
    LevelCoordinate coordinate = format.coordinate(stored);
    if (coordinate instanceof LevelCoordinate.Within within) {
      return Expr.of(within.size());
    } else if (coordinate.isCounted()) {
      return new Expr.Argument(slots.indexOf(Slot.positions(tensor, stored)));
    }
    IndexVar variable = access.variableAt(number).label();
    Long constant = assignment.constantSizes().get(variable);
    Expr argument =
        constant != null
            ? Expr.of(constant)
            : new Expr.Argument(slots.indexOf(Slot.modeSize(tensor, format.modeOf(stored))));
    boolean block = coordinate instanceof LevelCoordinate.Block;
    if (block && constant != null) {
      return Expr.of(
          (constant + access.variableAt(number).blockSize() - 1)
              / access.variableAt(number).blockSize());
    }
    Expr size = block ? Block.divideUp(argument, access.variableAt(number).blockSize()) : argument;
    boolean random = access.tensor().format().level(number).properties().full();
    if (constant != null || !random || number == 0 && !block) {
      return size;
    }
    Expr named = Expr.of(head.declare(access.tensor().name() + (number + 1) + "_size", size));
    if (variable.equals(access.variableAt(number))) {
      sizes.putIfAbsent(variable, named);
    }
    return named;
  }

  /** A variable that the statement does not have, with {@code count} coordinates. */
  public IndexVar freshVariable(String hint, long count) {
    String name = hint;
    while (assignment.variables().contains(new IndexVar(name))
        || sizes.containsKey(new IndexVar(name))) {
      name += "_";
    }
    IndexVar variable = new IndexVar(name);
    sizes.put(variable, Expr.of(count));
    return variable;
  }

  /** The number of coordinates of {@code variable}; of an offset, those of a whole block. */
  public Expr size(IndexVar variable) {
    Long constant = assignment.constantSizes().get(variable);
    if (constant != null) {
      return Expr.of(constant);
    } else if (variable.isWithin()) {
      return Expr.of(variable.blockSize());
    }
    Expr size = sizes.get(variable);
    if (size == null) {
      Expr value =
          variable.isBlock()
              ? Block.divideUp(size(variable.label()), variable.blockSize())
              : sizeArgument(variable);
      size = Expr.of(head.declare(variable.name() + "_size", value));
      sizes.put(variable, size);
    }
    return size;
  }

  /**
   * The number of coordinates that a loop over {@code variable} counts: a last block may be cut.
   */
  public Expr extent(IndexVar variable, Scope scope) {
    if (!variable.isWithin() || assignment.constantSizes().containsKey(variable)) {
      return size(variable);
    }
    Expr block = Expr.of(variable.blockSize());
    IndexVar number = IndexVar.block(variable.label(), variable.blockSize());
    Expr start = Expr.mul(scope.coordinate(number), block);
    return Expr.min(block, Expr.sub(size(variable.label()), start));
  }

  private Expr sizeArgument(IndexVar variable) {
    List<TensorExpr.Access> accesses = new ArrayList<>(assignment.value().accesses());
    accesses.add(assignment.target());
    for (TensorExpr.Access access : accesses) {
      int tensor = indexOf(access.tensor());
      TensorFormat stored = access.tensor().stored();
      int number = -1;
      for (int level = 0; level < access.tensor().format().order(); level++) {
        number += isLowerHalf(access.tensor().format().level(level)) ? 0 : 1;
        if (tensor >= 0 && access.variableAt(level).label().equals(variable)) {
          Slot slot =
              stored.coordinate(number).isCounted()
                  ? Slot.positions(tensor, number)
                  : Slot.modeSize(tensor, stored.modeOf(number));
          return new Expr.Argument(slots.indexOf(slot));
        }
      }
    }
    throw new IllegalStateException("no tensor gives a size to " + variable);
  }

  private int indexOf(TensorVar tensor) {
    for (int number = 0; number < parameters.size(); number++) {
      if (parameters.get(number).name().equals(tensor.name())) {
        return number;
      }
    }
    return -1;
  }

  /** Whether {@code variable} has a constant size, and which. */
  @Nullable
  public Long constantSize(IndexVar variable) {
    return assignment.constantSizes().get(variable);
  }

  public TensorLayout layout(TensorVar tensor) {
    TensorLayout layout = layouts.get(tensor);
    if (layout == null) {
      throw new IllegalStateException("tensor " + tensor + " has no layout");
    }
    return layout;
  }

  /** Registers a temporary. */
  public void add(TensorLayout layout) {
    layouts.put(layout.tensor(), layout);
  }

  public int freshAccessId() {
    return accessIds++;
  }

  /** Code that runs first: sizes of index variables. */
  public Code head() {
    return head;
  }

  public List<BufferBinding> bindings() {
    return bindings;
  }

  public KernelSignature signature(String symbol) {
    return new KernelSignature(symbol, parameters, slots);
  }

  /** The signature of a kernel that writes every cell of its dense result. */
  public KernelSignature overwriting(String symbol) {
    List<TensorParameter> overwritten = new ArrayList<>();
    for (TensorParameter parameter : parameters) {
      overwritten.add(
          parameter.role() == TensorParameter.Role.OUTPUT_DENSE
              ? new TensorParameter(
                  parameter.name(),
                  parameter.format(),
                  TensorParameter.Role.OUTPUT_OVERWRITTEN,
                  parameter.accesses())
              : parameter);
    }
    return new KernelSignature(symbol, overwritten, slots);
  }

  public static ElementType elementOf(ScalarType type) {
    return switch (type) {
      case F64 -> ElementType.F64;
      case F32 -> ElementType.F32;
      case I32 -> ElementType.I32;
      case I64, BOOL -> ElementType.I64;
    };
  }
}
