package org.weft.compiler;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.weft.error.WeftException;

/**
 * How the loops of a kernel run: a list of {@link Directive}s. It never changes what a kernel
 * computes, except that sums of floats may be added up in another order. Whether a directive is
 * legal for an expression and its formats is checked when the kernel is lowered.
 *
 * <p>Its text form, on command lines and in plans, is the directives one after the other: {@code
 * order(i,k,j) split(i:position:1024) parallel(i) unroll(k,4) vector(k) prefetch(k:24)
 * workspace(j:hashed)}; no directive at all is {@code sequential}.
 */
public record Schedule(List<Directive> directives) implements Serializable {
  static final String SEQUENTIAL = "sequential";

  public Schedule {
    directives = List.copyOf(directives);
    for (int later = 1; later < directives.size(); later++) {
      for (Directive earlier : directives.subList(0, later)) {
        requireConsistent(earlier, directives.get(later));
      }
    }
  }

  private static void requireConsistent(Directive earlier, Directive later) {
    boolean order = earlier instanceof Directive.Order && later instanceof Directive.Order;
    boolean gemm = earlier instanceof Directive.Panels && later instanceof Directive.Panels;
    boolean around = earlier instanceof Directive.Around && later instanceof Directive.Around;
    boolean same =
        earlier.getClass() == later.getClass() && variable(earlier).equals(variable(later));
    if (order || gemm || around || same) {
      throw new IllegalArgumentException(
          "expected one directive of a kind for each loop, found " + earlier + " and " + later);
    }
  }

  /** The loop that a directive is about; empty for an order and a wish. */
  static Optional<String> variable(Directive directive) {
    if (directive instanceof Directive.Split d) {
      return Optional.of(d.variable());
    } else if (directive instanceof Directive.Unroll d) {
      return Optional.of(d.variable());
    } else if (directive instanceof Directive.Vector d) {
      return Optional.of(d.variable());
    } else if (directive instanceof Directive.Parallel d) {
      return Optional.of(d.variable());
    } else if (directive instanceof Directive.Prefetch d) {
      return Optional.of(d.variable());
    } else if (directive instanceof Directive.Workspace d) {
      return Optional.of(d.variable());
    } else if (directive instanceof Directive.Panels d) {
      return Optional.of(d.variable());
    }
    return Optional.empty();
  }

  /** One thread, loop order from the iteration graph. */
  public static Schedule sequential() {
    return new Schedule(List.of());
  }

  /** Outermost loop in parallel if that is legal, loop order from the iteration graph. */
  public static Schedule parallel() {
    return new Schedule(List.of(new Directive.ParallelOutermost()));
  }

  /**
   * The schedule that {@code text} describes; {@link #toString} of it parses to an equal one.
   *
   * @throws WeftException {@code INVALID_SCHEDULE} with a caret under the first wrong token
   */
  public static Schedule parse(String text) {
    return new ScheduleParser(text).parse();
  }

  /** This schedule with another loop order. */
  public Schedule withLoopOrder(String... variables) {
    List<Directive> changed = new ArrayList<>(directives);
    changed.removeIf(Directive.Order.class::isInstance);
    changed.add(0, new Directive.Order(List.of(variables)));
    return new Schedule(changed);
  }

  /** This schedule and one more directive. */
  public Schedule with(Directive directive) {
    List<Directive> changed = new ArrayList<>(directives);
    changed.add(directive);
    return new Schedule(changed);
  }

  /** Index variables from the outermost loop in; empty leaves the order to the iteration graph. */
  public List<String> loopOrder() {
    return all(Directive.Order.class).stream()
        .findFirst()
        .map(o -> o.variables())
        .orElse(List.of());
  }

  /** Whether the outermost loop is to run in parallel if that is legal. */
  public boolean parallelOutermost() {
    return directives.contains(new Directive.ParallelOutermost());
  }

  /** How the loop over {@code variable} is cut into blocks, if it is. */
  public Optional<Directive.Split> split(String variable) {
    return find(Directive.Split.class, variable);
  }

  /** The workspace chosen for {@code variable}; empty leaves the choice to the compiler. */
  public Optional<Directive.WorkspaceKind> workspace(String variable) {
    return find(Directive.Workspace.class, variable).map(Directive.Workspace::kind);
  }

  /** The labels of loops around packed panels. */
  public Optional<Directive.Around> around() {
    return all(Directive.Around.class).stream().findFirst();
  }

  /** Whether and how a contraction runs over packed panels, computed or emulated. */
  public Optional<Directive.Panels> panels() {
    return all(Directive.Panels.class).stream().findFirst();
  }

  /** Whether and how a contraction is computed over packed panels. */
  public Optional<Directive.Gemm> gemm() {
    return all(Directive.Gemm.class).stream().findFirst();
  }

  /** The directive of a kind for the loop over {@code variable}. */
  public <D extends Directive> Optional<D> find(Class<D> kind, String variable) {
    return all(kind).stream().filter(d -> variable(d).equals(Optional.of(variable))).findFirst();
  }

  private <D extends Directive> List<D> all(Class<D> kind) {
    return directives.stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  @Override
  public String toString() {
    return directives.isEmpty()
        ? SEQUENTIAL
        : directives.stream().map(Directive::toString).collect(Collectors.joining(" "));
  }
}
