package org.weft.spark.ingest;

import java.io.IOException;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.function.Function2;
import org.apache.spark.sql.Row;
import org.weft.spark.output.TaskAttempt;
import org.weft.storage.container.ContainerPiece;
import org.weft.storage.container.ParallelContainer;
import org.weft.storage.container.PieceWriter;
import org.weft.tensor.CooBlock;

/** Writes the entries of one range of slices: rows of coordinates and a value, sorted. */
final class EntryTask implements Function2<Integer, Iterator<Row>, Iterator<ContainerPiece>> {
  private static final long serialVersionUID = 1L;
  private static final int BLOCK = 1 << 16;

  private final ParallelContainer.Target target;
  private final int order;

  EntryTask(ParallelContainer.Target target, int order) {
    this.target = target;
    this.order = order;
  }

  /** The range of {@code firsts} that a coordinate lies in. */
  static int range(long[] firsts, long coordinate) {
    int found = Arrays.binarySearch(firsts, coordinate);
    return found >= 0 ? found : -found - 2;
  }

  @Override
  public Iterator<ContainerPiece> call(Integer partition, Iterator<Row> rows) throws IOException {
    try (PieceWriter writer = PieceWriter.entries(target, partition, TaskAttempt.suffix())) {
      CooBlock.Builder block = new CooBlock.Builder(order, BLOCK);
      long[] coordinates = new long[order];
      while (rows.hasNext()) {
        Row row = rows.next();
        for (int mode = 0; mode < order; mode++) {
          coordinates[mode] = row.getLong(mode);
        }
        block.add(coordinates, row.getDouble(order));
        if (block.size() == BLOCK) {
          writer.write(block.build());
          block = new CooBlock.Builder(order, BLOCK);
        }
      }
      writer.write(block.build());
      return List.of(writer.finish()).iterator();
    }
  }
}
