package org.weft.planner;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.weft.compiler.KernelRequest;
import org.weft.planner.job.ModeGroup;
import org.weft.planner.kernel.KernelPlan;
import org.weft.planner.kernel.Operand;
import org.weft.planner.machine.Resources;
import org.weft.planner.partition.ModePartitioning;
import org.weft.planner.partition.PartitionCosts;
import org.weft.statistics.TensorStatistics;
import org.weft.tensor.TensorFormat;
import org.weft.text.Bytes;
import org.weft.text.Counts;
import org.weft.text.TextTable;

/** A plan as text: the tensor, each pass with its partitions, the steps and the memory. */
final class PlanText {
  /** Partitions shown before the longest if there are more than twice as many. */
  private static final int FIRST_PARTITIONS = 3;

  private final StringBuilder text = new StringBuilder();

  PlanText(JobPlan plan) {
    header(plan);
    for (int number = 0; number < plan.modes().size(); number++) {
      pass(plan, plan.modes().get(number), finishing(plan, number));
    }
    steps(plan);
  }

  private void header(JobPlan plan) {
    TensorStatistics s = plan.statistics();
    Resources r = plan.resources();
    line("job         %s", plan.job());
    line(
        "tensor      %s, %s, density %.3g, norm %.6g",
        s.shape(), Counts.of(s.entries(), "entry"), s.density(), s.norm());
    line(
        "cluster     %s x %s, %s per task, %s each",
        Counts.plain(r.executors(), "executor"),
        Counts.plain(r.coresPerExecutor(), "core"),
        Counts.plain(r.kernelThreads(), "thread"),
        Bytes.text(r.memoryBytesPerExecutor()));
    InputReading reading = plan.reading();
    if (!reading.why().isEmpty() && reading.tasks() < r.slots()) {
      line("reading     one task: %s", reading.why());
    }
    line(
        "library     %s, %s, identity %.12s",
        Bytes.text(plan.image().library().length), plan.image().cpu(), plan.image().identity());
    if (plan.forms() != null) {
      forms(plan.forms());
    }
    if (plan.tree() != null) {
      tree(plan.tree());
    }
  }

  private void forms(FormsChoice forms) {
    String one = "one, rooted at mode " + forms.root();
    String chosen =
        switch (forms.chosen()) {
          case ONE -> one;
          case GRID -> "one for each mode, of tiles";
          default -> "one for each mode";
        };
    line("forms       %s: %s", chosen, forms.reason());
    TextTable table =
        new TextTable("<>")
            .row("", "packed", "per executor", "exchanged", "s / iteration", "s in all")
            .row(form(one, forms.one()))
            .row(form("one for each mode", forms.all()));
    if (forms.tiled() != null) {
      table.row(form("one for each mode, of tiles", forms.tiled()));
    }
    table(table);
  }

  private void tree(TreeChoice tree) {
    String chosen = tree.shares() ? "products of modes " + tree.text() : "no products shared";
    line("tree        %s: %s", chosen, tree.reason());
    if (tree.tree() != null) {
      table(
          new TextTable("<>")
              .row("", "packed", "per executor", "s / iteration", "s in all")
              .row(costs("an MTTKRP of all entries for each mode", tree.none()))
              .row(costs("products of modes " + tree.text(), tree.tree())));
    }
  }

  private static String[] costs(String name, PlanCosts costs) {
    return new String[] {
      name,
      Bytes.text(costs.storageBytes()),
      Bytes.text(costs.peakMemoryBytesPerExecutor()),
      decimal("%.4f", costs.iterationSeconds()),
      decimal("%.2f", costs.seconds())
    };
  }

  private static String[] form(String name, PlanCosts costs) {
    return new String[] {
      name,
      Bytes.text(costs.storageBytes()),
      Bytes.text(costs.peakMemoryBytesPerExecutor()),
      Bytes.text(costs.step("merge").map(StepCosts::bytesMoved).orElse(0.0)),
      decimal("%.4f", costs.iterationSeconds()),
      decimal("%.2f", costs.seconds())
    };
  }

  /** The kernels that make MTTKRPs of the products of a pass. */
  private static List<String> finishing(JobPlan plan, int pass) {
    if (plan.groups().isEmpty()) {
      return List.of();
    }
    ModeGroup group = plan.groups().get(pass);
    List<String> symbols = group.modes().stream().map(group::symbol).toList();
    return plan.algebra().stream()
        .filter(kernel -> symbols.contains(kernel.symbol()))
        .map(KernelRequest::expression)
        .toList();
  }

