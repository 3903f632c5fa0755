package org.weft.jobs.decompose;

import static org.weft.jobs.output.Usage.usage;

import java.io.IOException;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.jobs.command.WeftCommand;
import org.weft.jobs.file.LoadedTensor;
import org.weft.jobs.option.CommonOptions;
import org.weft.jobs.option.NamedMode;
import org.weft.jobs.output.Console;
import org.weft.spark.model.FactorModel;
import org.weft.storage.Labels;
import org.weft.storage.TensorFiles;
import org.weft.storage.TensorOutput;
import org.weft.storage.WriteOptions;
import org.weft.storage.file.FileAccess;
import org.weft.storage.model.MatchedLabels;
import org.weft.storage.model.ModelFolder;
import org.weft.tensor.CooBlock;
import org.weft.text.Counts;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weft predict}. */
@Command(
    name = "predict",
    sortOptions = false,
    description = {
      "Predict values of a model at the coordinates of a tensor's entries.",
      "The command prints a line for each entry, with labels where the model has labels,"
          + " otherwise with coordinates from 1. With OUT, the values become a tensor.",
      "--at instead of QUERY gives the value at one cell. State the label of each mode, or"
          + " the coordinate from 1 for a mode without labels. With --top, leave out the mode of"
          + " --mode.",
      "A label of QUERY is the same label of the model, whatever its coordinate. Entries"
          + " with labels that the model lacks are left out. Modes without labels have the"
          + " model's coordinates.",
      "With --top and --mode, the command shows for each entry the slices of the mode with"
          + " the largest values. The other coordinates of the entry stay. The values in QUERY"
          + " serve to report the error only."
    },
    footer = {
      "",
      "Example: weft predict model query.tns",
      "Example: weft predict model --at user=alice,item=kettle",
      "Example: weft predict model query.tns --top 5 --mode item"
    })
