package org.weft.compiler.lower.schedule;

import java.util.List;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorVar;

/**
 * A loop that finds rows of an operand by stored coordinates of another: {@code prefetch} with its
 * label is legal there.
 *
 * @param variable the label of the coordinates
 * @param walked the operand that stores them
 * @param level the 0-based level of {@code walked} that does
 * @param rows the operand that is read by them, whose levels down to that of {@code variable} are
 *     full
 * @param labels of the modes of {@code rows}
 */
public record Lookup(
    IndexVar variable, TensorVar walked, int level, TensorVar rows, List<IndexVar> labels) {
  public Lookup {
    labels = List.copyOf(labels);
  }

  /** Whether the rows are stored fibers, of which the kernel asks for the first lines only. */
  public boolean findsFibers() {
    return !rows.format().isDense();
  }
}
