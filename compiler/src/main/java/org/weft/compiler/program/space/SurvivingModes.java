package org.weft.compiler.program.space;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.weft.compiler.lang.Statement;
import org.weft.compiler.lang.Syntax;
import org.weft.compiler.program.check.Accesses;

/**
 * What the modes of a result stand for: a label of index notation that the result has carries the
 * identities of the modes that it indexes in the operands, that of the first one where they differ.
 * A result that is added to is its own first operand. Modes of labels that are summed, and of
 * masks, are compared, too, because {@link ModeIdentity#and} refuses what cannot be compared.
 */
public final class SurvivingModes {
  private SurvivingModes() {}

  /**
   * The identity of each mode of the result, empty for a mode that no operand knows.
   *
   * @param known of an operand's modes, by access; empty if nothing is known
   */
  public static List<Optional<ModeIdentity>> of(
      Statement statement, Function<Syntax.Access, List<Optional<ModeIdentity>>> known) {
    Map<String, ModeIdentity> byLabel =
        byLabel(statement, statement.assignment() != Statement.Assignment.ASSIGN, known);
    return statement.target().labels().stream()
        .map(label -> Optional.ofNullable(byLabel.get(label.name())))
        .toList();
  }

  /** Compares the modes of operands with each other and with those of a result that remains. */
  public static void require(
      Statement statement, Function<Syntax.Access, List<Optional<ModeIdentity>>> known) {
    byLabel(statement, true, known);
  }

  private static Map<String, ModeIdentity> byLabel(
      Statement statement,
      boolean remains,
      Function<Syntax.Access, List<Optional<ModeIdentity>>> known) {
    List<Syntax.Access> operands = new ArrayList<>();
    if (remains) {
      operands.add(statement.target());
    }
    operands.addAll(Accesses.operands(statement));
    Map<String, ModeIdentity> byLabel = new HashMap<>();
    for (Syntax.Access operand : operands) {
      List<Optional<ModeIdentity>> modes = known.apply(operand);
      for (int mode = 0; mode < modes.size(); mode++) {
        String label = operand.labels().get(mode).name();
        if (modes.get(mode).isPresent()) {
          byLabel.merge(label, modes.get(mode).get(), (first, other) -> first.and(other, label));
        }
      }
    }
    return byLabel;
  }
}
