package org.weft.compiler.lang;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.lang.Token.Kind;

/**
 * Recursive-descent parser of the program form.
 *
 * <pre>
 * program   = { "def" name "(" ")" "{" { step ";" } "}" }
 * step      = declaration | assignment | variable | call | loop
 * variable  = [ "var" ] name ( "=" | "+=" | "-=" ) ( expression | "getTime" "(" ")" )
 * assignment = access [ mask ] ( "=" | "+=" | "-=" ) ( expression | reading )
 * loop      = "for" name "in" "range" "(" number [ "," number [ "," number ] ] ")" ":"
 *             { step ";" } "end"
 * </pre>
 *
 * <p>{@link DeclarationParser} has the declarations, {@link CallParser} calls and readings, {@link
 * ExpressionParser} the expressions. After an error the parser goes on behind the next {@code ;},
 * or on the next line where only the {@code ;} is missing, so that one run reports the errors of
 * all steps.
 */
public final class ProgramParser {
  private static final int DEEPEST_LOOPS = 20;
  private static final Set<String> STEP_WORDS =
      Set.of("IndexLabel", "Tensor", "var", "print", "for", "def", "printElapsedTime");

  private final SourceText source;
  private final Diagnostics diagnostics;
  private final TokenCursor tokens;
  private final ExpressionParser expressions;
  private final DeclarationParser declarations;
  private final CallParser calls;
  private int loops;
  private Program.Missing missing = Program.Missing.NOTHING;

  private ProgramParser(SourceText source, Diagnostics diagnostics) {
    this.source = source;
    this.diagnostics = diagnostics;
    this.tokens = new TokenCursor(source, diagnostics);
    this.expressions = new ExpressionParser(tokens);
    this.declarations = new DeclarationParser(tokens);
    this.calls = new CallParser(tokens, expressions);
  }

  /**
   * Parses a program. Steps with errors are left out; {@code diagnostics} has all that could be
   * found.
   */
  public static Program parse(SourceText source, Diagnostics diagnostics) {
    return new ProgramParser(source, diagnostics).program();
  }

  private Program program() {
    List<Program.Function> functions = new ArrayList<>();
    Token first = tokens.peek();
    while (!tokens.isAt(Kind.END)) {
      if (isWord("def")) {
        functions.add(function());
      } else {
        tokens.error(
            tokens.peek(),
            "expected 'def', found " + tokens.peek().found(),
            "a program is def main() { ... }");
        missing = Program.Missing.DECLARATIONS;
        skipToFunction();
      }
    }
    Program program = new Program(source, functions, missing);
    if (program.function("main").isEmpty() && !diagnostics.hasErrors()) {
      tokens.error(
          first, "expected a function main, found none", "a program is def main() { ... }");
    }
    return program;
  }

  private void skipToFunction() {
    do {
      tokens.next();
    } while (!tokens.isAt(Kind.END) && !isWord("def"));
  }

  private Program.Function function() {
    tokens.next();
    String advice = "write def main() { ... }";
    Token name = tokens.peek();
    if (!tokens.accept(Kind.NAME)) {
      tokens.error(name, "expected the name of the function, found " + name.found(), advice);
    }
    Token open = tokens.expect(Kind.LEFT_PARENTHESIS, "after the name of the function", advice);
    if (open.kind() == Kind.LEFT_PARENTHESIS && !tokens.accept(Kind.RIGHT_PARENTHESIS)) {
      tokens.error(
          tokens.peek(),
          "expected ')', found " + tokens.peek().found(),
          "functions of a program have no arguments: " + advice);
      while (!tokens.isAt(Kind.LEFT_BRACE) && !tokens.isAt(Kind.END) && !isWord("def")) {
        tokens.next();
      }
    }
    Token brace = tokens.expect(Kind.LEFT_BRACE, "before the steps of the function", advice);
    List<Program.Step> steps = new ArrayList<>();
    steps(steps, false);
    if (!tokens.accept(Kind.RIGHT_BRACE)) {
      tokens.error(
          tokens.peek(),
          "expected '}', found " + tokens.peek().found(),
          "close the function: it was opened at " + brace.span());
      if (isWord("end")) {
        tokens.next();
      }
    }
    return new Program.Function(new Syntax.Label(name.text(), name.span()), steps);
  }

  /** The steps up to a closing brace, or in a loop up to {@code end}. */
  private void steps(List<Program.Step> steps, boolean inLoop) {
    while (true) {
      while (tokens.accept(Kind.SEMICOLON)) {}
      if (tokens.isAt(Kind.END)
          || tokens.isAt(Kind.RIGHT_BRACE)
          || isWord("def")
          || (inLoop && isWord("end"))) {
        return;
      }
      int errors = tokens.errors();
      Token first = tokens.peek();
      Program.@Nullable Step step = step();
      boolean failed = tokens.errors() > errors;
      if (step != null && !failed) {
        steps.add(step);
      }
      if (failed) {
        miss(first);
      }
      if (isWord(first, "for")) {
        continue;
      }
      if (failed) {
        recover(first);
      } else {
        semicolon();
      }
    }
  }

