package org.weft.storage;

import java.io.IOException;
import org.weft.storage.file.OutputCommit;
import org.weft.tensor.CooBlock;

/**
 * One tensor on its way to its place, in whatever format: write the entries, commit, close. Nothing
 * is visible before {@link #commit}; closing without it leaves nothing.
 *
 * <pre>{@code
 * try (TensorOutput output = TensorFiles.create(files, uri, overwrite, order, options)) {
 *   output.write(block);
 *   output.commit();
 * }
 * }</pre>
 */
public interface TensorOutput extends TensorWriter {
  /**
   * Writes what remains and publishes the tensor.
   *
   * @return whether this output is now in its place; false only for an attempt that came second
   * @throws org.weft.error.WeftException as {@link OutputCommit#commit}
   */
  boolean commit() throws IOException;

  /** Removes what was not committed. */
  @Override
  void close() throws IOException;

  /** An output of one file: {@code writer} fills what {@code commit} publishes. */
  record OfFile(OutputCommit output, TensorWriter writer) implements TensorOutput {
    @Override
    public void write(CooBlock block) throws IOException {
      writer.write(block);
    }

    @Override
    public void writeRows(long firstRow, int columns, double[] values) throws IOException {
      writer.writeRows(firstRow, columns, values);
    }

    @Override
    public boolean commit() throws IOException {
      writer.close();
      return output.commit();
    }

    @Override
    public void close() {
      output.close();
    }
  }
}
