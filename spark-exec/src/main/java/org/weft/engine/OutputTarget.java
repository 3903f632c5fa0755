package org.weft.engine;

/**
 * Where a result goes.
 *
 * @param uri any Hadoop URI or a local path; its extension chooses the format
 * @param overwrite replace what exists; otherwise an existing output is refused
 */
public record OutputTarget(String uri, boolean overwrite) {}
