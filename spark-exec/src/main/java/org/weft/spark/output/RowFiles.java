package org.weft.spark.output;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.VoidFunction;
import org.weft.engine.Measurements;
import org.weft.spark.kernel.FactorRange;
import org.weft.spark.resident.FactorVersion;
import org.weft.storage.WriteOptions;
import org.weft.storage.file.FileAccess;
import org.weft.storage.file.OutputCommit;
import org.weft.tensor.TensorShape;

/**
 * Files of rows that one Spark job writes, each by a task of its own, in place of files that are
 * there. The driver commits them when all are written. Memory of a task: a block of rows.
 */
public final class RowFiles {
  private final FileAccess files;
  private final Measurements measurements;
  private final List<Wanted> wanted = new ArrayList<>();

  public RowFiles(FileAccess files, Measurements measurements) {
    this.files = files;
    this.measurements = measurements;
  }

  /** What a file is to hold. */
  @SuppressWarnings("ArrayRecordComponent")
  private record Wanted(FactorVersion rows, double[] scale, String uri) {}

  /** Wants a file of rows in their order, with columns multiplied by numbers. */
  public void add(FactorVersion rows, double[] scale, String uri) {
    wanted.add(new Wanted(rows, scale, uri));
  }

  /** Writes the files. */
  public void write(JavaSparkContext context) {
    if (wanted.isEmpty()) {
      return;
    }
    List<OutputCommit> outputs = new ArrayList<>();
    try {
      ArrayList<RowFile> staged = new ArrayList<>();
      for (Wanted file : wanted) {
        OutputCommit output = OutputCommit.begin(files, file.uri(), true);
        outputs.add(output);
        WriteOptions options =
            WriteOptions.defaults()
                .withShape(TensorShape.of(file.rows().rows(), file.rows().columns()));
        staged.add(
            new RowFile(
                file.rows(),
                file.scale(),
                new OutputTask(files, output.stagedFile(), options, measurements)));
      }
      List<Integer> numbers = IntStream.range(0, staged.size()).boxed().toList();
      context.parallelize(numbers, staged.size()).foreachPartition(new Writing(staged));
      outputs.forEach(OutputCommit::commit);
    } finally {
      outputs.forEach(OutputCommit::close);
    }
  }

  /** A file in the making. */
  @SuppressWarnings("ArrayRecordComponent")
  private record RowFile(FactorVersion rows, double[] scale, OutputTask task)
      implements Serializable {
    void write() {
      Iterator<Integer> ranges = IntStream.range(0, rows.ranges()).iterator();
      task.writeRows(FactorRange.scaledRows(rows, scale).of(ranges));
    }
  }

  /** Writes the files of some numbers. Executor side. */
  private record Writing(ArrayList<RowFile> staged) implements VoidFunction<Iterator<Integer>> {
    @Override
    public void call(Iterator<Integer> numbers) {
      numbers.forEachRemaining(number -> staged.get(number).write());
    }
  }
}
