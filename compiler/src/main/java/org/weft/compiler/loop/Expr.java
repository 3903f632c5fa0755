package org.weft.compiler.loop;

import java.util.List;

/** A side-effect free value. Types are checked on construction. */
public sealed interface Expr {
  /** More elements than any memory holds. */
  long MANY = 1L << 62;

  ScalarType type();

  /** Operands, from left to right. */
  default List<Expr> children() {
    return List.of();
  }

  /** Operators with two operands of one type. */
  enum Op {
    ADD("+"),
    SUB("-"),
    MUL("*"),
    /** Integers: truncates towards zero, the divisor must not be 0. */
    DIV("/"),
    /** Integers only; sign of the dividend. */
    REM("%"),
    /** Integers only: shifts the bits right and fills with zeros. */
    SHR(">>"),
    /** Floats: NaN when either operand is. */
    MIN("min"),
    MAX("max"),
    AND("&&"),
    OR("||"),
    EQ("=="),
    NE("!="),
    LT("<"),
    LE("<=");

    private final String symbol;

    Op(String symbol) {
      this.symbol = symbol;
    }

    public String symbol() {
      return symbol;
    }

    public boolean isComparison() {
      return this == EQ || this == NE || this == LT || this == LE;
    }

    /** AND and OR: of booleans; both sides are evaluated. */
    public boolean isLogical() {
      return this == AND || this == OR;
    }
  }

  /** Elementary functions of one floating-point argument. */
  enum Function {
    ABS,
    SQRT,
    EXP,
    LOG
  }

  record IntLiteral(long value) implements Expr {
    @Override
    public ScalarType type() {
      return ScalarType.I64;
    }
  }

  record FloatLiteral(double value, ScalarType type) implements Expr {
    public FloatLiteral {
      require(type.isFloat(), "float literal", "F64 or F32", type);
    }
  }

  record VariableRef(LoopVariable variable) implements Expr {
    @Override
    public ScalarType type() {
      return variable.type();
    }
  }

  /** The element at {@code position}; narrow unsigned elements are zero-extended to I64. */
  record Load(Buffer buffer, Expr position) implements Expr {
    public Load {
      require(position.type() == ScalarType.I64, "position of a load", "I64", position.type());
    }

    @Override
    public ScalarType type() {
      return buffer.scalar();
    }

    @Override
    public List<Expr> children() {
      return List.of(position);
    }
  }

  /**
   * A number of the argument block as it was at entry: an I64 from a MODE_SIZE or POSITIONS slot,
   * or the value of a tensor of order 0 from a SCALAR slot.
   */
  record Argument(int slot, ScalarType type) implements Expr {
    public Argument {
      require(type.isNumeric(), "argument " + slot, "a number", type);
    }

    public Argument(int slot) {
      this(slot, ScalarType.I64);
    }
  }

  /**
   * Into how many tasks the runtime divides {@code work}, in multiply-adds: 1 where tasks cost more
   * than they save. The same for all evaluations in a call with equal {@code work}.
   */
  record Tasks(Expr work) implements Expr {
    public Tasks {
      require(work.type() == ScalarType.I64, "work", "I64", work.type());
    }

    @Override
    public ScalarType type() {
      return ScalarType.I64;
    }

    @Override
    public List<Expr> children() {
      return List.of(work);
    }
  }

  /**
   * How many elements lie between the one at {@code position} and the first that begins a line of
   * memory: 0 where it begins one itself.
   */
  record ToLine(Buffer buffer, Expr position) implements Expr {
    public ToLine {
      require(position.type() == ScalarType.I64, "position", "I64", position.type());
    }

    @Override
    public ScalarType type() {
      return ScalarType.I64;
    }

    @Override
    public List<Expr> children() {
      return List.of(position);
    }
  }

  record Binary(Op op, Expr left, Expr right) implements Expr {
    public Binary {
      if (left.type() != right.type()) {
        throw new IllegalArgumentException(
            "expected operands of one type for "
                + op.symbol()
                + ", found "
                + left.type()
                + " and "
                + right.type()
                + "; insert a Convert");
      }
      String what = "operand of " + op.symbol();
      if (op.isLogical()) {
        require(left.type() == ScalarType.BOOL, what, "BOOL", left.type());
      } else if (op == Op.REM || op == Op.SHR) {
        require(left.type().isInteger(), what, "an integer", left.type());
      } else if (op != Op.EQ && op != Op.NE) {
        require(left.type().isNumeric(), what, "a number", left.type());
      }
    }

    @Override
    public ScalarType type() {
      return op.isComparison() ? ScalarType.BOOL : left.type();
    }

    @Override
    public List<Expr> children() {
      return List.of(left, right);
    }
  }

  record Not(Expr operand) implements Expr {
    public Not {
      require(operand.type() == ScalarType.BOOL, "operand of !", "BOOL", operand.type());
    }

    @Override
    public ScalarType type() {
      return ScalarType.BOOL;
    }

    @Override
    public List<Expr> children() {
      return List.of(operand);
    }
  }

