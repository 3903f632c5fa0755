package org.weft.compiler.lattice;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The merge lattice of an {@link IterationSet}: its points in an order in which every point comes
 * after the points above it. Each point is one loop, run while all its iterated operands last; its
 * cases are the points below it.
 *
 * <p>Points are computed bottom-up. A stored set has one point. The points of an intersection are
 * the pairs of a point of the left side and a point of the right side, each pair joined to one
 * point. The points of a union are the same pairs, and the points of either side alone. Then the
 * property-based optimisations apply:
 *
 * <ul>
 *   <li>A full operand with random access is as good as the universe: it is located, never walked,
 *       unless it is the only thing to walk.
 *   <li>If the whole set has every coordinate, points below the top that do not visit every
 *       coordinate are dropped: the top loop leaves nothing for them.
 *   <li>A full operand is present at every coordinate, so points that differ only in full operands
 *       are one. The first of these points, which has the most full operands, stays.
 *   <li>With a single point left, only operands without random access are walked.
 *   <li>If all operands that tell points apart have random access, one loop serves all points. The
 *       loop walks the operands that the points share.
 * </ul>
 *
 * <p>The union of n sparse operands has 2^n - 1 points. Beyond {@value #MOST_POINTS} of them only
 * the top is kept: the lattice is a {@link #isSummary summary}, for one loop whose body finds out
 * at run time which operands are present.
 */
public final class MergeLattice {
  private static final int MOST_POINTS = 512;

  private record Point(Set<LatticeOperand> operands, boolean universe) {}

  /** Says that a set has more than {@link #MOST_POINTS} points. */
  private static final class TooManyPoints extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TooManyPoints() {
      super("too many lattice points", null, false, false);
    }
  }

  private final List<LatticePoint> points;
  private final boolean summary;

  private MergeLattice(List<LatticePoint> points, boolean summary) {
    this.points = List.copyOf(points);
    this.summary = summary;
  }

  public static MergeLattice of(IterationSet set) {
    boolean covers = coversUniverse(set);
    List<Point> raw;
    try {
      raw = new ArrayList<>(build(set));
    } catch (TooManyPoints e) {
      return new MergeLattice(List.of(point(top(set), false, covers)), true);
    }
    if (covers) {
      raw.removeIf(point -> !visitsAll(point));
    }
    Set<LatticeOperand> shared = covers ? Set.of() : walkedByAll(raw);
    List<LatticePoint> points = new ArrayList<>();
    for (Point point : raw) {
      points.add(
          shared.isEmpty()
              ? point(point, raw.size() == 1, covers)
              : new LatticePoint(point.operands, shared, false));
    }
    return new MergeLattice(points, false);
  }

  /** Heaviest first; points that differ only in full operands are one, the first. */
  private static Set<Point> distinct(Collection<Point> points) {
    List<Point> sorted = new ArrayList<>(points);
    sorted.sort(Comparator.comparing(MergeLattice::weight).reversed());
    Set<Set<LatticeOperand>> sparse = new HashSet<>();
    sorted.removeIf(point -> !sparse.add(withoutFull(point)));
    if (sorted.size() > MOST_POINTS) {
      throw new TooManyPoints();
    }
    return new LinkedHashSet<>(sorted);
  }

  /** The point at which every operand of {@code set} is present. */
  private static Point top(IterationSet set) {
    Set<LatticeOperand> operands = new LinkedHashSet<>();
    boolean universe = set instanceof IterationSet.Universe;
    List<IterationSet> parts = List.of();
    if (set instanceof IterationSet.Stored stored) {
      operands.add(stored.operand());
    } else if (set instanceof IterationSet.Union union) {
      parts = union.sets();
    } else if (set instanceof IterationSet.Intersection intersection) {
      parts = intersection.sets();
    }
    for (IterationSet part : parts) {
      Point inner = top(part);
      operands.addAll(inner.operands);
      universe |= inner.universe;
    }
    return new Point(operands, universe);
  }

  private static Set<LatticeOperand> withoutFull(Point point) {
    return point.operands.stream().filter(o -> !o.full()).collect(Collectors.toSet());
  }

  private static int weight(Point point) {
    return 2 * point.operands.size() + (point.universe ? 1 : 0);
  }

  private static Set<Point> build(IterationSet set) {
    Set<Point> points = new LinkedHashSet<>();
    if (set instanceof IterationSet.Stored stored) {
      points.add(new Point(Set.of(stored.operand()), false));
    } else if (set instanceof IterationSet.Universe) {
      points.add(new Point(Set.of(), true));
    } else if (set instanceof IterationSet.Union union) {
      for (IterationSet part : union.sets()) {
        Set<Point> right = build(part);
        Set<Point> merged = pairs(points, right);
        merged.addAll(points);
        merged.addAll(right);
        points = distinct(merged);
      }
    } else if (set instanceof IterationSet.Intersection intersection) {
      points = build(intersection.sets().get(0));
      for (IterationSet part : intersection.sets().subList(1, intersection.sets().size())) {
        points = pairs(points, build(part));
      }
    }
    return points;
  }

  private static Set<Point> pairs(Set<Point> left, Set<Point> right) {
    Set<Point> pairs = new LinkedHashSet<>();
    for (Point a : left) {
      for (Point b : right) {
        Set<LatticeOperand> operands = new HashSet<>(a.operands);
        operands.addAll(b.operands);
        pairs.add(new Point(operands, a.universe || b.universe));
      }
    }
    return distinct(pairs);
  }

  /** Whether the set has every coordinate whatever the sparse operands hold. */
  private static boolean coversUniverse(IterationSet set) {
    if (set instanceof IterationSet.Union union) {
      return union.sets().stream().anyMatch(MergeLattice::coversUniverse);
    } else if (set instanceof IterationSet.Intersection intersection) {
      return intersection.sets().stream().allMatch(MergeLattice::coversUniverse);
    } else if (set instanceof IterationSet.Stored stored) {
      return stored.operand().full();
    }
    return set instanceof IterationSet.Universe;
  }

  /** What one loop for all of several points walks; empty if there is no such loop. */
  private static Set<LatticeOperand> walkedByAll(List<Point> points) {
    if (points.size() < 2) {
      return Set.of();
    }
    Set<LatticeOperand> shared = new LinkedHashSet<>(points.get(0).operands);
    points.forEach(point -> shared.retainAll(point.operands));
    boolean found =
        points.stream()
            .flatMap(point -> point.operands.stream())
            .allMatch(operand -> operand.locate() || shared.contains(operand));
    shared.removeIf(LatticeOperand::locate);
    return found ? shared : Set.of();
  }

  private static boolean visitsAll(Point point) {
    return point.universe || point.operands.stream().anyMatch(LatticeOperand::full);
  }

  private static LatticePoint point(Point point, boolean single, boolean covers) {
    Set<LatticeOperand> walked = new LinkedHashSet<>();
    for (LatticeOperand operand : sorted(point.operands)) {
      if (!operand.locate() || !single && !covers && !operand.full()) {
        walked.add(operand);
      }
    }
    boolean universe = point.universe && covers;
    boolean full = point.operands.stream().anyMatch(LatticeOperand::full);
    if (covers && !universe && walked.stream().noneMatch(LatticeOperand::full)) {
      universe = full;
    }
    if (walked.isEmpty() && !universe && !covers) {
      point.operands.stream()
          .filter(operand -> !operand.full())
          .min(Comparator.comparingInt(LatticeOperand::id))
          .ifPresent(walked::add);
    }
    if (walked.isEmpty() && !universe) {
      universe = full || point.universe || point.operands.isEmpty();
      if (!universe) {
        walked.add(sorted(point.operands).get(0));
      }
    }
    return new LatticePoint(point.operands, walked, universe);
  }

  private static List<LatticeOperand> sorted(Set<LatticeOperand> operands) {
    return operands.stream().sorted(Comparator.comparingInt(LatticeOperand::id)).toList();
  }

  /** All points, a point after those above it; empty for the empty set. */
  public List<LatticePoint> points() {
    return points;
  }

  /** Whether the loop of {@code point} would begin after one that walks no more has ended. */
  public boolean isDone(LatticePoint point) {
    return points.subList(0, points.indexOf(point)).stream()
        .anyMatch(before -> point.iterated().containsAll(before.iterated()));
  }

  /** The cases of the loop of {@code point}, the most specific first. */
  public List<LatticePoint> cases(LatticePoint point) {
    return points.stream().filter(p -> p.isBelowOrEqual(point)).toList();
  }

  /** Whether only the top is listed because there are too many points. */
  public boolean isSummary() {
    return summary;
  }

  public boolean isEmpty() {
    return points.isEmpty();
  }

  @Override
  public String toString() {
    String text = points.stream().map(LatticePoint::toString).collect(Collectors.joining(" > "));
    return summary ? text + " > ..." : text;
  }
}
