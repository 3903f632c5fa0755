package org.weft.jobs.workflow;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/** The mistakes of a workflow file, collected so that all are said at once. */
final class Problems {
  private static final int MOST = 100;

  private final String file;
  private final List<String> lines;
  private final List<Problem> found = new ArrayList<>();

  private record Problem(Position at, String message) {}

  Problems(String file, String text) {
    this.file = file;
    this.lines = text.lines().toList();
  }

  /** Adds a mistake, unless it is there: steps share the values of defaults. */
  void add(Position at, String format, Object... arguments) {
    Problem problem = new Problem(at, String.format(Locale.ROOT, format, arguments));
    if (!found.contains(problem)) {
      found.add(problem);
    }
  }

  boolean isEmpty() {
    return found.isEmpty();
  }

  /**
   * @throws WeftException {@code INVALID_WORKFLOW} with every mistake, in the order of the file
   */
  void check() {
    if (found.isEmpty()) {
      return;
    }
    found.sort(
        java.util.Comparator.comparingInt((Problem p) -> p.at().line())
            .thenComparingInt(p -> p.at().column()));
    StringBuilder text = new StringBuilder();
    for (Problem problem : found.subList(0, Math.min(MOST, found.size()))) {
      text.append(text.isEmpty() ? "" : "\n").append(shown(problem));
    }
    if (found.size() > MOST) {
      text.append("\n").append(found.size() - MOST).append(" more");
    }
    throw new WeftException(ErrorCode.INVALID_WORKFLOW, text.toString());
  }

  private String shown(Problem problem) {
    int line = problem.at().line();
    String place = file + ":" + line + ":" + problem.at().column() + ": " + problem.message();
    if (line < 1 || line > lines.size()) {
      return place;
    }
    String source = lines.get(line - 1);
    int column = Math.min(problem.at().column(), source.length() + 1);
    return place + "\n  " + source + "\n  " + " ".repeat(column - 1) + "^";
  }
}
