package org.weft.jobs.option;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.Labels;
import org.weft.storage.TensorFiles;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.TensorShape;
import org.weft.text.Counts;
import picocli.CommandLine.Option;

/** {@code --labels}, for commands whose results have labelled rows. */
public final class LabelOptions {
  @Option(
      names = "--labels",
      paramLabel = "MODE=FILE",
      description =
          "A file with the labels of a mode, which is named or numbered from 0. Line n has the"
              + " label of coordinate n, counted from 1. Repeatable. A .wtb or .weft file may hold"
              + " its own labels.")
  Map<String, String> given = new LinkedHashMap<>();

  private final Map<Integer, String> byNumber = new LinkedHashMap<>();

  /**
   * The labels of the modes of {@code uri}: its own, and those given.
   *
   * @param names of the modes; empty if they have none
   */
  public Map<Integer, Labels> of(FileAccess files, String uri, int order, List<String> names) {
    Map<Integer, Labels> labels = new HashMap<>(TensorFiles.labels(files, uri));
    given.forEach(
        (text, file) -> {
          int mode = NamedMode.number(uri, "--labels of a mode from", text, names, order);
          byNumber.put(mode, file);
          labels.put(mode, Labels.read(files, file));
        });
    return labels;
  }

  /**
   * More labels than slices are fine: the last slices of a mode may be empty. A tensor's own may be
   * fewer: slices that were appended have none.
   */
  public void check(Map<Integer, Labels> labels, TensorShape shape) {
    labels.forEach(
        (mode, names) -> {
          if (byNumber.containsKey(mode) && names.size() < shape.size(mode)) {
            throw new WeftException(
                ErrorCode.SHAPE_MISMATCH,
                String.format(
                    Locale.ROOT,
                    "%s: expected at least %s, the size of mode %d, found %d; is it the"
                        + " labels of another mode?",
                    byNumber.get(mode),
                    Counts.plain(shape.size(mode), "label"),
                    mode,
                    names.size()));
          }
        });
  }
}
