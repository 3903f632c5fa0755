package org.weft.jobs;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.weft.storage.ContainerOptions;
import org.weft.storage.Labels;
import org.weft.storage.TensorFiles;
import org.weft.storage.TensorOutput;
import org.weft.storage.WriteOptions;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/** Small files with labels. */
final class LabelledFile {
  private LabelledFile() {}

  /** Writes a tensor of words of labels and a value each; labels are numbered as given. */
  static void write(Path file, List<List<String>> labels, String... entries) throws Exception {
    int order = labels.size();
    CooBlock.Builder block = new CooBlock.Builder(order, 4);
    Map<Integer, Labels> all = new HashMap<>();
    for (String entry : entries) {
      String[] words = entry.split(" ");
      long[] at = new long[order];
      for (int mode = 0; mode < order; mode++) {
        at[mode] = labels.get(mode).indexOf(words[mode]);
        all.put(mode, Labels.of(labels.get(mode)));
      }
      block.add(at, Double.parseDouble(words[order]));
    }
    WriteOptions options =
        WriteOptions.defaults()
            .withShape(TensorShape.of(labels.stream().mapToLong(List::size).toArray()))
            .withLabels(all)
            .withContainer(ContainerOptions.defaults());
    try (TensorOutput out =
        TensorFiles.create(FileAccess.local(), file.toString(), false, order, options)) {
      out.write(block.build());
      out.commit();
    }
  }
}
