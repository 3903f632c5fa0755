package org.weft.compiler.loop;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.ElementType;
import org.weft.runtime.KernelSignature;
import org.weft.runtime.Slot;
import org.weft.runtime.TensorParameter;

/**
 * Says whether a function is legal loop IR, beyond what nodes check on construction.
 *
 * <ul>
 *   <li>Slots 0, 1, 2 are RUNTIME, STATUS, STATUS_DETAIL; a bound buffer's slot is POS, CRD or VALS
 *       and holds elements of the buffer's kind; scalar arguments are numbers, not addresses.
 *   <li>Variables and buffers are declared before use, in scope, and once in the function; loop
 *       variables are not assigned.
 *   <li>The body of a parallel loop or a gather assigns no outer variable, grows or counts nothing
 *       but its own workspaces, does not return, and holds no second parallel loop.
 *   <li>Counts and widths name a sparse output of the signature.
 * </ul>
 *
 * <p>Cost: linear in the size of the function.
 */
public final class LoopChecker {
  private final KernelSignature signature;
  private final Map<String, Buffer> buffers = new HashMap<>();
  private final Set<String> names = new HashSet<>();
  private final Deque<Set<String>> scopes = new ArrayDeque<>();
  private final Set<LoopVariable> visible = new HashSet<>();
  private final Set<LoopVariable> constant = new HashSet<>();
  private boolean parallel;
  private Supplier<String> at = () -> "the argument block";

  private LoopChecker(KernelSignature signature) {
    this.signature = signature;
  }

  /**
   * Returns when {@code function} is legal.
   *
   * @throws WeftException COMPILER_FAILURE naming the statement and the broken rule
   */
  public static void check(LoopFunction function) {
    LoopChecker checker = new LoopChecker(function.signature());
    checker.slots();
    function.buffers().forEach(checker::binding);
    checker.block(function.body());
  }

  private void slots() {
    Slot.Kind[] fixed = {Slot.Kind.RUNTIME, Slot.Kind.STATUS, Slot.Kind.STATUS_DETAIL};
    for (int i = 0; i < fixed.length; i++) {
      check(
          i < signature.slots().size() && signature.slots().get(i).kind() == fixed[i],
          "slot " + i + " must be " + fixed[i]);
    }
  }

  private void binding(BufferBinding binding) {
    Buffer buffer = binding.buffer();
    at = () -> "the binding of " + buffer.name();
    declareBuffer(buffer);
    Slot slot = slot(binding.slot());
    check(
        slot.kind() == Slot.Kind.POS
            || slot.kind() == Slot.Kind.CRD
            || slot.kind() == Slot.Kind.VALS,
        "slot " + binding.slot() + " is " + slot.kind() + ", not an array");
    TensorParameter.Role role = tensor(slot.tensor()).role();
    Buffer.Kind expected =
        switch (role) {
          case INPUT -> Buffer.Kind.INPUT;
          case OUTPUT_DENSE, OUTPUT_OVERWRITTEN -> Buffer.Kind.OUTPUT;
          case OUTPUT_SPARSE -> Buffer.Kind.GROWABLE;
        };
    check(
        buffer.kind() == expected,
        "an array of a tensor with role "
            + role
            + " must be "
            + expected
            + ", not "
            + buffer.kind());
    if (slot.kind() == Slot.Kind.VALS) {
      ElementType element = tensor(slot.tensor()).format().valueType().elementType();
      check(buffer.element() == element, "values of this tensor are " + element);
    }
  }

  private void block(Stmt stmt) {
    scopes.push(new HashSet<>());
    statements(stmt);
    leave();
  }

  private void statements(Stmt stmt) {
    if (stmt instanceof Stmt.Block block) {
      block.statements().forEach(this::statement);
    } else {
      statement(stmt);
    }
  }

  private void assigned(LoopVariable variable) {
    check(visible.contains(variable), "variable is not declared here");
    check(!constant.contains(variable), "variable may not be assigned here");
  }

  private void leave() {
    Set<String> ended = scopes.pop();
    visible.removeIf(v -> ended.contains(v.name()));
    constant.removeIf(v -> ended.contains(v.name()));
    buffers.keySet().removeAll(ended);
  }

