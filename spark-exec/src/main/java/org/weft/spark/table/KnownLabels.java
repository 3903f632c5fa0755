package org.weft.spark.table;

import java.lang.ref.SoftReference;
import java.util.concurrent.ConcurrentHashMap;
import org.weft.storage.Labels;
import org.weft.storage.container.Container;

/** Labels of versions of containers, read once in a process while memory allows. */
final class KnownLabels {
  private static final ConcurrentHashMap<Key, SoftReference<Labels>> KNOWN =
      new ConcurrentHashMap<>();

  private KnownLabels() {}

  private record Key(String uri, String checks) {}

  /** The labels of a mode by original coordinate. */
  static Labels of(Container container, int mode) {
    Key key = new Key(container.uri(), container.labels().checks(mode));
    SoftReference<Labels> known = KNOWN.get(key);
    Labels labels = known == null ? null : known.get();
    if (labels == null) {
      labels = container.labels().original(mode);
      KNOWN.put(key, new SoftReference<>(labels));
    }
    return labels;
  }
}
