package org.weft.compiler.lower.sink;

import java.util.List;
import org.weft.compiler.loop.Buffer;
import org.weft.compiler.loop.LoopVariable;

/**
 * The cells of a sparse temporary without repetitions: cell {@code q} has the coordinates {@code
 * crd(k)[q]} and the value {@code vals[q]}.
 *
 * @param crd one growable array for each index variable, outermost first
 * @param vals a growable array
 * @param count how many cells there are
 * @param sorted whether cells ascend; otherwise they come as they were first touched
 */
public record CellList(List<Buffer> crd, Buffer vals, LoopVariable count, boolean sorted) {
  public CellList {
    crd = List.copyOf(crd);
  }
}
