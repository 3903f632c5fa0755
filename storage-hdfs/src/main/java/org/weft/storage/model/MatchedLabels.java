package org.weft.storage.model;

import java.io.IOException;
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
import org.weft.storage.TensorFiles;
import org.weft.storage.document.TabSeparated;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;

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

  /** Entries of the tensor at the model's coordinates, without those whose labels it lacks. */
  public List<CooBlock> found(List<CooBlock> blocks) {
    List<Optional<long[]>> places =
        IntStream.range(0, names.size()).mapToObj(this::places).toList();
    return places.stream().allMatch(Optional::isEmpty)
        ? blocks
        : blocks.stream().map(block -> found(block, places)).toList();
  }

  private static CooBlock found(CooBlock block, List<Optional<long[]>> places) {
    CooBlock.Builder found = new CooBlock.Builder(block.order(), Math.max(1, block.size()));
    long[] at = new long[block.order()];
    for (int e = 0; e < block.size(); e++) {
      for (int mode = 0; mode < at.length; mode++) {
        long own = block.coordinate(mode, e);
        at[mode] = places.get(mode).map(of -> own < of.length ? of[(int) own] : ABSENT).orElse(own);
      }
      if (Arrays.stream(at).noneMatch(coordinate -> coordinate == ABSENT)) {
        found.add(at, block.value(e));
      }
    }
    return found.build();
  }

  /**
   * Checks that the tensor does not have the model's modes in another order.
   *
   * @param modes the names of the tensor's modes; empty if they have none
   * @throws WeftException {@code SHAPE_MISMATCH}
   */
  public void requireOrder(List<String> modes) {
    if (!modes.equals(names) && Set.copyOf(modes).equals(Set.copyOf(names))) {
      throw new WeftException(
          ErrorCode.SHAPE_MISMATCH,
          String.format(
              Locale.ROOT,
              "%s: expected the modes in the order of the model %s, %s, found %s",
              tensor,
              model,
              String.join(", ", names),
              String.join(", ", modes)));
    }
  }

  /** A label as the tables of a model have it. */
  private static String cell(Labels labels, long at) {
    return TabSeparated.cell(labels.label(at));
  }

  /** Those of a file and a model. */
  public static MatchedLabels of(FileAccess files, String tensor, String uri, ModelFolder model)
      throws IOException {
    return new MatchedLabels(
        tensor, uri, model.modeNames(), TensorFiles.labels(files, tensor), model.labels());
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
