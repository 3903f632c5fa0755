package org.weft.compiler.lower.nest;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.weft.compiler.level.Code;
import org.weft.compiler.loop.Buffer;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.LoopTraits;
import org.weft.compiler.loop.LoopVariable;
import org.weft.compiler.loop.Stmt;

/**
 * Counts in advance how many terms loops put into a workspace: the same loops without the innermost
 * ones, whose iterations their bounds say. Branches count as taken both ways, so the number is one
 * that is not exceeded.
 */
final class TermCount {
  private final Buffer put;
  private final long most;
  private final Set<LoopVariable> assigned = new HashSet<>();
  private final Map<LoopVariable, Stmt.Declare> declared = new HashMap<>();

  private TermCount(Buffer put, long most) {
    this.put = put;
    this.most = most;
  }

  /**
   * Adds statements to {@code code} that find the number of terms, and returns it; empty, with
   * nothing added, where that takes more than a look at the operands.
   *
   * @param loops that put terms
   * @param put the buffer in which each term is stored once
   * @param most terms of interest: larger numbers may come out as any number above
   */
  static Optional<LoopVariable> of(Stmt loops, Buffer put, long most, String name, Code code) {
    TermCount count = new TermCount(put, most);
    count.collect(loops);
    if (loops.children().isEmpty() || !count.isCountable(loops)) {
      return Optional.empty();
    }
    LoopVariable total = code.declare(name + "_terms", Expr.of(0));
    add(total, Expr.of(count.count(loops, total, true, new HashMap<>(), code)), code);
    return Optional.of(total);
  }

  private void collect(Stmt stmt) {
    if (stmt instanceof Stmt.Assign s) {
      assigned.add(s.variable());
    } else if (stmt instanceof Stmt.Declare s) {
      declared.put(s.variable(), s);
    }
    stmt.children().forEach(this::collect);
  }

  private boolean puts(Stmt stmt) {
    return stmt instanceof Stmt.Store s && s.buffer().equals(put)
        || stmt.children().stream().anyMatch(this::puts);
  }

  /**
   * Whether loops that put terms are nested in nothing but loops, with bounds from the operands.
   */
  private boolean isCountable(Stmt stmt) {
    if (!puts(stmt) || stmt instanceof Stmt.Store) {
      return true;
    } else if (stmt instanceof Stmt.For loop) {
      return isKnown(loop.lower()) && isKnown(loop.upper()) && isCountable(loop.body());
    } else if (stmt instanceof Stmt.If branch) {
      // Bounds of a loop in here may be there in one case only.
      return branch.children().stream().noneMatch(this::loops);
    }
    return stmt instanceof Stmt.Block && stmt.children().stream().allMatch(this::isCountable);
  }

  private boolean loops(Stmt stmt) {
    boolean loop = stmt instanceof Stmt.For || stmt instanceof Stmt.While;
    return loop && puts(stmt) || stmt.children().stream().anyMatch(this::loops);
  }

  private boolean isKnown(Expr expr) {
    if (expr instanceof Expr.VariableRef ref) {
      Stmt.Declare declaration = declared.get(ref.variable());
      return !assigned.contains(ref.variable())
          && (declaration == null || isKnown(declaration.value()));
    }
    boolean computed =
        expr instanceof Expr.Binary
            || expr instanceof Expr.Load load && load.buffer().kind() == Buffer.Kind.INPUT;
    return expr instanceof Expr.IntLiteral
        || expr instanceof Expr.Argument
        || computed && expr.children().stream().allMatch(this::isKnown);
  }

  private static void add(LoopVariable total, Expr more, Code code) {
    if (!(more instanceof Expr.IntLiteral literal && literal.value() == 0)) {
      code.assign(total, Expr.add(Expr.of(total), more));
    }
  }

  /**
   * Adds code that counts the terms in loops of {@code stmt}.
   *
   * @param names what variables are called in that code
   * @return the number of terms outside loops
   */
  private long count(
      Stmt stmt, LoopVariable total, boolean outermost, Map<LoopVariable, Expr> names, Code code) {
    if (!puts(stmt)) {
      return 0;
    }
    if (stmt instanceof Stmt.Store) {
      return 1;
    } else if (stmt instanceof Stmt.For loop) {
      count(loop, total, outermost, names, code);
      return 0;
    }
    long alone = 0;
    for (Stmt each : stmt.children()) {
      alone += count(each, total, outermost, names, code);
    }
    return alone;
  }

  private void count(
      Stmt.For loop,
      LoopVariable total,
      boolean outermost,
      Map<LoopVariable, Expr> names,
      Code code) {
    Expr lower = renamed(loop.lower(), names, code);
    Expr upper = renamed(loop.upper(), names, code);
    Expr rounds = Expr.sub(upper, lower);
    LoopVariable variable = LoopVariable.integer(code.fresh(loop.variable().name()));
    Map<LoopVariable, Expr> inside = new HashMap<>(names);
    inside.put(loop.variable(), Expr.of(variable));
    Code body = code.nested();
    long alone = count(loop.body(), total, false, inside, body);
    if (body.isEmpty()) {
      add(total, Expr.mul(Expr.max(rounds, Expr.of(0)), Expr.of(alone)), code);
      return;
    }
    add(total, Expr.of(alone), body);
    Code counting = code.nested();
    counting.add(new Stmt.For(variable, lower, upper, body.block(), LoopTraits.SERIAL));
    if (!outermost) {
      code.addAll(counting);
      return;
    }
    Code many = code.nested();
    many.assign(total, Expr.of(most + 1));
    Expr few = Expr.lessThan(rounds, Expr.of(most + 1));
    code.add(new Stmt.If(few, counting.block(), many.block()));
  }

  /** {@code expr} where {@code code} is, which gets the declarations that it depends on. */
  private Expr renamed(Expr expr, Map<LoopVariable, Expr> names, Code code) {
    if (expr instanceof Expr.VariableRef ref) {
      return renamed(ref.variable(), names, code);
    } else if (expr instanceof Expr.Load load) {
      return new Expr.Load(load.buffer(), renamed(load.position(), names, code));
    } else if (expr instanceof Expr.Binary binary) {
      Expr left = renamed(binary.left(), names, code);
      return new Expr.Binary(binary.op(), left, renamed(binary.right(), names, code));
    }
    return expr;
  }

  private Expr renamed(LoopVariable variable, Map<LoopVariable, Expr> names, Code code) {
    Expr known = names.get(variable);
    Stmt.Declare declaration = declared.get(variable);
    if (known != null || declaration == null) {
      return known != null ? known : Expr.of(variable);
    }
    Expr name = code.name(variable.name(), renamed(declaration.value(), names, code));
    names.put(variable, name);
    return name;
  }
}
