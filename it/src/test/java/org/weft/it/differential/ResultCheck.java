package org.weft.it.differential;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.StringTokenizer;
import org.weft.it.differential.NaiveEvaluator.SparseExpected;

/** Compares result files with what the naive evaluator expects; fails at the first difference. */
final class ResultCheck {
  private ResultCheck() {}

  /** A dense result: every row, present or not in the tensor. */
  static void dense(Path npy, Expected expected, long rows) {
    double[][] actual = Npy.read(npy);
    check(actual.length == rows, npy + ": expected " + rows + " rows, found " + actual.length);
    for (int row = 0; row < actual.length; row++) {
      check(actual[row].length == expected.columns, npy + ": " + actual[row].length + " columns");
      for (int column = 0; column < expected.columns; column++) {
        if (!expected.agrees(row, column, actual[row][column])) {
          throw new AssertionError(
              "%s: row %d column %d: %s"
                  .formatted(
                      npy, row, column, expected.describe(row, column, actual[row][column])));
        }
      }
    }
  }

  /**
   * A sparse result as FROSTT text: exactly the expected coordinates, each once.
   *
   * @param columnMode the position of the result's column coordinate (TTM), or -1 (TTV)
   */
  static void sparse(Path tns, SparseExpected expected, int columnMode) {
    int columns = expected.values().columns;
    BitSet seen = new BitSet(expected.keys().length * columns);
    int order = expected.kept().modes().length + (columnMode < 0 ? 0 : 1);
    try (BufferedReader lines = Files.newBufferedReader(tns)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        StringTokenizer words = new StringTokenizer(line);
        if (line.startsWith("#")) {
          check(line.contains("extended FROSTT"), tns + ": comment " + line);
          skipHeader(lines, tns);
        } else if (words.hasMoreTokens()) {
          check(words.countTokens() == order + 1, tns + ": expected order " + order + ": " + line);
          entry(tns, line, words, expected, columnMode, seen);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + tns, e);
    }
    int all = expected.keys().length * columns;
    check(seen.cardinality() == all, missing(tns, expected, seen, all));
  }

  private static void skipHeader(BufferedReader lines, Path tns) throws IOException {
    check(lines.readLine() != null && lines.readLine() != null, tns + ": header is cut off");
  }

  private static void entry(
      Path tns,
      String line,
      StringTokenizer words,
      SparseExpected expected,
      int columnMode,
      BitSet seen) {
    long[] kept = new long[expected.kept().modes().length];
    int column = 0;
    for (int mode = 0, k = 0; words.countTokens() > 1; mode++) {
      long coordinate = Long.parseLong(words.nextToken()) - 1;
      if (mode == columnMode) {
        column = Math.toIntExact(coordinate);
      } else {
        kept[k++] = coordinate;
      }
    }
    double actual = Double.parseDouble(words.nextToken());
    int position = Arrays.binarySearch(expected.keys(), expected.kept().key(kept));
    check(position >= 0, tns + ": stores a coordinate that no entry has: " + line);
    check(column >= 0 && column < expected.values().columns, tns + ": column of " + line);
    int bit = position * expected.values().columns + column;
    check(!seen.get(bit), tns + ": stores a coordinate twice: " + line);
    seen.set(bit);
    check(
        expected.values().agrees(position, column, actual),
        tns + ": " + line + ": " + expected.values().describe(position, column, actual));
  }

  private static String missing(Path tns, SparseExpected expected, BitSet seen, int all) {
    int columns = expected.values().columns;
    int first = seen.nextClearBit(0);
    return "%s: %d of %d entries are missing, first the one of key %s column %d"
        .formatted(
            tns,
            all - seen.cardinality(),
            all,
            first < all ? expected.keys()[first / columns] : "-",
            first % columns);
  }

  static void check(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }
}
