package org.weft.storage;

import java.util.List;
import java.util.Map;
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
 * @param valueType of a new tensor; one that is added to keeps its own
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
    return new ContainerOptions(
        names,
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

  public ContainerOptions withModeOrder(List<Integer> order) {
    return new ContainerOptions(
        modeNames,
        order,
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

  public ContainerOptions withPermutations(Map<Integer, int[]> byMode) {
    return new ContainerOptions(
        modeNames,
        modeOrder,
        byMode,
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

  public ContainerOptions withCompressed(boolean value) {
    return new ContainerOptions(
        modeNames,
        modeOrder,
        permutations,
        value,
        partEntries,
        valueType,
        source,
        command,
        program,
        batch,
        replaceBatch,
        byCoordinates);
  }

  public ContainerOptions withPartEntries(int entries) {
    return new ContainerOptions(
        modeNames,
        modeOrder,
        permutations,
        compressed,
        entries,
        valueType,
        source,
        command,
        program,
        batch,
        replaceBatch,
        byCoordinates);
  }

  public ContainerOptions withValueType(ValueType type) {
    return new ContainerOptions(
        modeNames,
        modeOrder,
        permutations,
        compressed,
        partEntries,
        type,
        source,
        command,
        program,
        batch,
        replaceBatch,
        byCoordinates);
  }

  /** Where the tensor comes from: a file, the command line, the program's version. */
  public ContainerOptions withProvenance(String from, String by, String version) {
    return new ContainerOptions(
        modeNames,
        modeOrder,
        permutations,
        compressed,
        partEntries,
        valueType,
        from,
        by,
        version,
        batch,
        replaceBatch,
        byCoordinates);
  }

  /** Names the batch, and says what becomes of one of that key that is there already. */
  public ContainerOptions withBatch(String key, boolean replace) {
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
        key,
        replace,
        byCoordinates);
  }

  /** Whether coordinates are those of the tensor that is added to, whatever the labels. */
  public ContainerOptions withByCoordinates(boolean value) {
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
        value);
  }
}
