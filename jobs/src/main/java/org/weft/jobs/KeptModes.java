package org.weft.jobs;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.lang.Statement;
import org.weft.compiler.lang.Syntax;
import org.weft.storage.FileAccess;
import org.weft.storage.Labels;
import org.weft.storage.ModeNames;
import org.weft.storage.TensorFiles;

/**
 * Names and labels of a result's modes: a label of index notation that the result has carries those
 * of the modes that it indexes in the operands. Where operands differ the first one's are taken,
 * and labels that differ are worth a warning, because the same coordinate then means two things.
 *
 * @param names of all modes, or empty
 * @param labels by mode
 */
record KeptModes(List<String> names, Map<Integer, Labels> labels) {

  /**
   * Of the result of {@code statement}.
   *
   * @param inputs files of the operands
   */
  static KeptModes of(
      FileAccess files, Statement statement, Map<String, String> inputs, Console console) {
    Map<String, Mode> byLabel = new LinkedHashMap<>();
    List<Syntax> pending = new ArrayList<>(List.of(statement.target(), statement.value()));
    Map<String, Operand> read = new HashMap<>();
    while (!pending.isEmpty()) {
      Syntax next = pending.remove(0);
      pending.addAll(0, next.children());
      if (next instanceof Syntax.Access access && inputs.containsKey(access.tensor())) {
        String name = access.tensor();
        Operand operand =
            read.computeIfAbsent(name, n -> Operand.of(files, inputs.getOrDefault(n, "")));
        for (int mode = 0; mode < access.labels().size(); mode++) {
          String label = access.labels().get(mode).name();
          Mode found = operand.mode(name, mode);
          if (isIn(statement.target(), label)) {
            byLabel.merge(label, found, (first, other) -> first.and(other, label, console));
          }
        }
      }
    }
    return of(statement.target(), byLabel);
  }

  private static boolean isIn(Syntax.Access target, String label) {
    return target.labels().stream().anyMatch(l -> l.name().equals(label));
  }

  private static KeptModes of(Syntax.Access target, Map<String, Mode> byLabel) {
    List<String> names = new ArrayList<>();
    Map<Integer, Labels> labels = new HashMap<>();
    for (int mode = 0; mode < target.labels().size(); mode++) {
      Mode from = byLabel.get(target.labels().get(mode).name());
      names.add(from == null ? "" : from.name());
      if (from != null && from.labels() != null) {
        labels.put(mode, from.labels());
      }
    }
    boolean named = names.stream().anyMatch(name -> !name.isEmpty());
    return new KeptModes(named ? ModeNames.distinct(names) : List.of(), labels);
  }

  /** What a file says of its modes. */
  private record Operand(List<String> names, Map<Integer, Labels> labels) {
    static Operand of(FileAccess files, String uri) {
      boolean says = uri.matches("(?i).*\\.(weft|wtb)(/.*|@[0-9]+/*)?");
      return says
          ? new Operand(TensorFiles.modeNames(files, uri), TensorFiles.labels(files, uri))
          : new Operand(List.of(), Map.of());
    }

    Mode mode(String tensor, int mode) {
      String name = mode < names.size() ? names.get(mode) : "";
      return new Mode(tensor, ModeNames.isNamed(name, mode) ? name : "", labels.get(mode));
    }
  }

  /**
   * A mode of an operand.
   *
   * @param name of the mode, or empty
   */
  private record Mode(String tensor, String name, @Nullable Labels labels) {
    /** This mode, and what {@code other} says besides. */
    Mode and(Mode other, String label, Console console) {
      Labels ours = labels;
      Labels theirs = other.labels();
      if (ours != null && theirs != null && !ours.sameAs(theirs)) {
        console.note(
            "warning: %s indexes modes of %s and %s whose labels differ; coordinates are compared by"
                + " number, and the result has the labels of %s",
            label, tensor, other.tensor(), tensor);
      }
      String called = name.isEmpty() ? other.name() : name;
      return new Mode(ours == null ? other.tensor() : tensor, called, ours == null ? theirs : ours);
    }
  }
}
