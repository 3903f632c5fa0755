package org.weft.compiler.lang;

/** A range of characters of a source text: where a piece of the program was written. */
public record SourceSpan(SourceText source, int offset, int length) {

  /** The smallest span that holds this one and {@code other}. */
  public SourceSpan through(SourceSpan other) {
    int start = Math.min(offset, other.offset);
    int end = Math.max(offset + length, other.offset + other.length);
    return new SourceSpan(source, start, end - start);
  }

  public String text() {
    return source.text().substring(offset, offset + length);
  }

  /** {@code expression:1:14}. */
  @Override
  public String toString() {
    return source.name() + ":" + source.line(offset) + ":" + source.column(offset);
  }
}
