package org.weft.storage.text;

import java.io.IOException;
import java.io.OutputStream;
import org.weft.storage.WriteOptions;
import org.weft.tensor.TensorShape;

/** FROSTT text; a tensor without entries gets the extended header, so that it can be read back. */
final class TnsWriter extends TextWriter {
  private final boolean extended;

  TnsWriter(OutputStream out, String name, int order, WriteOptions options) throws IOException {
    super(out, name, order, options.zeroBased() ? 0 : 1, options, options.extendedHeader());
    this.extended = options.extendedHeader();
  }

  @Override
  String header(TensorShape shape, long entries) {
    StringBuilder text = new StringBuilder("# extended FROSTT format\n");
    text.append(shape.order()).append(' ').append(entries).append('\n');
    for (int mode = 0; mode < shape.order(); mode++) {
      text.append(shape.size(mode)).append(mode == shape.order() - 1 ? '\n' : ' ');
    }
    return text.toString();
  }

  @Override
  String emptyFile(TensorShape shape) {
    return extended ? "" : header(shape, 0);
  }
}
