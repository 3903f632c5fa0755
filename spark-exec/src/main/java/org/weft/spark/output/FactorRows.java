package org.weft.spark.output;

import java.io.Serializable;
import java.util.Iterator;
import java.util.stream.IntStream;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.jspecify.annotations.Nullable;
import org.weft.storage.Labels;

/**
 * Some rows of a factor on their way to the task that writes them to a {@link FactorTable}.
 *
 * @param weights of these rows, R each
 * @param labels of the rows; null if the mode has none
 * @param lambda weights of the R components
 */
@SuppressWarnings("ArrayRecordComponent") // compared with nothing
public record FactorRows(
    int mode, long firstRow, double[] weights, @Nullable Labels labels, double[] lambda)
    implements Serializable {

  /** A row for each element. */
  Iterator<Row> elements() {
    int rank = lambda.length;
    return IntStream.range(0, weights.length)
        .mapToObj(
            e ->
                RowFactory.create(
                    mode,
                    firstRow + e / rank,
                    labels == null ? null : labels.label(e / rank),
                    e % rank,
                    weights[e],
                    lambda[e % rank]))
        .iterator();
  }
}
