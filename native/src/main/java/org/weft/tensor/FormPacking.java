package org.weft.tensor;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.weft.memory.MemoryScope;
import org.weft.memory.NativeArray;
import org.weft.tensor.KeyLayout.Bits;

/**
 * Packs forms of one tensor. Forms whose modes are split into the same blocks share their records;
 * those are sorted from one form to the next. Formats that count slots or diagonals get them as one
 * more mode.
 */
final class FormPacking {
  private final MemoryScope parent;
  private final TensorShape shape;
  private final long[] origin;
  private final int threads;
  private long duplicates;

  /** Forms that share their records, and by which blocks modes are split; -1: does not matter. */
  private record Group(long[] splits, List<Integer> forms) {
    boolean takes(long[] wanted) {
      return IntStream.range(0, splits.length)
          .allMatch(m -> splits[m] == wanted[m] || splits[m] < 0 || wanted[m] < 0);
    }

    void add(int form, long[] wanted) {
      forms.add(form);
      Arrays.setAll(splits, m -> Math.max(splits[m], wanted[m]));
    }

    KeyLayout layout(TensorShape shape) {
      return new KeyLayout(shape, Arrays.stream(splits).map(s -> Math.max(0, s)).toArray());
    }
  }

  FormPacking(MemoryScope parent, TensorShape shape, long[] origin, int threads) {
    this.parent = parent;
    this.shape = shape;
    this.origin = origin.clone();
    this.threads = threads;
  }

  /** Entries that repeated the coordinates of another. */
  long duplicates() {
    return duplicates;
  }

  /** The forms in the order of their formats; none is left if there is an error. */
  List<TensorStorage> pack(List<TensorFormat> formats, EntrySource entries) {
    @Nullable TensorStorage[] forms = new TensorStorage[formats.size()];
    try {
      List<Integer> counted = new ArrayList<>();
      List<Group> groups = groups(formats, counted);
      int left = groups.size() + counted.size();
      for (Group group : groups) {
        packGroup(group, formats, --left == 0 ? entries : entries.again(), forms);
      }
      for (int form : counted) {
        forms[form] = packCounted(formats.get(form), --left == 0 ? entries : entries.again());
      }
      List<TensorStorage> all = new ArrayList<>();
      for (TensorStorage form : forms) {
        all.add(Objects.requireNonNull(form));
      }
      return all;
    } catch (RuntimeException e) {
      for (TensorStorage form : forms) {
        if (form != null) {
          form.close();
        }
      }
      throw e;
    }
  }

  private static List<Group> groups(List<TensorFormat> formats, List<Integer> counted) {
    List<Group> groups = new ArrayList<>();
    for (int form = 0; form < formats.size(); form++) {
      TensorFormat format = formats.get(form);
      if (format.levelCount() > 0 && format.coordinate(0).isCounted()) {
        counted.add(form);
        continue;
      }
      long[] wanted = KeyLayout.splits(format);
      Group group =
          groups.stream()
              .filter(g -> g.takes(wanted))
              .findFirst()
              .orElseGet(() -> new Group(wanted.clone(), new ArrayList<>()));
      if (group.forms().isEmpty()) {
        groups.add(group);
      }
      group.add(form, wanted);
    }
    return groups;
  }

  private void packGroup(
      Group group,
      List<TensorFormat> formats,
      EntrySource entries,
      @Nullable TensorStorage[] forms) {
    KeyLayout layout = group.layout(shape);
    List<List<Bits>> sequences = new ArrayList<>();
    for (int form : group.forms()) {
      sequences.add(layout.sequence(formats.get(form)));
    }
    MemoryScope lender = group.forms().size() > 1 ? parent : null;
    try (PackRecords records = RecordLoader.load(entries, layout, origin, threads, lender)) {
      List<Bits> order = orderOf(records, sequences);
      if (order != null) {
        duplicates = records.mergeDuplicates();
      }
      int left = sequences.size();
      for (int next : FormSequence.plan(order, sequences)) {
        List<Bits> sort = FormSequence.sort(order, sequences.get(next));
        int form = group.forms().get(next);
        boolean merge = order == null;
        forms[form] = pack(formats.get(form), records, sort, merge, --left == 0);
        order = sequences.get(next);
      }
    }
  }

