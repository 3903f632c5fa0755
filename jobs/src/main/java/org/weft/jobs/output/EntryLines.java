package org.weft.jobs.output;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import org.weft.memory.NativeArray;
import org.weft.storage.Labels;
import org.weft.storage.document.TabSeparated;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * Prints entries, a line each: coordinates and value. Where modes have labels, labels take the
 * place of coordinates, and tabs that of spaces.
 */
public final class EntryLines {
  private static final int LINES_AT_ONCE = 1024;

  private final Consumer<String> output;
  private final ValueType type;
  private final int base;
  private final Map<Integer, Labels> labels;
  private final StringBuilder text = new StringBuilder();
  private int lines;

  /**
   * @param output takes the text, in pieces
   * @param type of the values
   * @param zeroBased whether coordinates start at 0; otherwise at 1
   * @param labels by mode
   */
  public EntryLines(
      Consumer<String> output, ValueType type, boolean zeroBased, Map<Integer, Labels> labels) {
    this.labels = labels;
    this.output = output;
    this.type = type;
    this.base = zeroBased ? 0 : 1;
  }

  /** The entries of a tensor in storage order, its longs with all their digits. */
  public void add(TensorStorage tensor) {
    NativeArray values = tensor.vals();
    tensor.forEachPosition(
        (at, position) ->
            line(
                at,
                type.isIntegral()
                    ? Long.toString(values.getLong(position))
                    : number(values.getDouble(position))));
  }

  private void line(long[] at, String value) {
    for (int mode = 0; mode < at.length; mode++) {
      text.append(place(mode, at[mode])).append(labels.isEmpty() ? ' ' : '\t');
    }
    text.append(value).append('\n');
    if (++lines % LINES_AT_ONCE == 0) {
      flush();
    }
  }

  private String place(int mode, long coordinate) {
    Labels known = labels.get(mode);
    return known != null && coordinate < known.size()
        ? TabSeparated.cell(known.label(coordinate))
        : Long.toString(coordinate + base);
  }

  public void add(CooBlock block) {
    long[] at = new long[block.order()];
    for (int entry = 0; entry < block.size(); entry++) {
      for (int mode = 0; mode < at.length; mode++) {
        at[mode] = block.coordinate(mode, entry);
      }
      line(
          at,
          type.isIntegral() ? Long.toString(block.longValue(entry)) : number(block.value(entry)));
    }
  }

  public void flush() {
    output.accept(text.toString());
    text.setLength(0);
  }

  /** The fewest digits that give the value back in its type. */
  private String number(double value) {
    boolean whole = value == Math.rint(value) && Math.abs(value) < 1e15;
    if (type == ValueType.FLOAT) {
      String text = Float.toString((float) value);
      return whole ? signed(value, new BigDecimal(text).toBigInteger().toString()) : text;
    }
    return whole ? String.format(Locale.ROOT, "%.0f", value) : Double.toString(value);
  }

  /** Zero has a sign as well. */
  private static String signed(double value, String digits) {
    return value == 0 && 1 / value < 0 ? "-" + digits : digits;
  }
}
