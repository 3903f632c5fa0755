package org.weft.compiler.lang;

import java.util.ArrayList;
import java.util.List;
import org.weft.compiler.lang.Token.Kind;

/**
 * Splits source text into tokens. Blank space separates tokens and {@code #} starts a comment to
 * the end of the line. Characters that start no token are reported once per run of them.
 */
final class Lexer {
  private final SourceText source;
  private final String text;
  private final Diagnostics diagnostics;
  private final List<Token> tokens = new ArrayList<>();
  private int at;

  private Lexer(SourceText source, Diagnostics diagnostics) {
    this.source = source;
    this.text = source.text();
    this.diagnostics = diagnostics;
  }

  /** The tokens of {@code source}; the last one is {@link Kind#END}. */
  static List<Token> tokens(SourceText source, Diagnostics diagnostics) {
    Lexer lexer = new Lexer(source, diagnostics);
    lexer.run();
    return lexer.tokens;
  }

  private void run() {
    while (at < text.length()) {
      char c = text.charAt(at);
      if (Character.isWhitespace(c)) {
        at++;
      } else if (c == '#') {
        int end = text.indexOf('\n', at);
        at = end < 0 ? text.length() : end;
      } else if (isLetter(c)) {
        take(Kind.NAME, nameEnd());
      } else if (isDigit(c) || c == '.' && at + 1 < text.length() && isDigit(text.charAt(at + 1))) {
        number();
      } else {
        symbol(c);
      }
    }
    tokens.add(new Token(Kind.END, new SourceSpan(source, endOfText(), 0)));
  }

  /** The end is shown after the last token, not on an empty last line. */
  private int endOfText() {
    if (tokens.isEmpty()) {
      return text.length();
    }
    SourceSpan last = tokens.get(tokens.size() - 1).span();
    return last.offset() + last.length();
  }

  private void symbol(char c) {
    boolean equals = follows('=');
    switch (c) {
      case '(' -> take(Kind.LEFT_PARENTHESIS, at + 1);
      case ')' -> take(Kind.RIGHT_PARENTHESIS, at + 1);
      case '[' -> take(Kind.LEFT_BRACKET, at + 1);
      case ']' -> take(Kind.RIGHT_BRACKET, at + 1);
      case '{' -> take(Kind.LEFT_BRACE, at + 1);
      case '}' -> take(Kind.RIGHT_BRACE, at + 1);
      case '<' -> take(Kind.LESS, at + 1);
      case '>' -> take(Kind.GREATER, at + 1);
      case ':' -> take(Kind.COLON, at + 1);
      case '?' -> take(Kind.QUESTION, at + 1);
      case '@' -> take(Kind.AT, at + 1);
      case '|' -> take(Kind.PIPE, at + 1);
      case '&' -> take(Kind.AMPERSAND, at + 1);
      case '/' -> take(Kind.SLASH, at + 1);
      case '%' -> take(Kind.PERCENT, at + 1);
      case '"' -> string();
      case ',' -> take(Kind.COMMA, at + 1);
      case ';' -> take(Kind.SEMICOLON, at + 1);
      case '=' -> take(Kind.ASSIGN, at + 1);
      case '+' -> take(equals ? Kind.PLUS_ASSIGN : Kind.PLUS, at + (equals ? 2 : 1));
      case '-' -> take(equals ? Kind.MINUS_ASSIGN : Kind.MINUS, at + (equals ? 2 : 1));
      case '*' -> take(Kind.STAR, at + 1);
      case '!' -> take(Kind.NOT, at + 1);
      default -> {
        if (c == '.' && follows('*')) {
          take(Kind.DOT_STAR, at + 2);
        } else {
          unknown();
        }
      }
    }
  }

  private boolean follows(char next) {
    return at + 1 < text.length() && text.charAt(at + 1) == next;
  }

  private void unknown() {
    int end = at + 1;
    while (end < text.length() && isUnknown(text.charAt(end))) {
      end++;
    }
    SourceSpan span = new SourceSpan(source, at, end - at);
    diagnostics.error(
        span,
        "unexpected character '" + span.text() + "'",
        "an expression has numbers, names of letters from a to z, and ( ) [ ] { } < > , + - * .* / @( ) =");
    take(Kind.UNKNOWN, end);
  }

  private static boolean isUnknown(char c) {
    return !Character.isWhitespace(c)
        && !isLetter(c)
        && !isDigit(c)
        && "()[]{}<>,;:?=+-*/%.@|&!#\"".indexOf(c) < 0;
  }

  /** A text in double quotes, on one line. */
  private void string() {
    int end = at + 1;
    while (end < text.length() && "\"\n\r".indexOf(text.charAt(end)) < 0) {
      end++;
    }
    if (end < text.length() && text.charAt(end) == '"') {
      take(Kind.STRING, end + 1);
      return;
    }
    diagnostics.error(
        new SourceSpan(source, at, end - at),
        "expected '\"' at the end of the text, found the end of the line",
        "close the text with '\"'");
    take(Kind.UNKNOWN, end);
  }

  private void number() {
    int end = digits(at);
    if (end < text.length() && text.charAt(end) == '.' && !startsAt(end, ".*")) {
      end = digits(end + 1);
    }
    if (end < text.length() && (text.charAt(end) == 'e' || text.charAt(end) == 'E')) {
      int exponent = end + 1;
      if (exponent < text.length() && "+-".indexOf(text.charAt(exponent)) >= 0) {
        exponent++;
      }
      int exponentEnd = digits(exponent);
      if (exponentEnd > exponent) {
        end = exponentEnd;
      }
    }
    take(Kind.NUMBER, end);
  }

  private boolean startsAt(int offset, String expected) {
    return text.startsWith(expected, offset);
  }

  private int digits(int from) {
    int end = from;
    while (end < text.length() && isDigit(text.charAt(end))) {
      end++;
    }
    return end;
  }

  private int nameEnd() {
    int end = at;
    while (end < text.length() && (isLetter(text.charAt(end)) || isDigit(text.charAt(end)))) {
      end++;
    }
    return end;
  }

  private void take(Kind kind, int end) {
    tokens.add(new Token(kind, new SourceSpan(source, at, end - at)));
    at = end;
  }

  private static boolean isLetter(char c) {
    return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_';
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }
}
