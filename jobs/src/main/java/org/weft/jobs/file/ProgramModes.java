package org.weft.jobs.file;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.weft.compiler.program.space.CommonModes;
import org.weft.compiler.program.space.ModeIdentity;
import org.weft.error.WeftException;
import org.weft.storage.Labels;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.TensorShape;

/**
 * The names and labels of the files of a program. Where it compares modes, the same label becomes
 * the same coordinate, as {@link MatchedOperands} has it for one statement.
 */
public final class ProgramModes {
  private final FileAccess files;
  private final Map<String, Map<Integer, Labels>> inputs = new HashMap<>();

  public ProgramModes(FileAccess files) {
    this.files = files;
  }

  /** The modes of {@code uri}; those of which it says nothing are empty. */
  public List<Optional<ModeIdentity>> of(String uri, int order) {
    Map<Integer, Labels> known = inputs.get(uri);
    return FileMode.of(files, uri, order, uri, known == null ? FileMode.labels(files, uri) : known);
  }

  /**
   * Coordinates for modes that a program compares.
   *
   * @throws WeftException {@code SHAPE_MISMATCH} if modes with other labels are compared with one
   *     without labels
   */
  public CommonModes common(List<List<CommonModes.InputMode>> compared) {
    inputs.clear();
    Map<Integer, Map<Integer, CommonLabels.Numbered>> byRead = new HashMap<>();
    for (List<CommonModes.InputMode> all : compared) {
      if (all.stream().filter(mode -> FileMode.mayHaveLabels(mode.uri())).count() > 1) {
        number(all, byRead);
      }
    }
    return byRead.isEmpty()
        ? CommonModes.NONE
        : (read, shape, modes) ->
            Optional.ofNullable(byRead.get(read)).map(numbered -> places(numbered, shape, modes));
  }

  private void number(
      List<CommonModes.InputMode> all, Map<Integer, Map<Integer, CommonLabels.Numbered>> byRead) {
    List<CommonModes.InputMode> found = new ArrayList<>();
    List<CommonLabels.Mode> modes = new ArrayList<>();
    for (CommonModes.InputMode mode : all) {
      labels(mode.uri())
          .ifPresent(
              labels -> {
                found.add(mode);
                modes.add(
                    new CommonLabels.Mode(
                        String.format(Locale.ROOT, "%s, mode %d", mode.uri(), mode.mode()),
                        labels.get(mode.mode())));
              });
    }
    Optional<CommonLabels> common = CommonLabels.of(modes);
    List<CommonLabels.Numbered> numbered = common.map(CommonLabels::numbered).orElse(List.of());
    if (common.isPresent() && numbered.isEmpty()) { // one object is compared at once
      Labels same = common.get().all();
      for (CommonModes.InputMode mode : found) {
        labels(mode.uri())
            .ifPresent(known -> known.computeIfPresent(mode.mode(), (m, own) -> same));
      }
    }
    for (int at = 0; at < numbered.size(); at++) {
      CommonModes.InputMode mode = found.get(at);
      byRead.computeIfAbsent(mode.read(), r -> new HashMap<>()).put(mode.mode(), numbered.get(at));
    }
  }

  /** The labels of a file; empty if it cannot be read, of which the program's step will tell. */
  private Optional<Map<Integer, Labels>> labels(String uri) {
    try {
      return Optional.of(
          inputs.computeIfAbsent(uri, file -> new HashMap<>(FileMode.labels(files, file))));
    } catch (WeftException e) {
      return Optional.empty();
    }
  }

  private static CommonModes.Places places(
      Map<Integer, CommonLabels.Numbered> numbered,
      TensorShape shape,
      List<Optional<ModeIdentity>> modes) {
    numbered.keySet().removeIf(mode -> mode >= shape.order());
    List<Optional<ModeIdentity>> named = new ArrayList<>(modes);
    for (int mode = 0; mode < named.size(); mode++) {
      Optional<Labels> all = Optional.ofNullable(numbered.get(mode)).map(n -> n.all());
      named.set(mode, named.get(mode).map(of -> ((FileMode) of).with(all)));
    }
    return new CommonModes.Places(
        CommonLabels.shape(numbered, shape),
        CommonLabels.moves(numbered, shape).places(),
        List.copyOf(named));
  }
}
