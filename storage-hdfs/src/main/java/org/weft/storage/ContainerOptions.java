package org.weft.storage;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.weft.tensor.ValueType;

/**
 * What a container keeps besides entries and labels, and how it stores them; other formats have no
 * place for it.
 *
 * @param modeNames names of all modes, or empty: {@code mode0}, {@code mode1}, ...
 * @param modeOrder modes from the outermost level to the innermost, or empty: mode 0, then the
 *     others by size
 * @param permutations by mode: for every original coordinate the stored one
 * @param compressed whether arrays are packed where that saves bytes; plain ones load fastest
 * @param partEntries entries of a part, or 0: a 64th of those that are announced, but no fewer than
 *     are worth a task and no more than are packed in a fraction of a heap
 * @param valueType of a new tensor; one that is added to keeps its own. Text follows it too: see
 *     {@link WriteOptions#valueType}
 * @param source what the entries come from, for people
 * @param command that writes the tensor, for people
 * @param program version of the program
 * @param batch key of what is written, so that writing it again does nothing; empty: none
 * @param replaceBatch whether a batch of that key which is there is replaced instead
 * @param byCoordinates whether coordinates of labelled modes are those of the tensor that is added
 *     to; otherwise the labels of the entries find them
 */
public record ContainerOptions(
    List<String> modeNames,
    List<Integer> modeOrder,
    Map<Integer, int[]> permutations,
    boolean compressed,
    int partEntries,
    ValueType valueType,
    String source,
    String command,
    String program,
    String batch,
    boolean replaceBatch,
    boolean byCoordinates) {
  private static final ContainerOptions DEFAULTS =
      new ContainerOptions(
          List.of(), List.of(), Map.of(), true, 0, ValueType.DOUBLE, "", "", "", "", false, false);

  public ContainerOptions {
    modeNames = List.copyOf(modeNames);
    modeOrder = List.copyOf(modeOrder);
    permutations = Map.copyOf(permutations);
  }

  /** Packed, in the usual mode order, without names, permutations and provenance. */
  public static ContainerOptions defaults() {
    return DEFAULTS;
  }

  public ContainerOptions withModeNames(List<String> names) {
    return changed(o -> o.modeNames = names);
  }

  public ContainerOptions withModeOrder(List<Integer> order) {
    return changed(o -> o.modeOrder = order);
  }

  public ContainerOptions withPermutations(Map<Integer, int[]> byMode) {
    return changed(o -> o.permutations = byMode);
  }

  public ContainerOptions withCompressed(boolean value) {
    return changed(o -> o.compressed = value);
  }

  public ContainerOptions withPartEntries(int entries) {
    return changed(o -> o.partEntries = entries);
  }

  public ContainerOptions withValueType(ValueType type) {
    return changed(o -> o.valueType = type);
  }

  /** Where the tensor comes from: a file, the command line, the program's version. */
  public ContainerOptions withProvenance(String from, String by, String version) {
    return changed(
        o -> {
          o.source = from;
          o.command = by;
          o.program = version;
        });
  }

  /** Names the batch, and says what becomes of one of that key that is there already. */
  public ContainerOptions withBatch(String key, boolean replace) {
    return changed(
        o -> {
          o.batch = key;
          o.replaceBatch = replace;
        });
  }

  /** Whether coordinates are those of the tensor that is added to, whatever the labels. */
  public ContainerOptions withByCoordinates(boolean value) {
    return changed(o -> o.byCoordinates = value);
  }

  private ContainerOptions changed(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return draft.options();
  }

  /** Options while one of them changes. */
  private static final class Draft {
    List<String> modeNames;
    List<Integer> modeOrder;
    Map<Integer, int[]> permutations;
    boolean compressed;
    int partEntries;
    ValueType valueType;
    String source;
    String command;
    String program;
    String batch;
    boolean replaceBatch;
    boolean byCoordinates;

    Draft(ContainerOptions of) {
      modeNames = of.modeNames;
      modeOrder = of.modeOrder;
      permutations = of.permutations;
      compressed = of.compressed;
      partEntries = of.partEntries;
      valueType = of.valueType;
      source = of.source;
      command = of.command;
      program = of.program;
      batch = of.batch;
      replaceBatch = of.replaceBatch;
      byCoordinates = of.byCoordinates;
    }

    ContainerOptions options() {
      return new ContainerOptions(
          modeNames,
          modeOrder,
          permutations,
          compressed,
          partEntries,
          valueType,
          source,
          command,
          program,
          batch,
          replaceBatch,
          byCoordinates);
    }
  }
}
