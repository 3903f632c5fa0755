package org.weft.compiler.differential;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.weft.compiler.KernelRequest;
import org.weft.compiler.Schedule;
import org.weft.memory.MemoryScope;
import org.weft.tensor.CooBlock;
import org.weft.tensor.LevelSpec;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;

/**
 * One statement with formats, sizes and entries: all that a run needs, and what a failure prints.
 *
 * @param target the result
 * @param mask where the result may have entries
 * @param assignment {@code =}, {@code +=} or {@code -=}
 * @param value the right side
 * @param formats format of every tensor, the result included
 * @param axes the values of every label
 * @param constants labels whose size the compiler is told
 * @param schedule how the loops run
 * @param threads threads of the call
 * @param entries entries of every operand; for {@code +=} also what the result holds before
 */
record Case(
    Term.Access target,
    Optional<Mask> mask,
    String assignment,
    Term value,
    Map<String, TensorFormat> formats,
    Map<String, Axis> axes,
    Set<String> constants,
    Schedule schedule,
    int threads,
    Map<String, List<Entry>> entries) {
  Case {
    formats = Map.copyOf(formats);
    axes = Map.copyOf(axes);
    constants = Set.copyOf(constants);
    entries = Map.copyOf(entries);
  }

  /** {@code <M(i,j), push>}. */
  record Mask(Term.Access tensor, String strategy) {}

  String text() {
    String masked = mask.map(m -> "<" + m.tensor().text() + ", " + m.strategy() + ">").orElse("");
    return target.text() + masked + " " + assignment + " " + value.text();
  }

  KernelRequest request(String symbol) {
    Map<String, Long> sizes = new HashMap<>();
    constants.forEach(label -> sizes.put(label, axes.get(label).size()));
    return new KernelRequest(symbol, text(), formats, sizes, schedule);
  }

  TensorFormat resultFormat() {
    return formats.get(target.tensor());
  }

  boolean accumulates() {
    return !assignment.equals("=");
  }

  Axis axis(String label) {
    Axis axis = axes.get(label);
    if (axis == null) {
      throw new IllegalStateException("no axis for " + label + " in " + text());
    }
    return axis;
  }

  TensorShape shape(Term.Access access) {
    return TensorShape.of(access.labels().stream().mapToLong(l -> axis(l).size()).toArray());
  }

  /** The accesses of the right side and of the mask. */
  List<Term.Access> accesses() {
    List<Term.Access> accesses = new ArrayList<>(value.accesses());
    mask.ifPresent(m -> accesses.add(m.tensor()));
    return accesses;
  }

  /** The accesses of all operands, by name; of an operand used twice the first. */
  Map<String, Term.Access> operands() {
    Map<String, Term.Access> operands = new TreeMap<>();
    accesses().forEach(access -> operands.putIfAbsent(access.tensor(), access));
    return operands;
  }

  /** The entries of {@code access}'s tensor, stored in its format. */
  TensorStorage pack(Term.Access access, MemoryScope scope) {
    return Packing.pack(scope, shape(access), formats.get(access.tensor()), List.of(block(access)));
  }

  /** The entries of {@code access}'s tensor. */
  CooBlock block(Term.Access access) {
    CooBlock.Builder block = new CooBlock.Builder(access.labels().size(), 16);
    for (Entry entry : entries.getOrDefault(access.tensor(), List.of())) {
      long[] at = new long[access.labels().size()];
      for (int mode = 0; mode < at.length; mode++) {
        at[mode] = axis(access.labels().get(mode)).coordinates().get(entry.cell().get(mode));
      }
      block.add(at, entry.value());
    }
    return block.build();
  }

  /**
   * Whether the oracle may pass over the coordinates that stretched axes leave out: all levels of
   * such a label keep coordinates, and outside of them nothing of the right side is present.
   */
  boolean isSound() {
    for (Map.Entry<String, Axis> axis : axes.entrySet()) {
      if (!axis.getValue().isDense() && !mayStretch(axis.getKey())) {
        return false;
      }
    }
    return true;
  }

  boolean mayStretch(String label) {
    boolean masked = mask.isPresent() && mask.get().tensor().labels().contains(label);
    boolean kept =
        target.labels().contains(label)
            ? masked || isAbsentOutside(value, label)
            : !value.freeLabels().contains(label) || isReducedInside(value, label);
    return isSparse(target, label)
        && accesses().stream().allMatch(access -> isSparse(access, label))
        && kept
        && sumsAreAbsentOutside(value, label);
  }

  private static boolean isReducedInside(Term whole, String label) {
    return isAbsentOutside(Oracle.placed(whole, label).around(), label);
  }

  private boolean isSparse(Term.Access access, String label) {
    TensorFormat format = formats.get(access.tensor());
    if (!format.isOrdinary()) {
      return !access.labels().contains(label);
    }
    for (int level = 0; level < format.levelCount(); level++) {
      LevelSpec spec = format.level(level);
      boolean keeps = List.of("CU", "CN", "S", "H").contains(spec.format().symbol());
      if (access.labels().get(format.modeOf(level)).equals(label) && !keeps) {
        return false;
      }
    }
    return true;
  }

  private static boolean sumsAreAbsentOutside(Term term, String label) {
    return !(term instanceof Term.Sum sum
            && sum.label().equals(label)
            && !isAbsentOutside(sum.body(), label))
        && !(term instanceof Term.Total total
            && total.body().freeLabels().contains(label)
            && !isReducedInside(total.body(), label))
        && term.children().stream().allMatch(child -> sumsAreAbsentOutside(child, label));
  }

  /** Whether {@code term} has no value where sparse operands have no coordinate of the label. */
  private static boolean isAbsentOutside(Term term, String label) {
    if (term instanceof Term.Access access) {
      return access.labels().contains(label);
    } else if (term instanceof Term.Number) {
      return false;
    } else if (term instanceof Term.Sum sum && sum.label().equals(label)
        || term instanceof Term.Total) {
      return false;
    } else if (term instanceof Term.Semiring semiring) {
      return isAbsentOutside(semiring.left(), label) || isAbsentOutside(semiring.right(), label);
    } else if (term instanceof Term.Call call && List.of("exp", "log").contains(call.function())) {
      return false;
    } else if (term instanceof Term.Binary binary
        && List.of(Term.Operator.MULTIPLY, Term.Operator.ELEMENTWISE).contains(binary.operator())) {
      return isAbsentOutside(binary.left(), label) || isAbsentOutside(binary.right(), label);
    }
    return term.children().stream().allMatch(child -> isAbsentOutside(child, label));
  }

  Case withValue(Term changed) {
    return new Case(
        target, mask, assignment, changed, formats, axes, constants, schedule, threads, entries);
  }

  Case withTarget(Term.Access changed) {
    return new Case(
        changed, mask, assignment, value, formats, axes, constants, schedule, threads, entries);
  }

  Case withMask(Optional<Mask> changed) {
    return new Case(
        target, changed, assignment, value, formats, axes, constants, schedule, threads, entries);
  }

  Case withAssignment(String changed) {
    return new Case(
        target, mask, changed, value, formats, axes, constants, schedule, threads, entries);
  }

  Case withFormat(String tensor, TensorFormat format) {
    Map<String, TensorFormat> changed = new HashMap<>(formats);
    changed.put(tensor, format);
    return new Case(
        target, mask, assignment, value, changed, axes, constants, schedule, threads, entries);
  }

  Case withAxis(String label, Axis axis) {
    Map<String, Axis> changed = new HashMap<>(axes);
    changed.put(label, axis);
    return new Case(
        target, mask, assignment, value, formats, changed, constants, schedule, threads, entries);
  }

  Case withConstants(Set<String> changed) {
    return new Case(
        target, mask, assignment, value, formats, axes, changed, schedule, threads, entries);
  }

  Case withSchedule(Schedule changed, int count) {
    return new Case(
        target, mask, assignment, value, formats, axes, constants, changed, count, entries);
  }

  Case withEntries(Map<String, List<Entry>> changed) {
    return new Case(
        target, mask, assignment, value, formats, axes, constants, schedule, threads, changed);
  }

  Case withEntries(String tensor, List<Entry> list) {
    Map<String, List<Entry>> changed = new HashMap<>(entries);
    changed.put(tensor, list);
    return withEntries(changed);
  }

  /** Without formats, axes, constants and entries of tensors and labels that no longer occur. */
  Case pruned() {
    Set<String> tensors = new HashSet<>(operands().keySet());
    tensors.add(target.tensor());
    Set<String> labels = new HashSet<>(target.labels());
    accesses().forEach(access -> labels.addAll(access.labels()));
    Map<String, TensorFormat> keptFormats = new HashMap<>(formats);
    keptFormats.keySet().retainAll(tensors);
    Map<String, Axis> keptAxes = new HashMap<>(axes);
    keptAxes.keySet().retainAll(labels);
    Map<String, List<Entry>> keptEntries = new HashMap<>(entries);
    keptEntries.keySet().retainAll(tensors);
    if (!accumulates()) {
      keptEntries.remove(target.tensor());
    }
    Set<String> keptConstants = new HashSet<>(constants);
    keptConstants.retainAll(labels);
    return new Case(
        target,
        mask,
        assignment,
        value,
        keptFormats,
        keptAxes,
        keptConstants,
        schedule,
        threads,
        keptEntries);
  }

  /** All that is needed to write the case down as a test. */
  @Override
  public String toString() {
    String shown =
        new TreeMap<>(formats)
            .entrySet().stream()
                .map(
                    f -> f.getKey() + "=" + f.getValue() + ":" + f.getValue().valueType().keyword())
                .collect(Collectors.joining(" "));
    StringBuilder text = new StringBuilder(text());
    text.append("\n    formats   ").append(shown);
    text.append("\n    sizes     ").append(new TreeMap<>(axes));
    text.append("\n    constant  ").append(constants);
    text.append("\n    schedule  ").append(schedule).append(", threads ").append(threads);
    new TreeMap<>(entries)
        .forEach((name, list) -> text.append("\n    ").append(name).append("  ").append(list));
    return text.toString();
  }
}