  /**
   * {@code condition ? whenTrue : whenFalse}; both sides are evaluated.
   *
   * @param unpredictable whether the condition changes at random, so that a branch is worse than
   *     both sides and a choice between them
   */
  record Select(Expr condition, Expr whenTrue, Expr whenFalse, boolean unpredictable)
      implements Expr {
    public Select(Expr condition, Expr whenTrue, Expr whenFalse) {
      this(condition, whenTrue, whenFalse, false);
    }

    public Select {
      require(condition.type() == ScalarType.BOOL, "condition", "BOOL", condition.type());
      require(
          whenTrue.type() == whenFalse.type(),
          "second choice of a select",
          whenTrue.type().toString(),
          whenFalse.type());
    }

    @Override
    public ScalarType type() {
      return whenTrue.type();
    }

    @Override
    public List<Expr> children() {
      return List.of(condition, whenTrue, whenFalse);
    }
  }

  /**
   * Numeric conversion as by Java's casts: a float becomes an integer by truncation, the nearest
   * one where it does not fit, 0 when it is NaN; a wider integer keeps its low bits. BOOL converts
   * to 0 or 1.
   */
  record Convert(Expr operand, ScalarType type) implements Expr {
    public Convert {
      require(type.isNumeric(), "target of a conversion", "a number", type);
    }

    @Override
    public List<Expr> children() {
      return List.of(operand);
    }
  }

  record MathCall(Function function, List<Expr> arguments) implements Expr {
    public MathCall {
      arguments = List.copyOf(arguments);
      if (arguments.size() != 1) {
        throw new IllegalArgumentException(
            "expected 1 argument for " + function + ", found " + arguments.size());
      }
      ScalarType type = arguments.get(0).type();
      require(
          type.isFloat() || function == Function.ABS && type.isInteger(),
          "argument of " + function,
          "a float",
          type);
    }

    @Override
    public ScalarType type() {
      return arguments.get(0).type();
    }

    @Override
    public List<Expr> children() {
      return arguments;
    }
  }

  record Negate(Expr operand) implements Expr {
    public Negate {
      require(operand.type().isNumeric(), "operand of -", "a number", operand.type());
    }

    @Override
    public ScalarType type() {
      return operand.type();
    }

    @Override
    public List<Expr> children() {
      return List.of(operand);
    }
  }

  static Expr of(long value) {
    return new IntLiteral(value);
  }

  static Expr of(LoopVariable variable) {
    return new VariableRef(variable);
  }

  /** {@code left + right}, folded when both are integer literals or one is 0. */
  static Expr add(Expr left, Expr right) {
    if (left instanceof IntLiteral a && right instanceof IntLiteral b) {
      return folded(Op.ADD, a, b);
    }
    if (left instanceof IntLiteral a && a.value() == 0) {
      return right;
    }
    return right instanceof IntLiteral b && b.value() == 0 ? left : new Binary(Op.ADD, left, right);
  }

  /** {@code left - right}, folded when both are integer literals or the right one is 0. */
  static Expr sub(Expr left, Expr right) {
    if (left instanceof IntLiteral a && right instanceof IntLiteral b) {
      return folded(Op.SUB, a, b);
    }
    return right instanceof IntLiteral b && b.value() == 0 ? left : new Binary(Op.SUB, left, right);
  }

  /** {@code left * right}, folded when both are integer literals or one is 0 or 1. */
  static Expr mul(Expr left, Expr right) {
    if (left instanceof IntLiteral a && right instanceof IntLiteral b) {
      return folded(Op.MUL, a, b);
    }
    if (left instanceof IntLiteral a && (a.value() == 0 || a.value() == 1)) {
      return a.value() == 0 ? left : right;
    }
    if (right instanceof IntLiteral b && (b.value() == 0 || b.value() == 1)) {
      return b.value() == 0 ? right : left;
    }
    return new Binary(Op.MUL, left, right);
  }

  /** The sum, difference or product; kept as it is when it does not fit 64 bits. */
  private static Expr folded(Op op, IntLiteral left, IntLiteral right) {
    try {
      return new IntLiteral(
          switch (op) {
            case ADD -> Math.addExact(left.value(), right.value());
            case SUB -> Math.subtractExact(left.value(), right.value());
            default -> Math.multiplyExact(left.value(), right.value());
          });
    } catch (ArithmeticException e) {
      return new Binary(op, left, right);
    }
  }

  /**
   * {@code left * right} for counts of at least 0, or {@link #MANY} where that would be more: sizes
   * that no memory holds stay as large as they are.
   */
  static Expr product(Expr left, Expr right) {
    if (left instanceof IntLiteral a && a.value() == 1) {
      return right;
    }
    Expr most = new Binary(Op.DIV, of(MANY), new Binary(Op.MAX, left, of(1)));
    return new Select(lessThan(most, right), of(MANY), mul(left, right));
  }

  static Expr binary(Op op, Expr left, Expr right) {
    return new Binary(op, left, right);
  }

  static Expr lessThan(Expr left, Expr right) {
    return new Binary(Op.LT, left, right);
  }

  static Expr equal(Expr left, Expr right) {
    return new Binary(Op.EQ, left, right);
  }

  static Expr and(Expr left, Expr right) {
    return new Binary(Op.AND, left, right);
  }

  static Expr min(Expr left, Expr right) {
    return new Binary(Op.MIN, left, right);
  }

  static Expr max(Expr left, Expr right) {
    return new Binary(Op.MAX, left, right);
  }

  private static void require(boolean holds, String what, String expected, ScalarType found) {
    if (!holds) {
      throw new IllegalArgumentException(
          "expected " + expected + " as " + what + ", found " + found);
    }
  }
}
