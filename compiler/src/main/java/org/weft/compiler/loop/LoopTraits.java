package org.weft.compiler.loop;

/**
 * What is known or wanted of a {@link Stmt.For}.
 *
 * @param parallel iterations are divided among the threads of the call; implies {@code
 *     independent}, and the body neither grows buffers nor assigns variables declared outside
 * @param vector iterations may run in lock step as vector lanes, and floating-point sums that the
 *     loop carries in a variable may be reassociated
 * @param unroll copies of the body to make: 0 leaves it to LLVM, 1 forbids it
 * @param independent no iteration reads or writes a buffer element that another one writes
 * @param few iterations are few beside those of other loops, for example as many as tasks or as
 *     entries of a table, so that what they do need not be fast
 * @param fiber it runs along a fiber and often has few iterations, and the sums that it carries in
 *     variables may be reassociated
 * @param scalar iterations are not to run as vector lanes: their loads would be gathered
 */
public record LoopTraits(
    boolean parallel,
    boolean vector,
    int unroll,
    boolean independent,
    boolean few,
    boolean fiber,
    boolean scalar) {
  public static final LoopTraits SERIAL =
      new LoopTraits(false, false, 0, false, false, false, false);
  public static final LoopTraits VECTOR = new LoopTraits(false, true, 0, true, false, false, false);
  public static final LoopTraits PARALLEL =
      new LoopTraits(true, false, 0, true, false, false, false);
  public static final LoopTraits FEW = new LoopTraits(false, false, 1, false, true, false, false);
  public static final LoopTraits FIBER = new LoopTraits(false, false, 0, true, false, true, false);

  public static final LoopTraits SCALAR =
      new LoopTraits(false, false, 0, false, false, false, true);

  public LoopTraits {
    if (unroll < 0) {
      throw new IllegalArgumentException("unroll must not be negative: " + unroll);
    }
    if (parallel && !independent) {
      throw new IllegalArgumentException("a parallel loop must have independent iterations");
    }
    if (parallel && vector) {
      throw new IllegalArgumentException(
          "one loop cannot be both parallel and vector: split it, the outer one parallel");
    }
  }

  public LoopTraits withUnroll(int copies) {
    return new LoopTraits(parallel, vector, copies, independent, few, fiber, scalar);
  }
}
