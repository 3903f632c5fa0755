package org.weft.decomposition;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.weft.decomposition.rows.RowSource;
import org.weft.decomposition.rows.Rows;
import org.weft.decomposition.rows.Site;
import org.weft.tensor.ValueType;

/**
 * All that a method carries from one sweep to the next, by name. A run that goes on from it has the
 * bits of a run that was never interrupted.
 *
 * @param <R> a matrix with a row for each slice of a mode: {@link Rows} of a run, or a {@link
 *     RowSource} that outlives the run
 */
public final class MethodState<R> {
  private final Map<String, R> rows = new LinkedHashMap<>();
  private final Map<String, double[]> numbers = new LinkedHashMap<>();

  /** Adds matrices; the first is NAME0, the second NAME1, and so on. */
  public MethodState<R> rows(String name, List<? extends R> matrices) {
    int number = 0;
    for (R matrix : matrices) {
      rows.put(numbered(name, number++), matrix);
    }
    return this;
  }

  /** Adds one matrix by its whole name. */
  public MethodState<R> row(String name, R matrix) {
    rows.put(name, matrix);
    return this;
  }

  /** Adds numbers. */
  public MethodState<R> numbers(String name, double... values) {
    numbers.put(name, values.clone());
    return this;
  }

  /** Adds numbers. */
  public MethodState<R> numbers(String name, List<Double> values) {
    return numbers(name, values.stream().mapToDouble(Double::doubleValue).toArray());
  }

  /** Adds lists of numbers; the first is NAME0, the second NAME1, and so on. */
  public MethodState<R> numbers(String name, double[][] lists) {
    for (int at = 0; at < lists.length; at++) {
      numbers(numbered(name, at), lists[at]);
    }
    return this;
  }

  /** The matrices NAME0, NAME1 and so on, as many as there are. */
  public List<R> rows(String name) {
    List<R> found = new ArrayList<>();
    for (R matrix = first(rows, name); matrix != null; ) {
      found.add(matrix);
      matrix = rows.get(numbered(name, found.size()));
    }
    return found;
  }

  /** Numbers that are there. */
  public double[] numbers(String name) {
    return present(numbers.get(name), name).clone();
  }

  /** The only one of these numbers. */
  public double number(String name) {
    return numbers(name)[0];
  }

  /** Numbers as a list, which is empty where there are none. */
  public List<Double> list(String name) {
    double[] found = numbers.get(name);
    return found == null ? List.of() : Arrays.stream(found).boxed().toList();
  }

  /** The lists NAME0, NAME1 and so on, as many as there are. */
  public double[][] lists(String name) {
    List<double[]> found = new ArrayList<>();
    for (double[] list = first(numbers, name); list != null; ) {
      found.add(list.clone());
      list = numbers.get(numbered(name, found.size()));
    }
    return found.toArray(new double[0][]);
  }

  /** All matrices by name, in the order in which they were added. */
  public Map<String, R> allRows() {
    return Collections.unmodifiableMap(rows);
  }

  /** All numbers by name, in the order in which they were added. */
  public Map<String, double[]> allNumbers() {
    return Collections.unmodifiableMap(numbers);
  }

  /** The same state with each matrix in another form. */
  public <S> MethodState<S> map(BiFunction<String, R, S> matrix) {
    MethodState<S> mapped = new MethodState<>();
    rows.forEach((name, from) -> mapped.row(name, matrix.apply(name, from)));
    mapped.numbers.putAll(numbers);
    return mapped;
  }

  /** The matrices of a saved state at a site, for the modes in order. */
  public static List<Rows> at(
      Site site, MethodState<RowSource> saved, String name, ValueType type) {
    List<RowSource> matrices = saved.rows(name);
    List<Rows> rows = new ArrayList<>();
    for (int mode = 0; mode < matrices.size(); mode++) {
      rows.add(site.given(mode, matrices.get(mode), type));
    }
    return rows;
  }

  private static String numbered(String name, int number) {
    return name + number;
  }

  private static <T> @Nullable T first(Map<String, T> all, String name) {
    return all.get(numbered(name, 0));
  }

  private static <T> T present(@Nullable T found, String name) {
    if (found == null) {
      throw new IllegalStateException("expected a state with " + name + ", found none");
    }
    return found;
  }
}
