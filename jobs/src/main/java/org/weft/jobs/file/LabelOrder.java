package org.weft.jobs.file;

import static org.weft.jobs.output.Usage.usage;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.lang.Syntax;
import org.weft.jobs.output.Console;
import org.weft.memory.MemoryScope;
import org.weft.reorder.Permutation;
import org.weft.reorder.Reorderers;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;

/** New coordinates of an expression's labels, and the way back for its result. */
public final class LabelOrder {
  private static final int BLOCK = 1 << 16;

  private final Map<String, Permutation> byLabel;

  private LabelOrder(Map<String, Permutation> byLabel) {
    this.byLabel = byLabel;
  }

  /**
   * Orders the labels of one operand and relabels all operands.
   *
   * @param option {@code [NAME=]METHOD}, or null for none
   */
  public static LabelOrder of(
      @Nullable String option, OperandFiles operands, FileAccess files, Console console)
      throws IOException {
    String text = option == null ? "none" : option;
    int equals = text.indexOf('=');
    String method = text.substring(equals + 1);
    String named = equals < 0 ? operands.largest() : text.substring(0, equals);
    if (named != null && !operands.has(named)) {
      throw usage("--reorder %s: the expression has no operand %s", text, named);
    }
    if (method.equals("none") || named == null) {
      return new LabelOrder(Map.of());
    }
    TensorShape shape = operands.shape(named);
    Path folder = files.path(method);
    List<Permutation> modes =
        files.fileSystem(folder).exists(folder)
            ? PermutationFolder.read(files, method, shape)
            : Reorderers.named(method).reorder(shape, operands.blocks(named));
    Map<String, Permutation> byLabel = new LinkedHashMap<>();
    for (int mode = 0; mode < modes.size(); mode++) {
      Permutation permutation = modes.get(mode);
      operands
          .classes()
          .of(operands.labels(named).get(mode))
          .forEach(label -> byLabel.putIfAbsent(label, permutation));
    }
    operands.relabel(byLabel);
    console.note("reorder: labels of %s by %s", named, method);
    return new LabelOrder(byLabel);
  }

  /** The result in old coordinates, its entries in their order; below {@code scope} if changed. */
  public TensorStorage original(MemoryScope scope, TensorStorage result, Syntax.Access target) {
    if (target.labels().stream().noneMatch(label -> byLabel.containsKey(label.name()))) {
      return result;
    }
    List<Permutation> back = new ArrayList<>();
    for (int mode = 0; mode < result.shape().order(); mode++) {
      Permutation there = byLabel.get(target.labels().get(mode).name());
      back.add(there == null ? Permutation.identity(result.shape().size(mode)) : there.inverse());
    }
    List<CooBlock> blocks = new ArrayList<>();
    Packing.unpackBlocks(result, BLOCK)
        .forEachRemaining(block -> blocks.add(Permutation.relabel(block, back)));
    TensorFormat format = TensorFormat.csf(back.size(), result.format().valueType());
    return Packing.pack(scope, result.shape(), format, blocks);
  }
}
