package org.weft.jobs.command;

import static org.weft.jobs.output.Usage.usage;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.weft.jobs.chart.Picture;
import org.weft.jobs.file.InputNames;
import org.weft.jobs.file.LoadedTensor;
import org.weft.jobs.option.CommonOptions;
import org.weft.jobs.output.Console;
import org.weft.jobs.spy.DensityPlot;
import org.weft.reorder.PartitionMetrics;
import org.weft.reorder.Permutation;
import org.weft.reorder.Relabelling;
import org.weft.reorder.Reorderers;
import org.weft.storage.TensorFiles;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.text.Counts;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weft spy}. */
@Command(
    name = "spy",
    sortOptions = false,
    description = {
      "Draw where the entries of a tensor are.",
      "The picture has one panel for each pair of modes. A pixel is darker where there are"
          + " more entries, and coordinates count from 1. If no cell has two entries and at least"
          + " half of all entries are stored, colours are values. The command runs in this"
          + " process, without Spark.",
      "With --method, a second row of panels shows the tensor after that reordering. A"
          + " .weft tensor that was reordered is shown under its original coordinates and as it"
          + " is stored. With --partitions N, red lines show where N partitions of mode 0 with"
          + " equal entries begin."
    },
    footer = {"", "Example: weft spy x.tns.gz x.png --method lexi --partitions 8"})
public final class SpyCommand extends WeftCommand {
  @Parameters(index = "0", paramLabel = "IN", description = InputNames.INPUT)
  String input = "";

  @Parameters(
      index = "1",
      paramLabel = "OUT",
      description = "The picture to write, a .png or .svg file.")
  String output = "";

  @Option(
      order = 1,
      names = "--method",
      paramLabel = "NAME",
      description =
          "Also show the tensor after this reordering. 'weft reorder --help' lists the methods.")
  @Nullable String method;

  @Option(
      order = 2,
      names = "--size",
      paramLabel = "PIXELS",
      description = "The longer side of a panel in pixels, 16 to 4096 (default: 400).")
  int size = 400;

  @Override
  protected void run(Console console) throws IOException {
    Picture.checkName("OUT", output);
    if (size < 16 || size > 4096) {
      throw usage("expected --size of 16 to 4096 pixels, found %d", size);
    }
    if (method != null) {
      Reorderers.named(method);
    }
    FileAccess files = CommonOptions.files();
    checkOutput(files, output);
    int steps = method == null ? 1 : 2;
    console.step("read " + input, 0, steps);
    LoadedTensor tensor = LoadedTensor.read(files, input, common.readOptions());
    if (planOnly()) {
      console.result("would draw %s (%s) into %s", input, tensor.shape(), output);
      return;
    }
    DensityPlot plot = new DensityPlot(size, TensorFiles.modeNames(files, input));
    Map<Integer, int[]> stored = TensorFiles.permutations(files, input);
    String first = stored.isEmpty() ? "as stored" : "original";
    plot.add(first, tensor.shape(), tensor.blocks(), boundaries(tensor, tensor.blocks()));
    if (!stored.isEmpty()) {
      add(plot, "as stored", tensor, Relabelling.ofLabels(tensor.shape(), stored).modes());
    }
    if (method != null) {
      console.step("order by " + method, 1, steps);
      add(plot, method, tensor, Reorderers.named(method).reorder(tensor.shape(), tensor.blocks()));
    }
    draw(files, output, plot);
    console.result(
        "wrote %s: %s, %s", output, tensor.shape(), Counts.of(tensor.entries(), "entry"));
  }

  private void add(DensityPlot plot, String name, LoadedTensor tensor, List<Permutation> modes) {
    List<CooBlock> relabelled = new ArrayList<>();
    tensor.blocks().forEach(block -> relabelled.add(Permutation.relabel(block, modes)));
    plot.add(name, tensor.shape(), relabelled, boundaries(tensor, relabelled));
  }

  private long[] boundaries(LoadedTensor tensor, List<CooBlock> blocks) {
    return common.partitions < 2 || tensor.shape().order() == 0
        ? new long[0]
        : PartitionMetrics.boundaries(tensor.shape(), blocks, common.partitions);
  }
}
