package org.weft.compiler.lang;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.weft.compiler.lang.Token.Kind;
import org.weft.text.Counts;

/**
 * Recursive-descent parser of expressions, masks and accesses; both spellings of the language share
 * it.
 *
 * <pre>
 * sum        = product { ("+" | "-") product }
 * product    = factor { ("*" | ".*" | "/" | "@" "(" operator [ "," operator ] ")") factor }
 * factor     = "-" factor | number | "(" sum ")" | "sum" "(" name "," sum ")" | "SUM" "(" sum ")"
 *            | "transpose" "(" sum "," "{" labels "}" ")"
 *            | function "(" sum { "," sum } ")" | access
 * access     = name [ "(" labels ")" | "[" labels "]" ]
 * operator   = "+" | "-" | "*" | "|" | "&amp;" | name
 * mask       = "&lt;" access [ "," ( "push" | "pull" | "auto" ) ] "&gt;"
 * </pre>
 *
 * <p>Nesting is limited to {@value #DEEPEST} and an expression to {@value #MOST_OPERANDS} operands,
 * so that hostile text cannot overflow the stack here or in a later pass.
 */
final class ExpressionParser {
  static final int DEEPEST = 100;
  static final int MOST_OPERANDS = 256;
  private static final Set<String> FUNCTIONS = Set.of("abs", "sqrt", "exp", "log", "min", "max");

  private final TokenCursor tokens;
  private int depth;
  private int operands;

  ExpressionParser(TokenCursor tokens) {
    this.tokens = tokens;
  }

  /** Parses one expression, as long as it goes. */
  Syntax expression() {
    operands = 0;
    return sum();
  }

  private Syntax sum() {
    Syntax left = product();
    while (tokens.isAt(Kind.PLUS) || tokens.isAt(Kind.MINUS)) {
      boolean add = tokens.next().kind() == Kind.PLUS;
      left = operation(add ? Syntax.Operator.ADD : Syntax.Operator.SUBTRACT, left, product());
    }
    return left;
  }

  private Syntax product() {
    Syntax left = factor();
    while (true) {
      if (tokens.accept(Kind.STAR)) {
        left = operation(Syntax.Operator.MULTIPLY, left, factor());
      } else if (tokens.accept(Kind.DOT_STAR)) {
        left = operation(Syntax.Operator.ELEMENTWISE_MULTIPLY, left, factor());
      } else if (tokens.accept(Kind.SLASH)) {
        left = operation(Syntax.Operator.DIVIDE, left, factor());
      } else if (tokens.isAt(Kind.AT)) {
        left = semiring(left, tokens.next());
      } else {
        return left;
      }
    }
  }

  private static Syntax operation(Syntax.Operator operator, Syntax left, Syntax right) {
    return new Syntax.Operation(operator, left, right, left.span().through(right.span()));
  }

  /** What follows {@code at}: the operators and the right operand. */
  private Syntax semiring(Syntax left, Token at) {
    Token open = tokens.peek();
    if (!tokens.accept(Kind.LEFT_PARENTHESIS)) {
      tokens.error(
          open,
          "expected '(' after '@', found " + open.found(),
          "write a semiring such as A(i,j) @(min,+) B(j,k), or a monoid such as A(i,j) @(min)"
              + " B(i,j)");
      return startsOperand(open.kind()) ? factor() : left;
    }
    Token firstToken = tokens.peek();
    SemiringOperator first = operator();
    if (!tokens.accept(Kind.COMMA)) {
      tokens.close(Kind.RIGHT_PARENTHESIS, open, "close the operator: ");
      first = allowed(firstToken, first, SemiringOperator.ELEMENTWISE, "@(operator)");
      Syntax right = factor();
      return new Syntax.Monoid(left, first, right, left.span().through(right.span()));
    }
    Token secondToken = tokens.peek();
    SemiringOperator second = operator();
    tokens.close(Kind.RIGHT_PARENTHESIS, open, "close the operators: ");
    first = allowed(firstToken, first, SemiringOperator.ADDITIVE, "the sum of @(add,multiply)");
    second =
        allowed(
            secondToken, second, SemiringOperator.MULTIPLICATIVE, "the product of @(add,multiply)");
    Syntax right = factor();
    return new Syntax.Semiring(left, first, second, right, left.span().through(right.span()));
  }