  /** Notes that the step which begins with {@code first} is left out. */
  private void miss(Token first) {
    boolean declares =
        isWord(first, "IndexLabel") || isWord(first, "Tensor") || isWord(first, "var");
    if (declares) {
      missing = Program.Missing.DECLARATIONS;
    } else if (missing == Program.Missing.NOTHING) {
      missing = Program.Missing.STATEMENTS;
    }
  }

  private void semicolon() {
    if (tokens.accept(Kind.SEMICOLON)) {
      return;
    }
    Token found = tokens.peek();
    boolean ends =
        found.kind() == Kind.END || found.kind() == Kind.RIGHT_BRACE || isStepWord(found);
    String advice =
        ends
            ? "end every step with ';'"
            : "end every step with ';', or write an operator between operands";
    Optional<Token> last = tokens.previous().filter(token -> endsLine(token, found));
    if (last.isPresent()) {
      SourceSpan end = last.get().span();
      Token behind =
          new Token(Kind.SEMICOLON, new SourceSpan(source, end.offset() + end.length(), 1));
      tokens.error(behind, "expected ';' after the step, found the end of the line", advice);
    } else if (found.kind() != Kind.UNKNOWN) {
      tokens.error(found, "expected ';' after the step, found " + found.found(), advice);
    }
    if (last.isEmpty()) {
      recover(found);
    }
  }

  /** Whether {@code next}, which can begin a step, is on a line below {@code token}. */
  private boolean endsLine(Token token, Token next) {
    return next.kind() == Kind.NAME
        && source.line(token.span().offset()) < source.line(next.span().offset());
  }

  /** Goes behind the next semicolon, or to what can only begin a step or end a function. */
  private void recover(Token first) {
    while (!tokens.isAt(Kind.END) && !tokens.isAt(Kind.RIGHT_BRACE)) {
      if (tokens.accept(Kind.SEMICOLON)) {
        return;
      }
      if (tokens.peek() != first && isStepWord(tokens.peek())) {
        return;
      }
      tokens.next();
    }
    if (tokens.isAt(Kind.RIGHT_BRACE) && !endsFunction()) {
      tokens.next();
      recover(first);
    }
  }

  /** Whether the brace here closes a function rather than a list inside a broken step. */
  private boolean endsFunction() {
    Token after = tokens.peek(1);
    return after.kind() == Kind.END || isWord(after, "def") || !isListEnd(after.kind());
  }

  private static boolean isListEnd(Kind kind) {
    return switch (kind) {
      case RIGHT_PARENTHESIS, RIGHT_BRACKET, SEMICOLON, COMMA -> true;
      default -> false;
    };
  }

  private boolean isStepWord(Token token) {
    return token.kind() == Kind.NAME && STEP_WORDS.contains(token.text());
  }

  private boolean isWord(String word) {
    return isWord(tokens.peek(), word);
  }

  private static boolean isWord(Token token, String word) {
    return token.kind() == Kind.NAME && token.text().equals(word);
  }

  private Program.@Nullable Step step() {
    Token first = tokens.peek();
    if (first.kind() != Kind.NAME) {
      tokens.error(
          first,
          "expected a step, found " + first.found(),
          "a step declares labels, a tensor or a variable, assigns, or calls print");
      return null;
    }
    boolean call = tokens.peek(1).kind() == Kind.LEFT_PARENTHESIS;
    return switch (first.text()) {
      case "IndexLabel" -> declarations.labels();
      case "Tensor" -> declarations.tensor();
      case "var" -> {
        tokens.next();
        yield variable(first);
      }
      case "return" -> {
        tokens.next();
        yield new Program.Return(first.span());
      }
      case "for" -> loop();
      default -> call ? calls.call() : assignment();
    };
  }

  private Program.@Nullable Step variable(Token start) {
    String advice = "write var s = SUM(A[i,j]);";
    Token name = tokens.peek();
    if (!tokens.accept(Kind.NAME)) {
      tokens.error(name, "expected the name of the variable, found " + name.found(), advice);
      return null;
    }
    if (!tokens.isAt(Kind.ASSIGN)) {
      tokens.error(
          tokens.peek(),
          "expected '=' after the variable " + name.text() + ", found " + tokens.peek().found(),
          advice);
      return null;
    }
    return scalar(start, name);
  }

