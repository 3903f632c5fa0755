package org.weft.storage.text;

import java.io.IOException;
import java.io.OutputStream;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.TensorFileFormat;
import org.weft.storage.WriteOptions;
import org.weft.tensor.TensorShape;

/** Matrix Market text: coordinate, real or integer, general. */
final class MtxWriter extends TextWriter {
  MtxWriter(OutputStream out, String name, int order, WriteOptions options) throws IOException {
    super(checked(out, name, order, options), name, order, 1, options, true);
  }

  private static OutputStream checked(
      OutputStream out, String name, int order, WriteOptions options) {
    TensorFileFormat.refuseZeroBased(name, options.zeroBased(), "Matrix Market text");
    if (order != 2) {
      throw new WeftException(
          ErrorCode.SHAPE_MISMATCH,
          name
              + ": expected a tensor of order 2 for Matrix Market text, found order "
              + order
              + "; write .tns instead");
    }
    return out;
  }

  @Override
  String header(TensorShape shape, long entries) {
    return "%%MatrixMarket matrix coordinate "
        + (integral() ? "integer" : "real")
        + " general\n"
        + shape.size(0)
        + " "
        + shape.size(1)
        + " "
        + entries
        + "\n";
  }

  @Override
  String emptyFile(TensorShape shape) {
    return "";
  }
}
