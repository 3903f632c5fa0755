package org.weft.engine.distributed;

import java.util.List;
import java.util.stream.IntStream;
import org.weft.planner.distributed.Ranges;
import org.weft.tensor.CooBlock;

/** Pieces on their way to parts. */
public final class Pieces {
  private Pieces() {}

  /** A piece without entries for each of {@code parts}, which a step there turns into others. */
  public static List<Piece> seeds(int parts) {
    CooBlock none = new CooBlock.Builder(0, 0).build();
    return IntStream.range(0, parts).mapToObj(part -> new Piece(part, 0, part, none)).toList();
  }

  /** Entries addressed to the part whose range their coordinate of the first mode lies in. */
  public static Parts cut(Parts entries, Ranges ranges) {
    return entries.map(Steps.cut(0, 0, ranges));
  }
}
