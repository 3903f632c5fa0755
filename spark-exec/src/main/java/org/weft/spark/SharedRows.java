package org.weft.spark;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.api.java.JavaSparkContext;
import org.jspecify.annotations.Nullable;
import org.weft.planner.ModePlan;
import org.weft.planner.kernel.Merge;
import org.weft.spark.exchange.RowPlace;
import org.weft.spark.kernel.AddedRows;
import org.weft.spark.kernel.RowsStep;
import org.weft.spark.kernel.StepPart;
import org.weft.spark.resident.FactorBlocks;
import org.weft.spark.resident.FactorVersion;
import org.weft.spark.resident.StoredRows;
import org.weft.spark.wire.PartitionWork;
import org.weft.tensor.TensorShape;

/**
 * The rows that several partitions have a part in. Each partition has stored its part where it ran.
 * The parts are added up by ranges of rows, each where one of its parts is.
 */
final class SharedRows {
  static final RowPlace ANYWHERE = new RowPlace("", "", 0);

  private final RowsStep step;
  private final TensorShape result;
  private final @Nullable RowPlace[] places; // by partition; null without a part
  private final long[] firsts; // row that the part of a partition begins with
  private final long[] starts; // first row of the part, counted through all parts
  private final Map<Long, RowPlace> owners = new HashMap<>(); // by first row of a range

  private SharedRows(ModePlan pass, RowsStep step, List<StepPart> made) {
    this.step = step;
    this.result = pass.resultShape();
    int partitions = pass.partitioning().partitions();
    places = new RowPlace[partitions];
    made.stream()
        .filter(part -> part.range() == StepPart.PART)
        .forEach(part -> places[part.partition()] = part.place());
    firsts = new long[partitions];
    starts = new long[partitions + 1];
    boolean slices = pass.kernel().merge() == Merge.ROWS;
    for (int p = 0; p < partitions; p++) {
      firsts[p] = slices ? pass.range(p).from() : 0;
      long rows = slices ? pass.range(p).slices() : result.size(0);
      starts[p + 1] = starts[p] + (places[p] == null ? 0 : rows);
      if (slices && places[p] != null) {
        owners.put(pass.partitioning().firstRow(p), places[p]);
      }
    }
  }

  /**
   * All ranges of rows, in order, after those that no task has finished are.
   *
   * @param space number that the blocks' names of parts begin with
   * @param made what the partitions have finished, or have a part in
   */
  static List<StepPart> finished(
      JavaSparkContext context,
      StepTasks tasks,
      ModePlan pass,
      RowsStep step,
      long space,
      List<StepPart> made) {
    List<StepPart> all =
        new ArrayList<>(made.stream().filter(part -> part.range() != StepPart.PART).toList());
    if (all.size() < step.starts().length - 1) {
      SharedRows shared = new SharedRows(pass, step, made);
      AddedRows added = new AddedRows(step, shared.version(pass.mode(), space), shared.firsts);
      Map<Integer, RowPlace> ranges = shared.ranges(all);
      all.addAll(
          tasks.collect(
              ranges, () -> FactorBlocks.ranges(context, ranges), PartitionWork.each(added)));
    }
    return inOrder(all);
  }

  static List<StepPart> inOrder(List<StepPart> parts) {
    return parts.stream().sorted(Comparator.comparingInt(StepPart::range)).toList();
  }

  private FactorVersion version(int mode, long space) {
    int columns = (int) Math.round(result.cells() / result.size(0));
    StoredRows stored = new StoredRows(space, starts, places, true);
    return new FactorVersion(mode, 0, columns, step.productType(), starts, stored);
  }

  /** The ranges that are not finished, at the part that has them or spread over all places. */
  private Map<Integer, RowPlace> ranges(List<StepPart> finished) {
    Map<Integer, RowPlace> left = new TreeMap<>();
    for (int range = 0; range < step.starts().length - 1; range++) {
      RowPlace owner = owners.get(step.starts()[range]);
      if (owner != null) {
        left.put(range, owner);
        continue;
      }
      List<RowPlace> having = having(step.starts()[range], step.starts()[range + 1]);
      left.put(range, having.isEmpty() ? ANYWHERE : having.get(range % having.size()));
    }
    finished.forEach(part -> left.remove(part.range()));
    return left;
  }

  /** Where the parts are that have some of the rows. */
  private List<RowPlace> having(long from, long to) {
    List<RowPlace> having = new ArrayList<>();
    for (int p = 0; p < firsts.length; p++) {
      if (places[p] != null && firsts[p] < to && from < firsts[p] + starts[p + 1] - starts[p]) {
        having.add(places[p]);
      }
    }
    return having;
  }
}
