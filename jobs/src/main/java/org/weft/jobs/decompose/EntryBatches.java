package org.weft.jobs.decompose;

import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.weft.decomposition.completion.EntryBatch;
import org.weft.engine.Engine;
import org.weft.engine.EngineTensor;
import org.weft.engine.ProgressListener;
import org.weft.engine.entries.HashedSplit;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * Divides the entries of a tensor into batches by a hash of their coordinates.
 *
 * @param count of the batches
 * @param columns of the model's factors
 * @param seed of the hash, not that of the split into training and other entries
 */
record EntryBatches(int count, int columns, ValueType valueType, long seed) {

  /** Gives work the batches that have entries: they last as long as it. */
  <T> T of(Engine engine, EngineTensor training, Function<List<EntryBatch>, T> work) {
    return of(engine, training, 0, List.of(), work);
  }

  private <T> T of(
      Engine engine,
      EngineTensor training,
      int number,
      List<EntryBatch> before,
      Function<List<EntryBatch>, T> work) {
    if (number == count) {
      return work.apply(before);
    }
    double[] shares = new double[count];
    Arrays.fill(shares, 1.0 / count);
    TensorShape shape = training.originalStatistics().shape();
    EngineTensor batch =
        engine.select(
            training,
            "batch " + (number + 1) + " of " + count,
            shape,
            HashedSplit.part(shares, number, seed));
    if (batch.statistics().entries() == 0) {
      return of(engine, training, number + 1, before, work);
    }
    EntryBatch.Given<T> given =
        new EntryBatch.Given<>(
            columns,
            valueType,
            made -> {
              List<EntryBatch> all = Stream.concat(before.stream(), Stream.of(made)).toList();
              return of(engine, training, number + 1, all, work);
            });
    return engine.run(batch, given, ProgressListener.NONE, (made, site) -> {}).model();
  }
}
