package org.weft.compiler.convert;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What was made for the requests that came last; thread-safe. Requests are compared by value. */
public final class Recent<K, V> {
  private static final int KEPT = 256;

  private final Map<K, V> kept =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
          return size() > KEPT;
        }
      };

  /** What {@code make} made for {@code request}; two threads may both make it. */
  public V get(K request, Function<K, V> make) {
    synchronized (kept) {
      @Nullable V made = kept.get(request);
      if (made != null) {
        return made;
      }
    }
    V made = make.apply(request);
    synchronized (kept) {
      kept.put(request, made);
    }
    return made;
  }
}
