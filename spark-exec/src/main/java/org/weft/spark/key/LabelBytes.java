package org.weft.spark.key;

import java.io.ByteArrayOutputStream;
import java.io.Serializable;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.types.PhysicalDataType;
import org.apache.spark.sql.catalyst.types.PhysicalIntegerType;
import org.apache.spark.sql.catalyst.types.PhysicalLongType;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.NullType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.UserDefinedType;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/**
 * Cells of a type of Spark SQL, as Spark holds them, and byte strings that compare, byte by byte
 * from 0, as Spark orders the cells; cells that Spark holds for equal have the same bytes.
 */
public sealed interface LabelBytes extends Serializable {
  /**
   * Cells of {@code type}.
   *
   * @throws WeftException {@code USAGE} for a type whose cells do not compare by bytes
   */
  static LabelBytes of(DataType type) {
    if (type instanceof StringType text && text.supportsBinaryEquality()) {
      return new Text();
    }
    if (type instanceof StructType struct) {
      return new Struct(
          new ArrayList<>(Stream.of(struct.fields()).map(f -> of(f.dataType())).toList()));
    }
    if (type instanceof ArrayType array) {
      return new Elements(of(array.elementType()));
    }
    if (type instanceof UserDefinedType<?> own) {
      return of(own.sqlType());
    }
    if (type instanceof DecimalType decimal) {
      return new Exact(decimal.precision(), decimal.scale());
    }
    if (type instanceof BinaryType) {
      return new Bytes();
    }
    return number(type);
  }

  private static LabelBytes number(DataType type) {
    if (type instanceof BooleanType || type instanceof NullType) {
      return Whole.BOOLEAN;
    }
    if (type instanceof ByteType) {
      return Whole.BYTE;
    }
    if (type instanceof ShortType) {
      return Whole.SHORT;
    }
    if (type instanceof FloatType) {
      return Real.FLOAT;
    }
    if (type instanceof DoubleType) {
      return Real.DOUBLE;
    }
    PhysicalDataType held = PhysicalDataType.apply(type); // dates, instants and intervals too
    if (held instanceof PhysicalIntegerType) {
      return Whole.INT;
    }
    if (held instanceof PhysicalLongType) {
      return Whole.LONG;
    }
    throw new WeftException(
        ErrorCode.USAGE,
        "expected labels that are compared by their bytes, found "
            + type.simpleString()
            + "; cast it"
            + (type instanceof StringType ? " to string collate UTF8_BINARY" : ""));
  }

  /** The cell of a column of a row, or an element of an array, that is not null. */
  Object at(SpecializedGetters row, int column);

