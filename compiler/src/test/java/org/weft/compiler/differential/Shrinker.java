package org.weft.compiler.differential;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.weft.compiler.Schedule;
import org.weft.tensor.LevelSpec;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.ValueType;
import org.weft.tensor.Width;

/**
 * Makes a failing case smaller: tries smaller cases in turn, goes on from the first that still
 * fails, and stops when none does.
 */
final class Shrinker {
  private static final int MOST_RUNS = 600;

  private final Predicate<Case> fails;
  private int runs;

  Shrinker(Predicate<Case> fails) {
    this.fails = fails;
  }

  Case shrink(Case failing) {
    Case smallest = failing;
    boolean smaller = true;
    while (smaller && runs < MOST_RUNS) {
      smaller = false;
      for (Case candidate : (Iterable<Case>) candidates(smallest)::iterator) {
        if (runs++ >= MOST_RUNS) {
          break;
        }
        if (fails.test(candidate)) {
          smallest = candidate;
          smaller = true;
          break;
        }
      }
    }
    return smallest;
  }

  /** Smaller cases, those that take away most first. */
  private static Stream<Case> candidates(Case subject) {
    return Stream.of(
            terms(subject),
            labels(subject),
            halves(subject),
            formats(subject),
            axes(subject),
            rest(subject),
            entries(subject))
        .flatMap(s -> s)
        .filter(candidate -> !candidate.equals(subject))
        .filter(candidate -> candidate.isSound() && isWellFormed(candidate));
  }

  private static Stream<Case> terms(Case subject) {
    Set<String> bound = subject.value().freeLabels();
    return smaller(subject.value()).stream()
        .filter(term -> !term.accesses().isEmpty())
        .map(term -> keepTarget(subject, term, bound))
        .map(Case::pruned);
  }

  /** Labels that a smaller term lost stay in the target only if they did not come from the term. */
  private static Case keepTarget(Case subject, Term term, Set<String> before) {
    Case changed = subject.withValue(term);
    for (String label : subject.target().labels()) {
      if (before.contains(label) && !term.freeLabels().contains(label)) {
        changed = without(changed, changed.target(), label);
      }
    }
    return changed;
  }

  /** Every term with one node less. */
  private static List<Term> smaller(Term term) {
    List<Term> found = new ArrayList<>(term.children());
    List<Term> children = term.children();
    for (int number = 0; number < children.size(); number++) {
      int position = number;
      for (Term replacement : smaller(children.get(number))) {
        int[] at = {0};
        found.add(term.map(child -> at[0]++ == position ? replacement : child));
      }
    }
    return found;
  }

  /** Takes a label away from one access, or from all. */
  private static Stream<Case> labels(Case subject) {
    List<Case> found = new ArrayList<>();
    List<Term.Access> accesses = subject.accesses().stream().distinct().toList();
    for (String label : subject.axes().keySet()) {
      Case everywhere = subject;
      for (Term.Access access : accesses) {
        everywhere = withoutAny(everywhere, access, label);
      }
      everywhere = withoutAny(everywhere, everywhere.target(), label);
      found.add(everywhere.withValue(unsummed(everywhere.value(), label)).pruned());
    }
    for (Term.Access access : accesses) {
      for (String label : access.labels()) {
        Case one = without(subject, access, label);
        found.add(one.pruned());
      }
    }
    for (String label : subject.target().labels()) {
      found.add(without(subject, subject.target(), label).pruned());
    }
    return found.stream().filter(Shrinker::isWellFormed);
  }

  private static Term unsummed(Term term, String label) {
    return term instanceof Term.Sum sum && sum.label().equals(label)
        ? unsummed(sum.body(), label)
        : term.map(child -> unsummed(child, label));
  }

  private static boolean isWellFormed(Case subject) {
    return (subject.mask().isEmpty()
            || subject.target().labels().containsAll(subject.mask().get().tensor().labels()))
        && isWellFormed(subject.value());
  }

