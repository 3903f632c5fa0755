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
import org.weft.spark.ingest.cell.BadCell;
import org.weft.spark.ingest.cell.Utf8Text;
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

  /**
   * Whether UTF-8 text may be one object: it begins with a brace, and nothing but blanks comes
   * after the brace that closes it. Spark's parser takes the first of several values for the whole.
   */
  public static boolean mayBeOneObject(byte[] text, int length) {
    int at = afterBlanks(text, 0, length);
    if (at == length || text[at] != '{') {
      return false;
    }
    int depth = 0;
    int quote = 0;
    for (; at < length; at++) {
      int c = text[at];
      if (quote != 0) {
        at += c == '\\' ? 1 : 0;
        quote = c == quote ? 0 : quote;
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (c == '{' || c == '[') {
        depth++;
      } else if ((c == '}' || c == ']') && --depth == 0) {
        return afterBlanks(text, at + 1, length) == length;
      }
    }
    return true; // it is not closed, which the parser tells
  }

  private static int afterBlanks(byte[] text, int from, int length) {
    int at = from;
    while (at < length && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r')) {
      at++;
    }
    return at;
  }

  @Override
  public void read(Text record) throws BadCell {
    UTF8String line = UTF8String.fromString(Utf8Text.of(record));
    if (!mayBeOneObject(record.getBytes(), record.getLength())) {
      throw new BadCell("", EXPECTED);
    }
    InternalRow row = (InternalRow) parser.evaluate(line);
    if (row != null && !row.isNullAt(columns)) {
      throw new BadCell("", EXPECTED);
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
  }
}
