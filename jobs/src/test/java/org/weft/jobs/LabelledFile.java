package org.weft.jobs;

import java.nio.file.Path;
import java.util.List;
import org.weft.tensor.CooBlock;

/** Small files with labels. */
final class LabelledFile {
  private LabelledFile() {}

  /** Writes a tensor of words of labels and a value each; labels are numbered as given. */
  static void write(Path file, List<List<String>> labels, String... entries) throws Exception {
    int order = labels.size();
    CooBlock.Builder block = new CooBlock.Builder(order, 4);
    for (String entry : entries) {
      String[] words = entry.split(" ");
      long[] at = new long[order];
      for (int mode = 0; mode < order; mode++) {
        at[mode] = labels.get(mode).indexOf(words[mode]);
      }
      block.add(at, Double.parseDouble(words[order]));
    }
    LabelledTensor.write(file, List.of(), labels, block.build());
  }
}
