package org.weft.compiler.lower;

import java.util.ArrayList;
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
import org.weft.compiler.loop.Buffer;
import org.weft.compiler.loop.BufferBinding;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.ScalarType;
import org.weft.memory.ElementType;
import org.weft.runtime.KernelSignature;
import org.weft.runtime.Slot;
import org.weft.runtime.TensorParameter;
import org.weft.tensor.LevelSpec;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.Width;

/**
 * The tensors of a kernel: its argument block, the buffers and levels of every tensor, and the
 * sizes of index variables. The result is tensor 0, operands follow in order of appearance.
 */
final class Tensors {
  private final TensorAssignment assignment;
  private final Map<TensorVar, TensorLayout> layouts = new LinkedHashMap<>();
  private final List<TensorParameter> parameters = new ArrayList<>();
  private final List<Slot> slots = new ArrayList<>();
  private final List<BufferBinding> bindings = new ArrayList<>();
  private final Set<String> names = new HashSet<>();
  private final Map<IndexVar, Expr> sizes = new LinkedHashMap<>();
  private final Code head;
  private int accessIds;

  Tensors(TensorAssignment assignment) {
    this.assignment = assignment;
    slots.addAll(List.of(Slot.runtime(), Slot.status(), Slot.statusDetail()));
    List<TensorExpr.Access> accesses = new ArrayList<>(List.of(assignment.target()));
    accesses.addAll(assignment.value().accesses());
    List<TensorExpr.Access> first = new ArrayList<>();
    for (TensorExpr.Access access : accesses) {
      accessIds = Math.max(accessIds, access.id() + 1);
      if (!Diagonals.isDiagonal(access.tensor())
          && first.stream().noneMatch(a -> a.tensor().equals(access.tensor()))) {
        first.add(access);
        names.add(access.tensor().name());
      }
    }
    for (TensorExpr.Access access : first) {
      addParameter(access);
    }
    head = Code.function(names);
    for (int tensor = 0; tensor < first.size(); tensor++) {
      layouts.put(first.get(tensor).tensor(), layout(first.get(tensor), tensor));
    }
    accesses.stream().filter(a -> Diagonals.isDiagonal(a.tensor())).forEach(this::addDiagonal);
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
    TensorFormat format = access.tensor().format();
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
    for (int level = 0; level < format.order(); level++) {
      if (role == TensorParameter.Role.OUTPUT_SPARSE) {
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
          case OUTPUT_DENSE -> Buffer.Kind.OUTPUT;
          case OUTPUT_SPARSE -> Buffer.Kind.GROWABLE;
        };
    List<Level> levels = new ArrayList<>();
    boolean unique = true;
    for (int number = 0; number < format.order(); number++) {
      LevelSpec spec = format.level(number);
      String name = access.tensor().name() + (number + 1);
      boolean last = number == format.order() - 1;
      unique = spec.properties().unique() && (unique || last);
      levels.add(
          new Level(
              name,
              spec,
              unique,
              LevelEmitters.of(spec.format()),
              spec.format().hasPos()
                  ? buffer(name + "_pos", element(spec.posWidth()), kind, Slot.pos(tensor, number))
                  : null,
              spec.format().hasCrd()
                  ? buffer(name + "_crd", element(spec.crdWidth()), kind, Slot.crd(tensor, number))
                  : null,
              levelSize(access, tensor, number),
              tensor,
              number));
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

  private Buffer buffer(String name, ElementType element, Buffer.Kind kind, Slot slot) {
    Buffer buffer = new Buffer(head.fresh(name), element, kind);
    bindings.add(new BufferBinding(buffer, slots.indexOf(slot)));
    return buffer;
  }

  /** Sizes that positions are computed with get a variable; others stay arguments until used. */
  private Expr levelSize(TensorExpr.Access access, int tensor, int number) {
    IndexVar variable = access.variableAt(number);
    Long constant = assignment.constantSizes().get(variable);
    if (constant != null) {
      return Expr.of(constant);
    }
    Expr argument =
        new Expr.Argument(
            slots.indexOf(Slot.modeSize(tensor, access.tensor().format().modeOf(number))));
    boolean random = access.tensor().format().level(number).properties().full();
    if (!random || number == 0) {
      return argument;
    }
    Expr size = Expr.of(head.declare(access.tensor().name() + (number + 1) + "_size", argument));
    sizes.putIfAbsent(variable, size);
    return size;
  }

  /** A variable that the statement does not have, with {@code count} coordinates. */
  IndexVar freshVariable(String hint, long count) {
    String name = hint;
    while (assignment.variables().contains(new IndexVar(name))
        || sizes.containsKey(new IndexVar(name))) {
      name += "_";
    }
    IndexVar variable = new IndexVar(name);
    sizes.put(variable, Expr.of(count));
    return variable;
  }

  /** The number of coordinates of {@code variable}. */
  Expr size(IndexVar variable) {
    Long constant = assignment.constantSizes().get(variable);
    if (constant != null) {
      return Expr.of(constant);
    }
    Expr size = sizes.get(variable);
    if (size == null) {
      size = Expr.of(head.declare(variable.name() + "_size", sizeArgument(variable)));
      sizes.put(variable, size);
    }
    return size;
  }

  private Expr sizeArgument(IndexVar variable) {
    List<TensorExpr.Access> accesses = new ArrayList<>(assignment.value().accesses());
    accesses.add(assignment.target());
    for (TensorExpr.Access access : accesses) {
      int mode = access.variables().indexOf(variable);
      if (mode >= 0 && !Diagonals.isDiagonal(access.tensor())) {
        int tensor = indexOf(access.tensor());
        return new Expr.Argument(slots.indexOf(Slot.modeSize(tensor, mode)));
      }
    }
    throw new IllegalStateException("no tensor gives a size to " + variable);
  }

  private int indexOf(TensorVar tensor) {
    return List.copyOf(layouts.keySet()).indexOf(tensor);
  }

  /** Whether {@code variable} has a constant size, and which. */
  @Nullable Long constantSize(IndexVar variable) {
    return assignment.constantSizes().get(variable);
  }

  TensorLayout layout(TensorVar tensor) {
    TensorLayout layout = layouts.get(tensor);
    if (layout == null) {
      throw new IllegalStateException("tensor " + tensor + " has no layout");
    }
    return layout;
  }

  /** Registers a temporary. */
  void add(TensorLayout layout) {
    layouts.put(layout.tensor(), layout);
  }

  int freshAccessId() {
    return accessIds++;
  }

  /** Code that runs first: sizes of index variables. */
  Code head() {
    return head;
  }

  List<BufferBinding> bindings() {
    return bindings;
  }

  KernelSignature signature(String symbol) {
    return new KernelSignature(symbol, parameters, slots);
  }

  static ElementType elementOf(ScalarType type) {
    return switch (type) {
      case F64 -> ElementType.F64;
      case F32 -> ElementType.F32;
      case I32 -> ElementType.I32;
      case I64, BOOL -> ElementType.I64;
    };
  }
}
