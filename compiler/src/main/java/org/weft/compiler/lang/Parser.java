package org.weft.compiler.lang;

import java.util.List;
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

  /** A parser of the tokens from {@code start} on; a program's parser starts one per statement. */
  Parser(List<Token> tokens, int start, Diagnostics diagnostics) {
    this.tokens = new TokenCursor(tokens, start, diagnostics);
    this.expressions = new ExpressionParser(this.tokens);
  }

  /** Number of the first token that has not been read. */
  int position() {
    return tokens.position();
  }

  /** An expression. */
  Syntax sum() {
    return expressions.expression();
  }

  /** The access that {@code name}, which has been read, begins. */
  Syntax.Access access(Token name) {
    return expressions.access(name);
  }

  /** The mask of {@code target} if one stands here. */
  @Nullable Mask mask(Syntax.Access target) {
    Token open = tokens.peek();
    return tokens.accept(Kind.LESS) ? expressions.mask(open, target) : null;
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
    Token first = tokens.peek();
    if (!tokens.accept(Kind.NAME)) {
      tokens.error(
          first,
          "expected the result of the statement, found " + first.found(),
          "write an assignment such as y(i) = A(i,j) * x(j)");
      return Optional.empty();
    }
    Syntax.Access target = expressions.access(first);
    Mask mask = mask(target);
    Statement.Assignment assignment = assignment();
    Syntax value = expressions.expression();
    tokens.accept(Kind.SEMICOLON);
    if (!tokens.isAt(Kind.END) && !tokens.isAt(Kind.UNKNOWN)) {
      tokens.error(
          tokens.peek(),
          "expected an operator or the end of the statement, found " + tokens.peek().found(),
          "write one statement, with + - or * between operands");
    }
    return Optional.of(new Statement(target, mask, assignment, value));
  }

  private Statement.Assignment assignment() {
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
        return Statement.Assignment.ASSIGN;
    }
  }
}
