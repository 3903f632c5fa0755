package org.weft.storage.model;

import java.io.IOException;
import java.io.Serializable;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.Labels;
import org.weft.storage.ModeNames;
import org.weft.storage.TensorFiles;
import org.weft.storage.document.TabSeparated;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/**
 * The labels of a tensor beside the labels of a model. The same label is the same slice of both,
 * whatever its coordinates. In a mode in which either has no labels, equal coordinates are the same
 * slice.
 *
 * @param tensor the tensor's file
 * @param model the model's folder
 * @param names the names of the model's modes
 * @param theirs the labels of each mode of the tensor that has labels
 * @param known the labels of each mode of the model that has labels
 */
public record MatchedLabels(
    String tensor,
    String model,
    List<String> names,
    Map<Integer, Labels> theirs,
    Map<Integer, Labels> known) {
  /** Stands for the coordinate of a label that the model lacks. */
  public static final long ABSENT = -1;

  private static final long[] SAME = {};

  /**
   * The coordinates in the model of the tensor's labels of a mode, or {@link #ABSENT}; empty if
   * coordinates are the same in both.
   */
  public Optional<long[]> places(int mode) {
    Labels from = theirs.get(mode);
    Labels to = known.get(mode);
    if (from == null || to == null || from.sameAs(to)) {
      return Optional.empty();
    }
    Map<String, Long> numbers = new HashMap<>();
    for (int at = 0; at < to.size(); at++) {
      numbers.putIfAbsent(cell(to, at), (long) at);
    }
    long[] places = new long[from.size()];
    Arrays.setAll(places, at -> numbers.getOrDefault(cell(from, at), ABSENT));
    return Optional.of(places);
  }

  /** How the tensor's entries get to the model's coordinates. */
  public Moves moves() {
    long[][] places = new long[names.size()][];
    for (int mode = 0; mode < places.length; mode++) {
      places[mode] = places(mode).orElse(SAME);
    }
    return new Moves(places);
  }

  /** Entries of the tensor at the model's coordinates, without those whose labels it lacks. */
  public List<CooBlock> found(List<CooBlock> blocks) {
    Moves moves = moves();
    return moves.isEmpty() ? blocks : blocks.stream().map(moves::found).toList();
  }

  /**
   * New coordinates for entries, which may lie in other processes.
   *
   * @param places for each mode the new coordinate of each old one, or {@link #ABSENT}; no numbers
   *     for a mode whose coordinates stay
   */
  @SuppressWarnings("ArrayRecordComponent")
  public record Moves(long[][] places) implements Serializable {
    /** Whether all coordinates stay. */
    public boolean isEmpty() {
      return Arrays.stream(places).allMatch(of -> of.length == 0);
    }

    /** The entries at the new coordinates, without those that have none. */
    public CooBlock found(CooBlock block) {
      return isEmpty() ? block : block.moved(places);
    }

    /** The least shape that has room for the entries of a tensor of the given shape. */
    public TensorShape shape(TensorShape shape) {
      return TensorShape.of(
          IntStream.range(0, places.length)
              .mapToLong(
                  mode ->
                      places[mode].length == 0
                          ? shape.size(mode)
                          : Arrays.stream(places[mode]).max().orElse(ABSENT) + 1)
              .toArray());
    }
  }

  /**
   * Checks that the tensor does not have the model's modes in another order.
   *
   * @param modes the names of the tensor's modes; empty if they have none
   * @throws WeftException {@code SHAPE_MISMATCH}
   */
  public void requireOrder(List<String> modes) {
    if (!modes.equals(names) && Set.copyOf(modes).equals(Set.copyOf(names))) {
      throw otherModes("the modes in the order of the model", modes);
    }
  }

  /**
   * Checks that modes which have a name in the tensor and in the model have the same one.
   *
   * @param modes the names of the tensor's modes; empty if they have none
   * @throws WeftException {@code SHAPE_MISMATCH}
   */
  public void requireNames(List<String> modes) {
    for (int mode = 0; mode < modes.size(); mode++) {
      if (ModeNames.isNamed(modes.get(mode), mode)
          && ModeNames.isNamed(names.get(mode), mode)
          && !modes.get(mode).equals(names.get(mode))) {
        throw otherModes("the modes of the model", modes);
      }
    }
  }

  private WeftException otherModes(String expected, List<String> modes) {
    return new WeftException(
        ErrorCode.SHAPE_MISMATCH,
        String.format(
            Locale.ROOT,
            "%s: expected %s %s, %s, found %s",
            tensor,
            expected,
            model,
            String.join(", ", names),
            String.join(", ", modes)));
  }

  /** A label as the tables of a model have it. */
  private static String cell(Labels labels, long at) {
    return TabSeparated.cell(labels.label(at));
  }

  /**
   * Those of a file and a model.
   *
   * @param modes the names of the tensor's modes; empty if they have none
   * @param labels the labels of each mode of the tensor that has labels
   * @throws WeftException {@code SHAPE_MISMATCH} if the modes are in another order
   */
  public static MatchedLabels of(
      String tensor, List<String> modes, Map<Integer, Labels> labels, String uri, ModelFolder model)
      throws IOException {
    MatchedLabels matched =
        new MatchedLabels(tensor, uri, model.modeNames(), labels, model.labels());
    matched.requireOrder(modes);
    return matched;
  }

  /** Those of a file, which has names and labels itself, and a model. */
  public static MatchedLabels of(FileAccess files, String tensor, String uri, ModelFolder model)
      throws IOException {
    List<String> modes = TensorFiles.modeNames(files, tensor);
    return of(tensor, modes, TensorFiles.labels(files, tensor), uri, model);
  }

  /**
   * Checks that the coordinates of the model have the same labels in the tensor, which may have
   * more.
   *
   * @throws WeftException {@code SHAPE_MISMATCH}
   */
  public void requireSame() {
    theirs.forEach(
        (mode, from) -> {
          Labels to = known.get(mode);
          for (int at = 0; to != null && at < Math.min(from.size(), to.size()); at++) {
            if (!cell(from, at).equals(cell(to, at))) {
              throw new WeftException(
                  ErrorCode.SHAPE_MISMATCH,
                  String.format(
                      Locale.ROOT,
                      "%s: expected the labels of the model %s, '%s' at coordinate %d of mode %s,"
                          + " found '%s'; ingest with --append, so that labels keep their"
                          + " coordinates",
                      tensor,
                      model,
                      cell(to, at),
                      at + 1,
                      names.get(mode),
                      cell(from, at)));
            }
          }
        });
  }
}