  private static boolean isWellFormed(Term term) {
    return !(term instanceof Term.Total total && total.body().freeLabels().isEmpty())
        && !(term instanceof Term.Transpose transpose && transpose.labels().size() < 2)
        && !(term instanceof Term.Sum sum && !sum.body().freeLabels().contains(sum.label()))
        && term.children().stream().allMatch(Shrinker::isWellFormed);
  }

  /** Takes every repetition of a label away from an access. */
  private static Case withoutAny(Case subject, Term.Access access, String label) {
    Case fewer = subject;
    Term.Access left = access;
    while (left.labels().contains(label)) {
      fewer = without(fewer, left, label);
      left = withoutFirst(left, label);
    }
    return fewer;
  }

  private static Term.Access withoutFirst(Term.Access access, String label) {
    List<String> labels = new ArrayList<>(access.labels());
    labels.remove(label);
    return new Term.Access(access.tensor(), labels);
  }

  private static Case without(Case subject, Term.Access access, String label) {
    int mode = access.labels().indexOf(label);
    if (mode < 0) {
      return subject;
    }
    Term.Access changed = withoutFirst(access, label);
    TensorFormat format = subject.formats().get(access.tensor());
    Case result = subject.withFormat(access.tensor(), without(format, mode));
    List<Entry> entries = subject.entries().get(access.tensor());
    if (entries != null) {
      List<Entry> fewer = new ArrayList<>();
      for (Entry entry : entries) {
        List<Integer> cell = new ArrayList<>(entry.cell());
        cell.remove(mode);
        fewer.add(new Entry(cell, entry.value()));
      }
      result = result.withEntries(access.tensor(), fewer);
    }
    if (subject.mask().isPresent() && access.equals(subject.mask().get().tensor())) {
      return result.withMask(Optional.of(new Case.Mask(changed, subject.mask().get().strategy())));
    }
    return access.equals(subject.target())
        ? result.withTarget(changed)
        : result.withValue(replace(subject.value(), access, changed));
  }

  private static Term replace(Term term, Term.Access access, Term.Access by) {
    return term.equals(access) ? by : term.map(child -> replace(child, access, by));
  }

  private static TensorFormat without(TensorFormat format, int mode) {
    if (!format.isOrdinary()) {
      return TensorFormat.csf(format.order() - 1, format.valueType());
    }
    List<LevelSpec> levels = new ArrayList<>();
    List<Integer> modes = new ArrayList<>();
    for (int level = 0; level < format.order(); level++) {
      int stored = format.modeOf(level);
      if (stored != mode) {
        levels.add(format.level(level));
        modes.add(stored > mode ? stored - 1 : stored);
      }
    }
    return new TensorFormat(levels, modes.stream().mapToInt(m -> m).toArray(), format.valueType());
  }

  /** Drops the first or the second half of an operand's entries. */
  private static Stream<Case> halves(Case subject) {
    List<Case> found = new ArrayList<>();
    subject
        .entries()
        .forEach(
            (name, list) -> {
              int half = list.size() / 2;
              if (list.size() > 3) {
                found.add(subject.withEntries(name, list.subList(0, half)));
                found.add(subject.withEntries(name, list.subList(half, list.size())));
              }
            });
    return found.stream();
  }

