package org.weft.storage.container;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.weft.storage.BlockColumns;
import org.weft.tensor.CooBlock;

/**
 * Cuts a stream of entries into parts of at least so many entries that end with a slice of the root
 * mode. A slice of more entries than fit the memory of a task is cut all the same, and where the
 * stream descends in the root mode, a part ends anywhere. Memory: two parts.
 */
final class PartCuts {
  /** So many entries of one slice are a part, unless larger parts are asked for. */
  static final int MOST_PART_ENTRIES = 1 << 22;

  /** Takes a part. */
  interface Sink {
    void take(CooBlock part) throws IOException;
  }

  private final int root;
  private final int partEntries;
  private final Sink sink;

  /** A part that may end here; it goes on if the stream ends before another one is full. */
  private Gathered whole = new Gathered();

  private Gathered open = new Gathered();

  /**
   * @param root mode whose slices stay together
   * @param partEntries of a part, at least 1
   */
  PartCuts(int root, int partEntries, Sink sink) {
    this.root = root;
    this.partEntries = partEntries;
    this.sink = sink;
  }

  /** Entries of one part, so far. */
  private static final class Gathered {
    private final List<CooBlock> blocks = new ArrayList<>();
    private long entries;
    private long last;
    private boolean ascending = true;

    void add(CooBlock block, int root) {
      if (block.size() > 0) {
        blocks.add(block);
        entries += block.size();
        last = block.coordinate(root, block.size() - 1);
      }
    }

    boolean isEmpty() {
      return blocks.isEmpty();
    }
  }

  /** Adds entries behind those so far. */
  void add(CooBlock block) throws IOException {
    int from = 0;
    while (from < block.size()) {
      int to = end(block, from);
      open.add(block.slice(from, to), root);
      from = to;
      if (from < block.size()) {
        release();
        whole = open;
        open = new Gathered();
      } else if (whole.entries + open.entries >= 2L * partEntries) {
        release();
      }
    }
  }

  /** Where the open part ends in a block whose entries before {@code from} are not of it. */
  private int end(CooBlock block, int from) {
    open.ascending &=
        (open.isEmpty() || open.last <= block.coordinate(root, from))
            && BlockColumns.ascends(block, root, from, block.size());
    long missing = Math.max(0, partEntries - open.entries);
    long most = Math.max(2L * partEntries, MOST_PART_ENTRIES) - open.entries;
    int to = (int) Math.min(block.size(), from + missing);
    int last = (int) Math.min(block.size(), from + most);
    while (to < last && open.ascending && goesOn(block, to)) {
      to++;
    }
    return to;
  }

  /** Whether an entry is of the same slice as the one before, which the open part has. */
  private boolean goesOn(CooBlock block, int entry) {
    long before = entry == 0 ? open.last : block.coordinate(root, entry - 1);
    return block.coordinate(root, entry) == before;
  }

  private void release() throws IOException {
    Gathered part = whole;
    whole = new Gathered();
    if (!part.isEmpty()) {
      sink.take(CooBlock.concat(part.blocks));
    }
  }

  /** Ends the stream. */
  void flush() throws IOException {
    open.blocks.forEach(block -> whole.add(block, root));
    open = new Gathered();
    release();
  }
}
