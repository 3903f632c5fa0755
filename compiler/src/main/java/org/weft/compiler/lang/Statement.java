package org.weft.compiler.lang;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code A(i,r) = e}, {@code A(i,r) += e}, {@code A(i,r)<M> = e}. */
public record Statement(
    Syntax.Access target, @Nullable Mask mask, Assignment assignment, Syntax value) {

  /** The first access of each operand by its name, in the order of the text; the mask is last. */
  public Map<String, Syntax.Access> operands() {
    Map<String, Syntax.Access> found = new LinkedHashMap<>();
    List<Syntax> pending = new ArrayList<>(List.of(value));
    if (mask != null) {
      pending.add(mask.tensor());
    }
    while (!pending.isEmpty()) {
      Syntax next = pending.remove(0);
      if (next instanceof Syntax.Access access) {
        found.putIfAbsent(access.tensor(), access);
      }
      pending.addAll(0, next.children());
    }
    return found;
  }

  /** How the right side changes the left. */
  public enum Assignment {
    ASSIGN("="),
    ADD("+="),
    SUBTRACT("-=");

    private final String text;

    Assignment(String text) {
      this.text = text;
    }

    /** How the assignment is written. */
    public String text() {
      return text;
    }
  }
}