  private void pass(JobPlan plan, ModePlan mode, List<String> finishing) {
    KernelPlan kernel = mode.kernel();
    line("");
    line("mode %d: %s", mode.mode(), kernel.request().expression());
    line("  tensor    %s %s", kernel.tensor(), format(kernel.tensorFormat()));
    line(
        "  result    %s %s, %s%s",
        kernel.result(),
        format(kernel.resultFormat()),
        mode.resultShape(),
        kernel.panels() == 1
            ? ""
            : ", copied from panels of " + Counts.plain(kernel.panel(), "column"));
    if (!kernel.operands().isEmpty()) {
      line(
          "  dense     %s%s",
          kernel.operands().stream()
              .map(operand -> operand(operand, mode))
              .collect(Collectors.joining("; ")),
          kernel.panels() == 1
              ? ""
              : "; copied to panels of " + Counts.plain(kernel.panel(), "column"));
    }
    line("  kernel    %s, %s", kernel.request().symbol(), kernel.request().schedule());
    finishing.forEach(expression -> line("  then      %s for P = %s", expression, kernel.result()));
    line(
        "  cut       mode %d into %s%s; %s",
        kernel.partitionedMode(),
        Counts.plain(mode.partitioning().partitions(), "partition"),
        pieces(mode.partitioning()),
        merge(mode, plan.resources()));
    partitions(mode, plan.modes().size() == 1 ? FIRST_PARTITIONS : 0);
  }

  private static String operand(Operand operand, ModePlan mode) {
    String columns = operand.isVector() ? "" : " x " + operand.columns();
    return operand.name() + " " + mode.tensorShape().size(operand.mode()) + columns;
  }

  private static String pieces(ModePartitioning partitioning) {
    if (partitioning.grid() != null) {
      return ", tiles of " + partitioning.grid();
    }
    return partitioning.anyOverlapping() ? ", heavy slices split" : "";
  }

  private static String merge(ModePlan mode, Resources resources) {
    if (mode.isGrouped(resources)) {
      return "results of "
          + Counts.plain(mode.groups(), "group")
          + " of partitions at a time are added";
    }
    return switch (mode.kernel().merge()) {
      case ROWS -> "dense rows of ranges follow one another, pieces are added";
      case ENTRIES -> "sorted entries of ranges follow one another, pieces are merged";
      case SUM -> "results of all partitions are added";
    };
  }

  private void partitions(ModePlan mode, int first) {
    TextTable table =
        new TextTable("><>")
            .row("part", "slices", "nonzeros", "storage", "result", "moved", "Mflop", "ms");
    List<PartitionCosts> costs = mode.partitions();
    int shown = costs.size() <= Math.max(2, 2 * first) ? costs.size() : first;
    for (int p = 0; p < shown; p++) {
      table.row(partition(Integer.toString(p), costs.get(p)));
    }
    if (shown < costs.size()) {
      PartitionCosts heaviest = costs.get(0);
      for (PartitionCosts cost : costs) {
        heaviest = cost.seconds() > heaviest.seconds() ? cost : heaviest;
      }
      int more = costs.size() - shown;
      table.row("...", "(" + more + (shown > 0 ? " more" : "") + "; the longest is)");
      table.row(partition(Integer.toString(costs.indexOf(heaviest)), heaviest));
    }
    PartitionCosts all =
        new PartitionCosts(
            costs.get(0).range(),
            mode.total(PartitionCosts::entries),
            mode.storageBytes(),
            mode.total(PartitionCosts::resultBytes),
            mode.total(PartitionCosts::bytesMoved),
            mode.total(PartitionCosts::flops),
            mode.total(PartitionCosts::seconds));
    String[] sum = partition("all", all);
    sum[1] = "";
    table(table.row(sum));
  }

  private static String[] partition(String name, PartitionCosts c) {
    return new String[] {
      name,
      c.range().toString(),
      decimal("%,.0f", c.entries()),
      Bytes.text(c.storageBytes()),
      Bytes.text(c.resultBytes()),
      Bytes.text(c.bytesMoved()),
      decimal("%.1f", c.flops() / 1e6),
      decimal("%.2f", c.seconds() * 1e3)
    };
  }

  private void steps(JobPlan plan) {
    PlanCosts costs = plan.predicted();
    line("");
    if (costs.iterations() > 1) {
      line(
          "steps; kernel%s are one iteration over all modes, at most %s",
          plan.groups().isEmpty() ? " and merge" : ", merge and products",
          Counts.plain(costs.iterations(), "iteration"));
    }
    TextTable table = new TextTable("<>").row("step", "bytes", "Mflop", "seconds", "per executor");
    for (StepCosts step : costs.steps()) {
      table.row(
          step.step(),
          Bytes.text(step.bytesMoved()),
          decimal("%.1f", step.flops() / 1e6),
          decimal("%.3f", step.seconds()),
          Bytes.text(step.memoryBytesPerExecutor()));
    }
    table(table);
    line(
        "storage of %s %s; at most %s of memory per executor; %.2f s in all",
        Counts.plain(plan.packedForms().size(), "packed form"),
        Bytes.text(costs.storageBytes()),
        Bytes.text(costs.peakMemoryBytesPerExecutor()),
        costs.seconds());
  }

  private static String format(TensorFormat format) {
    return format.order() == 0 ? "scalar" : format.toString();
  }

  private static String decimal(String format, double number) {
    return String.format(Locale.ROOT, format, number);
  }

  private void table(TextTable table) {
    table.lines().forEach(line -> line("  %s", line));
  }

  private void line(String format, Object... arguments) {
    text.append(String.format(Locale.ROOT, format, arguments).stripTrailing()).append('\n');
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
