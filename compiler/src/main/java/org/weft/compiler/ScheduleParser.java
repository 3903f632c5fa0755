package org.weft.compiler;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.weft.compiler.lang.Diagnostic;
import org.weft.compiler.lang.SourceSpan;
import org.weft.compiler.lang.SourceText;
import org.weft.compiler.llvm.Target;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.runtime.CpuFeatures;

/**
 * The text form of a schedule:
 *
 * <pre>
 * schedule  = "sequential" | { directive }
 * directive = "parallel" | name "(" argument { ("," | ":") argument } ")"
 * argument  = loop | label | number | word
 * loop      = label [ ( "/" | "%" ) number ]
 * </pre>
 *
 * <p>{@code r/16} and {@code r%16} are the loops over the blocks of 16 and within one, where a
 * format stores blocks of {@code r}.
 *
 * <p>Blanks may stand anywhere between tokens.
 */
final class ScheduleParser {
  private static final Pattern TOKEN =
      Pattern.compile("\\s*([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[(),:]|\\S)");
  private static final Pattern LABEL = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
  private static final String FORMS =
      "a schedule is made of order(i,j,..), split(i:position:1024), split(i:coordinate:64),"
          + " parallel(i), unroll(k,4), vector(k), prefetch(k:24), workspace(j:dense|hashed)"
          + ", gemm(i) or gemm(i:24:8:256:240:4096), and around(b) with gemm,"
          + " with spaces between them";

  private record Token(String text, int offset) {}

  private final SourceText source;
  private final List<Token> tokens = new ArrayList<>();
  private int next;

  ScheduleParser(String text) {
    source = new SourceText("schedule", text);
    Matcher matcher = TOKEN.matcher(text);
    while (matcher.find()) {
      tokens.add(new Token(matcher.group(1), matcher.start(1)));
    }
  }

  Schedule parse() {
    List<Directive> directives = new ArrayList<>();
    boolean sequential = tokens.size() == 1 && peek().equals(Schedule.SEQUENTIAL);
    while (!sequential && next < tokens.size()) {
      int start = next;
      try {
        directives.add(directive());
        directives = new ArrayList<>(new Schedule(directives).directives());
      } catch (IllegalArgumentException e) {
        throw error(tokens.get(start), String.valueOf(e.getMessage()), "");
      }
    }
    return new Schedule(directives);
  }

  private Directive directive() {
    Token name = take();
    return switch (name.text()) {
      case "order" -> new Directive.Order(loops());
      case "split" -> split();
      case "unroll" -> unroll();
      case "vector" -> new Directive.Vector(only());
      case "parallel" ->
          peek().equals("(") ? new Directive.Parallel(only()) : new Directive.ParallelOutermost();
      case "prefetch" -> prefetch();
      case "workspace" -> workspace();
      case "gemm" -> gemm();
      case "around" -> new Directive.Around(loops());
      default ->
          throw error(
              name,
              "expected order, split, unroll, vector, parallel, prefetch, workspace, gemm or around,"
                  + " found '"
                  + name.text()
                  + "'",
              FORMS);
    };
  }

  private List<String> loops() {
    List<String> variables = new ArrayList<>();
    expect("(");
    addLoop(variables);
    while (peek().equals(",")) {
      next++;
      addLoop(variables);
    }
    expect(")");
    return variables;
  }

  private void addLoop(List<String> variables) {
    int at = next;
    String loop = loop();
    if (variables.contains(loop)) {
      throw error(tokens.get(at), "expected each loop once, found '" + loop + "' twice", FORMS);
    }
    variables.add(loop);
  }

  private Directive split() {
    expect("(");
    String variable = label();
    separator();
    Directive.SplitBy by = word(Directive.SplitBy.values());
    separator();
    long factor = number();
    expect(")");
    return new Directive.Split(variable, by, factor);
  }

  private Directive unroll() {
    expect("(");
    String variable = label();
    separator();
    int copies = count();
    expect(")");
    return new Directive.Unroll(variable, copies);
  }

  private Directive prefetch() {
    expect("(");
    String variable = label();
    separator();
    int distance = count();
    expect(")");
    return new Directive.Prefetch(variable, distance);
  }

  private Directive workspace() {
    expect("(");
    String variable = label();
    separator();
    Directive.WorkspaceKind kind = word(Directive.WorkspaceKind.values());
    expect(")");
    return new Directive.Workspace(variable, kind);
  }

  /** Without numbers, the blocks are those for doubles on this machine. */
  private Directive gemm() {
    expect("(");
    String variable = label();
    long[] sizes = new long[5];
    boolean given = !peek().equals(")");
    for (int at = 0; given && at < sizes.length; at++) {
      separator();
      sizes[at] = number();
    }
    expect(")");
    GemmTiles tiles =
        given
            ? new GemmTiles(sizes[0], sizes[1], sizes[2], sizes[3], sizes[4])
            : GemmTiles.of(Target.bitsOf(CpuFeatures.level()), Double.BYTES);
    return new Directive.Gemm(variable, tiles);
  }

  private String only() {
    expect("(");
    String variable = label();
    expect(")");
    return variable;
  }

  private String peek() {
    return next < tokens.size() ? tokens.get(next).text() : "";
  }

  private Token take() {
    Token token =
        next < tokens.size()
            ? tokens.get(next)
            : new Token("", source.text().stripTrailing().length());
    next++;
    return token;
  }

  private void expect(String text) {
    Token token = take();
    if (!token.text().equals(text)) {
      throw error(token, "expected '" + text + "', found " + found(token), FORMS);
    }
  }

  private void separator() {
    Token token = take();
    if (!token.text().equals(",") && !token.text().equals(":")) {
      throw error(token, "expected ':', found " + found(token), FORMS);
    }
  }

  private String label() {
    Token token = take();
    if (!LABEL.matcher(token.text()).matches()) {
      throw error(token, "expected the label of a loop, found " + found(token), FORMS);
    }
    return token.text();
  }

  /** A label, or the loop over its blocks or within one. */
  private String loop() {
    String label = label();
    if (!peek().equals("/") && !peek().equals("%")) {
      return label;
    }
    return label + take().text() + number();
  }

  private long number() {
    Token token = take();
    try {
      return Long.parseLong(token.text());
    } catch (NumberFormatException e) {
      throw error(token, "expected a whole number below 2^63, found " + found(token), FORMS);
    }
  }

  private int count() {
    int at = next;
    long number = number();
    if (number > Integer.MAX_VALUE) {
      Token token = tokens.get(at);
      throw error(token, "expected a whole number below 2^31, found " + found(token), FORMS);
    }
    return (int) number;
  }

  private <T extends Enum<T>> T word(T[] words) {
    Token token = take();
    for (T word : words) {
      if (token.text().toLowerCase(Locale.ROOT).equals(word.toString())) {
        return word;
      }
    }
    throw error(
        token, "expected " + words[0] + " or " + words[1] + ", found " + found(token), FORMS);
  }

  private static String found(Token token) {
    return token.text().isEmpty() ? "the end of the schedule" : "'" + token.text() + "'";
  }

  private WeftException error(Token token, String message, String advice) {
    SourceSpan span = new SourceSpan(source, token.offset(), token.text().length());
    Diagnostic diagnostic = new Diagnostic(Diagnostic.Severity.ERROR, span, message, advice);
    return new WeftException(ErrorCode.INVALID_SCHEDULE, diagnostic.render());
  }
}
