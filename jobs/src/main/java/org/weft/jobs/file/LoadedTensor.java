package org.weft.jobs.file;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.weft.storage.InputPlan;
import org.weft.storage.Labels;
import org.weft.storage.ReadOptions;
import org.weft.storage.TensorFiles;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/**
 * A file's entries on this process's heap, as they stand in it.
 *
 * @param labels by mode, where the file has them
 * @param names of the modes, where the file has them
 */
public record LoadedTensor(
    TensorShape shape, List<CooBlock> blocks, Map<Integer, Labels> labels, List<String> names) {

  public static LoadedTensor read(FileAccess files, String uri, ReadOptions options)
      throws IOException {
    InputPlan plan = TensorFiles.open(files, uri, options);
    TensorFiles.AllEntries all = TensorFiles.readAll(files, plan);
    return new LoadedTensor(
        all.summary().shape(plan.header()),
        all.blocks(),
        TensorFiles.labels(files, uri),
        TensorFiles.modeNames(files, uri));
  }

  /** This tensor with another shape, which holds its entries. */
  public LoadedTensor withShape(TensorShape larger) {
    return new LoadedTensor(larger, blocks, labels, names);
  }

  public long entries() {
    return blocks.stream().mapToLong(CooBlock::size).sum();
  }
}
