package org.weft.compiler.lower.sink;

import java.util.List;
import org.weft.compiler.loop.Buffer;
import org.weft.compiler.loop.LoopVariable;

/**
 * The cells of a sparse temporary in lexicographic order, without repetitions: cell {@code q} has
 * the coordinates {@code crd(k)[q]} and the value {@code vals[q]}.
 *
 * @param crd one growable array for each index variable, outermost first
 * @param vals a growable array
 * @param count how many cells there are
 */
public record CellList(List<Buffer> crd, Buffer vals, LoopVariable count) {
  public CellList {
    crd = List.copyOf(crd);
  }
}
