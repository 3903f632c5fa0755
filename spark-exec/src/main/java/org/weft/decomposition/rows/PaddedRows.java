package org.weft.decomposition.rows;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;

/** Rows of a model, then rows of zeros for new slices. */
public record PaddedRows(RowSource model, long rows) implements RowSource {

  /** A number for each slice: 1 for those that a model has, 0 for new ones. */
  public static PaddedRows marks(long known, long rows) {
    return new PaddedRows(new Ones(known), rows);
  }

  @Override
  public int columns() {
    return model.columns();
  }

  @Override
  public void forEach(long from, long to, Sink sink) {
    if (from < model.rows()) {
      model.forEach(from, Math.min(to, model.rows()), sink);
    }
    fill(Math.max(from, model.rows()), to, 0, columns(), sink);
  }

  private static void fill(long from, long to, double value, int columns, Sink sink) {
    double[] values = new double[columns];
    try {
      for (long row = from; row < to; row++) {
        Arrays.fill(values, value);
        sink.row(row, values);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private record Ones(long rows) implements RowSource {
    @Override
    public int columns() {
      return 1;
    }

    @Override
    public void forEach(long from, long to, Sink sink) {
      fill(from, to, 1, 1, sink);
    }
  }
}
