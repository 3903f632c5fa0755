package org.weft.compiler.lang;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/** Collects the diagnostics of one compilation, so that one run reports all errors. */
public final class Diagnostics {
  private static final int MOST_ERRORS = 100;

  private final List<Diagnostic> list = new ArrayList<>();

  public void error(SourceSpan span, String message, String advice) {
    if (errors() < MOST_ERRORS) {
      list.add(new Diagnostic(Diagnostic.Severity.ERROR, span, message, advice));
    }
  }

  public void warning(SourceSpan span, String message, String advice) {
    list.add(new Diagnostic(Diagnostic.Severity.WARNING, span, message, advice));
  }

  public List<Diagnostic> list() {
    return List.copyOf(list);
  }

  public boolean hasErrors() {
    return errors() > 0;
  }

  private long errors() {
    return list.stream().filter(d -> d.severity() == Diagnostic.Severity.ERROR).count();
  }

  /** All messages, in the order of the source. */
  public String render() {
    return list.stream()
        .sorted((a, b) -> Integer.compare(a.span().offset(), b.span().offset()))
        .map(Diagnostic::render)
        .collect(Collectors.joining("\n"));
  }

  /** Throws when there is an error; the exception's message is {@link #render()}. */
  public void throwIfErrors() {
    if (hasErrors()) {
      throw new WeftException(ErrorCode.INVALID_EXPRESSION, render());
    }
  }
}