  /** One form of records that are sorted, and merged if need be, for it; their last one or not. */
  private TensorStorage pack(
      TensorFormat format, PackRecords records, List<Bits> sort, boolean merge, boolean last) {
    boolean keeps = FormBuilder.mayKeepValues(format, records);
    MemoryScope lent = keeps && sort.isEmpty() ? records.lend() : null;
    MemoryScope scope = lent == null ? parent.child("packed") : lent;
    try {
      NativeArray values = null;
      if (lent != null) {
        values = records.values();
      } else if (keeps) {
        values = records.target(scope);
      }
      records.sort(sort, values);
      if (merge) {
        duplicates = records.mergeDuplicates();
      }
      if (values != null && values.length() != records.size()) {
        values = null;
        scope.close();
        scope = parent.child("packed");
      }
      if (last) {
        records.closeOthers();
      }
      return FormBuilder.build(scope, shape, format, records, values);
    } catch (RuntimeException e) {
      scope.close();
      throw e;
    }
  }

  /** An order that the entries are in as they come: that of a form or of modes; null if in none. */
  private static @Nullable List<Bits> orderOf(PackRecords records, List<List<Bits>> sequences) {
    int order = records.layout().shape().order();
    List<List<Bits>> candidates = new ArrayList<>(sequences);
    candidates.add(records.layout().sequence(IntStream.range(0, order).toArray()));
    candidates.add(
        records.layout().sequence(IntStream.range(0, order).map(m -> order - 1 - m).toArray()));
    return candidates.stream().filter(records::isInOrder).findFirst().orElse(null);
  }

  private TensorStorage packCounted(TensorFormat format, EntrySource entries) {
    int[] modeOrder = format.modeOrder();
    CooBlock sorted;
    KeyLayout plain = new KeyLayout(shape, new long[shape.order()]);
    try (PackRecords records = RecordLoader.load(entries, plain, origin, threads, null)) {
      records.sort(FormSequence.sort(null, plain.sequence(modeOrder)), null);
      duplicates = records.mergeDuplicates();
      sorted = records.toBlock();
    }
    long[] numbers =
        format.coordinate(0) instanceof LevelCoordinate.Slot
            ? slots(sorted, modeOrder[0])
            : diagonals(sorted, modeOrder);
    long[] sizes = Arrays.copyOf(shape.toArray(), shape.order() + 1);
    sizes[shape.order()] = Arrays.stream(numbers).max().orElse(0) + 1;
    TensorShape counted = TensorShape.of(sizes);
    long[] splits = Arrays.copyOf(KeyLayout.splits(format), shape.order() + 1);
    KeyLayout layout = new Group(splits, List.of()).layout(counted);
    EntrySource block = EntrySource.of(new ArrayDeque<>(List.of(sorted.withColumn(numbers))));
    try (PackRecords records =
        RecordLoader.load(block, layout, new long[shape.order() + 1], threads, null)) {
      return pack(format, records, FormSequence.sort(null, layout.sequence(format)), false, true);
    }
  }

  /** The number of each entry within its slice of {@code mode}, by which they are sorted. */
  private static long[] slots(CooBlock sorted, int mode) {
    long[] slots = new long[sorted.size()];
    for (int e = 1; e < slots.length; e++) {
      boolean same = sorted.coordinate(mode, e) == sorted.coordinate(mode, e - 1);
      slots[e] = same ? slots[e - 1] + 1 : 0;
    }
    return slots;
  }

  /** Column minus row of each entry, counted from 0 for the diagonal of the last row. */
  private long[] diagonals(CooBlock sorted, int[] modeOrder) {
    long last = shape.size(modeOrder[0]) - 1;
    long[] diagonals = new long[sorted.size()];
    Arrays.setAll(
        diagonals,
        e -> last - sorted.coordinate(modeOrder[0], e) + sorted.coordinate(modeOrder[1], e));
    return diagonals;
  }
}