  private void statement(Stmt stmt) {
    at = () -> describe(stmt);
    if (stmt instanceof Stmt.Block) {
      block(stmt);
    } else if (stmt instanceof Stmt.Declare s) {
      expr(s.value());
      declare(s.variable());
    } else if (stmt instanceof Stmt.Assign s) {
      expr(s.value());
      assigned(s.variable());
    } else if (stmt instanceof Stmt.Store s) {
      access(s.buffer(), s.position());
      expr(s.value());
    } else if (stmt instanceof Stmt.Accumulate s) {
      access(s.buffer(), s.position());
      expr(s.value());
    } else if (stmt instanceof Stmt.For s) {
      forLoop(s);
    } else if (stmt instanceof Stmt.Gather s) {
      gather(s);
    } else if (stmt instanceof Stmt.While s) {
      expr(s.condition());
      block(s.body());
    } else if (stmt instanceof Stmt.If s) {
      expr(s.condition());
      block(s.then());
      block(s.otherwise());
    } else {
      memory(stmt);
    }
  }

  private void memory(Stmt stmt) {
    if (stmt instanceof Stmt.AllocateWorkspace s) {
      expr(s.length());
      declareBuffer(s.buffer());
    } else if (stmt instanceof Stmt.View s) {
      expr(s.origin());
      buffer(s.shown());
      declareBuffer(s.view());
    } else if (stmt instanceof Stmt.Prefetch s) {
      access(s.buffer(), s.position());
    } else if (stmt instanceof Stmt.Turn s) {
      s.positions().forEach(each -> access(s.from(), each));
      s.places().forEach(each -> access(s.to(), each));
    } else if (stmt instanceof Stmt.StreamLine s) {
      access(s.from(), s.position());
      access(s.to(), s.place());
    } else if (stmt instanceof Stmt.Delay s) {
      expr(s.ticks());
    } else if (stmt instanceof Stmt.Clear s) {
      access(s.buffer(), s.from());
      expr(s.to());
    } else if (stmt instanceof Stmt.FreeWorkspace s) {
      buffer(s.buffer());
    } else if (stmt instanceof Stmt.SortMarked s) {
      access(s.buffer(), s.count());
      access(s.marks(), s.length());
    } else if (stmt instanceof Stmt.SortPairs s) {
      access(s.keys(), s.count());
      buffer(s.values());
    } else if (stmt instanceof Stmt.Rank s) {
      access(s.keys(), s.count());
      buffer(s.ranks());
      assigned(s.different());
    } else if (stmt instanceof Stmt.Grow s) {
      check(
          !parallel || s.buffer().kind() == Buffer.Kind.WORKSPACE,
          "a parallel loop may not grow a result");
      access(s.buffer(), s.neededElements());
    } else if (stmt instanceof Stmt.SetCount s) {
      check(!parallel, "a parallel loop may not set counts");
      expr(s.count());
      check(
          signature.slots().contains(new Slot(Slot.Kind.POSITIONS, s.tensor(), s.level())),
          "the signature has no POSITIONS slot for this tensor and level");
      check(
          tensor(s.tensor()).role() == TensorParameter.Role.OUTPUT_SPARSE,
          "only sparse outputs have counts to set");
    } else if (stmt instanceof Stmt.CheckWidth s) {
      tensor(s.tensor());
      expr(s.value());
    } else if (stmt instanceof Stmt.Require s) {
      tensor(s.tensor());
      expr(s.condition());
    } else if (stmt instanceof Stmt.Return) {
      check(!parallel, "a parallel loop may not return");
    }
  }

  private void gather(Stmt.Gather s) {
    expr(s.items());
    expr(s.work());
    for (Stmt.Part part : s.parts()) {
      buffer(part.whole());
      check(
          part.total() == null || visible.contains(part.total()),
          "the total of " + part.whole().name() + " is not declared here");
      check(part.shift() < s.parts().size(), "there is no part " + part.shift());
    }
    Set<LoopVariable> fixed = enterParallel();
    scopes.push(new HashSet<>());
    statements(s.front());
    declare(s.from());
    constant.add(s.from());
    declare(s.to());
    constant.add(s.to());
    scopes.push(new HashSet<>());
    statements(s.body());
    for (Stmt.Part part : s.parts()) {
      buffer(part.piece());
      expr(part.count());
    }
    leave();
    leave();
    constant.removeAll(fixed);
    parallel = false;
  }

  /** Makes all variables constant; returns those that were not. */
  private Set<LoopVariable> enterParallel() {
    check(!parallel, "parallel loops do not nest");
    parallel = true;
    Set<LoopVariable> fixed = new HashSet<>(visible);
    fixed.removeAll(constant);
    constant.addAll(fixed);
    return fixed;
  }

