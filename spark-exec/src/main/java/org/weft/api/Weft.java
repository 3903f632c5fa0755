package org.weft.api;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.engine.local.LocalBackend;
import org.weft.error.ErrorCode;
import org.weft.error.Given;
import org.weft.error.WeftException;
import org.weft.spark.SparkEngine;
import org.weft.storage.TensorFiles;
import org.weft.storage.file.FileAccess;

/**
 * The entry point of programs: makes tensors and computes with them, on the executors of a Spark
 * session or on the threads of this process. Closing a Weft frees all that its tensors and models
 * keep. The Spark session stays open.
 *
 * <p>A Weft is used by one thread at a time. If two jobs run at a time in one session, each job has
 * a Weft of its own.
 */
public final class Weft implements AutoCloseable {
  private final Engine engine;
  private final @Nullable SparkSession spark;
  private final List<AutoCloseable> kept = new ArrayList<>();
  private boolean closed;

  private Weft(Engine engine, @Nullable SparkSession spark) {
    this.engine = engine;
    this.spark = spark;
  }

  /**
   * Makes a Weft that computes on the executors of the caller's session. The session may have any
   * settings. Weft needs no serializer, no registrator and no off-heap memory of Spark's, and
   * changes no setting. Once the session is stopped, what needs it throws {@code
   * CLUSTER_UNAVAILABLE}.
   */
  public static Weft on(SparkSession spark) {
    requireRunning(Given.required("spark", spark));
    JavaSparkContext context = JavaSparkContext.fromSparkContext(spark.sparkContext());
    return new Weft(SparkEngine.create(context, EngineOptions.defaults()), spark);
  }

  /** Makes a Weft that computes in this process, on all of its processors, without Spark. */
  public static Weft local() {
    FileAccess files = FileAccess.of(new Configuration());
    return new Weft(LocalBackend.engine(files, EngineOptions.defaults()), null);
  }

  /**
   * Makes a tensor of a table. The tensor has a mode for each of the columns {@code modes}, which
   * have any type that can be ordered, text with the collation {@code UTF8_BINARY}. The distinct
   * values of a column, in their order, are the labels of its mode. The values of rows with the
   * same labels are summed. The table is read when the tensor is first used.
   *
   * @param value column of the values, a number
   * @throws WeftException {@code USAGE} for a column that {@code rows} lacks or that has another
   *     type, and without Spark. The first use of the tensor throws {@code MALFORMED_INPUT} for a
   *     row without a label or value
   */
  public Tensor tensor(Dataset<Row> rows, List<String> modes, String value) {
    Given.required("rows", rows);
    Given.required("modes", modes);
    Given.required("value", value);
    return new Tensor(this, DatasetSource.of(requireSpark(), rows, modes, value));
  }

  /** Makes a tensor of a table. The value of an entry is the number of rows with its labels. */
  public Tensor tensor(Dataset<Row> rows, List<String> modes) {
    Given.required("rows", rows);
    Given.required("modes", modes);
    return new Tensor(this, DatasetSource.of(requireSpark(), rows, modes, null));
  }

  /**
   * Makes a tensor of a file: {@code .weft}, {@code .tns}, {@code .mtx}, {@code .npy} and others,
   * on any file system that Hadoop knows. The labels of a container are the labels of the modes.
   * The file is read when the tensor is first used, which throws {@code INPUT_NOT_FOUND} and
   * others.
   *
   * @throws WeftException {@code USAGE} for a name whose extension no reader knows
   */
  public Tensor tensor(String uri) {
    TensorFiles.requireKnownExtension(Given.required("uri", uri));
    return new Tensor(this, new Source.File(uri));
  }

  /**
   * Makes a tensor of {@code n} entries in arrays. Entries of equal coordinates are summed.
   *
   * @param coordinates an array of n for each mode, from 0
   * @param values n of them
   * @param shape size of each mode
   * @throws WeftException {@code SHAPE_MISMATCH} for arrays of different lengths, {@code
   *     COORDINATE_OUT_OF_RANGE}
   */
  public Tensor tensor(long[][] coordinates, double[] values, long... shape) {
    Given.required("coordinates", coordinates);
    Given.required("values", values);
    Given.required("shape", shape);
    return new Tensor(this, Source.Entries.of(coordinates, values, shape));
  }

  /** Makes a matrix of rows that have the same length. Zeros are no entries. */
  public Tensor tensor(double[][] rows) {
    return new Tensor(this, Source.Entries.matrix(Given.required("rows", rows)));
  }

