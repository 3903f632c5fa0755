package org.weft.compiler.lang;

import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.lang.Token.Kind;

/** A place in a list of tokens, with the steps and errors that every grammar needs. */
final class TokenCursor {
  private final List<Token> tokens;
  private final Diagnostics diagnostics;

  /** Opening brackets that are closed in their statement and have others between. */
  private final BitSet nesting;

  private int at;

  /** Where the cursor went when it gave up; -1 as long as it has not. */
  private int resumed = -1;

  /** The token of the last error: what else is wrong there would only follow from it. */
  private @Nullable Token blamed;

  private int errors;

  TokenCursor(SourceText source, Diagnostics diagnostics) {
    this.tokens = Lexer.tokens(source, diagnostics);
    this.diagnostics = diagnostics;
    this.nesting = nesting(tokens);
  }

  /** One pass for all brackets: deep nesting would make a search from each one quadratic. */
  private static BitSet nesting(List<Token> tokens) {
    BitSet nesting = new BitSet();
    BitSet parents = new BitSet();
    Deque<Integer> open = new ArrayDeque<>();
    for (int t = 0; t < tokens.size(); t++) {
      switch (tokens.get(t).kind()) {
        case LEFT_PARENTHESIS, LEFT_BRACKET -> {
          if (!open.isEmpty()) {
            parents.set(open.peek());
          }
          open.push(t);
        }
        case RIGHT_PARENTHESIS, RIGHT_BRACKET -> {
          if (!open.isEmpty()) {
            int opened = open.pop();
            nesting.set(opened, parents.get(opened));
          }
        }
        case SEMICOLON, ASSIGN -> open.clear();
        default -> {}
      }
    }
    return nesting;
  }

  /** Whether what the next token, a bracket, encloses has brackets of its own. */
  boolean nests() {
    return nesting.get(at);
  }

  Token peek() {
    return tokens.get(at);
  }

  boolean isAt(Kind kind) {
    return peek().kind() == kind;
  }

  /** The token {@code distance} after the next one; the last token if there are not so many. */
  Token peek(int distance) {
    return tokens.get(Math.min(at + distance, tokens.size() - 1));
  }

  /** Takes the next token; the last one, {@link Kind#END}, is never passed. */
  Token next() {
    Token token = tokens.get(at);
    if (at < tokens.size() - 1) {
      at++;
    }
    return token;
  }

  /** Takes the next token if it is a {@code kind}. */
  boolean accept(Kind kind) {
    if (isAt(kind)) {
      next();
      return true;
    }
    return false;
  }

  /**
   * Leaves out the rest of the statement, whose error has been reported. What the grammar misses
   * there would only follow from it, and is not reported.
   */
  void skipStatement() {
    while (!isAt(Kind.SEMICOLON) && !isAt(Kind.END)) {
      next();
    }
    resumed = at;
  }

  /** As {@link #skipStatement}, all of the rest. */
  void skipToEnd() {
    at = tokens.size() - 1;
    resumed = at;
  }

  void error(Token token, String message, String advice) {
    if (at != resumed) {
      errors++;
      if (token.kind() != Kind.UNKNOWN && !token.equals(blamed)) { // the lexer reports unknown ones
        diagnostics.error(token.span(), message, advice);
      }
      blamed = token;
    }
  }

  /** How often {@link #error} was called. */
  int errors() {
    return errors;
  }

  /** The token before the next one; the first token has none. */
  Optional<Token> previous() {
    return at == 0 ? Optional.empty() : Optional.of(tokens.get(at - 1));
  }

  /** Takes a {@code kind}; reports it if it is missing. */
  Token expect(Kind kind, String where, String advice) {
    if (!isAt(kind)) {
      error(peek(), "expected " + kind.text() + " " + where + ", found " + peek().found(), advice);
      return peek();
    }
    return next();
  }

  /** Takes the bracket that closes {@code open}; reports it if it is missing. */
  Token close(Kind kind, Token open, String advice) {
    if (isAt(kind)) {
      return next();
    }
    error(
        peek(),
        "expected " + kind.text() + ", found " + peek().found(),
        advice + "it was opened at " + open.span());
    boolean otherBracket =
        switch (peek().kind()) {
          case RIGHT_PARENTHESIS, RIGHT_BRACKET, RIGHT_BRACE, GREATER -> true;
          default -> false;
        };
    return otherBracket ? next() : peek();
  }
}
