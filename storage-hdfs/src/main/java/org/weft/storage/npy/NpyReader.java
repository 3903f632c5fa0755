package org.weft.storage.npy;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.NoSuchElementException;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.BlockReader;
import org.weft.storage.InputPlan;
import org.weft.storage.InputSplit;
import org.weft.storage.ReadSummary;
import org.weft.storage.SourceFile;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.ValueType;

/** The cells of a byte range of an array, with their coordinates counted like an odometer. */
final class NpyReader implements BlockReader {
  private final SourceFile file;
  private final InputPlan plan;
  private final InputStream in;
  private final NpyFile.ElementsIn elements;
  private final long[] shape;
  private final boolean fortran;
  private final long[] coordinates;
  private final long[] maxCoordinates;
  private final CooBlock.Builder builder;
  private final boolean exact;
  private long left;
  private long entries;

  NpyReader(SourceFile file, InputPlan plan, InputSplit split, NpyHeader array) throws IOException {
    this.file = file;
    this.plan = plan;
    this.shape = array.shape();
    this.fortran = array.fortran();
    this.left = split.length() / array.itemBytes();
    this.coordinates = new long[shape.length];
    this.maxCoordinates = new long[shape.length];
    Arrays.fill(maxCoordinates, -1);
    int block = plan.options().blockEntries();
    this.exact = plan.options().type() == ValueType.LONG && array.type().isIntegral();
    this.builder = new CooBlock.Builder(shape.length, (int) Math.min(left, block), exact);
    place((split.start() - array.bytes()) / array.itemBytes());
    this.in = file.open(split.start());
    this.elements = new NpyFile.ElementsIn(in, file.uri(), array, left);
  }

  private int fastest(int nth) {
    return fortran ? nth : shape.length - 1 - nth;
  }

  private void place(long cell) {
    long rest = cell;
    for (int nth = 0; nth < shape.length; nth++) {
      int mode = fastest(nth);
      long size = Math.max(1, shape[mode]);
      coordinates[mode] = rest % size;
      rest /= size;
    }
  }

  private void advance() {
    for (int nth = 0; nth < shape.length; nth++) {
      int mode = fastest(nth);
      if (++coordinates[mode] < shape[mode]) {
        return;
      }
      coordinates[mode] = 0;
    }
  }

  @Override
  public boolean hasNext() {
    return left > 0;
  }

  @Override
  public CooBlock next() {
    if (left == 0) {
      throw new NoSuchElementException();
    }
    boolean allowNonfinite = plan.options().allowNonfinite();
    int count = (int) Math.min(left, plan.options().blockEntries());
    try {
      for (int i = 0; i < count; i++) {
        for (int mode = 0; mode < shape.length; mode++) {
          maxCoordinates[mode] = Math.max(maxCoordinates[mode], coordinates[mode]);
        }
        if (exact) {
          builder.addLong(coordinates, elements.nextLong());
        } else {
          double value = elements.next();
          if (!allowNonfinite && !Double.isFinite(value)) {
            throw nonfinite(value);
          }
          builder.add(coordinates, value);
        }
        advance();
      }
    } catch (IOException e) {
      throw FileAccess.unavailable(file.uri(), e);
    }
    left -= count;
    entries += count;
    return builder.build();
  }

  private WeftException nonfinite(double value) {
    return new WeftException(
        ErrorCode.NONFINITE_VALUE,
        file.uri()
            + ": expected finite values, found "
            + value
            + " at "
            + Arrays.toString(coordinates)
            + " (counted from 0); to keep it, allow non-finite values (--allow-nonfinite)");
  }

  @Override
  public ReadSummary summary() {
    return new ReadSummary(maxCoordinates, entries, entries, 0);
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