  /** The bytes of a cell that is not null. */
  default byte[] bytes(Object cell) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    write(cell, out);
    return out.toByteArray();
  }

  /** The cell of {@link #bytes}. */
  default Object cell(byte[] bytes) {
    return read(ByteBuffer.wrap(bytes));
  }

  /** Writes bytes that do not begin with the bytes of another cell. */
  void write(Object cell, ByteArrayOutputStream out);

  /** Reads what {@link #write} wrote. */
  Object read(ByteBuffer in);

  /** Text in UTF-8. */
  record Text() implements LabelBytes {
    @Override
    public Object at(SpecializedGetters row, int column) {
      return row.getUTF8String(column);
    }

    @Override
    public byte[] bytes(Object cell) {
      return ((UTF8String) cell).getBytes();
    }

    @Override
    public Object cell(byte[] bytes) {
      return UTF8String.fromBytes(bytes);
    }

    @Override
    public void write(Object cell, ByteArrayOutputStream out) {
      Escaped.write(bytes(cell), out);
    }

    @Override
    public Object read(ByteBuffer in) {
      return UTF8String.fromBytes(Escaped.read(in));
    }
  }

  /** Byte strings. */
  record Bytes() implements LabelBytes {
    @Override
    public Object at(SpecializedGetters row, int column) {
      return row.getBinary(column);
    }

    @Override
    public byte[] bytes(Object cell) {
      return (byte[]) cell;
    }

    @Override
    public Object cell(byte[] bytes) {
      return bytes;
    }

    @Override
    public void write(Object cell, ByteArrayOutputStream out) {
      Escaped.write((byte[]) cell, out);
    }

    @Override
    public Object read(ByteBuffer in) {
      return Escaped.read(in);
    }
  }

  /** Byte strings with an end: zeros are followed by 255, the end by 0. */
  final class Escaped {
    private Escaped() {}

    static void write(byte[] bytes, ByteArrayOutputStream out) {
      for (byte next : bytes) {
        out.write(next);
        if (next == 0) {
          out.write(0xFF);
        }
      }
      out.write(0);
      out.write(0);
    }

    static byte[] read(ByteBuffer in) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      byte next = in.get();
      while (next != 0 || in.get() != 0) {
        bytes.write(next);
        next = in.get();
      }
      return bytes.toByteArray();
    }
  }

  /** Integers, and what Spark holds as integers: eight bytes, the highest first. */
  enum Whole implements LabelBytes {
    BOOLEAN,
    BYTE,
    SHORT,
    INT,
    LONG;

    @Override
    public Object at(SpecializedGetters row, int column) {
      return switch (this) {
        case BOOLEAN -> row.getBoolean(column);
        case BYTE -> row.getByte(column);
        case SHORT -> row.getShort(column);
        case INT -> row.getInt(column);
        case LONG -> row.getLong(column);
      };
    }

    @Override
    public byte[] bytes(Object cell) {
      long number = cell instanceof Boolean flag ? (flag ? 1 : 0) : ((Number) cell).longValue();
      return KeyNumbers.bytes(number);
    }

    @Override
    public void write(Object cell, ByteArrayOutputStream out) {
      out.writeBytes(bytes(cell));
    }

    @Override
    public Object read(ByteBuffer in) {
      long number = KeyNumbers.whole(in);
      return switch (this) {
        case BOOLEAN -> number != 0;
        case BYTE -> (byte) number;
        case SHORT -> (short) number;
        case INT -> (int) number;
        case LONG -> number;
      };
    }
  }

  /** Floating-point numbers, as Spark groups them: one zero, and one NaN behind all others. */
  enum Real implements LabelBytes {
    FLOAT,
    DOUBLE;

    @Override
    public Object at(SpecializedGetters row, int column) {
      return this == FLOAT ? (double) row.getFloat(column) : row.getDouble(column);
    }

    @Override
    public byte[] bytes(Object cell) {
      double number = ((Number) cell).doubleValue();
      return KeyNumbers.bytes(number == 0 ? 0.0 : number);
    }

    @Override
    public void write(Object cell, ByteArrayOutputStream out) {
      out.writeBytes(bytes(cell));
    }

    @Override
    public Object read(ByteBuffer in) {
      double number = KeyNumbers.real(in);
      if (this == FLOAT) {
        return (float) number;
      }
      return number;
    }
  }

  /** Decimal numbers of one scale: 16 bytes, the highest first. */
  record Exact(int precision, int scale) implements LabelBytes {
    private static final int BYTES = 16;

    @Override
    public Object at(SpecializedGetters row, int column) {
      return row.getDecimal(column, precision, scale);
    }

    @Override
    public void write(Object cell, ByteArrayOutputStream out) {
      Decimal number = (Decimal) cell;
      byte[] digits = number.toJavaBigDecimal().setScale(scale).unscaledValue().toByteArray();
      int sign = digits[0] < 0 ? 0xFF : 0;
      for (int at = 0; at < BYTES; at++) {
        int from = at - (BYTES - digits.length);
        int next = from < 0 ? sign : digits[from];
        out.write(at == 0 ? next ^ 0x80 : next);
      }
    }

    @Override
    public Object read(ByteBuffer in) {
      byte[] digits = new byte[BYTES];
      in.get(digits);
      digits[0] ^= (byte) 0x80;
      return Decimal.apply(new BigDecimal(new BigInteger(digits), scale), precision, scale);
    }
  }

  /** Fields one after another; each begins with 0 if it is null, else with 1. */
  record Struct(List<LabelBytes> fields) implements LabelBytes {
    @Override
    public Object at(SpecializedGetters row, int column) {
      return row.getStruct(column, fields.size());
    }

    @Override
    public void write(Object cell, ByteArrayOutputStream out) {
      InternalRow row = (InternalRow) cell;
      for (int field = 0; field < fields.size(); field++) {
        out.write(row.isNullAt(field) ? 0 : 1);
        if (!row.isNullAt(field)) {
          LabelBytes of = fields.get(field);
          of.write(of.at(row, field), out);
        }
      }
    }

    @Override
    public Object read(ByteBuffer in) {
      @Nullable Object[] cells = new @Nullable Object[fields.size()];
      for (int field = 0; field < cells.length; field++) {
        cells[field] = in.get() == 0 ? null : fields.get(field).read(in);
      }
      return new GenericInternalRow(cells);
    }
  }

  /** Elements one after another; each begins with 1 if it is null, else with 2. The end is 0. */
  record Elements(LabelBytes element) implements LabelBytes {
    @Override
    public Object at(SpecializedGetters row, int column) {
      return row.getArray(column);
    }

    @Override
    public void write(Object cell, ByteArrayOutputStream out) {
      ArrayData array = (ArrayData) cell;
      for (int at = 0; at < array.numElements(); at++) {
        out.write(array.isNullAt(at) ? 1 : 2);
        if (!array.isNullAt(at)) {
          element.write(element.at(array, at), out);
        }
      }
      out.write(0);
    }

    @Override
    public Object read(ByteBuffer in) {
      List<@Nullable Object> cells = new ArrayList<>();
      for (byte next = in.get(); next != 0; next = in.get()) {
        cells.add(next == 1 ? null : element.read(in));
      }
      return new GenericArrayData(cells.toArray());
    }
  }
}
