package org.weft.spark.kryo;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import java.io.DataInput;
import java.io.DataInputStream;
import java.io.DataOutput;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/** A Kryo serializer made of a type's own {@code writeTo} and {@code readFrom}. */
final class DataSerializer<T> extends Serializer<T> {
  private final Writer<T> writer;
  private final Reader<T> reader;

  /** Writes a value completely. */
  interface Writer<T> {
    void write(T value, DataOutput out) throws IOException;
  }

  /** Reads what the writer wrote. */
  interface Reader<T> {
    T read(DataInput in) throws IOException;
  }

  DataSerializer(Writer<T> writer, Reader<T> reader) {
    super(false, true);
    this.writer = writer;
    this.reader = reader;
  }

  @Override
  public void write(Kryo kryo, Output output, T value) {
    try {
      DataOutputStream data = new DataOutputStream(output);
      writer.write(value, data);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public T read(Kryo kryo, Input input, Class<T> type) {
    try {
      return reader.read(new DataInputStream(input));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