  private static Stream<Case> formats(Case subject) {
    List<Case> found = new ArrayList<>();
    subject
        .formats()
        .forEach(
            (name, format) -> {
              int order = format.order();
              ValueType type = format.valueType();
              found.add(subject.withFormat(name, TensorFormat.dense(order, type)));
              found.add(subject.withFormat(name, TensorFormat.csf(order, type)));
              found.add(subject.withFormat(name, format.withWidths(Width.W64, Width.W64)));
              for (int mode = 0; mode + 1 < order; mode++) {
                if (format.modeOf(mode) > format.modeOf(mode + 1)) {
                  int[] modes = format.modeOrder();
                  int first = modes[mode];
                  modes[mode] = modes[mode + 1];
                  modes[mode + 1] = first;
                  found.add(subject.withFormat(name, format.withModeOrder(modes)));
                }
              }
            });
    Case doubles = subject;
    for (String name : subject.formats().keySet()) {
      TensorFormat format = subject.formats().get(name);
      doubles = doubles.withFormat(name, format.withValueType(ValueType.DOUBLE));
    }
    found.add(doubles);
    return found.stream().filter(candidate -> simpler(candidate, subject));
  }

  /** Guards against going round in circles: dense before compressed before all others. */
  private static boolean simpler(Case candidate, Case subject) {
    return weight(candidate) < weight(subject);
  }

  private static long weight(Case subject) {
    long weight = 0;
    for (TensorFormat format : subject.formats().values()) {
      weight += format.valueType() == ValueType.DOUBLE ? 0 : 1;
      for (int level = 0; level < format.levelCount(); level++) {
        LevelSpec spec = format.level(level);
        String symbol = spec.format().symbol();
        weight += symbol.equals("D") ? 0 : symbol.equals("CU") ? 10 : 20;
        weight += spec.properties().equals(spec.format().properties()) ? 0 : 5;
        weight += spec.posWidth() == Width.W64 && spec.crdWidth() == Width.W64 ? 0 : 1;
        for (int below = level + 1; below < format.levelCount(); below++) {
          weight += format.modeOf(below) < format.modeOf(level) ? 1 : 0;
        }
      }
    }
    return weight;
  }

  private static Stream<Case> axes(Case subject) {
    List<Case> found = new ArrayList<>();
    subject
        .axes()
        .forEach(
            (label, axis) -> {
              if (!axis.isDense()) {
                found.add(subject.withAxis(label, Axis.dense(axis.cells())));
              }
              if (axis.cells() > 0) {
                found.add(shortened(subject, label, axis));
              }
            });
    return found.stream();
  }

  private static Case shortened(Case subject, String label, Axis axis) {
    Case changed = subject.withAxis(label, axis.shorter());
    int gone = axis.cells() - 1;
    for (Map.Entry<String, List<Entry>> operand : subject.entries().entrySet()) {
      Term.Access access =
          operand.getKey().equals(subject.target().tensor())
              ? subject.target()
              : subject.operands().get(operand.getKey());
      for (int at = 0; access != null && at < access.labels().size(); at++) {
        int mode = at;
        if (access.labels().get(mode).equals(label)) {
          List<Entry> kept =
              changed.entries().get(operand.getKey()).stream()
                  .filter(e -> e.cell().get(mode) != gone)
                  .toList();
          changed = changed.withEntries(operand.getKey(), kept);
        }
      }
    }
    return changed;
  }

  private static Stream<Case> rest(Case subject) {
    return Stream.of(
        subject.withMask(Optional.empty()).pruned(),
        subject.withConstants(Set.of()),
        subject.withSchedule(Schedule.sequential(), 1),
        subject.withSchedule(subject.schedule(), 1),
        subject.withAssignment("=").pruned());
  }

  private static Stream<Case> entries(Case subject) {
    List<Case> found = new ArrayList<>();
    subject
        .entries()
        .forEach(
            (name, list) -> {
              for (int gone = 0; gone < list.size(); gone++) {
                List<Entry> fewer = new ArrayList<>(list);
                fewer.remove(gone);
                found.add(subject.withEntries(name, fewer));
              }
              for (int entry = 0; entry < list.size(); entry++) {
                if (list.get(entry).value() != 1) {
                  List<Entry> plain = new ArrayList<>(list);
                  plain.set(entry, new Entry(list.get(entry).cell(), 1));
                  found.add(subject.withEntries(name, plain));
                }
              }
            });
    return found.stream();
  }
}
