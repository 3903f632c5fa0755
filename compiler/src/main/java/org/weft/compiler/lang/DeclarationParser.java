package org.weft.compiler.lang;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.lang.Token.Kind;
import org.weft.error.WeftException;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.ValueType;
import org.weft.tensor.level.LevelFormats;

/**
 * Parser of declarations.
 *
 * <pre>
 * labels    = "IndexLabel" ( "[" name { "," name } "]" | name ) [ "=" "[" range "]" ]
 * range     = "?" | number | number ":" ( "?" | number ) [ ":" number ]
 * tensor    = "Tensor" "&lt;" type "&gt;" name "(" "[" [ mode { "," mode } ] "]" "," format ")"
 * mode      = name | number | "?"
 * format    = what {@link TensorFormat#parse} reads; a name may stand in braces
 * </pre>
 */
final class DeclarationParser {
  private static final int MOST_MODES = 64;

  private final TokenCursor tokens;
  private final ExpressionParser expressions;

  DeclarationParser(TokenCursor tokens) {
    this.tokens = tokens;
    this.expressions = new ExpressionParser(tokens);
  }

  /** The declaration at {@code IndexLabel}; null after an error. */
  Program.@Nullable LabelDeclaration labels() {
    String advice = "write IndexLabel [i, j] = [32];";
    Token start = tokens.next();
    List<Syntax.Label> labels = new ArrayList<>();
    Token open = tokens.peek();
    Token end = open;
    if (tokens.accept(Kind.LEFT_BRACKET)) {
      do {
        Token name = tokens.peek();
        if (!tokens.accept(Kind.NAME)) {
          tokens.error(name, "expected the name of a label, found " + name.found(), advice);
          return null;
        }
        labels.add(new Syntax.Label(name.text(), name.span()));
      } while (tokens.accept(Kind.COMMA) || tokens.isAt(Kind.NAME));
      end = tokens.close(Kind.RIGHT_BRACKET, open, "close the labels: ");
    } else if (tokens.accept(Kind.NAME)) {
      labels.add(new Syntax.Label(open.text(), open.span()));
    } else {
      tokens.error(open, "expected '[' and labels, found " + open.found(), advice);
      return null;
    }
    SourceSpan span = start.span().through(end.span());
    if (!tokens.accept(Kind.ASSIGN)) {
      Program.LabelRange any = new Program.LabelRange(0, OptionalLong.empty(), 1, false, span);
      return new Program.LabelDeclaration(labels, any, span);
    }
    Program.@Nullable LabelRange range = range();
    return range == null
        ? null
        : new Program.LabelDeclaration(labels, range, start.span().through(range.span()));
  }

  private Program.@Nullable LabelRange range() {
    String advice = "write [?], [32] or [0:100:2]";
    Token open = tokens.peek();
    if (!tokens.accept(Kind.LEFT_BRACKET)) {
      tokens.error(open, "expected '[' before the range, found " + open.found(), advice);
      return null;
    }
    long start = 0;
    OptionalLong end = OptionalLong.empty();
    long step = 1;
    boolean slices = false;
    if (!tokens.accept(Kind.QUESTION)) {
      long first = expressions.integer("the size of the range", advice);
      if (tokens.accept(Kind.COLON)) {
        slices = true;
        start = first;
        if (!tokens.accept(Kind.QUESTION)) {
          end = OptionalLong.of(expressions.integer("the end of the range", advice));
        }
        if (tokens.accept(Kind.COLON)) {
          Token number = tokens.peek();
          step = expressions.integer("the step of the range", advice);
          if (step == 0) {
            tokens.error(number, "expected a step of at least 1, found 0", advice);
            return null;
          }
        }
      } else {
        end = OptionalLong.of(first);
      }
    }
    if (end.isPresent() && end.getAsLong() < start) {
      tokens.error(
          open,
          "the range ends at " + end.getAsLong() + ", before its start " + start,
          "write the smaller number first");
    }
    Token close = tokens.close(Kind.RIGHT_BRACKET, open, advice + "; ");
    boolean whole = start == 0 && step == 1 && end.isEmpty();
    return new Program.LabelRange(
        start, end, step, slices && !whole, open.span().through(close.span()));
  }

