package org.weft.it.differential;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Float64 matrices in NumPy's format 1.0, C order, after NumPy's NEP 1. */
final class Npy {
  private static final Pattern SHAPE = Pattern.compile("'shape': \\((\\d+),(?: (\\d+),?)?\\)");

  private Npy() {}

  /** Uniform in [0.5, 1.5): away from zero, so that products of several factors stay normal. */
  static double[][] random(long rows, int columns, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    double[][] matrix = new double[Math.toIntExact(rows)][columns];
    for (double[] row : matrix) {
      Arrays.setAll(row, column -> random.nextDouble(0.5, 1.5));
    }
    return matrix;
  }

  static void write(Path file, double[][] matrix, int columns) {
    write(file, matrix, "(%d, %d)".formatted(matrix.length, columns), columns);
  }

  static void writeVector(Path file, double[] vector) {
    double[][] column = new double[vector.length][1];
    for (int i = 0; i < vector.length; i++) {
      column[i][0] = vector[i];
    }
    write(file, column, "(%d,)".formatted(vector.length), 1);
  }

  private static void write(Path file, double[][] matrix, String shape, int columns) {
    String header = "{'descr': '<f8', 'fortran_order': False, 'shape': " + shape + ", }";
    int padded = (10 + header.length() + 1 + 63) / 64 * 64;
    ByteBuffer bytes =
        ByteBuffer.allocate(padded + matrix.length * columns * Double.BYTES)
            .order(ByteOrder.LITTLE_ENDIAN);
    bytes.put((byte) 0x93).put("NUMPY".getBytes(StandardCharsets.US_ASCII));
    bytes.put((byte) 1).put((byte) 0).putShort((short) (padded - 10));
    bytes.put(header.getBytes(StandardCharsets.US_ASCII));
    while (bytes.position() < padded - 1) {
      bytes.put((byte) ' ');
    }
    bytes.put((byte) '\n');
    for (double[] row : matrix) {
      for (double value : row) {
        bytes.putDouble(value);
      }
    }
    try {
      Files.write(file, bytes.array());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write " + file, e);
    }
  }

  static double[][] read(Path file) {
    try {
      return parse(Files.readAllBytes(file), file.toString());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + file, e);
    }
  }

  /** Reads a float64 matrix in C order; a vector is a matrix of one column. */
  static double[][] parse(byte[] content, String name) {
    ByteBuffer bytes = ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN);
    int headerLength = content[6] == 1 ? bytes.getShort(8) & 0xffff : bytes.getInt(8);
    int start = content[6] == 1 ? 10 : 12;
    String header = new String(content, start, headerLength, StandardCharsets.US_ASCII);
    Matcher shape = SHAPE.matcher(header);
    if (!header.contains("'<f8'") || !header.contains("False") || !shape.find()) {
      throw new AssertionError(name + ": not float64 in C order: " + header);
    }
    int rows = Integer.parseInt(shape.group(1));
    int columns = shape.group(2) == null ? 1 : Integer.parseInt(shape.group(2));
    bytes.position(start + headerLength);
    if (bytes.remaining() != (long) rows * columns * Double.BYTES) {
      throw new AssertionError(
          "%s: %d bytes after the header of %d x %d"
              .formatted(name, bytes.remaining(), rows, columns));
    }
    double[][] matrix = new double[rows][columns];
    for (double[] row : matrix) {
      for (int column = 0; column < columns; column++) {
        row[column] = bytes.getDouble();
      }
    }
    return matrix;
  }
}