  /** Makes a vector. Zeros are no entries. */
  public Tensor tensor(double[] values) {
    return new Tensor(this, Source.Entries.vector(Given.required("values", values)));
  }

  /**
   * Makes the value of a statement of the language, such as {@code C(i,j) = A(i,k) * B(k,j)}.
   * Labels that the result lacks are summed. The first use computes the value, which this Weft
   * keeps until it is closed.
   *
   * @param operands by name: a {@link Tensor} of this Weft; a Dataset, whose last column is the
   *     value and whose others are the modes; a path; an array as {@code double[]} or {@code
   *     double[][]}; a number. Modes with the same label have the same labels if they come from
   *     Datasets; otherwise they are matched by coordinate
   * @throws WeftException {@code INVALID_EXPRESSION}, {@code SHAPE_MISMATCH}, {@code USAGE} for an
   *     operand that is missing
   */
  public Tensor eval(String statement, Map<String, ?> operands) {
    Given.required("statement", statement);
    Given.required("operands", operands);
    requireRunning();
    Map<String, Object> given = new LinkedHashMap<>();
    operands.forEach((name, operand) -> given.put(name, operand(name, operand)));
    return new WeftStatements(this).evaluate(statement, given);
  }

  /**
   * Reads a model from a folder that {@link TensorModel#save} or a command wrote. A pointer of
   * {@code weft publish} names such a folder, too. The factors come to this process.
   *
   * @return a {@link CpModel}, {@link CompletionModel} or {@link TuckerModel}. A folder of {@code
   *     weft cpapr} or {@code gcp} is a CpModel, whose fits are what the command measures
   * @throws WeftException {@code INPUT_NOT_FOUND}, {@code MALFORMED_INPUT} or {@code
   *     SHAPE_MISMATCH} for a folder of something else, {@code UNSUPPORTED_OPERATION} for a folder
   *     that a newer Weft wrote
   */
  public TensorModel model(String folder) {
    return SavedModel.read(this, Given.required("folder", folder));
  }

  private Object operand(String name, @Nullable Object operand) {
    if (operand instanceof Tensor || operand instanceof Number) {
      return operand;
    }
    if (operand instanceof String uri) {
      return tensor(uri);
    }
    if (operand instanceof double[] vector) {
      return tensor(vector);
    }
    if (operand instanceof double[][] matrix) {
      return tensor(matrix);
    }
    if (operand instanceof Dataset<?> table) {
      List<String> columns = List.of(table.columns());
      int last = columns.size() - 1;
      return tensor(table.toDF(), columns.subList(0, last), columns.get(last));
    }
    throw new WeftException(
        ErrorCode.USAGE,
        "operand "
            + name
            + ": expected a Tensor, Dataset, path, double[], double[][] or number, found "
            + (operand == null ? "null" : "a " + operand.getClass().getSimpleName()));
  }

  /** Closes {@code owned} with this. */
  <T extends AutoCloseable> T keep(T owned) {
    kept.add(owned);
    return owned;
  }

  Engine engine() {
    if (closed) {
      throw new IllegalStateException("this Weft is closed");
    }
    requireRunning();
    return engine;
  }

  /** Throws if the session is stopped: Spark would say so in its own words, or not at all. */
  void requireRunning() {
    if (!closed && spark != null) {
      requireRunning(spark);
    }
  }

  private static void requireRunning(SparkSession spark) {
    if (spark.sparkContext().isStopped()) {
      throw new WeftException(
          ErrorCode.CLUSTER_UNAVAILABLE,
          "expected the Spark session of this Weft to run, found it stopped; start a session, and"
              + " make a Weft and its tensors anew with Weft.on(session)");
    }
  }

  @Nullable SparkSession spark() {
    return spark;
  }

  SparkSession requireSpark() {
    if (spark == null) {
      throw new WeftException(
          ErrorCode.USAGE,
          "expected a Spark session for Datasets; use Weft.on(spark), or Tensor.forEach and"
              + " matrix(mode) of a model, which need no session");
    }
    requireRunning();
    return spark;
  }

  /** Frees what this keeps. A second call does nothing. A session that was stopped kept nothing. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      for (int k = kept.size() - 1; k >= 0 && !isStopped(); k--) {
        kept.get(k).close();
      }
    } catch (Exception e) {
      throw e instanceof RuntimeException failure ? failure : new IllegalStateException(e);
    } finally {
      kept.clear();
      engine.close();
    }
  }

  private boolean isStopped() {
    return spark != null && spark.sparkContext().isStopped();
  }
}
