package org.weft.compiler.level;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.LoopVariable;
import org.weft.compiler.loop.ScalarType;
import org.weft.compiler.loop.Stmt;

/**
 * A block of statements under construction, and the supply of names of its function. A nested block
 * is built apart and added as a statement of its parent.
 */
public final class Code {
  private final Set<String> names;
  private final List<Stmt> statements = new ArrayList<>();

  private Code(Set<String> names) {
    this.names = names;
  }

  /** The body of a function in which {@code taken} names exist already. */
  public static Code function(Set<String> taken) {
    return new Code(new HashSet<>(taken));
  }

  /** An empty block of the same function. */
  public Code nested() {
    return new Code(names);
  }

  public void add(Stmt statement) {
    statements.add(statement);
  }

  /** Adds the statements of {@code other} to this block. */
  public void addAll(Code other) {
    statements.addAll(other.statements);
  }

  /** A name that nothing in the function has: {@code hint}, or {@code hint_2}, ... */
  public String fresh(String hint) {
    String stem = identifier(hint);
    String name = stem;
    for (int copy = 2; !names.add(name); copy++) {
      name = stem + "_" + copy;
    }
    return name;
  }

  /** Index variables of blocks, offsets and slots have names that are no identifiers. */
  private static String identifier(String hint) {
    return hint.replaceAll("/\\d+", "_block").replaceAll("%\\d+", "_in").replace('.', '_');
  }

  public LoopVariable variable(String hint, ScalarType type) {
    return new LoopVariable(fresh(hint), type);
  }

  /** Declares a variable with a fresh name and returns it. */
  public LoopVariable declare(String hint, Expr value) {
    LoopVariable variable = variable(hint, value.type());
    add(new Stmt.Declare(variable, value));
    return variable;
  }

  /** {@code value} in a variable of its own, unless it is a literal or a variable already. */
  public Expr name(String hint, Expr value) {
    boolean simple = value instanceof Expr.IntLiteral || value instanceof Expr.VariableRef;
    return simple ? value : Expr.of(declare(hint, value));
  }

  public void assign(LoopVariable variable, Expr value) {
    add(new Stmt.Assign(variable, value));
  }

  /** {@code if (condition) then}, or nothing when {@code then} is empty. */
  public void when(Expr condition, Code then) {
    if (!then.isEmpty()) {
      add(new Stmt.If(condition, then.block()));
    }
  }

  public boolean isEmpty() {
    return statements.isEmpty();
  }

  public Stmt.Block block() {
    return new Stmt.Block(statements);
  }
}
