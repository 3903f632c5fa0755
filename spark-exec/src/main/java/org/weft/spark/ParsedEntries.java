package org.weft.spark;

import org.apache.spark.api.java.JavaRDD;
import org.jspecify.annotations.Nullable;
import org.weft.spark.read.ParsedPart;
import org.weft.spark.wire.Wire;

/**
 * The parsed entries of a tensor on the executors. They are kept in bytes there, but for entries
 * that are read from their files as fast: those are kept from the second pass on that needs them.
 */
final class ParsedEntries {
  private final Wire.Kept<ParsedPart> kept;
  private final JavaRDD<ParsedPart> parts;
  private final @Nullable JavaRDD<ParsedPart> files;
  private boolean keeping;

  private ParsedEntries(
      Wire.Kept<ParsedPart> kept,
      JavaRDD<ParsedPart> parts,
      @Nullable JavaRDD<ParsedPart> files,
      boolean keeping) {
    this.kept = kept;
    this.parts = parts;
    this.files = files;
    this.keeping = keeping;
  }

  /** Entries that are kept when they are first computed. */
  static ParsedEntries of(Wire.Kept<ParsedPart> kept) {
    return of(kept, kept.values());
  }

  /**
   * @param parts the kept entries, in more tasks
   */
  static ParsedEntries of(Wire.Kept<ParsedPart> kept, JavaRDD<ParsedPart> parts) {
    return new ParsedEntries(kept, parts, null, true);
  }

  /**
   * Entries of files that are not dear to read.
   *
   * @param name for Spark's page of storage
   */
  static ParsedEntries inFiles(JavaRDD<ParsedPart> files, String name) {
    Wire.Kept<ParsedPart> kept = Wire.keep(files, name);
    return new ParsedEntries(kept, kept.values(), files, false);
  }

  /** The entries, for passes that others may follow. */
  synchronized JavaRDD<ParsedPart> parts() {
    keeping = true;
    return parts;
  }

  /** The entries, for a pass that is likely to be the only one. */
  synchronized JavaRDD<ParsedPart> once() {
    return files == null || keeping ? parts : files;
  }

  void release() {
    kept.release(true);
  }
}
