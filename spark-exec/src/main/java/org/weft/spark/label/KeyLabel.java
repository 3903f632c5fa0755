package org.weft.spark.label;

import java.io.Serializable;

/** The text that labels a key, which travels to tasks. */
@FunctionalInterface
public interface KeyLabel extends Serializable {
  /** The label of a key; different keys have different labels. */
  String label(Object key);
}