  private Program.@Nullable Step scalar(Token start, Token name) {
    Syntax.Label variable = new Syntax.Label(name.text(), name.span());
    Statement.@Nullable Assignment assignment = Parser.assignment(tokens);
    if (assignment == null) {
      return null;
    }
    if (isWord("getTime") && tokens.peek(1).kind() == Kind.LEFT_PARENTHESIS) {
      tokens.next();
      Token open = tokens.next();
      Token end = tokens.close(Kind.RIGHT_PARENTHESIS, open, "getTime has no arguments: ");
      return new Program.ReadClock(variable, start.span().through(end.span()));
    }
    Syntax value = expressions.expression();
    return new Program.AssignScalar(
        variable, assignment, value, start.span().through(value.span()));
  }

  private Program.@Nullable Step assignment() {
    Token name = tokens.next();
    Syntax.Access target = expressions.access(name);
    boolean scalar = target.labels().isEmpty() && target.span().length() == name.span().length();
    if (scalar && !tokens.isAt(Kind.LESS)) {
      return scalar(name, name);
    }
    Token open = tokens.peek();
    @Nullable Mask mask = tokens.accept(Kind.LESS) ? expressions.mask(open, target) : null;
    Statement.@Nullable Assignment assignment = Parser.assignment(tokens);
    if (assignment == null) {
      return null;
    }
    Token source = tokens.peek();
    if (source.kind() == Kind.NAME && tokens.peek(1).kind() == Kind.LEFT_PARENTHESIS) {
      Optional<Program.Step> reading = calls.reading(target);
      if (reading.isPresent()) {
        if (mask != null || assignment != Statement.Assignment.ASSIGN) {
          tokens.error(
              source,
              "expected a plain '=' before " + source.text(),
              "read into a tensor of its own, then combine the two");
        }
        return reading.get();
      }
    }
    Syntax value = expressions.expression();
    return new Program.Assign(
        new Statement(target, mask, assignment, value), target.span().through(value.span()));
  }

  /** A loop; one whose header is wrong is parsed to its end, for the errors of its body. */
  private Program.@Nullable Step loop() {
    Token start = tokens.next();
    Token name = tokens.peek();
    long @Nullable [] bounds = header();
    if (bounds == null) {
      while (!tokens.isAt(Kind.COLON)
          && !tokens.isAt(Kind.SEMICOLON)
          && !tokens.isAt(Kind.RIGHT_BRACE)
          && !tokens.isAt(Kind.END)
          && !isStepWord(tokens.peek())) {
        tokens.next();
      }
    }
    while (tokens.accept(Kind.COLON)) {}
    List<Program.Step> body = new ArrayList<>();
    if (++loops > DEEPEST_LOOPS) {
      tokens.error(
          start,
          "loops are nested more than " + DEEPEST_LOOPS + " deep",
          "move inner loops into functions");
      tokens.skipToEnd();
      return null;
    }
    steps(body, true);
    loops--;
    if (isWord("end")) {
      tokens.next();
    } else {
      tokens.error(
          tokens.peek(),
          "expected 'end', found " + tokens.peek().found(),
          "close the loop: it was opened at " + start.span());
    }
    return bounds == null
        ? null
        : new Program.Loop(
            new Syntax.Label(name.text(), name.span()),
            bounds[0],
            bounds[1],
            bounds[2],
            body,
            start.span());
  }

  /** Start, end and step of the loop whose variable comes next; null after an error. */
  private long @Nullable [] header() {
    String advice = "write for n in range(0, 10): ... end";
    Token name = tokens.peek();
    if (!tokens.accept(Kind.NAME)) {
      tokens.error(name, "expected the name of the loop variable, found " + name.found(), advice);
      return null;
    }
    if (!isWord("in") || !isWord(tokens.peek(1), "range")) {
      tokens.error(tokens.peek(), "expected 'in range', found " + tokens.peek().found(), advice);
      return null;
    }
    tokens.next();
    tokens.next();
    Token open = tokens.expect(Kind.LEFT_PARENTHESIS, "after range", advice);
    int errors = tokens.errors();
    long[] bounds = {0, expressions.integer("the end of the loop", advice), 1};
    if (tokens.accept(Kind.COMMA)) {
      bounds[0] = bounds[1];
      bounds[1] = expressions.integer("the end of the loop", advice);
      if (tokens.accept(Kind.COMMA)) {
        Token step = tokens.peek();
        bounds[2] = expressions.integer("the step of the loop", advice);
        if (bounds[2] == 0 && tokens.errors() == errors) {
          tokens.error(step, "expected a step of at least 1, found 0", advice);
        }
      }
    }
    tokens.close(Kind.RIGHT_PARENTHESIS, open, "close the range: ");
    return tokens.errors() > errors ? null : bounds;
  }
}
