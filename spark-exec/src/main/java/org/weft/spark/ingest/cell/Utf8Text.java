package org.weft.spark.ingest.cell;

import java.nio.charset.CharacterCodingException;
import org.apache.hadoop.io.Text;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/** Records as text. They are UTF-8: other bytes would be replaced, and so become other labels. */
public final class Utf8Text {
  private static final String EXPECTED = "expected text in UTF-8";

  private Utf8Text() {}

  /** The text of a record; bytes that are not UTF-8 make it a reject. */
  public static String of(Text record) throws BadCell {
    try {
      return Text.decode(record.getBytes(), 0, record.getLength(), false);
    } catch (CharacterCodingException e) {
      throw new BadCell("", EXPECTED);
    }
  }

  /** What is wrong with a row of which {@code cell} is a label; null for what is no text. */
  public static Column problem(Column cell) {
    Column isText = functions.is_valid_utf8(cell.cast(DataTypes.StringType));
    return functions.when(functions.not(isText), EXPECTED);
  }

  /**
   * The error of a line that no row is made of.
   *
   * @param found the line, with other letters for what is not UTF-8
   */
  public static WeftException malformed(String file, long line, String found) {
    return new WeftException(
        ErrorCode.MALFORMED_INPUT,
        file
            + ":"
            + line
            + ": "
            + EXPECTED
            + ", found "
            + BadCell.shown(found)
            + "; convert the file, for example with iconv");
  }
}