  private void forLoop(Stmt.For s) {
    expr(s.lower());
    expr(s.upper());
    boolean outer = parallel;
    Set<LoopVariable> fixed = s.traits().parallel() ? enterParallel() : Set.of();
    scopes.push(new HashSet<>());
    declare(s.variable());
    constant.add(s.variable());
    block(s.body());
    scopes.pop();
    visible.remove(s.variable());
    constant.remove(s.variable());
    constant.removeAll(fixed);
    parallel = outer;
  }

  private void expr(Expr expr) {
    if (expr instanceof Expr.VariableRef e) {
      check(
          visible.contains(e.variable()),
          "variable '" + e.variable().name() + "' is not declared here");
    } else if (expr instanceof Expr.Load e) {
      access(e.buffer(), e.position());
    } else if (expr instanceof Expr.Argument e) {
      Slot.Kind kind = slot(e.slot()).kind();
      check(
          kind == Slot.Kind.MODE_SIZE || kind == Slot.Kind.POSITIONS || kind == Slot.Kind.SCALAR,
          "argument " + e.slot() + " is " + kind + ", not a number");
      check(
          kind == Slot.Kind.SCALAR || e.type() == ScalarType.I64,
          "argument " + e.slot() + " is a count, and read as " + e.type());
    } else if (expr instanceof Expr.Binary e) {
      expr(e.left());
      expr(e.right());
    } else if (expr instanceof Expr.Not e) {
      expr(e.operand());
    } else if (expr instanceof Expr.Select e) {
      expr(e.condition());
      expr(e.whenTrue());
      expr(e.whenFalse());
    } else if (expr instanceof Expr.Convert e) {
      expr(e.operand());
    } else if (expr instanceof Expr.MathCall e) {
      e.arguments().forEach(this::expr);
    } else if (expr instanceof Expr.ToLine e) {
      access(e.buffer(), e.position());
    } else if (expr instanceof Expr.Tasks e) {
      expr(e.work());
    } else if (expr instanceof Expr.Negate e) {
      expr(e.operand());
    }
  }

  private void access(Buffer buffer, Expr position) {
    buffer(buffer);
    expr(position);
  }

  private void buffer(Buffer buffer) {
    check(
        buffer.equals(buffers.get(buffer.name())),
        "buffer '" + buffer.name() + "' is not declared here");
  }

  private void declareBuffer(Buffer buffer) {
    unique(buffer.name());
    buffers.put(buffer.name(), buffer);
  }

  private void declare(LoopVariable variable) {
    unique(variable.name());
    visible.add(variable);
  }

  private void unique(String name) {
    check(names.add(name), "the name '" + name + "' is declared twice in the function");
    if (!scopes.isEmpty()) {
      scopes.peek().add(name);
    }
  }

  private Slot slot(int index) {
    check(
        index >= 0 && index < signature.slots().size(),
        "slot " + index + " is outside the " + signature.slots().size() + " slots");
    return signature.slots().get(index);
  }

  private TensorParameter tensor(int index) {
    check(
        index >= 0 && index < signature.tensors().size(),
        "tensor " + index + " is outside the " + signature.tensors().size() + " tensors");
    return signature.tensors().get(index);
  }

  private static String describe(Stmt stmt) {
    if (stmt instanceof Stmt.For s) {
      return "for " + s.variable().name();
    } else if (stmt instanceof Stmt.Declare s) {
      return "declaration of " + s.variable().name();
    } else if (stmt instanceof Stmt.Assign s) {
      return "assignment to " + s.variable().name();
    } else if (stmt instanceof Stmt.Store s) {
      return "store to " + s.buffer().name() + "[" + LoopPrinter.print(s.position()) + "]";
    } else if (stmt instanceof Stmt.Accumulate s) {
      return "accumulation into " + s.buffer().name() + "[" + LoopPrinter.print(s.position()) + "]";
    }
    return stmt.getClass().getSimpleName();
  }

  private void check(boolean holds, String rule) {
    if (!holds) {
      throw new WeftException(
          ErrorCode.COMPILER_FAILURE,
          "illegal loop IR in kernel "
              + signature.symbol()
              + " at "
              + at.get()
              + ": "
              + rule
              + "; this is a bug in lowering, report the expression and formats");
    }
  }
}
