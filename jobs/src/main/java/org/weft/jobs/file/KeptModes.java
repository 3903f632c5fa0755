package org.weft.jobs.file;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.weft.compiler.lang.Statement;
import org.weft.compiler.program.space.ModeIdentity;
import org.weft.compiler.program.space.SurvivingModes;
import org.weft.storage.ContainerOptions;
import org.weft.storage.Labels;
import org.weft.storage.ModeNames;
import org.weft.storage.WriteOptions;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.ValueType;

/**
 * Names and labels of a result's modes, by the rule of {@link SurvivingModes}.
 *
 * @param names of all modes, or empty
 * @param labels by mode
 */
public record KeptModes(List<String> names, Map<Integer, Labels> labels) {

  /**
   * Of the result of {@code statement}.
   *
   * @param inputs files of the operands
   * @param matched labels that the operands have in common
   */
  public static KeptModes of(
      FileAccess files, Statement statement, Map<String, String> inputs, MatchedOperands matched) {
    if (statement.target().labels().isEmpty()) {
      return new KeptModes(List.of(), Map.of());
    }
    Map<String, List<Optional<ModeIdentity>>> read = new HashMap<>();
    return of(
        SurvivingModes.of(
            statement,
            access ->
                inputs.containsKey(access.tensor())
                    ? read.computeIfAbsent(
                        access.tensor(),
                        name -> {
                          List<Optional<ModeIdentity>> modes = new ArrayList<>();
                          String file = inputs.getOrDefault(name, "");
                          int order = access.labels().size();
                          for (Optional<ModeIdentity> mode :
                              FileMode.of(files, file, order, name)) {
                            String index = access.labels().get(modes.size()).name();
                            modes.add(mode.map(m -> ((FileMode) m).with(matched.labels(index))));
                          }
                          return modes;
                        })
                    : List.of()));
  }

  /** Of modes that files gave their identities. */
  public static KeptModes of(List<Optional<ModeIdentity>> modes) {
    List<String> names = new ArrayList<>();
    Map<Integer, Labels> labels = new HashMap<>();
    for (int mode = 0; mode < modes.size(); mode++) {
      FileMode from = (FileMode) modes.get(mode).orElse(null);
      names.add(from == null ? "" : from.name());
      if (from != null && from.labels() != null) {
        labels.put(mode, from.labels());
      }
    }
    boolean named = names.stream().anyMatch(name -> !name.isEmpty());
    return new KeptModes(named ? ModeNames.distinct(names) : List.of(), labels);
  }

  /**
   * How to write a result with these modes.
   *
   * @param uri of the file
   * @param type of the values
   * @param zeroBased whether coordinates in FROSTT text start at 0; other formats fix their own
   */
  public WriteOptions written(String uri, ValueType type, boolean zeroBased) {
    return WriteOptions.defaults()
        .withZeroBased(zeroBased)
        .forFile(uri)
        .withLabels(labels)
        .withContainer(ContainerOptions.defaults().withModeNames(names).withValueType(type));
  }
}
