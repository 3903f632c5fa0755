package org.weft.spark.table;

import java.lang.ref.SoftReference;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.unsafe.types.UTF8String;
import org.weft.storage.container.Container;

/** Labels of versions of containers, read once in a process while memory allows. */
final class KnownLabels {
  private static final ConcurrentHashMap<Key, SoftReference<UTF8String[]>> KNOWN =
      new ConcurrentHashMap<>();

  private KnownLabels() {}

  private record Key(String uri, String checks) {}

  /** The labels of a mode by coordinate; shared, not to be changed. */
  static UTF8String[] of(Container container, int mode) {
    Key key = new Key(container.uri(), container.labelChecks(mode));
    SoftReference<UTF8String[]> known = KNOWN.get(key);
    UTF8String[] texts = known == null ? null : known.get();
    if (texts == null) {
      texts =
          container.originalLabels(mode).toList().stream()
              .map(UTF8String::fromString)
              .toArray(UTF8String[]::new);
      KNOWN.put(key, new SoftReference<>(texts));
    }
    return texts;
  }
}