  private SemiringOperator operator() {
    Token token = tokens.peek();
    SemiringOperator operator = SemiringOperator.of(token.text());
    if (operator == null) {
      tokens.error(
          token,
          "expected an operator in '@( )', found " + token.found(),
          "operators are " + SemiringOperator.list(EnumSet.allOf(SemiringOperator.class)));
      operator = SemiringOperator.PLUS;
    }
    boolean closes =
        tokens.isAt(Kind.RIGHT_PARENTHESIS)
            || tokens.isAt(Kind.COMMA)
            || tokens.isAt(Kind.SEMICOLON);
    if (!closes) {
      tokens.next();
    }
    return operator;
  }

  private SemiringOperator allowed(
      Token token, SemiringOperator operator, Set<SemiringOperator> allowed, String place) {
    if (!allowed.contains(operator)) {
      tokens.error(
          token,
          "'" + operator.text() + "' cannot stand as " + place,
          "use one of " + SemiringOperator.list(allowed));
    }
    return operator;
  }

  private Syntax factor() {
    Token token = tokens.peek();
    if (++operands > MOST_OPERANDS || depth >= DEEPEST) {
      return tooLarge(token);
    }
    depth++;
    try {
      return switch (token.kind()) {
        case MINUS -> {
          tokens.next();
          Syntax operand = factor();
          yield new Syntax.Negation(operand, token.span().through(operand.span()));
        }
        case NUMBER -> number(tokens.next());
        case NAME -> named(tokens.next());
        case LEFT_PARENTHESIS -> {
          tokens.next();
          Syntax inner = sum();
          tokens.close(Kind.RIGHT_PARENTHESIS, token, "close the parenthesis: ");
          yield inner;
        }
        default -> missing(token);
      };
    } finally {
      depth--;
    }
  }

  private Syntax tooLarge(Token token) {
    tokens.error(
        token,
        depth >= DEEPEST
            ? "the expression is nested more than " + DEEPEST + " deep"
            : "the expression has more than " + MOST_OPERANDS + " operands",
        "split it into several statements with intermediate tensors");
    tokens.skipStatement();
    return new Syntax.Missing(token.span());
  }

  private Syntax missing(Token token) {
    if (token.kind() != Kind.UNKNOWN) {
      tokens.error(
          token,
          "expected an operand, found " + token.found(),
          "write a tensor access such as B(i,j), a number, or an expression in parentheses");
    }
    boolean skips =
        switch (token.kind()) {
          case END, RIGHT_PARENTHESIS, RIGHT_BRACE, COMMA, SEMICOLON, PLUS -> false;
          default -> true;
        };
    if (skips) {
      tokens.next();
      if (startsOperand(tokens.peek().kind())) {
        return factor();
      }
    }
    return new Syntax.Missing(token.span());
  }

  private static boolean startsOperand(Kind kind) {
    return kind == Kind.NAME || kind == Kind.NUMBER || kind == Kind.LEFT_PARENTHESIS;
  }

  /** The value of a number token: digits alone are an integer if they fit in 64 bits. */
  Syntax number(Token token) {
    String text = token.text();
    if (text.length() <= 19 && text.chars().allMatch(c -> c >= '0' && c <= '9')) {
      try {
        return new Syntax.Number(Long.valueOf(text), token.span());
      } catch (NumberFormatException e) {
        return new Syntax.Number(Double.valueOf(text), token.span());
      }
    }
    double value = Double.parseDouble(text);
    if (Double.isInfinite(value)) {
      tokens.error(token, "the number " + text + " is too large for a double", "");
    }
    return new Syntax.Number(value, token.span());
  }

