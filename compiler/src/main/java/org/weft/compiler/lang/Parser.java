package org.weft.compiler.lang;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
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
    if (!diagnostics.hasErrors()) {
      statement.ifPresent(s -> requireTensors(s, diagnostics));
    }
    return diagnostics.hasErrors() ? Optional.empty() : statement;
  }

  /** Reports labels that stand where a tensor has to. */
  private static void requireTensors(Statement statement, Diagnostics diagnostics) {
    List<Syntax> all = new ArrayList<>(List.of(statement.target(), statement.value()));
    for (int at = 0; at < all.size(); at++) {
      all.addAll(all.get(at).children());
    }
    Set<String> labels = new HashSet<>();
    for (Syntax part : all) {
      if (part instanceof Syntax.Access access) {
        access.labels().forEach(label -> labels.add(label.name()));
      }
    }
    for (Syntax part : all.subList(1, all.size())) {
      if (part instanceof Syntax.Access access
          && access.labels().isEmpty()
          && labels.contains(access.tensor())) {
        diagnostics.error(
            access.span(),
            "expected a tensor, found the label " + access.tensor(),
            "a label has no value: use a tensor that holds the coordinates, or give a scalar a"
                + " name that no label has");
      }
    }
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
    if (assignment == null) {
      return Optional.empty();
    }
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
