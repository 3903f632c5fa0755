package org.weft.engine.distributed;

import java.io.Serializable;

/** A sum that steps add to wherever they run, and that is read where they were sent from. */
public interface Counter extends Serializable {
  void add(long amount);

  long sum();
}
