package org.weft.jobs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.weft.storage.BlockReader;
import org.weft.storage.FileAccess;
import org.weft.storage.InputPlan;
import org.weft.storage.InputSplit;
import org.weft.storage.Labels;
import org.weft.storage.ReadOptions;
import org.weft.storage.ReadSummary;
import org.weft.storage.TensorFiles;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/**
 * A file's entries on this process's heap, as they stand in it.
 *
 * @param labels by mode, where the file has them
 */
record LoadedTensor(TensorShape shape, List<CooBlock> blocks, Map<Integer, Labels> labels) {

  static LoadedTensor read(FileAccess files, String uri, ReadOptions options) throws IOException {
    InputPlan plan = TensorFiles.open(files, uri, options);
    List<CooBlock> blocks = new ArrayList<>();
    ReadSummary all = null;
    for (InputSplit split : plan.splits()) {
      try (BlockReader reader = TensorFiles.read(files, plan, split)) {
        while (reader.hasNext()) {
          blocks.add(reader.next());
        }
        all = all == null ? reader.summary() : all.merge(reader.summary());
      }
    }
    if (all == null) {
      throw new IllegalStateException("a plan without splits: " + uri);
    }
    plan.verify(all);
    return new LoadedTensor(all.shape(plan.header()), blocks, TensorFiles.labels(files, uri));
  }

  /** This tensor with another shape, which holds its entries. */
  LoadedTensor withShape(TensorShape larger) {
    return new LoadedTensor(larger, blocks, labels);
  }

  long entries() {
    return blocks.stream().mapToLong(CooBlock::size).sum();
  }
}
