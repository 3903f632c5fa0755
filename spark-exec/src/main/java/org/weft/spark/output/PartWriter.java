package org.weft.spark.output;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;
import org.weft.storage.TensorFiles;
import org.weft.storage.TensorWriter;
import org.weft.storage.WriteOptions;
import org.weft.storage.file.FileAccess;
import org.weft.storage.file.OutputCommit;
import org.weft.tensor.CooBlock;

/**
 * Writes a part of a text file. The text goes to a file of its own, which other attempts at the
 * part may make too, as soon as it is long. Executor side.
 */
final class PartWriter implements TensorWriter {
  private final FileAccess files;
  private final String uri;
  private final String part;
  private final int order;
  private final WriteOptions options;
  private final int shortBytes;
  private final ByteArrayOutputStream text = new ByteArrayOutputStream();
  private @Nullable TensorWriter writer;
  private @Nullable OutputCommit output;
  private long nanos;

  /**
   * @param uri of the whole file, whose format it is
   * @param part of the file of this part
   * @param shortBytes text up to which there is no file
   */
  PartWriter(
      FileAccess files, String uri, String part, int order, WriteOptions options, int shortBytes) {
    this.files = files;
    this.uri = uri;
    this.part = part;
    this.order = order;
    this.options = options;
    this.shortBytes = shortBytes;
  }

  /** Text that is kept until it is long. */
  private final class Text extends OutputStream {
    private @Nullable OutputStream file;

    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      if (file == null && text.size() + length <= shortBytes) {
        text.write(bytes, offset, length);
        return;
      }
      if (file == null) {
        OutputCommit begun = OutputCommit.attempt(files, part);
        output = begun;
        file = begun.create();
        text.writeTo(file);
        text.reset();
      }
      file.write(bytes, offset, length);
    }

    @Override
    public void close() throws IOException {
      if (file != null) {
        file.close();
      }
    }
  }

  /** What makes the lines; a part without entries has none. */
  private TensorWriter writer() throws IOException {
    TensorWriter present = writer;
    if (present == null) {
      present = TensorFiles.part(new Text(), uri, order, options);
      writer = present;
    }
    return present;
  }

  @Override
  public void write(CooBlock block) throws IOException {
    if (block.size() > 0) {
      long start = System.nanoTime();
      writer().write(block);
      nanos += System.nanoTime() - start;
    }
  }

  @Override
  public void writeRows(long firstRow, int columns, double[] values) throws IOException {
    if (values.length > 0) {
      long start = System.nanoTime();
      writer().writeRows(firstRow, columns, values);
      nanos += System.nanoTime() - start;
    }
  }

  /** Writes what remains, and publishes the part's file if it has one. */
  WrittenPart finish() throws IOException {
    long start = System.nanoTime();
    if (writer != null) {
      writer.close();
    }
    if (output != null) {
      output.commit();
    }
    nanos += System.nanoTime() - start;
    return new WrittenPart(output != null, text.toByteArray());
  }

  /** Time of writing, ns. */
  long nanos() {
    return nanos;
  }

  /** Removes what was not published. */
  @Override
  public void close() {
    if (output != null) {
      output.close();
    }
  }
}
