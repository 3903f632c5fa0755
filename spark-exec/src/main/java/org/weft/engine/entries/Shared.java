package org.weft.engine.entries;

import java.io.Serializable;

/** A value that steps can read wherever they run. Close it when no step will read it again. */
public interface Shared<T> extends Serializable, AutoCloseable {
  T value();

  @Override
  void close();
}
