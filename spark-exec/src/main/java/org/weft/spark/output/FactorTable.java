package org.weft.spark.output;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.spark.Failures;
import org.weft.storage.Labels;
import org.weft.storage.file.FileAccess;
import org.weft.storage.file.OutputCommit;
import org.weft.storage.npy.NpyRows;
import org.weft.tensor.DenseMatrix;

/**
 * Factor matrices as a Parquet table with a row for each element: {@code mode} and {@code index},
 * both from 0, {@code label} (null where the mode has none), {@code component} from 0, {@code
 * weight}, and the component's {@code lambda}. Appears whole or not at all.
 */
public final class FactorTable {
  /** Elements that one task turns into rows. */
  private static final int CHUNK_ELEMENTS = 1 << 18;

  private static final StructType SCHEMA =
      new StructType()
          .add("mode", DataTypes.IntegerType, false)
          .add("index", DataTypes.LongType, false)
          .add("label", DataTypes.StringType, true)
          .add("component", DataTypes.IntegerType, false)
          .add("weight", DataTypes.DoubleType, false)
          .add("lambda", DataTypes.DoubleType, false);

  private FactorTable() {}

  /**
   * Fails early if the table could not be published.
   *
   * @throws WeftException {@code OUTPUT_EXISTS}; also if what is to be overwritten is no Parquet
   *     table
   */
  public static void check(FileAccess files, String uri, boolean overwrite) {
    OutputCommit.probe(files, uri, overwrite, true);
    Path folder = files.path(uri);
    FileSystem system = files.fileSystem(folder);
    try {
      if (!overwrite || !system.exists(folder)) {
        return;
      }
      for (FileStatus file : system.listStatus(folder)) {
        String name = file.getPath().getName();
        if (!name.endsWith(".parquet") && !name.startsWith("_") && !name.startsWith(".")) {
          throw new WeftException(
              ErrorCode.OUTPUT_EXISTS,
              uri
                  + ": expected a folder of Parquet files to overwrite, found '"
                  + name
                  + "' in it; name another folder");
        }
      }
    } catch (java.io.IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
  }

  /**
   * Writes the table; executors read the factors. Memory: another copy of the labels on the driver.
   *
   * @param factors mode size x R each
   * @param lambda R weights of the components
   * @param labels by mode
   */
  public static void write(
      JavaSparkContext context,
      FileAccess files,
      String uri,
      boolean overwrite,
      List<NpyRows> factors,
      double[] lambda,
      Map<Integer, Labels> labels) {
    List<Chunk> chunks = new ArrayList<>();
    for (int mode = 0; mode < factors.size(); mode++) {
      addChunks(chunks, mode, factors.get(mode), lambda, labels.get(mode));
    }
    SparkSession session = SparkSession.builder().config(context.getConf()).getOrCreate();
    try (OutputCommit output = OutputCommit.begin(files, uri, overwrite)) {
      session
          .createDataFrame(
              context
                  .parallelize(chunks, Math.max(1, chunks.size()))
                  .flatMap(chunk -> chunk.read().elements()),
              SCHEMA)
          .write()
          .mode("append") // to the hidden folder, which is there
          .parquet(output.stagingUri());
      output.commit();
    } catch (Exception e) {
      throw Failures.unwrap(e);
    }
  }

  /** Some rows of a factor that a task reads. */
  @SuppressWarnings("ArrayRecordComponent")
  private record Chunk(
      int mode, NpyRows factor, long first, int rows, @Nullable Labels labels, double[] lambda)
      implements Serializable {
    FactorRows read() {
      DenseMatrix read = factor.read(first, rows);
      double[] weights = new double[rows * lambda.length];
      for (int row = 0; row < rows; row++) {
        read.copyRow(row, weights, row * lambda.length);
      }
      return new FactorRows(mode, first, weights, labels, lambda);
    }
  }

  private static void addChunks(
      List<Chunk> chunks, int mode, NpyRows factor, double[] lambda, @Nullable Labels labels) {
    int rows = Math.max(1, CHUNK_ELEMENTS / lambda.length);
    for (long first = 0; first < factor.rows(); first += rows) {
      int count = (int) Math.min(rows, factor.rows() - first);
      Labels names = labels == null ? null : labels.range(first, count);
      chunks.add(new Chunk(mode, factor, first, count, names, lambda));
    }
  }
}
