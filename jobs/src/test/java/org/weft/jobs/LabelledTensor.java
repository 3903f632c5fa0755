package org.weft.jobs;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.weft.storage.ContainerOptions;
import org.weft.storage.Labels;
import org.weft.storage.TensorFiles;
import org.weft.storage.TensorOutput;
import org.weft.storage.WriteOptions;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/** What {@code weft ingest} makes of a small table, without Spark. */
final class LabelledTensor {
  private LabelledTensor() {}

  /**
   * Writes a container whose labels are sorted.
   *
   * @param names of the modes
   * @param rows a label for each mode and a value, separated by commas
   */
  static void write(Path file, List<String> names, String... rows) throws IOException {
    List<List<String>> labels = new ArrayList<>();
    for (int mode = 0; mode < names.size(); mode++) {
      TreeSet<String> all = new TreeSet<>();
      for (String row : rows) {
        all.add(row.split(",")[mode]);
      }
      labels.add(List.copyOf(all));
    }
    CooBlock.Builder cells = new CooBlock.Builder(names.size(), rows.length);
    for (String row : rows) {
      String[] words = row.split(",");
      long[] at = new long[names.size()];
      for (int mode = 0; mode < at.length; mode++) {
        at[mode] = labels.get(mode).indexOf(words[mode]);
      }
      cells.add(at, Double.parseDouble(words[at.length]));
    }
    write(file, names, labels, cells.build());
  }

  /** Writes entries of a tensor whose labels are numbered as given. */
  static void write(Path file, List<String> names, List<List<String>> labels, CooBlock entries)
      throws IOException {
    WriteOptions options =
        WriteOptions.defaults()
            .withShape(TensorShape.of(labels.stream().mapToLong(List::size).toArray()))
            .withLabels(labelsByMode(labels))
            .withContainer(ContainerOptions.defaults().withModeNames(names));
    try (TensorOutput out =
        TensorFiles.create(FileAccess.local(), file.toString(), false, labels.size(), options)) {
      out.write(entries);
      out.commit();
    }
  }

  private static Map<Integer, Labels> labelsByMode(List<List<String>> labels) {
    Map<Integer, Labels> byMode = new TreeMap<>();
    for (int mode = 0; mode < labels.size(); mode++) {
      byMode.put(mode, Labels.of(labels.get(mode)));
    }
    return byMode;
  }
}
