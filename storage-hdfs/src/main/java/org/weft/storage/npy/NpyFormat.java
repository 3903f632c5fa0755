package org.weft.storage.npy;

import com.google.auto.service.AutoService;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.BlockReader;
import org.weft.storage.InputPlan;
import org.weft.storage.InputSplit;
import org.weft.storage.ReadOptions;
import org.weft.storage.SingleFileFormat;
import org.weft.storage.SourceFile;
import org.weft.storage.TensorFileFormat;
import org.weft.storage.TensorHeader;
import org.weft.storage.TensorWriter;
import org.weft.storage.WriteOptions;
import org.weft.tensor.TensorShape;

/**
 * NumPy arrays as tensors of any order: every cell is an entry, zeros included. {@link NpyFile} is
 * for matrices as operands. Writing takes sorted entries without gaps in the order of the cells,
 * fills what is missing with zeros and sums neighbouring duplicates.
 */
@AutoService(TensorFileFormat.class)
public final class NpyFormat extends SingleFileFormat {
  /** Made by the service loader. */
  public NpyFormat() {
    super("NumPy array", false, ".npy");
  }

  @Override
  public TensorHeader readHeader(SourceFile file, ReadOptions options) throws IOException {
    TensorFileFormat.refuseZeroBased(file.uri(), options.zeroBased(), name());
    try (java.io.InputStream in = file.open(0)) {
      NpyHeader header = NpyHeader.read(in, file.uri());
      NpyFile.requireLength(header, file.uri(), file.length());
      if (header.shape().length == 0) {
        throw new WeftException(
            ErrorCode.SHAPE_MISMATCH, file.uri() + ": expected an array, found a scalar");
      }
      return new TensorHeader(
          header.shape().length,
          TensorShape.of(header.shape()),
          header.elements(),
          header.bytes(),
          true,
          header);
    }
  }

  @Override
  public List<InputSplit> splits(SourceFile file, TensorHeader header, long splitBytes) {
    NpyHeader array = (NpyHeader) Objects.requireNonNull(header.details());
    long item = array.itemBytes();
    long step = Math.max(item, splitBytes / item * item);
    List<InputSplit> splits = new ArrayList<>();
    long at = header.dataStart();
    do {
      long bytes = Math.min(step, file.length() - at);
      splits.add(new InputSplit(file.uri(), at, bytes, file.length()));
      at += bytes;
    } while (at < file.length());
    return splits;
  }

  @Override
  public BlockReader read(SourceFile file, InputPlan plan, InputSplit split) throws IOException {
    NpyHeader array = (NpyHeader) Objects.requireNonNull(plan.header().details());
    return new NpyReader(file, plan, split, array);
  }

  /** Every cell takes 8 bytes, whether it has an entry or not. */
  @Override
  public double leastBytes(WriteOptions options) {
    return options.shape().map(shape -> Double.BYTES * shape.cells()).orElse(0.0);
  }

  @Override
  public TensorWriter write(OutputStream out, String name, int order, WriteOptions options)
      throws IOException {
    TensorFileFormat.refuseZeroBased(name, options.zeroBased(), name());
    TensorShape shape =
        options
            .shape()
            .orElseThrow(
                () ->
                    new WeftException(
                        ErrorCode.SHAPE_MISMATCH,
                        name
                            + ": expected the sizes of all modes, which a dense array begins with,"
                            + " found none; give them, as by the option shape=N,N,..."));
    if (shape.order() != order || shape.cells() > 0x1p60) {
      throw new WeftException(
          ErrorCode.SHAPE_MISMATCH,
          name + ": expected an order " + order + " array of at most 2^60 cells, found " + shape);
    }
    return new NpyWriter(out, name, shape, options.valueType());
  }
}
