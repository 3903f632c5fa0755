package org.weft.storage.container;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.Arrays;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.ElementType;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.memory.NativeArray;
import org.weft.memory.NativeMemory;
import org.weft.storage.Labels;
import org.weft.storage.file.FileAccess;
import org.weft.text.Counts;

/** The labels of the modes of a {@link Container}. */
public final class ContainerLabels {
  private final Container container;

  ContainerLabels(Container container) {
    this.container = container;
  }

  /** The labels of the stored coordinates, by mode. */
  public Map<Integer, Labels> all() {
    Map<Integer, Labels> labels = new HashMap<>();
    for (int mode : modes()) {
      labels.put(mode, of(mode));
    }
    return labels;
  }

  /** The modes that have labels; nothing is read. */
  public Set<Integer> modes() {
    Set<Integer> labelled = new TreeSet<>();
    for (int mode = 0; mode < container.manifest().modes().size(); mode++) {
      if (container.manifest().modes().get(mode).labels() != null) {
        labelled.add(mode);
      }
    }
    return labelled;
  }

  /** Number of labels of a mode that has some; nothing is read. */
  public long count(int mode) {
    return entry(mode).count();
  }

  /**
   * Fails if labels cannot be put after those of {@code mode}: where it was reordered, lines are in
   * stored order, and that needs all of them.
   *
   * @throws WeftException {@code UNSUPPORTED_OPERATION}
   */
  public void requireExtensible(int mode) {
    if (container.isReordered(mode) && count(mode) != container.shape().size(mode)) {
      throw new WeftException(
          ErrorCode.UNSUPPORTED_OPERATION,
          container.uri()
              + ": expected a label for each of the "
              + Counts.plain(container.shape().size(mode), "coordinate")
              + " of mode "
              + container.modeNames().get(mode)
              + ", which was reordered, to add labels, found "
              + count(mode)
              + "; write the tensor in its original order first (weft convert)");
    }
  }

  /** In how many pieces the labels of a mode are stored, so that tasks can read one each. */
  public int chunks(int mode) {
    return entry(mode).text().size();
  }

  /**
   * One of the pieces of the labels of a mode, in stored order.
   *
   * @throws WeftException {@code UNSUPPORTED_OPERATION} if its writer ended it within a label
   */
  public Labels chunk(int mode, int chunk) {
    Manifest.LabelEntry entry = entry(mode);
    String what = "the labels of " + container.manifest().modes().get(mode).name();
    byte[] text;
    try (ArrayReader reader = new ArrayReader(container)) {
      text = bytes(reader, entry.text().get(chunk), what);
    } catch (IOException e) {
      throw FileAccess.unavailable(container.uri(), e);
    }
    Labels.Builder labels = new Labels.Builder();
    int start = 0;
    for (int at = 0; at < text.length; at++) {
      if (text[at] == '\n') {
        labels.add(Arrays.copyOfRange(text, start, at));
        start = at + 1;
      }
    }
    if (start < text.length) {
      throw new WeftException(
          ErrorCode.UNSUPPORTED_OPERATION,
          container.uri()
              + ": expected pieces of whole lines as "
              + what
              + ", found one that ends within a line; write the tensor again (weft convert)");
    }
    return labels.build();
  }

  /** The labels of the stored coordinates of a mode that has labels. */
  public Labels of(int mode) {
    return read(entry(mode), "the labels of " + container.manifest().modes().get(mode).name());
  }

  /** The labels of a mode by original coordinates, as readers give them. */
  public Labels original(int mode) {
    Map<Integer, Labels> stored = Map.of(mode, of(mode));
    return Objects.requireNonNull(container.original().labels(stored).get(mode));
  }

  /** Text that is equal where {@link #original} are: lengths and check sums; nothing is read. */
  public String checks(int mode) {
    return entry(mode) + " " + container.manifest().modes().get(mode).permutation();
  }

  private Manifest.LabelEntry entry(int mode) {
    Manifest.@Nullable LabelEntry entry = container.manifest().modes().get(mode).labels();
    if (entry == null) {
      throw new IllegalArgumentException(
          "mode " + mode + " of " + container.uri() + " has no labels");
    }
    return entry;
  }

  private Labels read(Manifest.LabelEntry entry, String what) {
    try (ArrayReader reader = new ArrayReader(container)) {
      Iterator<Manifest.ArrayEntry> arrays = entry.text().iterator();
      Enumeration<InputStream> text =
          new Enumeration<>() {
            @Override
            public boolean hasMoreElements() {
              return arrays.hasNext();
            }

            @Override
            public InputStream nextElement() {
              return new ByteArrayInputStream(bytes(reader, arrays.next(), what));
            }
          };
      return Labels.read(new SequenceInputStream(text), container.uri());
    } catch (IOException e) {
      throw FileAccess.unavailable(container.uri(), e);
    }
  }

  private static byte[] bytes(ArrayReader reader, Manifest.ArrayEntry array, String what) {
    try (MemoryScope scope = MemoryScope.root(what, MemorySource.system())) {
      NativeArray bytes = reader.read(scope, array, what, ElementType.U8);
      byte[] copy = new byte[Math.toIntExact(bytes.length())];
      NativeMemory.copyToArray(bytes.address(), copy, 0, copy.length);
      return copy;
    }
  }
}
