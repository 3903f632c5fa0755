package org.weft.spark.wire;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Objects;
import org.apache.hadoop.io.Writable;
import org.jspecify.annotations.Nullable;

/**
 * A value as Hadoop's Writable, in which form it passes any serializer of Spark's: they all send
 * Writables by Java's object streams.
 */
final class Carrier implements Writable {
  private @Nullable Object carried;

  /** For the reader. */
  Carrier() {}

  Carrier(Object value) {
    this.carried = value;
  }

  Object carried() {
    return Objects.requireNonNull(carried);
  }

  @Override
  public void write(DataOutput out) {
    Wire.write(
        carried(),
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            out.write(b);
          }

          @Override
          public void write(byte[] bytes, int from, int count) throws IOException {
            out.write(bytes, from, count);
          }
        });
  }

  /** Reads to the end of what the object stream has for this object. */
  @Override
  public void readFields(DataInput in) {
    carried = Wire.read((InputStream) in);
  }
}
