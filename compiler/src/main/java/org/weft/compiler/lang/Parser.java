package org.weft.compiler.lang;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.weft.compiler.lang.Token.Kind;

/**
 * Recursive-descent parser of index-notation statements.
 *
 * <pre>
 * statement  = access ("=" | "+=") sum [";"]
 * sum        = product { ("+" | "-") product }
 * product    = factor { ("*" | ".*") factor }
 * factor     = "-" factor | number | "(" sum ")" | "sum" "(" name "," sum ")"
 *            | function "(" sum { "," sum } ")" | access
 * access     = name [ "(" labels ")" | "[" labels "]" ]
 * </pre>
 *
 * <p>Nesting is limited to {@value #DEEPEST} and a statement to {@value #MOST_OPERANDS} operands,
 * so that hostile text cannot overflow the stack here or in a later pass.
 */
public final class Parser {
  static final int DEEPEST = 100;
  static final int MOST_OPERANDS = 256;
  private static final Set<String> FUNCTIONS = Set.of("abs", "sqrt", "exp", "log", "min", "max");

  private final List<Token> tokens;
  private final Diagnostics diagnostics;
  private int at;
  private int depth;
  private int operands;

  /** A parser of the tokens from {@code start} on; a program's parser starts one per expression. */
  Parser(List<Token> tokens, int start, Diagnostics diagnostics) {
    this.tokens = tokens;
    this.at = start;
    this.diagnostics = diagnostics;
  }

  /** Number of the first token that has not been read. */
  int position() {
    return at;
  }

  /**
   * Parses one statement. Empty when there was an error, of which {@code diagnostics} has all that
   * could be found.
   */
  public static Optional<Statement> statement(SourceText source, Diagnostics diagnostics) {
    Parser parser = new Parser(Lexer.tokens(source, diagnostics), 0, diagnostics);
    Optional<Statement> statement = parser.statement();
    return diagnostics.hasErrors() ? Optional.empty() : statement;
  }

  private Optional<Statement> statement() {
    if (peek().kind() != Kind.NAME) {
      error(
          peek(),
          "expected the result of the statement, found " + peek().found(),
          "write an assignment such as y(i) = A(i,j) * x(j)");
      return Optional.empty();
    }
    Syntax.Access target = access(next());
    Statement.Assignment assignment = Statement.Assignment.ASSIGN;
    switch (peek().kind()) {
      case ASSIGN -> next();
      case PLUS_ASSIGN -> {
        next();
        assignment = Statement.Assignment.ADD;
      }
      case MINUS_ASSIGN ->
          error(
              next(),
              "'-=' is not part of the expression form",
              "write += and negate the right side: " + target.tensor() + " += -(...)");
      default ->
          error(
              peek(),
              "expected '=' or '+=' after the result, found " + peek().found(),
              "write an assignment such as y(i) = A(i,j) * x(j)");
    }
    Syntax value = sum();
    if (peek().kind() == Kind.SEMICOLON) {
      next();
    }
    if (peek().kind() != Kind.END && peek().kind() != Kind.UNKNOWN) {
      error(
          peek(),
          "expected an operator or the end of the statement, found " + peek().found(),
          "write one statement, with + - or * between operands");
    }
    return Optional.of(new Statement(target, assignment, value));
  }

  /** An expression. */
  Syntax sum() {
    Syntax left = product();
    while (peek().kind() == Kind.PLUS || peek().kind() == Kind.MINUS) {
      boolean add = next().kind() == Kind.PLUS;
      left = operation(add ? Syntax.Operator.ADD : Syntax.Operator.SUBTRACT, left, product());
    }
    return left;
  }

  private Syntax product() {
    Syntax left = factor();
    while (peek().kind() == Kind.STAR || peek().kind() == Kind.DOT_STAR) {
      boolean star = next().kind() == Kind.STAR;
      left =
          operation(
              star ? Syntax.Operator.MULTIPLY : Syntax.Operator.ELEMENTWISE_MULTIPLY,
              left,
              factor());
    }
    return left;
  }

  private static Syntax operation(Syntax.Operator operator, Syntax left, Syntax right) {
    return new Syntax.Operation(operator, left, right, left.span().through(right.span()));
  }

  private Syntax factor() {
    Token token = peek();
    if (++operands > MOST_OPERANDS || depth >= DEEPEST) {
      return tooLarge(token);
    }
    depth++;
    try {
      return switch (token.kind()) {
        case MINUS -> {
          next();
          Syntax operand = factor();
          yield new Syntax.Negation(operand, token.span().through(operand.span()));
        }
        case NUMBER -> number(next());
        case NAME -> named(next());
        case LEFT_PARENTHESIS -> {
          next();
          Syntax inner = sum();
          close(Kind.RIGHT_PARENTHESIS, token, "close the parenthesis opened here: ");
          yield inner;
        }
        default -> missing(token);
      };
    } finally {
      depth--;
    }
  }

  private Syntax tooLarge(Token token) {
    error(
        token,
        depth >= DEEPEST
            ? "the expression is nested more than " + DEEPEST + " deep"
            : "the expression has more than " + MOST_OPERANDS + " operands",
        "split it into several statements with intermediate tensors");
    at = tokens.size() - 1;
    return new Syntax.Missing(token.span());
  }

