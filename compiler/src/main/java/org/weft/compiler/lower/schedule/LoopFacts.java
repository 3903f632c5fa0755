package org.weft.compiler.lower.schedule;

import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.lower.operand.Scope;
import org.weft.compiler.lower.sink.AppendSink;
import org.weft.compiler.lower.sink.MemorySink;
import org.weft.compiler.lower.sink.ScalarSink;
import org.weft.compiler.lower.sink.Sink;

/**
 * What is known of a loop before it is emitted, for the directives that want to change it.
 *
 * @param walks how it finds its coordinates
 * @param writes how its iterations share what they write
 * @param apart whether two of its coordinates never share a cell of the result
 * @param independent whether iterations may run in lock step, sums apart
 * @param innermost whether no loop is inside
 * @param outermost whether no loop is around
 * @param insideParallel whether a parallel loop is around
 * @param register whether values are combined in a register
 */
public record LoopFacts(
    Walks walks,
    Writes writes,
    boolean apart,
    boolean independent,
    boolean innermost,
    boolean outermost,
    boolean insideParallel,
    boolean register) {

  /** How a loop finds its coordinates. */
  public enum Walks {
    /** It counts all coordinates; every operand has random access. */
    ALL_COORDINATES("counts all coordinates"),
    /** It counts the positions of one operand, whose coordinates do not repeat. */
    POSITIONS("counts the positions of one operand"),
    /** It steps through the positions of one operand, past repeated coordinates. */
    REPEATED("passes over repeated coordinates of an operand"),
    /** It merges operands: their positions are carried from one iteration to the next. */
    MERGED("merges several operands");

    private final String words;

    Walks(String words) {
      this.words = words;
    }

    /** Whether the loop has a counter: its trip count is known before it starts. */
    public boolean counted() {
      return this == ALL_COORDINATES || this == POSITIONS;
    }

    @Override
    public String toString() {
      return words;
    }
  }

  /** How iterations share what they write. */
  public enum Writes {
    /** Two iterations never write the same cell. */
    DISJOINT,
    /** Iterations add to the same cells. */
    SUMS,
    /** Iterations append to a result whose pieces can be gathered. */
    APPENDED,
    /** Iterations append, or note which cells have entries: each needs the one before. */
    ORDERED
  }

  /** The facts of a loop whose values go to {@code sink}. */
  public static LoopFacts of(
      IndexVar variable, Walks walks, Sink sink, boolean innermost, Scope scope) {
    boolean temporary = sink instanceof MemorySink memory && memory.temporary();
    Writes writes = writes(sink, variable);
    return new LoopFacts(
        walks,
        writes,
        writes == Writes.DISJOINT,
        sink.independent(variable),
        innermost,
        scope.isOutermost() && !temporary,
        scope.isParallel(),
        sink instanceof ScalarSink);
  }

  private static Writes writes(Sink sink, IndexVar variable) {
    if (sink instanceof ScalarSink) {
      return Writes.SUMS;
    } else if (sink instanceof MemorySink memory && !memory.tracksPresence()) {
      return memory.variables().contains(variable) ? Writes.DISJOINT : Writes.SUMS;
    } else if (sink instanceof AppendSink append) {
      return append.independent(variable)
          ? Writes.DISJOINT
          : append.gathers(variable) ? Writes.APPENDED : Writes.ORDERED;
    }
    return Writes.ORDERED;
  }

  /** Whether it runs in vector lanes unless told otherwise. */
  public boolean vectorises() {
    return independent && innermost && walks == Walks.ALL_COORDINATES;
  }

  /** Whether it adds up the entries of a fiber in a register, which loops around do many times. */
  boolean alongFiber() {
    return register && innermost && !outermost && walks == Walks.POSITIONS;
  }

  /** The facts of a loop that cannot be cut into pieces. */
  public LoopFacts uncut() {
    Writes changed = writes == Writes.APPENDED ? Writes.ORDERED : writes;
    return new LoopFacts(
        walks, changed, apart, independent, innermost, outermost, insideParallel, register);
  }

  /** The facts of a loop that walks repeated coordinates of {@code variable} one by one. */
  public LoopFacts repeating() {
    return new LoopFacts(
        Walks.POSITIONS, Writes.SUMS, apart, false, innermost, outermost, insideParallel, false);
  }
}
