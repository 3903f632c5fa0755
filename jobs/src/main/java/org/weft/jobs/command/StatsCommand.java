package org.weft.jobs.command;

import java.io.IOException;
import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.LongStream;
import org.weft.engine.Engine;
import org.weft.engine.EngineTensor;
import org.weft.jobs.file.InputNames;
import org.weft.jobs.option.CommonOptions;
import org.weft.jobs.output.Console;
import org.weft.jobs.run.Session;
import org.weft.planner.ModePlan;
import org.weft.planner.job.Job;
import org.weft.planner.job.RowStatement;
import org.weft.planner.partition.PartitionCosts;
import org.weft.statistics.SliceSummary;
import org.weft.statistics.TensorStatistics;
import org.weft.storage.InputPlan;
import org.weft.storage.ModeNames;
import org.weft.storage.TensorFiles;
import org.weft.storage.document.JsonText;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.TensorShape;
import org.weft.text.Counts;
import org.weft.text.TextTable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weft stats}. */
@Command(
    name = "stats",
    sortOptions = false,
    description = {
      "Describe a tensor.",
      "The command shows order, mode sizes, nonzeros, density, duplicates and the range of"
          + " values. It also shows how the nonzeros spread over the slices of each mode, and the"
          + " bytes of a partition.",
      "Entries at the same coordinates count as one entry, with the sum of their values."
          + " min, median, p99 and max are nonzeros per slice, among slices that have any."
    },
    footer = {"", "Example: weft stats x.tns.gz"})
public final class StatsCommand extends SparkCommand {
  private static final int NOMINAL_RANK = 16;

  @Parameters(index = "0", paramLabel = "IN", description = InputNames.INPUT)
  String input = "";

  @Option(names = "--json", description = "Print JSON. Sizes are numbers of entries or bytes.")
  boolean json;

  @Mixin InputNames names = new InputNames();

  @Override
  protected void run(Console console) throws IOException {
    FileAccess files = CommonOptions.files();
    InputPlan plan = TensorFiles.open(files, input, common.readOptions());
    int splits = plan.splits().size();
    List<String> modeNames = names.of(files, input, plan.header().order());
    if (planOnly()) {
      console.result(
          "would read %s in %s, count its entries per slice, and pack it once along mode 0"
              + " to count duplicates; no kernel, no output",
          input, Counts.plain(splits, "split"));
      return;
    }
    try (Session session = Session.open(common, "weft stats " + input, console)) {
      EngineTensor tensor = session.read(input, 2);
      console.step("count duplicates", 1, 2);
      TensorStatistics summed = tensor.summedStatistics();
      if (json) {
        console.text(JsonText.of(members(session.engine(), tensor, summed, modeNames)));
        return;
      }
      tensor(console, tensor.statistics().entries(), summed);
      if (ModeNames.areNamed(modeNames)) {
        console.result("modes       %s", String.join(", ", modeNames));
      }
      slices(console, summed);
      if (tensor.statistics().entries() > 0 && tensor.statistics().shape().order() > 0) {
        partitions(console, session.engine(), tensor);
      }
    }
  }

  /**
   * @param s of the tensor with its duplicates summed
   */
  private Map<String, Object> members(
      Engine engine, EngineTensor tensor, TensorStatistics s, List<String> modeNames) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("input", input);
    all.put("dims", s.shape().toArray());
    all.put("nnz", s.entries());
    all.put("duplicates", tensor.statistics().entries() - s.entries());
    all.put("density", s.density());
    if (s.entries() > 0) {
      all.put("min_value", s.minValue());
      all.put("max_value", s.maxValue());
    }
    all.put("norm", s.norm());
    List<Object> modes = new ArrayList<>();
    for (int m = 0; m < s.shape().order(); m++) {
      SliceSummary slices = s.slices(m);
      Map<String, Object> mode = new LinkedHashMap<>();
      if (ModeNames.areNamed(modeNames)) {
        mode.put("name", modeNames.get(m));
      }
      mode.put("size", s.shape().size(m));
      mode.put("empty_slices", slices.empty());
      mode.put("min", slices.min());
      mode.put("median", slices.median());
      mode.put("p99", slices.p99());
      mode.put("max", slices.max());
      mode.put("exact", slices.exact());
      if (s.entries() > 0) {
        List<PartitionCosts> parts = engine.plan(tensor, mttkrp(s.shape(), m)).only().partitions();
        mode.put("partitions", parts.size());
        mode.put("storage_bytes", parts.stream().mapToDouble(PartitionCosts::storageBytes).sum());
      }
      modes.add(mode);
    }
    all.put("modes", modes);
    return all;
  }

  private static void tensor(Console console, long entries, TensorStatistics s) {
    console.result("order       %d", s.shape().order());
    console.result("mode sizes  %s", s.shape());
    console.result(
        "nonzeros    %s at distinct coordinates", Counts.of(s.entries(), "stored entry"));
    console.result(
        "duplicates  %,d%s (entries in the file: %,d)",
        entries - s.entries(), entries > s.entries() ? ", summed" : "", entries);
    console.result("density     %.6g", s.density());
    if (s.entries() > 0) {
      console.result("values      %s to %s", s.minValue(), s.maxValue());
    }
    console.result("norm        %s", s.norm());
  }

  private static void slices(Console console, TensorStatistics statistics) {
    TextTable table =
        new TextTable(">").row("mode", "slices", "empty", "min", "median", "p99", "max");
    for (int m = 0; m < statistics.shape().order(); m++) {
      SliceSummary s = statistics.slices(m);
      List<String> cells = new ArrayList<>(List.of(Integer.toString(m)));
      LongStream.of(statistics.shape().size(m), s.empty(), s.min(), s.median(), s.p99(), s.max())
          .forEach(count -> cells.add(cell("%,d", count)));
      if (!s.exact()) {
        cells.add("(estimates)");
      }
      table.row(cells);
    }
    console.text("\n" + table.text());
  }

  /** Partitions of an MTTKRP along each mode; their storage does not depend on the rank. */
  private void partitions(Console console, Engine engine, EngineTensor tensor) {
    TextTable table =
        new TextTable(">").row("mode", "partitions", "mean nonzeros", "most nonzeros", "MiB each");
    for (int m = 0; m < tensor.statistics().shape().order(); m++) {
      ModePlan plan = engine.plan(tensor, mttkrp(tensor.statistics().shape(), m)).only();
      List<PartitionCosts> parts = plan.partitions();
      DoubleSummaryStatistics entries =
          parts.stream().mapToDouble(PartitionCosts::entries).summaryStatistics();
      double bytes = parts.stream().mapToDouble(PartitionCosts::storageBytes).average().orElse(0);
      table.row(
          Integer.toString(m),
          cell("%,d", parts.size()),
          cell("%,.0f", entries.getAverage()),
          cell("%,.0f", entries.getMax()),
          cell("%,.2f", bytes / (1 << 20)));
    }
    console.text("\n" + table.text());
  }

  private static String cell(String format, Object value) {
    return String.format(Locale.ROOT, format, value);
  }

  private Job mttkrp(TensorShape shape, int mode) {
    return Job.of(RowStatement.mttkrp(shape.order(), mode, NOMINAL_RANK), common.type);
  }
}