  /** Takes a whole number; {@code what} and {@code advice} say what is missing if there is none. */
  long integer(String what, String advice) {
    Token token = tokens.peek();
    if (token.kind() == Kind.NUMBER
        && number(token) instanceof Syntax.Number number
        && number.value() instanceof Long n) {
      tokens.next();
      return n;
    }
    tokens.error(token, "expected " + what + ", found " + token.found(), advice);
    if (token.kind() == Kind.NUMBER || token.kind() == Kind.NAME) {
      tokens.next();
    }
    return 0;
  }

  private Syntax named(Token name) {
    if (tokens.isAt(Kind.LEFT_PARENTHESIS)) {
      switch (name.text()) {
        case "sum":
          return reduction(name);
        case "SUM":
          return fullSum(name);
        case "transpose":
          return transpose(name);
        default:
          if (FUNCTIONS.contains(name.text())) {
            return call(name);
          } else if (tokens.nests()) { // which no list of labels does
            return unknownFunction(name);
          }
      }
    }
    return access(name);
  }

  private Syntax fullSum(Token name) {
    Token open = tokens.next();
    Syntax body = sum();
    Token end = tokens.close(Kind.RIGHT_PARENTHESIS, open, "close the call: ");
    return new Syntax.Sum(body, name.span().through(end.span()));
  }

  private Syntax transpose(Token name) {
    String example = "write transpose(A[i,j], {j,i})";
    Token open = tokens.next();
    Syntax operand = sum();
    List<Syntax.Label> labels = new ArrayList<>();
    if (!tokens.accept(Kind.COMMA)) {
      tokens.error(
          tokens.peek(),
          "expected ',' and the new order of the labels, found " + tokens.peek().found(),
          example);
    }
    Token brace = tokens.peek();
    if (tokens.accept(Kind.LEFT_BRACE)) {
      labels(labels, "the transposition");
      tokens.close(Kind.RIGHT_BRACE, brace, "close the labels: ");
    } else {
      tokens.error(
          brace, "expected '{' before the labels of transpose, found " + brace.found(), example);
    }
    Token end = tokens.close(Kind.RIGHT_PARENTHESIS, open, "close the call: ");
    return new Syntax.Transpose(operand, labels, name.span().through(end.span()));
  }

  private Syntax reduction(Token name) {
    Token open = tokens.next();
    Token label = tokens.peek();
    if (label.kind() == Kind.NAME) {
      tokens.next();
    } else {
      tokens.error(
          label, "expected the label to sum over, found " + label.found(), "write sum(j, B(i,j))");
      if (label.kind() == Kind.NUMBER) {
        tokens.next();
      }
    }
    if (!tokens.accept(Kind.COMMA)) {
      tokens.error(
          tokens.peek(),
          "expected ',' after the label of sum, found " + tokens.peek().found(),
          "write sum(j, B(i,j))");
    }
    Syntax body = sum();
    Token end = tokens.close(Kind.RIGHT_PARENTHESIS, open, "close the call: ");
    return new Syntax.Reduction(
        new Syntax.Label(label.text(), label.span()), body, name.span().through(end.span()));
  }

  private Syntax unknownFunction(Token name) {
    tokens.error(
        name,
        "there is no function " + name.text(),
        "functions are "
            + String.join(", ", new TreeSet<>(FUNCTIONS))
            + ", sum, SUM and transpose; a tensor has names of labels in its parentheses: "
            + name.text()
            + "(i,j)");
    List<Syntax> arguments = new ArrayList<>();
    Token end = arguments(arguments);
    return new Syntax.Call(name.text(), arguments, name.span().through(end.span()));
  }

  /** Takes the arguments in parentheses; returns the token that closes them. */
  private Token arguments(List<Syntax> arguments) {
    Token open = tokens.next();
    arguments.add(sum());
    while (tokens.accept(Kind.COMMA)) {
      arguments.add(sum());
    }
    return tokens.close(Kind.RIGHT_PARENTHESIS, open, "close the call: ");
  }

