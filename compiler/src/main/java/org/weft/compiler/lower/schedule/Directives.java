package org.weft.compiler.lower.schedule;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.Directive;
import org.weft.compiler.Schedule;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorAssignment;
import org.weft.compiler.loop.LoopTraits;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/**
 * The directives of a schedule while loops are emitted. Each loop asks for its {@link LoopPlan}; a
 * directive that is illegal for a loop is refused with a reason. At the end every directive must
 * have been followed by some loop.
 */
public final class Directives {
  private final Schedule schedule;
  private final Set<Directive> followed = new HashSet<>();
  private final Map<Directive, String> refusals = new LinkedHashMap<>();

  public Directives(Schedule schedule) {
    this.schedule = schedule;
  }

  public Schedule schedule() {
    return schedule;
  }

  /** How the loop over {@code variable} is emitted. */
  public LoopPlan plan(IndexVar variable, LoopFacts facts) {
    Directive.Split split =
        schedule.split(variable.name()).filter(s -> canSplit(s, facts)).orElse(null);
    boolean parallel = isParallel(variable, facts, split);
    boolean vector = isVector(variable, facts, parallel && split == null);
    int unroll = unroll(variable, facts);
    LoopTraits blocks = parallel && split != null ? LoopTraits.PARALLEL : LoopTraits.SERIAL;
    boolean fiber = facts.alongFiber() && unroll == 0;
    LoopTraits inner = vector ? LoopTraits.VECTOR : fiber ? LoopTraits.FIBER : LoopTraits.SERIAL;
    if (parallel && split == null) {
      inner = LoopTraits.PARALLEL;
    }
    return new LoopPlan(split, blocks, inner.withUnroll(unroll));
  }

  private boolean canSplit(Directive.Split split, LoopFacts facts) {
    if (split.by() == Directive.SplitBy.POSITION && !facts.walks().counted()) {
      return refuse(
          split,
          "the loop " + facts.walks() + ", so that its positions have no common count",
          "split by coordinate instead");
    }
    return follow(split);
  }

  private boolean isParallel(IndexVar variable, LoopFacts facts, Directive.@Nullable Split split) {
    boolean cut = split != null && split.by() == Directive.SplitBy.COORDINATE;
    boolean gathered =
        facts.writes() == LoopFacts.Writes.APPENDED && facts.outermost() && split == null;
    boolean disjoint =
        cut
            ? facts.apart()
            : gathered || facts.walks().counted() && facts.writes() == LoopFacts.Writes.DISJOINT;
    boolean legal = disjoint && !facts.insideParallel();
    Optional<Directive.Parallel> wanted = schedule.find(Directive.Parallel.class, variable.name());
    if (wanted.isEmpty()) {
      boolean vector = schedule.find(Directive.Vector.class, variable.name()).isPresent();
      return schedule.parallelOutermost() && facts.outermost() && legal && (cut || !vector);
    }
    Directive.Parallel directive = wanted.get();
    if (facts.insideParallel()) {
      return refuse(
          directive,
          "the loop is inside a parallel loop already",
          "run only the outer one in parallel");
    }
    if (facts.writes() == LoopFacts.Writes.ORDERED) {
      return refuse(
          directive,
          "iterations of the loop append to a sparse result in order, or record its entries in"
              + " order",
          "run a loop outside it in parallel, or choose a dense result");
    }
    if (facts.writes() == LoopFacts.Writes.APPENDED && !gathered) {
      return refuse(
          directive,
          "only the outermost loop, and not its blocks, makes pieces of a sparse result",
          "run the outermost loop in parallel, without split");
    }
    if (facts.writes() == LoopFacts.Writes.SUMS && !cut) {
      return refuse(
          directive,
          "iterations of the loop add to the same cells of a result that records which cells"
              + " have entries",
          "choose a dense result, or run a loop outside it in parallel");
    }
    if (!legal) {
      return refuse(
          directive,
          "the loop " + facts.walks() + ", whose positions are carried through the iterations",
          "add split(" + variable + ":coordinate:1024), whose blocks are independent");
    }
    return follow(directive);
  }

