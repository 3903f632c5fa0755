package org.weft.spark.ingest;

import java.util.Comparator;
import java.util.List;
import org.weft.storage.WriteOptions;
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
 * @param written false if the batch was there already, and nothing is written
 */
public record IngestReport(
    TensorShape shape,
    long entries,
    long rows,
    long rejected,
    List<Reason> reasons,
    long dropped,
    int rounds,
    boolean written) {
  /** Of a batch that was there already, in a tensor of {@code shape}. */
  static IngestReport nothing(TensorShape shape) {
    return new IngestReport(shape, 0, 0, 0, List.of(), 0, 0, false);
  }

  /**
   * @param used rows of the input that could be used
   * @param kept those whose labels are not too rare
   */
  static IngestReport of(
      WriteOptions options,
      List<Reason> reasons,
      long used,
      long kept,
      int rounds,
      boolean published) {
    long lost = reasons.stream().mapToLong(Reason::rows).sum();
    return new IngestReport(
        options.shape().orElseThrow(),
        options.entries().orElseThrow(),
        used + lost,
        lost,
        reasons,
        used - kept,
        rounds,
        published);
  }

  /**
   * @param column whose cells cannot be used; empty: the line as a whole
   * @param rows rejected for this reason
   */
  public record Reason(String column, String reason, long rows) {
    /** The most frequent first. */
    static final Comparator<Reason> ORDER =
        Comparator.comparingLong(Reason::rows)
            .reversed()
            .thenComparing(Reason::column)
            .thenComparing(Reason::reason);

    @Override
    public String toString() {
      return rows + " x " + (column.isEmpty() ? "" : "column " + column + ": ") + reason;
    }
  }
}
