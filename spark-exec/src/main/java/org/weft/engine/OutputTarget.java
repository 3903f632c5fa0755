package org.weft.engine;

import org.weft.storage.WriteOptions;

/**
 * Where a result goes, and how it is written.
 *
 * @param uri any Hadoop URI or a local path; its extension chooses the format
 * @param overwrite replace what exists; otherwise an existing output is refused
 * @param options the type of the values, where coordinates start, and names and labels of the
 *     result's modes, for formats that have a place for them; whoever writes adds the shape
 */
public record OutputTarget(String uri, boolean overwrite, WriteOptions options) {
  /** For doubles whose modes have neither names nor labels. */
  public OutputTarget(String uri, boolean overwrite) {
    this(uri, overwrite, WriteOptions.defaults());
  }
}
