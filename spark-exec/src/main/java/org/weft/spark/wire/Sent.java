package org.weft.spark.wire;

import org.apache.spark.SerializableWritable;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.weft.engine.entries.Shared;

/**
 * A broadcast value, which a process reads once. Its carrier is of a type that every serializer of
 * Spark's takes, whatever classes it asks to be registered.
 */
public final class Sent<T> implements Shared<T> {
  private static final long serialVersionUID = 1L;

  private final Broadcast<SerializableWritable<Carrier>> broadcast;

  private Sent(Broadcast<SerializableWritable<Carrier>> broadcast) {
    this.broadcast = broadcast;
  }

  static <T> Sent<T> of(JavaSparkContext context, T value) {
    return new Sent<>(context.broadcast(new SerializableWritable<>(new Carrier(value))));
  }

  @Override
  @SuppressWarnings("unchecked")
  public T value() {
    return (T) broadcast.value().value().carried();
  }

  /** Number of the broadcast. */
  public long id() {
    return broadcast.id();
  }

  /** Takes the value back from other processes; it is sent again to those that ask. */
  @Override
  public void close() {
    broadcast.unpersist();
  }

  /** Takes the value back for good. */
  public void destroy() {
    broadcast.destroy();
  }
}
