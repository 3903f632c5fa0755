package org.weft.jobs.model;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.SourceFile;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.DenseMatrix;

/**
 * The rows of a factor matrix with the largest weights, by magnitude, for each of its columns.
 * Memory: {@code count} labels a column; equal weights keep the order of the rows.
 */
public final class StrongestLabels {
  private static final Comparator<Weighted> WEAKEST_FIRST =
      Comparator.comparingDouble((Weighted w) -> Math.abs(w.weight()))
          .thenComparing(Comparator.comparingLong(Weighted::row).reversed());

  private static final double LEAST = 1e-3;

  private final int count;
  private final List<PriorityQueue<Weighted>> columns = new ArrayList<>();

  /** A label and its weight in one component. */
  public record Weighted(long row, String label, double weight) {}

  private StrongestLabels(int rank, int count) {
    this.count = count;
    for (int r = 0; r < rank; r++) {
      columns.add(new PriorityQueue<>(WEAKEST_FIRST));
    }
  }

  /** Reads {@code modeN.tsv}: a label and {@code rank} weights in a line. */
  public static StrongestLabels ofTable(FileAccess files, String uri, int rank, int count) {
    StrongestLabels found = new StrongestLabels(rank, count);
    try (BufferedReader in =
        new BufferedReader(
            new InputStreamReader(SourceFile.find(files, uri).open(0), StandardCharsets.UTF_8))) {
      long row = 0;
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        found.add(uri, row++, line.split("\t", -1), rank);
      }
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
    return found;
  }

  private void add(String uri, long row, String[] cells, int rank) {
    if (cells.length != rank + 1) {
      throw malformed(uri, row, (rank + 1) + " cells", cells.length + " cells");
    }
    for (int r = 0; r < rank; r++) {
      try {
        add(r, row, cells[0], Double.parseDouble(cells[r + 1]));
      } catch (NumberFormatException e) {
        throw malformed(uri, row, "a number as weight " + r, "'" + cells[r + 1] + "'");
      }
    }
  }

  private static WeftException malformed(String uri, long row, String expected, String found) {
    return new WeftException(
        ErrorCode.MALFORMED_INPUT,
        uri + ":" + (row + 1) + ": expected " + expected + ", found " + found);
  }

  /** Of a mode without labels: rows are named by their number, from 1. */
  public static StrongestLabels ofMatrix(DenseMatrix factor, int count) {
    StrongestLabels found = new StrongestLabels(factor.columns(), count);
    for (long row = 0; row < factor.rows(); row++) {
      for (int r = 0; r < factor.columns(); r++) {
        found.add(r, row, Long.toString(row + 1), factor.get(row, r));
      }
    }
    return found;
  }

  private void add(int column, long row, String label, double weight) {
    PriorityQueue<Weighted> queue = columns.get(column);
    if (weight == 0) {
      return;
    }
    Weighted here = new Weighted(row, label, weight);
    if (queue.size() < count) {
      queue.add(here);
    } else if (WEAKEST_FIRST.compare(here, java.util.Objects.requireNonNull(queue.peek())) > 0) {
      queue.poll();
      queue.add(here);
    }
  }

  /** Those of component {@code column}, the strongest first; none below a thousandth of that. */
  public List<Weighted> of(int column) {
    List<Weighted> all = columns.get(column).stream().sorted(WEAKEST_FIRST.reversed()).toList();
    return all.stream()
        .filter(w -> Math.abs(w.weight()) >= LEAST * Math.abs(all.get(0).weight()))
        .toList();
  }
}
