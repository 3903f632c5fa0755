package org.weft.jobs.option;

import static org.weft.jobs.output.Usage.usage;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.FileAccess;
import org.weft.storage.Labels;
import org.weft.storage.TensorFiles;
import org.weft.tensor.TensorShape;
import picocli.CommandLine.Option;

/** {@code --labels}, for commands whose results have labelled rows. */
public final class LabelOptions {
  @Option(
      names = "--labels",
      paramLabel = "MODE=FILE",
      description =
          "Labels of a mode, line n for coordinate n; repeatable. A .wtb may hold its own.")
  Map<Integer, String> given = new LinkedHashMap<>();

  /** The labels of the modes of {@code uri}: its own, and those given. */
  public Map<Integer, Labels> of(FileAccess files, String uri, int order) {
    Map<Integer, Labels> labels = new HashMap<>(TensorFiles.labels(files, uri));
    given.forEach(
        (mode, file) -> {
          if (mode < 0 || mode >= order) {
            throw usage(
                "expected --labels of a mode from 0 to %d, found %d=%s", order - 1, mode, file);
          }
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
          if (given.containsKey(mode) && names.size() < shape.size(mode)) {
            throw new WeftException(
                ErrorCode.SHAPE_MISMATCH,
                String.format(
                    "%s: expected at least %d labels, the size of mode %d, found %d; is it the"
                        + " labels of another mode?",
                    given.get(mode), shape.size(mode), mode, names.size()));
          }
        });
  }
}
