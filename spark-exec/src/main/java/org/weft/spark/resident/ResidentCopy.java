package org.weft.spark.resident;

import java.io.Externalizable;
import java.io.IOException;
import java.io.ObjectInput;
import java.io.ObjectOutput;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A {@link ResidentPartition} on its way to another process by Java's object streams. */
public final class ResidentCopy implements Externalizable {
  private static final long serialVersionUID = 1L;

  private transient @Nullable ResidentPartition partition;

  /** For the reader. */
  public ResidentCopy() {}

  ResidentCopy(ResidentPartition partition) {
    this.partition = partition;
  }

  @Override
  public void writeExternal(ObjectOutput out) throws IOException {
    Objects.requireNonNull(partition).writeTo(out);
  }

  @Override
  public void readExternal(ObjectInput in) throws IOException {
    partition = ResidentPartition.readFrom(in);
  }

  private Object readResolve() {
    return Objects.requireNonNull(partition);
  }
}
