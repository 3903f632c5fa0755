package org.weft.tensor;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Entries that are packed: pieces that are taken once, one by one, and opened by the threads that
 * took them. Not thread-safe.
 */
public interface EntrySource {
  /** Entries of all pieces, those that were taken included. */
  long entries();

  /** Whether the values of all pieces are long; false without a piece. */
  boolean hasLongValues();

  /** The next piece; null behind the last one. */
  @Nullable Piece poll();

  /** Nobody wants another piece: what pieces share is given back when the last one is closed. */
  default void end() {}

  /** A source of the same entries, if none has been taken from this one. */
  EntrySource again();

  /** Some of the entries, in their order; another piece than another thread's is a thread's own. */
  final class Piece {
    private final long entries;
    private final Supplier<EntryColumns> columns;

    private Piece(long entries, Supplier<EntryColumns> columns) {
      this.entries = entries;
      this.columns = columns;
    }

    /** A block. */
    public static Piece of(CooBlock block) {
      return read(block.size(), () -> block);
    }

    /** A block of so many entries that is read when it is wanted. */
    public static Piece read(long entries, Supplier<CooBlock> block) {
      return new Piece(entries, () -> EntryColumns.of(block.get()));
    }

    /** So many entries of a stored tensor that is loaded when it is wanted, and closed then. */
    public static Piece load(long entries, Supplier<TensorStorage> storage) {
      return new Piece(entries, () -> EntryColumns.of(storage.get()));
    }

    long entries() {
      return entries;
    }

    /** The columns, which the caller closes. */
    EntryColumns open() {
      EntryColumns opened = columns.get();
      if (opened.size() != entries) {
        long found = opened.size();
        opened.close();
        throw new IllegalStateException("expected " + entries + " entries, found " + found);
      }
      return opened;
    }
  }

  /** The blocks of a queue, which are taken from it. */
  static EntrySource of(Queue<CooBlock> blocks) {
    long entries = blocks.stream().mapToLong(CooBlock::size).sum();
    boolean exact = !blocks.isEmpty() && blocks.stream().allMatch(CooBlock::hasLongValues);
    return new EntrySource() {
      @Override
      public long entries() {
        return entries;
      }

      @Override
      public boolean hasLongValues() {
        return exact;
      }

      @Override
      public @Nullable Piece poll() {
        CooBlock block = blocks.poll();
        return block == null ? null : Piece.of(block);
      }

      @Override
      public EntrySource again() {
        return of(new ArrayDeque<>(blocks));
      }
    };
  }
}
