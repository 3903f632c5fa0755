package org.weft.compiler.lang;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.lang.Token.Kind;

/**
 * Parser of index-notation statements.
 *
 * <pre>
 * statement  = access [ mask ] ("=" | "+=" | "-=") sum [";"]
 * </pre>
 *
 * <p>{@link ExpressionParser} has the rest of the grammar.
 */
public final class Parser {
  private final TokenCursor tokens;
  private final ExpressionParser expressions;

  private Parser(TokenCursor tokens) {
    this.tokens = tokens;
    this.expressions = new ExpressionParser(tokens);
  }

  /**
   * Parses one statement. Empty when there was an error, of which {@code diagnostics} has all that
   * could be found.
   */
  public static Optional<Statement> statement(SourceText source, Diagnostics diagnostics) {
    Parser parser = new Parser(new TokenCursor(source, diagnostics));
    Optional<Statement> statement = parser.statement();
    return diagnostics.hasErrors() ? Optional.empty() : statement;
  }

  private Optional<Statement> statement() {
    Token first = tokens.peek();
    if (!tokens.accept(Kind.NAME)) {
      tokens.error(
          first,
          "expected the result of the statement, found " + first.found(),
          "write an assignment such as y(i) = A(i,j) * x(j)");
      return Optional.empty();
    }
    Syntax.Access target = expressions.access(first);
    Token open = tokens.peek();
    @Nullable Mask mask = tokens.accept(Kind.LESS) ? expressions.mask(open, target) : null;
    Statement.@Nullable Assignment assignment = assignment(tokens);
    Syntax value = expressions.expression();
    tokens.accept(Kind.SEMICOLON);
    if (!tokens.isAt(Kind.END) && !tokens.isAt(Kind.UNKNOWN)) {
      tokens.error(
          tokens.peek(),
          "expected an operator or the end of the statement, found " + tokens.peek().found(),
          "write one statement, with + - or * between operands");
    }
    return assignment == null
        ? Optional.empty()
        : Optional.of(new Statement(target, mask, assignment, value));
  }

  /** Takes the assignment operator; null after an error. */
  static Statement.@Nullable Assignment assignment(TokenCursor tokens) {
    Token token = tokens.peek();
    switch (token.kind()) {
      case ASSIGN:
        tokens.next();
        return Statement.Assignment.ASSIGN;
      case PLUS_ASSIGN:
        tokens.next();
        return Statement.Assignment.ADD;
      case MINUS_ASSIGN:
        tokens.next();
        return Statement.Assignment.SUBTRACT;
      default:
        tokens.error(
            token,
            "expected '=', '+=' or '-=' after the result, found " + token.found(),
            "write an assignment such as y(i) = A(i,j) * x(j)");
        return null;
    }
  }
}
