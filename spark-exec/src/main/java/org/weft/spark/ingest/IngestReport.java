package org.weft.spark.ingest;

import java.util.List;
import org.weft.tensor.TensorShape;

/**
 * What became of a table.
 *
 * @param shape of the tensor
 * @param entries stored
 * @param rows that were read, rejects included
 * @param rejected rows that could not be used
 * @param reasons of the rejects, the most frequent first
 * @param dropped rows whose labels were too rare
 * @param rounds passes over the labels until none was too rare
 */
public record IngestReport(
    TensorShape shape,
    long entries,
    long rows,
    long rejected,
    List<Reason> reasons,
    long dropped,
    int rounds) {
  /**
   * @param column whose cells cannot be used; empty: the line as a whole
   * @param rows rejected for this reason
   */
  public record Reason(String column, String reason, long rows) {
    @Override
    public String toString() {
      return rows + " x " + (column.isEmpty() ? "" : "column " + column + ": ") + reason;
    }
  }
}
