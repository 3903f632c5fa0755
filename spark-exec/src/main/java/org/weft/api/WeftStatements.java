package org.weft.api;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.weft.compiler.eval.LabelClasses;
import org.weft.compiler.eval.LabelledStatement;
import org.weft.engine.PlacedTensor;
import org.weft.engine.ProgressListener;
import org.weft.engine.StatementJob;
import org.weft.engine.StatementOperand;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.ValueType;

/** Evaluates statements over tensors of one {@link Weft}. */
final class WeftStatements {
  private final Weft weft;

  WeftStatements(Weft weft) {
    this.weft = weft;
  }

  /**
   * Evaluates a statement.
   *
   * @param given the operands by name: tensors and numbers
   */
  Tensor evaluate(String text, Map<String, Object> given) {
    LabelledStatement statement = LabelledStatement.parse(text);
    Map<String, List<List<String>>> accesses = statement.accesses();
    requireOperands(accesses.keySet(), given);
    LabelClasses classes = new LabelClasses(accesses);
    Map<String, Source.Loaded> loaded = load(accesses, classes, given);
    Map<String, StatementOperand> tensors = new LinkedHashMap<>();
    loaded.forEach((name, operand) -> tensors.put(name, operand.operand()));
    Map<String, Double> numbers = new LinkedHashMap<>();
    given.forEach(
        (name, operand) -> {
          if (operand instanceof Number number) {
            numbers.put(name, number.doubleValue());
          }
        });
    StatementJob job =
        new StatementJob(
            statement,
            tensors,
            numbers,
            Optional.empty(),
            Map.of(),
            Map.of(),
            ValueType.DOUBLE,
            "",
            Optional.empty());
    PlacedTensor value =
        weft.keep(weft.engine().statements().evaluate(job, ProgressListener.NONE).kept());
    List<String> names = statement.resultLabels();
    return new Tensor(weft, new Source.Computed(value, names, labels(names, accesses, loaded)));
  }

  private static void requireOperands(Set<String> names, Map<String, Object> given) {
    for (String name : names) {
      if (!given.containsKey(name)) {
        throw new WeftException(
            ErrorCode.USAGE,
            "expected an operand "
                + name
                + ", found "
                + (given.isEmpty() ? "none" : String.join(", ", given.keySet())));
      }
    }
    for (String name : given.keySet()) {
      if (!names.contains(name)) {
        throw new WeftException(
            ErrorCode.USAGE,
            "expected operands of the statement ("
                + String.join(", ", names)
                + "), found "
                + name
                + ", which it does not name");
      }
    }
  }

  /** Loads the operands. Modes of tables whose labels are of one class get the same coordinates. */
  private Map<String, Source.Loaded> load(
      Map<String, List<List<String>>> accesses, LabelClasses classes, Map<String, Object> given) {
    Map<Set<String>, Integer> spaces = new HashMap<>();
    Map<String, int[]> numbered = new LinkedHashMap<>();
    List<DatasetSource> tables = new ArrayList<>();
    Map<String, Source.Loaded> loaded = new LinkedHashMap<>();
    accesses.forEach(
        (name, all) -> {
          List<String> labels = all.get(0);
          if (given.get(name) instanceof Tensor tensor) {
            if (tensor.source() instanceof DatasetSource table) {
              requireModes(name, labels, table);
              numbered.put(
                  name,
                  labels.stream()
                      .mapToInt(
                          label -> spaces.computeIfAbsent(classes.of(label), l -> spaces.size()))
                      .toArray());
              tables.add(table);
            } else {
              loaded.put(name, tensor.loaded());
            }
          }
        });
    loaded.forEach(
        (name, tensor) ->
            requireNoTable(name, accesses.getOrDefault(name, List.of()), classes, spaces.keySet()));
    loaded.forEach(
        (name, tensor) -> StatementJob.requireOrder(tensor.operand(), accesses.get(name)));
    requireSameLabels(accesses, classes, loaded);
    List<Source.Loaded> labelled = DatasetSource.load(weft, tables, List.copyOf(numbered.values()));
    int next = 0;
    for (String name : numbered.keySet()) {
      loaded.put(name, labelled.get(next++));
    }
    return loaded;
  }

  private static void requireModes(String name, List<String> labels, DatasetSource table) {
    if (labels.size() != table.modes().size()) {
      throw new WeftException(
          ErrorCode.SHAPE_MISMATCH,
          "operand "
              + name
              + ": expected a label for each of its modes "
              + table.modes()
              + ", found "
              + labels);
    }
  }

  /** Rejects a label of the statement that is a mode of a Dataset and a mode of a file or array. */
  private static void requireNoTable(
      String name, List<List<String>> accesses, LabelClasses classes, Set<Set<String>> tables) {
    accesses.stream()
        .flatMap(List::stream)
        .filter(label -> tables.contains(classes.of(label)))
        .findFirst()
        .ifPresent(
            label -> {
              throw new WeftException(
                  ErrorCode.USAGE,
                  "label "
                      + label
                      + ": expected Datasets in all operands with this label, found "
                      + name
                      + ", which has coordinates; make a Dataset of its entries()");
            });
  }

  /** Rejects a label of the statement that is modes whose labels differ. */
  private void requireSameLabels(
      Map<String, List<List<String>>> accesses,
      LabelClasses classes,
      Map<String, Source.Loaded> loaded) {
    Map<Set<String>, Source.ModeLabels> known = new HashMap<>();
    loaded.forEach(
        (name, tensor) -> {
          List<String> indices = accesses.getOrDefault(name, List.of(List.of())).get(0);
          for (int mode = 0; mode < indices.size(); mode++) {
            Source.ModeLabels own = tensor.labels().get(mode);
            if (own.equals(Source.ModeLabels.NONE)) {
              continue;
            }
            Source.ModeLabels first = known.putIfAbsent(classes.of(indices.get(mode)), own);
            if (first != null && !ModelTables.areSame(weft.spark(), first, own)) {
              throw new WeftException(
                  ErrorCode.SHAPE_MISMATCH,
                  "label "
                      + indices.get(mode)
                      + ": expected modes with the same labels, found other labels in "
                      + name
                      + "; make a Dataset of its entries(), as Datasets are compared by labels");
            }
          }
        });
  }

  private static List<Source.ModeLabels> labels(
      List<String> result,
      Map<String, List<List<String>>> accesses,
      Map<String, Source.Loaded> loaded) {
    Map<String, Source.ModeLabels> known = new HashMap<>();
    loaded.forEach(
        (name, tensor) -> {
          for (List<String> labels : accesses.getOrDefault(name, List.of())) {
            for (int mode = 0; mode < labels.size(); mode++) {
              known.putIfAbsent(labels.get(mode), tensor.labels().get(mode));
            }
          }
        });
    return result.stream().map(label -> known.getOrDefault(label, Source.ModeLabels.NONE)).toList();
  }
}
