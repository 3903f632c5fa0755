package org.weft.spark.ingest.record;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.io.Text;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.json.JsonToStructsEvaluator;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/**
 * JSON objects, a line each, whose members are cells. Spark's own evaluator of {@code from_json}
 * takes them apart, which needs no session, so that a record has the same cells in one process as
 * on Spark.
 */
public final class JsonCells extends RecordCells {
  private static final String EXPECTED = "expected a JSON object";

  /** Has the text of a line that is no object. */
  public static final String CORRUPT = "__weft_corrupt";

  private final JsonToStructsEvaluator parser;

  /**
   * @param columns names of members; a cell is empty where an object lacks it
   */
  public JsonCells(List<String> columns) {
    super(columns.size());
    this.parser =
        new JsonToStructsEvaluator(
            scala.collection.immutable.Map.from(CollectionConverters.asScala(options())),
            schema(columns),
            CORRUPT,
            Option.apply("UTC"),
            false);
  }

  /** What Spark's parser is asked for. */
  public static Map<String, String> options() {
    return new HashMap<>(
        Map.of("primitivesAsString", "true", "columnNameOfCorruptRecord", CORRUPT));
  }

  /** Text, and {@link #CORRUPT} last. */
  public static StructType schema(Iterable<String> columns) {
    StructType schema = new StructType();
    for (String column : columns) {
      schema = schema.add(column, DataTypes.StringType);
    }
    return schema.add(CORRUPT, DataTypes.StringType);
  }

  @Override
  public String expected() {
    return EXPECTED;
  }

  @Override
  public boolean read(Text record) {
    InternalRow row = (InternalRow) parser.evaluate(UTF8String.fromString(record.toString()));
    if (row != null && !row.isNullAt(columns)) {
      return false;
    }
    int end = 0;
    for (int cell = 0; cell < columns; cell++) {
      starts[cell] = end;
      if (row != null && !row.isNullAt(cell)) {
        byte[] bytes = row.getUTF8String(cell).getBytes();
        if (text.length < end + bytes.length) {
          text = Arrays.copyOf(text, 2 * (end + bytes.length));
        }
        System.arraycopy(bytes, 0, text, end, bytes.length);
        end += bytes.length;
      }
      ends[cell] = end;
    }
    return true;
  }
}
