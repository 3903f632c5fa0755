package org.weft.engine.distributed;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.weft.engine.entries.Shared;
import org.weft.planner.distributed.LabelGrid;
import org.weft.planner.distributed.Ranges;
import org.weft.reorder.Relabelling;
import org.weft.storage.model.MatchedLabels;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/** The steps that change entries where they are, and those by which they get to other parts. */
public final class Steps {
  private Steps() {}

  /** Converts values as Java's cast does. */
  public static Parts.Step cast(ValueType type) {
    return (part, pieces, scope) -> new MappedPieces(pieces, block -> cast(block, type));
  }

  private static CooBlock cast(CooBlock block, ValueType type) {
    if (type == ValueType.LONG) {
      return block.withLongValues();
    }
    double[] values = new double[block.size()];
    for (int e = 0; e < values.length; e++) {
      values[e] =
          switch (type) {
            case INT -> block.hasLongValues() ? (int) block.longValue(e) : (int) block.value(e);
            case FLOAT -> (float) block.value(e);
            default -> block.value(e);
          };
    }
    return block.withValues(values);
  }

  /** Keeps the entries of a matrix whose row minus column lies between two numbers. */
  public static Parts.Step diagonals(long least, long most) {
    return (part, pieces, scope) ->
        new MappedPieces(pieces, block -> Columns.diagonals(block, least, most));
  }

  /** Puts entries at other coordinates. */
  public static Parts.Step moved(MatchedLabels.Moves moves) {
    return (part, pieces, scope) -> new MappedPieces(pieces, moves::found);
  }

  /** Gives entries new coordinates. */
  public static Parts.Step relabelled(Shared<Relabelling> relabelling) {
    return (part, pieces, scope) -> new MappedPieces(pieces, relabelling.value()::apply);
  }

  /** Leaves out zeros, which are no entries of a tensor in a format that pads. */
  public static Parts.Step nonzeros() {
    return (part, pieces, scope) -> new MappedPieces(pieces, Columns::nonzeros);
  }

  /**
   * Appends the number of the part to the coordinates of entries.
   *
   * @param number of all parts; negative to take the part's own
   */
  static Parts.Step numbered(int number) {
    return (part, pieces, scope) -> {
      int coordinate = number < 0 ? part : number;
      return new MappedPieces(pieces, entries -> Columns.appended(entries, coordinate));
    };
  }

  /** Sorts the entries of every part, which are distinct. */
  static Parts.Step sorted(TensorShape shape, int[] modeOrder) {
    return (part, pieces, scope) -> {
      List<CooBlock> blocks = new ArrayList<>();
      pieces.forEachRemaining(piece -> blocks.add(piece.entries()));
      return blocks.isEmpty()
          ? List.<Piece>of().iterator()
          : List.of(new Piece(part, 0, part, Packing.sorted(shape, modeOrder, blocks))).iterator();
    };
  }

  /** Addresses entries to the part whose range their coordinate of {@code mode} lies in. */
  public static Parts.Step cut(int slot, int mode, Ranges ranges) {
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
