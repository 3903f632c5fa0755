package org.weft.compiler.lang;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.lang.Token.Kind;

/**
 * Parser of calls in programs.
 *
 * <pre>
 * reading   = "comet_read" "(" number [ "," number ] ")" | "read" "(" text ")" | "random" "(" ")"
 * call      = "print" "(" expression ")" | "write" "(" access "," text ")"
 *           | "printElapsedTime" "(" expression "," expression ")" | name "(" ")"
 * </pre>
 */
record CallParser(TokenCursor tokens, ExpressionParser expressions) {
  /** What fills a whole tensor from outside; empty when the right side is an expression. */
  Optional<Program.Step> reading(Syntax.Access target) {
    Token name = tokens.peek();
    switch (name.text()) {
      case "comet_read", "read_from_file":
        tokens.next();
        return Optional.of(numbered(name, target));
      case "read":
        {
          tokens.next();
          Token open = tokens.next();
          @Nullable String uri = text("write read(\"file.tns\")");
          if (uri == null) {
            return Optional.of(new Program.ReadUri(target, "", target.span()));
          }
          Token end = tokens.close(Kind.RIGHT_PARENTHESIS, open, "close the call: ");
          return Optional.of(new Program.ReadUri(target, uri, target.span().through(end.span())));
        }
      case "random":
        {
          tokens.next();
          Token open = tokens.next();
          Token end = tokens.close(Kind.RIGHT_PARENTHESIS, open, "random has no arguments: ");
          return Optional.of(new Program.FillRandom(target, target.span().through(end.span())));
        }
      default:
        if (tokens.peek(2).kind() != Kind.STRING) {
          return Optional.empty();
        }
        tokens.error(
            name,
            "there is no function " + name.text() + " of a file",
            "write read(\"file.tns\"), or comet_read(0) for the file of SPARSE_FILE_NAME0");
        return Optional.of(new Program.ReadUri(target, "", target.span()));
    }
  }

  private Program.Step numbered(Token name, Syntax.Access target) {
    Token open = tokens.next();
    String advice = "write " + name.text() + "(0), or " + name.text() + "(0, 2)";
    long file =
        tokens.isAt(Kind.RIGHT_PARENTHESIS)
            ? 0
            : expressions.integer("the number of the file", advice);
    Program.MatrixPart part = Program.MatrixPart.ALL;
    if (tokens.accept(Kind.COMMA)) {
      Token number = tokens.peek();
      long m = expressions.integer("the part of the matrix", advice);
      Program.MatrixPart[] parts = Program.MatrixPart.values();
      if (m < 1 || m > parts.length) {
        tokens.error(
            number,
            "expected a part of 1 to " + parts.length + ", found " + number.text(),
            "1 all, 2 strictly lower, 3 lower, 4 strictly upper, 5 upper triangle");
      } else {
        part = parts[(int) m - 1];
      }
    }
    Token end = tokens.close(Kind.RIGHT_PARENTHESIS, open, "close the call: ");
    return new Program.ReadNumbered(
        target, (int) Math.min(file, Integer.MAX_VALUE), part, target.span().through(end.span()));
  }

  /** The call whose name comes next; null after an error. */
  Program.@Nullable Step call() {
    Token name = tokens.next();
    Token open = tokens.next();
    switch (name.text()) {
      case "print":
        {
          Syntax value = expressions.expression();
          Token end = tokens.close(Kind.RIGHT_PARENTHESIS, open, "print one tensor or scalar: ");
          return new Program.Print(value, name.span().through(end.span()));
        }
      case "printElapsedTime":
        {
          Syntax from = expressions.expression();
          if (!tokens.accept(Kind.COMMA)) {
            tokens.error(
                tokens.peek(),
                "expected ',' and the end of the interval, found " + tokens.peek().found(),
                "write printElapsedTime(t0, t1) with t0 and t1 from getTime()");
            return null;
          }
          Syntax to = expressions.expression();
          Token end = tokens.close(Kind.RIGHT_PARENTHESIS, open, "close the call: ");
          return new Program.PrintElapsed(from, to, name.span().through(end.span()));
        }
      case "write":
        return write(name, open);
      default:
        return other(name, open);
    }
  }

  private Program.@Nullable Step write(Token name, Token open) {
    String advice = "write write(A, \"file.tns\")";
    Token tensor = tokens.peek();
    if (!tokens.accept(Kind.NAME)) {
      tokens.error(tensor, "expected the tensor to write, found " + tensor.found(), advice);
      return null;
    }
    Syntax.Access access = expressions.access(tensor);
    @Nullable String uri =
        tokens.expect(Kind.COMMA, "after the tensor to write", advice).kind() == Kind.COMMA
            ? text(advice)
            : null;
    if (uri == null) {
      return null;
    }
    Token end = tokens.close(Kind.RIGHT_PARENTHESIS, open, "close the call: ");
    return new Program.Write(access, uri, name.span().through(end.span()));
  }

  /** A call of a function of the program, or an assignment whose target is in parentheses. */
  private Program.@Nullable Step other(Token name, Token open) {
    if (tokens.accept(Kind.RIGHT_PARENTHESIS)) {
      return new Program.CallFunction(new Syntax.Label(name.text(), name.span()), name.span());
    }
    tokens.error(
        name,
        "expected print, printElapsedTime, write or a function without arguments, found '"
            + name.text()
            + "'",
        "in programs the labels of a tensor stand in brackets: " + name.text() + "[i,j]");
    return null;
  }

  private @Nullable String text(String advice) {
    Token token = tokens.peek();
    if (tokens.accept(Kind.STRING)) {
      return token.text().substring(1, token.text().length() - 1);
    }
    if (token.kind() != Kind.UNKNOWN) {
      tokens.error(token, "expected a path in quotes, found " + token.found(), advice);
    }
    return null;
  }
}