  /** The declaration at {@code Tensor}; null after an error. */
  Program.@Nullable TensorDeclaration tensor() {
    String advice = "write Tensor<double> A([i, j], {CSR});";
    Token start = tokens.next();
    ValueType type = valueType(advice);
    Token name = tokens.peek();
    if (!tokens.accept(Kind.NAME)) {
      tokens.error(name, "expected the name of the tensor, found " + name.found(), advice);
      return null;
    }
    Token open = tokens.peek();
    if (!tokens.accept(Kind.LEFT_PARENTHESIS)) {
      tokens.error(open, "expected '(' after " + name.text() + ", found " + open.found(), advice);
      return null;
    }
    @Nullable List<Program.Mode> modes = modes(name, advice);
    if (modes == null) {
      return null;
    }
    if (!tokens.accept(Kind.COMMA)) {
      tokens.error(
          tokens.peek(),
          "expected ',' and the format of " + name.text() + ", found " + tokens.peek().found(),
          advice);
      return null;
    }
    @Nullable String format = format(modes.size(), type);
    if (format == null) {
      return null;
    }
    Token end = tokens.close(Kind.RIGHT_PARENTHESIS, open, "close the declaration: ");
    return new Program.TensorDeclaration(
        new Syntax.Label(name.text(), name.span()),
        type,
        modes,
        format,
        start.span().through(end.span()));
  }

  private ValueType valueType(String advice) {
    Token open = tokens.peek();
    if (!tokens.accept(Kind.LESS)) {
      tokens.error(open, "expected '<' and the element type, found " + open.found(), advice);
      return ValueType.DOUBLE;
    }
    Token name = tokens.peek();
    ValueType found = ValueType.DOUBLE;
    boolean known = false;
    for (ValueType type : ValueType.values()) {
      if (type.keyword().equals(name.text())) {
        found = type;
        known = true;
      }
    }
    if (!known) {
      tokens.error(
          name,
          "expected an element type, found " + name.found(),
          "element types are double, float, int and long");
    }
    if (name.kind() == Kind.NAME) {
      tokens.next();
    }
    tokens.close(Kind.GREATER, open, "close the element type: ");
    return found;
  }

  private @Nullable List<Program.Mode> modes(Token name, String advice) {
    Token open = tokens.peek();
    if (!tokens.accept(Kind.LEFT_BRACKET)) {
      tokens.error(
          open,
          "expected '[' and the labels of " + name.text() + ", found " + open.found(),
          advice);
      return null;
    }
    List<Program.Mode> modes = new ArrayList<>();
    while (!tokens.isAt(Kind.RIGHT_BRACKET)) {
      Token token = tokens.peek();
      if (tokens.accept(Kind.NAME)) {
        modes.add(new Program.LabelledMode(new Syntax.Label(token.text(), token.span())));
      } else if (tokens.accept(Kind.QUESTION)) {
        modes.add(new Program.OpenMode(token.span()));
      } else if (token.kind() == Kind.NUMBER) {
        modes.add(new Program.SizedMode(expressions.integer("a mode size", advice), token.span()));
      } else {
        break;
      }
      if (modes.size() > MOST_MODES) {
        tokens.error(token, "a tensor has at most " + MOST_MODES + " modes", "");
        return null;
      }
      if (!tokens.accept(Kind.COMMA)) {
        break;
      }
    }
    tokens.close(Kind.RIGHT_BRACKET, open, "close the labels of " + name.text() + ": ");
    return modes;
  }

  /** The format: the text up to the parenthesis that closes the declaration. */
  private @Nullable String format(int order, ValueType type) {
    Token first = tokens.peek();
    Token last = first;
    int depth = 0;
    while (true) {
      Kind kind = tokens.peek().kind();
      if (kind == Kind.END
          || kind == Kind.SEMICOLON
          || (kind == Kind.RIGHT_PARENTHESIS && depth == 0)) {
        break;
      }
      depth += kind == Kind.LEFT_PARENTHESIS ? 1 : kind == Kind.RIGHT_PARENTHESIS ? -1 : 0;
      last = tokens.next();
    }
    if (tokens.peek() == first) {
      tokens.error(
          first, "expected a format, found " + first.found(), "write {CSR}, or levels: {D, CU}");
      return null;
    }
    SourceSpan span = first.span().through(last.span());
    try {
      String text = formatText(span.text());
      TensorFormat.parse(text, order, type);
      return text;
    } catch (WeftException e) {
      String message = e.getMessage() == null ? "bad format" : e.getMessage();
      tokens.error(
          new Token(Kind.NAME, span),
          message,
          "write a name such as CSR, or one level per mode such as {D, CU}");
      return null;
    }
  }

  /** {@code {CSR}} and {@code {CSF@2,0,1}} are names in braces; {@code {D, CU}} is a list. */
  private static String formatText(String written) {
    String text = written.replaceAll("#[^\n]*", " ").strip();
    int close = text.indexOf('}');
    if (!text.startsWith("{") || close < 0) {
      return text;
    }
    String inner = text.substring(1, close).strip();
    String name = inner.replaceAll("(?s)[@(\\[?:].*", "").strip();
    boolean named = !name.isEmpty() && !name.contains(",") && !isLevel(name);
    return named ? inner + text.substring(close + 1) : text;
  }

  private static boolean isLevel(String symbol) {
    return LevelFormats.all().stream().anyMatch(format -> format.symbol().equals(symbol));
  }
}
