package org.weft.spark.table;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;
import org.weft.storage.InputPlan;
import org.weft.storage.container.Container;
import org.weft.storage.file.FileAccess;
import org.weft.text.Counts;

/**
 * A tensor that has been found and whose header is known; travels to tasks. Of a container it is
 * one version, whatever is written afterwards.
 */
record OpenTable(FileAccess files, InputPlan plan, TensorColumns columns) implements Serializable {
  /** With the column types of {@code schema}. */
  OpenTable as(StructType schema) {
    return new OpenTable(files, plan, columns.as(schema, plan.uri()));
  }

  @Nullable Container container() {
    return plan.header().details() instanceof Container container ? container : null;
  }

  /** Number of splits, each of which a task reads. */
  int splits() {
    return plan.splits().size();
  }

  /** The coordinates that a split may have: of text, and of reordered modes, any. */
  CoordinateFilter.Ranges ranges(int split) {
    Container container = container();
    return new CoordinateFilter.Ranges() {
      @Override
      public long first(int mode) {
        return container == null || !isKnown(container, mode) ? 0 : container.first(split, mode);
      }

      @Override
      public long last(int mode) {
        return container == null || !isKnown(container, mode)
            ? Long.MAX_VALUE
            : container.last(split, mode);
      }
    };
  }

  private static boolean isKnown(Container container, int mode) {
    return container.partCount() > 0 && !container.isReordered(mode);
  }

  /** Entries of a split, where they have been counted. */
  OptionalLong entries(int split) {
    Container container = container();
    if (container == null) {
      return OptionalLong.empty();
    }
    return OptionalLong.of(container.partCount() == 0 ? 0 : container.entries(split));
  }

  /** The hosts that have a split; none for that of a container without parts. */
  List<String> hosts(int split) {
    Container container = container();
    if (container != null && container.partCount() == 0) {
      return List.of();
    }
    String uri = plan.splits().get(split).uri();
    return files.hosts(files.path(uri), plan.splits().get(split).start());
  }

  /** The columns of a tensor: its own names of modes, or those that were asked for. */
  static TensorColumns columns(InputPlan plan, TableOptions options) {
    int order = plan.header().order();
    Container container = plan.header().details() instanceof Container c ? c : null;
    List<String> names = options.names(TableOptions.MODES);
    if (names.isEmpty()) {
      if (container != null) {
        names = container.modeNames();
      } else {
        names = new ArrayList<>();
        for (int mode = 0; mode < order; mode++) {
          names.add("mode" + mode);
        }
      }
    }
    if (names.size() != order) {
      throw options.wrong(
          plan.uri()
              + ": expected "
              + Counts.plain(order, "name")
              + " of modes, found "
              + names.size()
              + ": "
              + names);
    }
    TableOptions.LabelView labels = options.labels();
    return new TensorColumns(
            names,
            container == null || labels == TableOptions.LabelView.NONE
                ? Set.of()
                : container.labels().modes(),
            labels == TableOptions.LabelView.INSTEAD,
            options.value(),
            container == null ? org.weft.tensor.ValueType.DOUBLE : container.valueType(),
            options.base())
        .requireDistinct(plan.uri());
  }
}