  private boolean isVector(IndexVar variable, LoopFacts facts, boolean parallel) {
    boolean common = facts.independent() && facts.innermost();
    Optional<Directive.Vector> wanted = schedule.find(Directive.Vector.class, variable.name());
    if (wanted.isEmpty()) {
      return facts.vectorises() && !parallel;
    }
    Directive.Vector directive = wanted.get();
    if (parallel) {
      return refuse(
          directive,
          "the loop is parallel",
          "add split(" + variable + ":coordinate:64): its blocks run in parallel, each as vectors");
    }
    if (!facts.innermost()) {
      return refuse(
          directive,
          "the loop has other loops inside",
          "make the loop the innermost with order(...), or choose the innermost loop");
    }
    if (!facts.walks().counted()) {
      return refuse(
          directive,
          "the loop " + facts.walks() + ": its trip count is not known before it starts",
          "use operands with unique levels, all but one with random access");
    }
    return common
        ? follow(directive)
        : refuse(
            directive,
            "an iteration needs what the iteration before wrote",
            "choose a dense result, or another loop");
  }

  private int unroll(IndexVar variable, LoopFacts facts) {
    Optional<Directive.Unroll> wanted = schedule.find(Directive.Unroll.class, variable.name());
    if (wanted.isEmpty()) {
      return 0;
    }
    if (!facts.walks().counted()) {
      refuse(
          wanted.get(),
          "the loop " + facts.walks() + ": its trip count is not known before it starts",
          "unroll a loop inside it");
      return 0;
    }
    follow(wanted.get());
    return wanted.get().copies();
  }

  /** The wish that sums over {@code variable} are added up in parallel. */
  public Optional<Directive.Parallel> parallel(IndexVar variable) {
    return schedule.find(Directive.Parallel.class, variable.name());
  }

  /** How many entries ahead rows that {@code variable} chooses are to be prefetched; 0 for not. */
  public int prefetch(IndexVar variable) {
    Optional<Directive.Prefetch> wanted = schedule.find(Directive.Prefetch.class, variable.name());
    wanted.ifPresent(this::follow);
    return wanted.map(Directive.Prefetch::distance).orElse(0);
  }

  /** The workspace chosen for values that scatter along {@code variable}. */
  public Optional<Directive.WorkspaceKind> workspace(IndexVar variable) {
    Optional<Directive.Workspace> wanted =
        schedule.find(Directive.Workspace.class, variable.name());
    wanted.ifPresent(this::follow);
    return wanted.map(Directive.Workspace::kind);
  }

  /** Notes that {@code directive} is followed; true. */
  public boolean follow(Directive directive) {
    followed.add(directive);
    return true;
  }

  /** Notes why {@code directive} is not followed by a loop, and what would be legal; false. */
  public boolean refuse(Directive directive, String reason, String instead) {
    refusals.putIfAbsent(directive, reason + "; " + instead);
    return false;
  }

  /**
   * Returns when every directive was followed.
   *
   * @throws WeftException {@code INVALID_SCHEDULE} with the reason for each that was not
   */
  public void requireFollowed(TensorAssignment assignment) {
    StringBuilder text = new StringBuilder();
    for (Directive directive : schedule.directives()) {
      boolean wish =
          directive instanceof Directive.ParallelOutermost || directive instanceof Directive.Order;
      if (!wish && !followed.contains(directive)) {
        text.append(text.isEmpty() ? "" : "\n")
            .append(directive)
            .append(" is illegal for ")
            .append(assignment)
            .append(": ")
            .append(refusals.getOrDefault(directive, unused(directive, assignment)));
      }
    }
    if (!text.isEmpty()) {
      throw new WeftException(ErrorCode.INVALID_SCHEDULE, text.toString());
    }
  }

  private static String unused(Directive directive, TensorAssignment assignment) {
    if (directive instanceof Directive.Workspace) {
      return "no workspace along this label is needed; drop the directive";
    }
    if (directive instanceof Directive.Prefetch) {
      return "no loop counts stored coordinates of this label and finds rows of operands by them"
          + " alone, down from full levels; drop the directive";
    }
    if (directive instanceof Directive.Around) {
      return "it puts loops around packed panels; add gemm(...), or use order(...)";
    }
    String labels =
        assignment.variables().stream().map(IndexVar::name).collect(Collectors.joining(", "));
    return "there is no loop over this label alone; the labels are "
        + labels
        + ", and those that one operand stores as a list of coordinates share the loop of the"
        + " first";
  }
}
