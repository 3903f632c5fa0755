package org.weft.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.weft.engine.Engine;
import org.weft.engine.EngineTensor;
import org.weft.storage.ReadOptions;
import org.weft.tensor.ValueType;

/** A small tensor as a list of entries, and the naive evaluation of every operation on it. */
record SparseEntries(long[] sizes, List<long[]> coordinates, List<Double> values) {

  static SparseEntries empty(long... sizes) {
    return new SparseEntries(sizes, new ArrayList<>(), new ArrayList<>());
  }

  static SparseEntries random(long seed, int entries, long... sizes) {
    SparseEntries tensor = empty(sizes);
    Random random = new Random(seed);
    for (int e = 0; e < entries; e++) {
      long[] at = new long[sizes.length];
      for (int m = 0; m < at.length; m++) {
        at[m] = (long) (random.nextDouble() * sizes[m]);
      }
      tensor.add(Math.round(random.nextGaussian() * 1000) / 256.0, at);
    }
    return tensor;
  }

  SparseEntries add(double value, long... at) {
    coordinates.add(at);
    values.add(value);
    return this;
  }

  int order() {
    return sizes.length;
  }

  /** Writes in.tns of a folder, and has an engine read it. */
  EngineTensor read(Engine engine, Path folder, ValueType type) throws IOException {
    return read(engine, folder, type, ReadOptions.DEFAULT_BLOCK_ENTRIES);
  }

  /** As {@link #read(Engine, Path, ValueType)}, in blocks of so many entries. */
  EngineTensor read(Engine engine, Path folder, ValueType type, int blockEntries)
      throws IOException {
    return engine.read(
        write(folder.resolve("in.tns")).toString(),
        ReadOptions.defaults()
            .withHeader(ReadOptions.Header.EXTENDED)
            .withBlockEntries(blockEntries),
        type);
  }

  /** FROSTT text with an extended header, so that sizes without entries are kept. */
  Path write(Path file) throws IOException {
    StringBuilder text = new StringBuilder();
    text.append(order()).append(' ').append(values.size()).append('\n');
    text.append(LongStream.of(sizes).mapToObj(Long::toString).collect(Collectors.joining(" ")));
    text.append('\n');
    for (int e = 0; e < values.size(); e++) {
      for (long coordinate : coordinates.get(e)) {
        text.append(coordinate + 1).append(' ');
      }
      text.append(values.get(e)).append('\n');
    }
    return Files.writeString(file, text);
  }

  /** The entries with those at the same coordinates summed, in the order of their first. */
  SparseEntries summed() {
    Map<List<Long>, Double> sums = new LinkedHashMap<>();
    for (int e = 0; e < values.size(); e++) {
      sums.merge(boxed(coordinates.get(e)), values.get(e), Double::sum);
    }
    SparseEntries summed = empty(sizes);
    sums.forEach((at, sum) -> summed.add(sum, at.stream().mapToLong(i -> i).toArray()));
    return summed;
  }

  long distinct() {
    return coordinates.stream().map(Arrays::toString).distinct().count();
  }

  double[][] mttkrp(int mode, double[][][] factors, int rank) {
    double[][] result = new double[(int) sizes[mode]][rank];
    for (int e = 0; e < values.size(); e++) {
      long[] at = coordinates.get(e);
      for (int r = 0; r < rank; r++) {
        double term = values.get(e);
        for (int m = 0; m < order(); m++) {
          term *= m == mode ? 1 : factors[m][(int) at[m]][r];
        }
        result[(int) at[mode]][r] += term;
      }
    }
    return result;
  }

  /** Entries by coordinates; every coordinate that a stored entry reaches is present. */
  Map<List<Long>, Double> ttv(int mode, double[] vector) {
    Map<List<Long>, Double> result = new TreeMap<>(SparseEntries::compare);
    for (int e = 0; e < values.size(); e++) {
      List<Long> at = boxed(coordinates.get(e));
      double term = values.get(e) * vector[at.remove(mode).intValue()];
      result.merge(at, term, Double::sum);
    }
    return result;
  }

  Map<List<Long>, Double> ttm(int mode, double[][] matrix, int rank) {
    Map<List<Long>, Double> result = new TreeMap<>(SparseEntries::compare);
    for (int e = 0; e < values.size(); e++) {
      for (int r = 0; r < rank; r++) {
        List<Long> at = boxed(coordinates.get(e));
        double term = values.get(e) * matrix[at.get(mode).intValue()][r];
        at.set(mode, (long) r);
        result.merge(at, term, Double::sum);
      }
    }
    return result;
  }

  private static List<Long> boxed(long[] at) {
    return LongStream.of(at).boxed().collect(Collectors.toCollection(ArrayList::new));
  }

  private static int compare(List<Long> a, List<Long> b) {
    for (int m = 0; m < a.size(); m++) {
      int byMode = Long.compare(a.get(m), b.get(m));
      if (byMode != 0) {
        return byMode;
      }
    }
    return 0;
  }
}