  private Syntax missing(Token token) {
    if (token.kind() != Kind.UNKNOWN) {
      error(
          token,
          "expected an operand, found " + token.found(),
          "write a tensor access such as B(i,j), a number, or an expression in parentheses");
    }
    boolean skips =
        switch (token.kind()) {
          case END, RIGHT_PARENTHESIS, COMMA, SEMICOLON, RIGHT_BRACE, PLUS -> false;
          default -> true;
        };
    if (skips) {
      next();
      if (startsOperand(peek().kind())) {
        return factor();
      }
    }
    return new Syntax.Missing(token.span());
  }

  private static boolean startsOperand(Kind kind) {
    return kind == Kind.NAME || kind == Kind.NUMBER || kind == Kind.LEFT_PARENTHESIS;
  }

  private Syntax number(Token token) {
    double value = Double.parseDouble(token.text());
    if (Double.isInfinite(value)) {
      error(token, "the number " + token.text() + " is too large for a double", "");
    }
    return new Syntax.Number(value, token.span());
  }

  private Syntax named(Token name) {
    boolean call = peek().kind() == Kind.LEFT_PARENTHESIS;
    if (call && name.text().equals("sum")) {
      return reduction(name);
    }
    if (call && FUNCTIONS.contains(name.text())) {
      return call(name);
    }
    return access(name);
  }

  private Syntax reduction(Token name) {
    Token open = next();
    Token label = peek();
    if (label.kind() == Kind.NAME) {
      next();
    } else {
      error(
          label, "expected the label to sum over, found " + label.found(), "write sum(j, B(i,j))");
      if (label.kind() == Kind.NUMBER) {
        next();
      }
    }
    if (peek().kind() == Kind.COMMA) {
      next();
    } else {
      error(
          peek(),
          "expected ',' after the label of sum, found " + peek().found(),
          "write sum(j, B(i,j))");
    }
    Syntax body = sum();
    Token end = close(Kind.RIGHT_PARENTHESIS, open, "close the call: ");
    return new Syntax.Reduction(
        new Syntax.Label(label.text(), label.span()), body, name.span().through(end.span()));
  }

  private Syntax call(Token name) {
    Token open = next();
    List<Syntax> arguments = new ArrayList<>();
    arguments.add(sum());
    while (peek().kind() == Kind.COMMA) {
      next();
      arguments.add(sum());
    }
    Token end = close(Kind.RIGHT_PARENTHESIS, open, "close the call: ");
    int expected = name.text().equals("min") || name.text().equals("max") ? 2 : 1;
    if (arguments.size() != expected) {
      error(
          name,
          "expected "
              + expected
              + (expected == 1 ? " argument" : " arguments")
              + " for "
              + name.text()
              + ", found "
              + arguments.size(),
          expected == 2 ? "nest the calls: " + name.text() + "(a, " + name.text() + "(b, c))" : "");
    }
    return new Syntax.Call(name.text(), arguments, name.span().through(end.span()));
  }

  /** The access that {@code name}, which has been read, begins. */
  Syntax.Access access(Token name) {
    Kind kind = peek().kind();
    if (kind != Kind.LEFT_PARENTHESIS && kind != Kind.LEFT_BRACKET) {
      return new Syntax.Access(name.text(), List.of(), name.span());
    }
    Token open = next();
    Kind closing = kind == Kind.LEFT_PARENTHESIS ? Kind.RIGHT_PARENTHESIS : Kind.RIGHT_BRACKET;
    List<Syntax.Label> labels = new ArrayList<>();
    if (peek().kind() != closing) {
      labels(labels, name);
    }
    Token end = close(closing, open, "close the labels of " + name.text() + ": ");
    return new Syntax.Access(name.text(), labels, name.span().through(end.span()));
  }

  private void labels(List<Syntax.Label> labels, Token tensor) {
    while (true) {
      Token label = peek();
      if (label.kind() == Kind.NAME) {
        next();
        labels.add(new Syntax.Label(label.text(), label.span()));
      } else {
        error(
            label,
            "expected a label of " + tensor.text() + ", found " + label.found(),
            "labels are names such as i, j, k");
        if (label.kind() == Kind.NUMBER || label.kind() == Kind.UNKNOWN) {
          next();
        }
      }
      if (peek().kind() != Kind.COMMA) {
        return;
      }
      next();
    }
  }

  private Token close(Kind kind, Token open, String advice) {
    if (peek().kind() == kind) {
      return next();
    }
    error(
        peek(),
        "expected " + kind.text() + ", found " + peek().found(),
        advice + "it was opened at " + open.span());
    boolean otherBracket =
        peek().kind() == Kind.RIGHT_PARENTHESIS || peek().kind() == Kind.RIGHT_BRACKET;
    return otherBracket && kind != peek().kind() ? next() : peek();
  }

  private void error(Token token, String message, String advice) {
    diagnostics.error(token.span(), message, advice);
  }

  private Token peek() {
    return tokens.get(at);
  }

  private Token next() {
    Token token = tokens.get(at);
    if (at < tokens.size() - 1) {
      at++;
    }
    return token;
  }
}
