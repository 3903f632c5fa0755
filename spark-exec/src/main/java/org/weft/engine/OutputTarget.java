package org.weft.engine;

import java.util.List;
import java.util.Map;
import org.weft.storage.Labels;

/**
 * Where a result goes.
 *
 * @param uri any Hadoop URI or a local path; its extension chooses the format
 * @param overwrite replace what exists; otherwise an existing output is refused
 * @param names of the result's modes, or empty; for formats that have a place for them
 * @param labels of the result's modes, as {@code names}
 */
public record OutputTarget(
    String uri, boolean overwrite, List<String> names, Map<Integer, Labels> labels) {
  public OutputTarget {
    names = List.copyOf(names);
    labels = Map.copyOf(labels);
  }

  /** For a result whose modes have neither names nor labels. */
  public OutputTarget(String uri, boolean overwrite) {
    this(uri, overwrite, List.of(), Map.of());
  }
}