public final class PredictCommand extends WeftCommand {
  @Parameters(index = "0", paramLabel = "MODEL", description = ModelCommand.FOLDER)
  String folder = "";

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "QUERY",
      description = "The tensor whose coordinates are looked up.")
  @Nullable String query;

  @Parameters(
      index = "2",
      arity = "0..1",
      paramLabel = "OUT",
      description = "The tensor of the values to write, or with --top a text file.")
  @Nullable String out;

  @Option(
      names = "--at",
      paramLabel = "MODE=LABEL,...",
      description = "A cell. State each mode by its name or its number. Repeatable.")
  List<String> at = List.of();

  @Option(
      names = "--top",
      paramLabel = "N",
      description = "Show the N slices of --mode with the largest values.")
  int top;

  @Option(
      names = "--mode",
      paramLabel = "MODE",
      description = "The mode of --top, by its name or its number.")
  @Nullable String mode;

  @Override
  protected void run(Console console) throws IOException {
    if (top < 0 || (top > 0) != (mode != null)) {
      throw usage(
          top < 0
              ? "expected --top of at least 1, found %d"
              : top > 0
                  ? "expected --mode MODE with --top %d, found none"
                  : "expected --top N of at least 1 with --mode, found none",
          top);
    }
    if ((query == null) == at.isEmpty()) {
      throw usage(
          "expected either QUERY, a tensor, or --at MODE=LABEL,..., found %s",
          query == null ? "neither" : "both");
    }
    FileAccess files = CommonOptions.files();
    if (out != null && top > 0) {
      checkOutput(files, out);
    } else if (out != null) {
      checkTensorOutput(files, out);
    }
    Model model = Model.open(files, folder);
    int target =
        mode == null ? -1 : NamedMode.number(folder, "--mode", mode, model.names(), model.order());
    List<CooBlock> asked =
        query == null
            ? List.of(model.cells().of(at, target))
            : model.found(query, LoadedTensor.read(files, query, common.readOptions()), console);
    if (query != null) {
      model.requireCovers(query, asked);
    }
    if (planOnly()) {
      console.result(
          "would predict %s of the model %s",
          Counts.of(asked.stream().mapToLong(CooBlock::size).sum(), "value"), folder);
      return;
    }
    if (target >= 0) {
      String text = model.best(asked, target, top);
      if (out == null) {
        console.text(text);
      } else {
        write(console, files, out, text);
      }
      return;
    }
    List<CooBlock> predicted =
        asked.stream().map(block -> block.withValues(model.values(block))).toList();
    if (out == null) {
      predicted.forEach(block -> console.text(model.lines(block)));
    } else {
      writeTensor(console, files, out, model, predicted);
    }
    if (query != null) {
      console.note("RMSE %.6g against the values of %s", error(asked, predicted), query);
    }
  }

  private void writeTensor(
      Console console, FileAccess files, String target, Model model, List<CooBlock> predicted)
      throws IOException {
    WriteOptions options =
        WriteOptions.defaults()
            .withShape(model.factors().shape())
            .withZeroBased(common.zeroBased)
            .forFile(target);
    try (TensorOutput output =
        TensorFiles.create(files, target, common.overwrite, model.order(), options)) {
      for (CooBlock block : predicted) {
        output.write(block);
      }
      output.commit();
    }
    console.note("wrote %s", target);
  }

  /** Root of the mean squared difference of values. */
  private static double error(List<CooBlock> asked, List<CooBlock> predicted) {
    double squares = 0;
    long count = 0;
    for (int b = 0; b < asked.size(); b++) {
      for (int e = 0; e < asked.get(b).size(); e++) {
        squares += Math.pow(predicted.get(b).value(e) - asked.get(b).value(e), 2);
      }
      count += asked.get(b).size();
    }
    return Math.sqrt(squares / Math.max(1, count));
  }

  /** A model in memory. */
  private record Model(
      String uri, FactorModel factors, Map<Integer, Labels> labels, List<String> names) {
    static Model open(FileAccess files, String uri) throws IOException {
      ModelFolder folder = ModelFolder.open(files, uri);
      return new Model(uri, FactorModel.read(folder), folder.labels(), folder.modeNames());
    }

    int order() {
      return factors.order();
    }

    NamedCells cells() {
      return new NamedCells(uri, names, labels, factors.shape());
    }

    String name(int mode, long at) {
      return Optional.ofNullable(labels.get(mode))
          .filter(known -> at < known.size())
          .map(known -> known.label(at))
          .orElseGet(() -> Long.toString(at + 1));
    }

    double[] values(CooBlock block) {
      return IntStream.range(0, block.size())
          .mapToDouble(e -> factors.at(coordinates(block, e)))
          .toArray();
    }

    /** A line for each entry: a name for each mode, and the value. */
    String lines(CooBlock block) {
      StringBuilder lines = new StringBuilder();
      for (int e = 0; e < block.size(); e++) {
        for (int m = 0; m < block.order(); m++) {
          lines.append(name(m, block.coordinate(m, e))).append('\t');
        }
        lines.append(block.value(e)).append('\n');
      }
      return lines.toString();
    }

    /** The entries at the model's coordinates, without those whose labels the model lacks. */
    List<CooBlock> found(String query, LoadedTensor asked, Console console) {
      if (asked.shape().order() != order()) {
        throw mismatch(query, Counts.plain(order(), "mode"), asked.shape().order() + "");
      }
      MatchedLabels matched = new MatchedLabels(query, uri, names, asked.labels(), labels);
      matched.requireOrder(asked.names());
      List<CooBlock> found = matched.found(asked.blocks());
      long lost = asked.entries() - found.stream().mapToLong(CooBlock::size).sum();
      if (lost > 0) {
        console.note("entries left out, with labels that the model lacks: %,d", lost);
      }
      return found;
    }

    void requireCovers(String query, List<CooBlock> blocks) {
      for (CooBlock block : blocks) {
        for (int e = 0; e < block.size(); e++) {
          for (int m = 0; m < order(); m++) {
            if (block.coordinate(m, e) >= factors.factors().get(m).rows()) {
              throw mismatch(
                  query,
                  "coordinates of at most " + factors.factors().get(m).rows() + " in mode " + m,
                  Long.toString(block.coordinate(m, e) + 1));
            }
          }
        }
      }
    }

    private WeftException mismatch(String query, String expected, String found) {
      return new WeftException(
          ErrorCode.SHAPE_MISMATCH,
          query + ": expected " + expected + ", as the model " + uri + " has, found " + found);
    }

    private static long[] coordinates(CooBlock block, int entry) {
      long[] coordinates = new long[block.order()];
      for (int m = 0; m < coordinates.length; m++) {
        coordinates[m] = block.coordinate(m, entry);
      }
      return coordinates;
    }

    /** A slice of a mode and its value. */
    private record Scored(long slice, double score) {}

    /** Lines of the best slices for each entry, whatever its coordinate in that mode. */
    String best(List<CooBlock> blocks, int target, int count) {
      StringBuilder lines = new StringBuilder();
      Set<List<Long>> seen = new LinkedHashSet<>();
      for (CooBlock block : blocks) {
        for (int e = 0; e < block.size(); e++) {
          int entry = e;
          List<Long> others =
              IntStream.range(0, order())
                  .mapToObj(m -> m == target ? -1L : block.coordinate(m, entry))
                  .toList();
          if (seen.add(others)) {
            best(factors.value().query(target, factors.rows(coordinates(block, e))), target, count)
                .forEach(found -> line(lines, others, target, found));
          }
        }
      }
      return lines.toString();
    }

    private List<Scored> best(double[] weights, int target, int count) {
      Comparator<Scored> worstFirst =
          Comparator.comparingDouble(Scored::score)
              .thenComparing(Comparator.comparingLong(Scored::slice).reversed());
      PriorityQueue<Scored> best = new PriorityQueue<>(worstFirst);
      double[] row = new double[weights.length];
      for (long slice = 0; slice < factors.factors().get(target).rows(); slice++) {
        factors.factors().get(target).copyRow(slice, row, 0);
        double score = 0;
        for (int r = 0; r < row.length; r++) {
          score += weights[r] * row[r];
        }
        best.add(new Scored(slice, score));
        if (best.size() > count) {
          best.poll();
        }
      }
      return best.stream().sorted(worstFirst.reversed()).toList();
    }

    private void line(StringBuilder lines, List<Long> others, int target, Scored found) {
      for (int m = 0; m < order(); m++) {
        lines.append(name(m, m == target ? found.slice() : others.get(m))).append('\t');
      }
      lines.append(found.score()).append('\n');
    }
  }
}
