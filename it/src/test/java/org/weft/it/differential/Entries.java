package org.weft.it.differential;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.StringTokenizer;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/**
 * A tensor as a list of entries, duplicates and zeros included, in file order.
 *
 * @param sizes mode sizes
 * @param coordinates {@code coordinates[mode][entry]}, from 0
 * @param values {@code values[entry]}
 */
record Entries(long[] sizes, long[][] coordinates, double[] values) {

  int order() {
    return sizes.length;
  }

  int count() {
    return values.length;
  }

  /**
   * Reads FROSTT text, plain or gzip. Mode sizes are those of the extended header, or the largest
   * coordinates without one.
   */
  static Entries read(Path file) {
    try (InputStream in = open(file);
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(in, StandardCharsets.US_ASCII), 1 << 20)) {
      return read(lines);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + file, e);
    }
  }

  private static InputStream open(Path file) throws IOException {
    InputStream in = Files.newInputStream(file);
    return file.toString().endsWith(".gz") ? new GZIPInputStream(in, 1 << 16) : in;
  }

  private static Entries read(BufferedReader lines) throws IOException {
    long[][] columns = {};
    double[] values = new double[1024];
    int count = 0;
    long[] declared = {};
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      StringTokenizer words = new StringTokenizer(line);
      if (line.contains("extended FROSTT")) {
        lines.readLine();
        declared = Stream.of(lines.readLine().split(" ")).mapToLong(Long::parseLong).toArray();
        columns = new long[declared.length][values.length];
      }
      if (!words.hasMoreTokens() || line.stripLeading().startsWith("#")) {
        continue;
      }
      if (columns.length == 0) {
        columns = new long[words.countTokens() - 1][values.length];
      }
      if (count == values.length) {
        values = Arrays.copyOf(values, 2 * count);
        for (int mode = 0; mode < columns.length; mode++) {
          columns[mode] = Arrays.copyOf(columns[mode], 2 * count);
        }
      }
      for (long[] column : columns) {
        column[count] = Long.parseLong(words.nextToken()) - 1;
      }
      values[count++] = Double.parseDouble(words.nextToken());
    }
    long[] sizes = new long[columns.length];
    for (int mode = 0; mode < columns.length; mode++) {
      columns[mode] = Arrays.copyOf(columns[mode], count);
      sizes[mode] = Arrays.stream(columns[mode]).max().orElse(-1) + 1;
    }
    return new Entries(
        declared.length > 0 ? declared : sizes, columns, Arrays.copyOf(values, count));
  }

  /** Writes FROSTT text with the extended header, which declares the mode sizes. */
  void write(Path file) {
    StringBuilder text = new StringBuilder("# extended FROSTT format\n");
    text.append(order()).append(' ').append(count()).append('\n');
    for (int mode = 0; mode < order(); mode++) {
      text.append(mode == 0 ? "" : " ").append(sizes[mode]);
    }
    text.append('\n');
    for (int entry = 0; entry < count(); entry++) {
      for (long[] column : coordinates) {
        text.append(column[entry] + 1).append(' ');
      }
      text.append(values[entry]).append('\n');
    }
    try {
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write " + file, e);
    }
  }

  @Override
  public String toString() {
    return "tensor of sizes " + Arrays.toString(sizes) + " with " + count() + " entries";
  }
}