  private Syntax call(Token name) {
    List<Syntax> arguments = new ArrayList<>();
    Token end = arguments(arguments);
    int expected = name.text().equals("min") || name.text().equals("max") ? 2 : 1;
    if (arguments.size() != expected) {
      tokens.error(
          name,
          "expected "
              + Counts.plain(expected, "argument")
              + " for "
              + name.text()
              + ", found "
              + arguments.size(),
          expected == 2 ? "nest the calls: " + name.text() + "(a, " + name.text() + "(b, c))" : "");
    }
    return new Syntax.Call(name.text(), arguments, name.span().through(end.span()));
  }

  /** The access whose tensor is {@code name}, which has been taken. */
  Syntax.Access access(Token name) {
    Kind kind = tokens.peek().kind();
    if (kind != Kind.LEFT_PARENTHESIS && kind != Kind.LEFT_BRACKET) {
      return new Syntax.Access(name.text(), List.of(), name.span());
    }
    Token open = tokens.next();
    Kind closing = kind == Kind.LEFT_PARENTHESIS ? Kind.RIGHT_PARENTHESIS : Kind.RIGHT_BRACKET;
    List<Syntax.Label> labels = new ArrayList<>();
    if (!tokens.isAt(closing)) {
      labels(labels, name.text());
    }
    Token end = tokens.close(closing, open, "close the labels of " + name.text() + ": ");
    return new Syntax.Access(name.text(), labels, name.span().through(end.span()));
  }

  private void labels(List<Syntax.Label> labels, String owner) {
    while (true) {
      Token label = tokens.peek();
      if (tokens.accept(Kind.NAME)) {
        labels.add(new Syntax.Label(label.text(), label.span()));
      } else {
        tokens.error(
            label,
            "expected a label of " + owner + ", found " + label.found(),
            "labels are names such as i, j, k");
        if (label.kind() == Kind.NUMBER || label.kind() == Kind.UNKNOWN) {
          tokens.next();
        }
      }
      if (!tokens.accept(Kind.COMMA)) {
        return;
      }
    }
  }

  /** The mask that {@code open}, a taken {@code <}, begins. */
  Mask mask(Token open, Syntax.Access target) {
    Token not = tokens.peek();
    if (tokens.accept(Kind.NOT)) {
      tokens.error(
          not,
          "expected a tensor as the mask, found '!': a mask says where the result has entries, and"
              + " no mask is complemented",
          "compute everything, then take away what a mask has: "
              + target.tensor()
              + "(...) = e, then "
              + target.tensor()
              + "(...)<M> -= e");
    }
    Token name = tokens.peek();
    Syntax.Access tensor;
    if (tokens.accept(Kind.NAME)) {
      tensor = access(name);
      if (tensor.labels().isEmpty()) {
        tensor = new Syntax.Access(tensor.tensor(), target.labels(), tensor.span());
      }
    } else {
      tokens.error(
          name,
          "expected the tensor that masks " + target.tensor() + ", found " + name.found(),
          "write " + target.tensor() + "(...)<M, push> with push, pull or auto");
      tensor = new Syntax.Access(target.tensor(), List.of(), name.span());
    }
    Mask.Strategy strategy = tokens.accept(Kind.COMMA) ? strategy() : Mask.Strategy.AUTO;
    Token end = tokens.close(Kind.GREATER, open, "close the mask: ");
    return new Mask(tensor, strategy, open.span().through(end.span()));
  }

  private Mask.Strategy strategy() {
    Token token = tokens.peek();
    for (Mask.Strategy strategy : Mask.Strategy.values()) {
      if (strategy.name().toLowerCase(Locale.ROOT).equals(token.text())) {
        tokens.next();
        return strategy;
      }
    }
    tokens.error(
        token,
        "expected push, pull or auto, found " + token.found(),
        "push filters contributions, pull loops over the mask, auto lets the compiler choose");
    tokens.accept(Kind.NAME);
    return Mask.Strategy.AUTO;
  }
}
