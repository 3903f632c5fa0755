package org.weft.engine.entries;

import org.weft.decomposition.rows.RowSource;

/**
 * The rows of some slices of a mode, in the order of the slices' numbers.
 *
 * @param all rows of the mode
 */
public record ChosenRows(HeavySlices slices, RowSource all) implements RowSource {
  @Override
  public long rows() {
    return slices.size();
  }

  @Override
  public int columns() {
    return all.columns();
  }

  @Override
  public void forEach(long from, long to, Sink sink) {
    for (long row = from; row < to; row++) {
      long number = row;
      long slice = slices.slice(row);
      all.forEach(slice, slice + 1, (there, values) -> sink.row(number, values));
    }
  }
}
