package org.weft.engine.distributed;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.weft.planner.distributed.LabelGrid;
import org.weft.planner.distributed.Ranges;
import org.weft.tensor.CooBlock;

/** The steps by which entries get to the parts that need them. */
final class Steps {
  private Steps() {}

  /** Addresses entries to the part whose range their coordinate of {@code mode} lies in. */
  static Parts.Step cut(int slot, int mode, Ranges ranges) {
    return cut(slot, List.of(List.of(mode)), LabelGrid.along("", ranges));
  }

  /**
   * Addresses entries to the parts of a grid whose ranges have their coordinates; along an axis
   * without modes, to every range.
   *
   * @param modes that have the label of each axis
   */
  static Parts.Step cut(int slot, List<List<Integer>> modes, LabelGrid grid) {
    List<List<Integer>> by = List.copyOf(modes);
    return (part, pieces, scope) ->
        new PieceBatches(pieces, (batch, origin) -> cut(batch, origin, slot, by, grid));
  }

  private static List<Piece> cut(
      CooBlock batch, long origin, int slot, List<List<Integer>> modes, LabelGrid grid) {
    List<Piece> cuts = new ArrayList<>();
    int[] copies = grid.copyOffsets(modes);
    int[][] entries = Columns.byPart(batch, modes, grid);
    for (int to = 0; to < entries.length; to++) {
      if (entries[to].length > 0) {
        boolean all = entries[to].length == batch.size();
        CooBlock own = all ? batch : batch.select(entries[to]);
        for (int copy : copies) {
          cuts.add(new Piece(to + copy, slot, origin, own));
        }
      }
    }
    return cuts;
  }

  /**
   * Asks the owners of slices for those whose coordinates mode {@code mode} of slot {@code from}
   * has: a piece for each owner, with the coordinates once and this part as origin.
   */
  static Parts.Step request(int from, int mode, int slot, Ranges owners) {
    return (part, pieces, scope) -> {
      List<long[]> found = new ArrayList<>();
      while (pieces.hasNext()) {
        Piece piece = pieces.next();
        if (piece.slot() == from) {
          found.add(distinct(piece.entries(), mode));
        }
      }
      long[] all = found.stream().flatMapToLong(LongStream::of).sorted().distinct().toArray();
      List<Piece> asked = new ArrayList<>();
      int at = 0;
      for (int owner = 0; owner < owners.parts(); owner++) {
        int start = at;
        long end = owners.from(owner) + owners.length(owner);
        while (at < all.length && all[at] < end) {
          at++;
        }
        if (at > start) {
          long[] wanted = Arrays.copyOfRange(all, start, at);
          Object[] columns = {wanted};
          asked.add(
              new Piece(
                  owner,
                  slot,
                  part,
                  CooBlock.ofColumns(columns, new double[wanted.length], wanted.length)));
        }
      }
      return asked.iterator();
    };
  }

  private static long[] distinct(CooBlock block, int mode) {
    return IntStream.range(0, block.size())
        .mapToLong(e -> block.coordinate(mode, e))
        .sorted()
        .distinct()
        .toArray();
  }

  /**
   * Answers requests: the entries of slot {@code from} whose coordinate of {@code mode} was asked
   * for, addressed to who asked.
   */
  static Parts.Step serve(int from, int mode, int requests, int slot) {
    return (part, pieces, scope) -> {
      List<Piece> asked = new ArrayList<>();
      List<Piece> held = new ArrayList<>();
      while (pieces.hasNext()) {
        Piece piece = pieces.next();
        if (piece.slot() == requests) {
          asked.add(piece);
        } else if (piece.slot() == from) {
          held.add(piece);
        }
      }
      return asked.stream()
          .flatMap(request -> held.stream().map(piece -> answer(request, piece, mode, slot)))
          .filter(answer -> answer.entries().size() > 0)
          .iterator();
    };
  }

  private static Piece answer(Piece request, Piece held, int mode, int slot) {
    long[] wanted = request.entries().longColumn(0);
    CooBlock block = held.entries();
    int[] entries =
        IntStream.range(0, block.size())
            .filter(e -> Arrays.binarySearch(wanted, block.coordinate(mode, e)) >= 0)
            .toArray();
    return new Piece((int) request.origin(), slot, held.origin(), block.select(entries));
  }
}
