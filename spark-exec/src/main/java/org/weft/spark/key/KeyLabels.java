package org.weft.spark.key;

import java.io.Serializable;
import java.nio.charset.StandardCharsets;

/** The labels of keys. Different keys have different labels. */
public interface KeyLabels extends Serializable {
  /** Text that is its own key. */
  KeyLabels TEXT = new Text();

  /** Whether a label, in UTF-8, is its key. */
  boolean areKeys();

  /** The label of a key, in UTF-8. */
  byte[] utf8(byte[] key);

  /** The label of a key. */
  default String text(byte[] key) {
    return new String(utf8(key), StandardCharsets.UTF_8);
  }

  /** Text that is its own key. */
  record Text() implements KeyLabels {
    @Override
    public boolean areKeys() {
      return true;
    }

    @Override
    public byte[] utf8(byte[] key) {
      return key;
    }
  }
}
