package org.weft.compiler.program.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.weft.compiler.lang.Diagnostics;
import org.weft.compiler.lang.Program;
import org.weft.compiler.lang.Statement;
import org.weft.compiler.lang.Syntax;

/** Whether the declared sizes of the modes that share a label in one statement can agree. */
final class LabelAgreement {
  private final Map<String, Program.LabelRange> labels;
  private final Map<String, Program.TensorDeclaration> tensors;
  private final Diagnostics diagnostics;
  private final Map<String, Use> uses = new HashMap<>();

  LabelAgreement(
      Map<String, Program.LabelRange> labels,
      Map<String, Program.TensorDeclaration> tensors,
      Diagnostics diagnostics) {
    this.labels = labels;
    this.tensors = tensors;
    this.diagnostics = diagnostics;
  }

  private record Use(long size, String where) {}

  void check(Statement statement) {
    List<Syntax.Access> all = new ArrayList<>();
    all.add(statement.target());
    all.addAll(Accesses.operands(statement));
    for (Syntax.Access access : all) {
      Program.TensorDeclaration declaration = tensors.get(access.tensor());
      if (declaration != null && declaration.modes().size() == access.labels().size()) {
        for (int mode = 0; mode < access.labels().size(); mode++) {
          check(declaration, mode, access.labels().get(mode));
        }
      }
    }
  }

  private void check(Program.TensorDeclaration declaration, int mode, Syntax.Label label) {
    OptionalLong size = ProgramChecker.staticSize(declaration.modes().get(mode), labels);
    Program.LabelRange range = labels.get(label.name());
    if (size.isEmpty() || range == null) {
      return;
    }
    String where = "mode " + mode + " of " + declaration.name().name();
    if (range.slices()) {
      if (!counts(range, declaration.modes().get(mode))) {
        slice(label, range, size.getAsLong(), where);
      }
      return;
    }
    if (range.size().isPresent() && range.size().getAsLong() != size.getAsLong()) {
      diagnostics.error(
          label.span(),
          "the label "
              + label.name()
              + " has "
              + range.size().getAsLong()
              + " values but "
              + where
              + " has size "
              + size.getAsLong(),
          range.size().getAsLong() > size.getAsLong()
              ? "use a label of that size"
              : "use a label of that size; for a slice declare a range: IndexLabel ["
                  + label.name()
                  + "] = [0:"
                  + range.size().getAsLong()
                  + "];");
      return;
    }
    Use first = uses.putIfAbsent(label.name(), new Use(size.getAsLong(), where));
    if (first != null && first.size() != size.getAsLong()) {
      diagnostics.error(
          label.span(),
          "the label "
              + label.name()
              + " has size "
              + first.size()
              + " in "
              + first.where()
              + " but size "
              + size.getAsLong()
              + " in "
              + where,
          "modes that share a label must have the same size");
    }
  }

  /** Whether {@code range} is that of the label that {@code mode} was declared with. */
  private boolean counts(Program.LabelRange range, Program.Mode mode) {
    Program.LabelRange declared =
        mode instanceof Program.LabelledMode labelled ? labels.get(labelled.label().name()) : null;
    return declared != null && declared.means(range);
  }

  private void slice(Syntax.Label label, Program.LabelRange range, long size, String where) {
    if (range.end().isPresent() && range.end().getAsLong() > size) {
      diagnostics.error(
          label.span(),
          "the label "
              + label.name()
              + " runs to "
              + range.end().getAsLong()
              + " but "
              + where
              + " has size "
              + size,
          range.remedy(label.name(), size));
    }
  }
}
