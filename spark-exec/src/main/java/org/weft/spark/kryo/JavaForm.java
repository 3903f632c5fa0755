package org.weft.spark.kryo;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;

/** Java serialisation, inside Kryo and without it, for small values that travel rarely. */
final class JavaForm {
  private JavaForm() {}

  static <T> DataSerializer<T> of(Class<T> type) {
    return new DataSerializer<>(JavaForm::write, in -> type.cast(read(in)));
  }

  static void write(Object value, DataOutput out) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream objects = new ObjectOutputStream(bytes)) {
      objects.writeObject(value);
    }
    out.writeInt(bytes.size());
    out.write(bytes.toByteArray());
  }

  static Object read(DataInput in) throws IOException {
    byte[] bytes = new byte[in.readInt()];
    in.readFully(bytes);
    try (ObjectInputStream objects = new ContextObjects(new ByteArrayInputStream(bytes))) {
      return objects.readObject();
    } catch (ClassNotFoundException e) {
      throw new IOException("a class is missing from the executor's class path", e);
    }
  }

  /** Resolves classes with the loader of the application, which Spark sets on its threads. */
  private static final class ContextObjects extends ObjectInputStream {
    ContextObjects(InputStream in) throws IOException {
      super(in);
    }

    @Override
    protected Class<?> resolveClass(ObjectStreamClass description)
        throws IOException, ClassNotFoundException {
      ClassLoader loader = Thread.currentThread().getContextClassLoader();
      return loader == null
          ? super.resolveClass(description)
          : Class.forName(description.getName(), false, loader);
    }
  }
}
