package org.weft.spark;

import java.util.OptionalInt;

/**
 * How many executors a cluster manager has given to an application, while these may still start.
 */
@FunctionalInterface
public interface GrantedExecutors {
  /** Of applications of which nobody knows it. */
  GrantedExecutors UNKNOWN = OptionalInt::empty;

  /** Executors that run or start; empty if that is not known, or if one has failed to start. */
  OptionalInt count();
}
