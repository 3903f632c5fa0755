package org.weft.tensor;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.weft.tensor.KeyLayout.Bits;

/**
 * In which order to make forms. Entries in one order are brought into another by a stable sort by
 * its leading bits alone, as many as make the order of the rest that of the entries: from the order
 * of modes 0, 1, 2 that of 1, 0, 2 takes a sort by mode 1.
 */
final class FormSequence {
  /** Forms of which every order is considered. */
  private static final int MOST_PERMUTED = 6;

  /** Bits that one pass sorts by. */
  private static final int PASS_BITS = 11;

  /** Later passes find entries in the cache. */
  private static final double LATER_PASS = 0.4;

  private FormSequence() {}

  /**
   * The leading bits of {@code to} by which entries in the order of {@code from} must be sorted,
   * stably, to be in the order of {@code to}.
   *
   * @param from null for no order
   */
  static List<Bits> sort(@Nullable List<Bits> from, List<Bits> to) {
    if (from == null) {
      return joined(to);
    }
    int[] had = places(from);
    int[] wanted = places(to);
    int prefix = 0;
    BitSet sorted = new BitSet();
    while (!agree(had, wanted, prefix, sorted)) {
      sorted.set(wanted[prefix++]);
    }
    return joined(first(to, prefix));
  }

  /** The bits of a sequence, each by its place in the key. */
  private static int[] places(List<Bits> sequence) {
    int[] places = new int[sequence.stream().mapToInt(Bits::bits).sum()];
    int at = 0;
    for (Bits bits : sequence) {
      for (int bit = bits.shift() + bits.bits() - 1; bit >= bits.shift(); bit--) {
        places[at++] = bits.word() * Long.SIZE + bit;
      }
    }
    return places;
  }

  /** Whether {@code had} without the bits that are sorted by is {@code wanted} behind them. */
  private static boolean agree(int[] had, int[] wanted, int prefix, BitSet sorted) {
    int at = prefix;
    for (int place : had) {
      if (!sorted.get(place) && place != wanted[at++]) {
        return false;
      }
    }
    return true;
  }

  private static List<Bits> first(List<Bits> sequence, int count) {
    List<Bits> first = new ArrayList<>();
    int left = count;
    for (Bits bits : sequence) {
      int taken = Math.min(left, bits.bits());
      first.add(new Bits(bits.word(), bits.shift() + bits.bits() - taken, taken));
      left -= taken;
    }
    return first;
  }

  /** The same bits with neighbours in one piece. */
  private static List<Bits> joined(List<Bits> sequence) {
    List<Bits> joined = new ArrayList<>();
    for (Bits bits : sequence) {
      int last = joined.size() - 1;
      if (bits.bits() == 0) {
        continue;
      }
      if (last >= 0
          && joined.get(last).word() == bits.word()
          && joined.get(last).shift() == bits.shift() + bits.bits()) {
        int both = joined.get(last).bits() + bits.bits();
        joined.set(last, new Bits(bits.word(), bits.shift(), both));
      } else {
        joined.add(bits);
      }
    }
    return joined;
  }

  /** The numbers of {@code forms} in the order in which sorting them takes the fewest passes. */
  static List<Integer> plan(@Nullable List<Bits> from, List<List<Bits>> forms) {
    List<Integer> numbers = new ArrayList<>();
    for (int form = 0; form < forms.size(); form++) {
      numbers.add(form);
    }
    if (forms.size() > MOST_PERMUTED) {
      return nearest(from, forms, numbers);
    }
    Search search = new Search(from, forms);
    search.permute(numbers, 0, 0);
    return search.best;
  }

  private static List<Integer> nearest(
      @Nullable List<Bits> from, List<List<Bits>> forms, List<Integer> numbers) {
    List<Integer> planned = new ArrayList<>();
    List<Integer> left = new ArrayList<>(numbers);
    List<Bits> now = from;
    while (!left.isEmpty()) {
      int next = left.get(0);
      for (int form : left) {
        if (passes(now, forms.get(form)) < passes(now, forms.get(next))) {
          next = form;
        }
      }
      planned.add(next);
      left.remove((Integer) next);
      now = forms.get(next);
    }
    return planned;
  }

  private static double passes(@Nullable List<Bits> from, List<Bits> to) {
    int bits = sort(from, to).stream().mapToInt(Bits::bits).sum();
    int passes = (bits + PASS_BITS - 1) / PASS_BITS;
    return passes == 0 ? 0 : 1 + LATER_PASS * (passes - 1);
  }

  /** Looks at every order, the given one first. */
  private static final class Search {
    private final double[][] passes;
    private double least = Double.MAX_VALUE;
    private List<Integer> best = List.of();

    Search(@Nullable List<Bits> from, List<List<Bits>> forms) {
      int count = forms.size();
      passes = new double[count + 1][count];
      for (int to = 0; to < count; to++) {
        passes[count][to] = passes(from, forms.get(to));
        for (int other = 0; other < count; other++) {
          passes[other][to] = passes(forms.get(other), forms.get(to));
        }
      }
    }

    private void permute(List<Integer> numbers, int at, double before) {
      if (before >= least) {
        return;
      }
      if (at == numbers.size()) {
        least = before;
        best = List.copyOf(numbers);
        return;
      }
      int now = at == 0 ? numbers.size() : numbers.get(at - 1);
      for (int other = at; other < numbers.size(); other++) {
        Collections.swap(numbers, at, other);
        permute(numbers, at + 1, before + passes[now][numbers.get(at)]);
        Collections.swap(numbers, at, other);
      }
    }
  }
}
