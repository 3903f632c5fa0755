package org.weft.spark.read;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.engine.entries.OriginBlock;
import org.weft.spark.LocalSpark;
import org.weft.storage.ContainerOptions;
import org.weft.storage.InputPlan;
import org.weft.storage.ReadOptions;
import org.weft.storage.TensorFiles;
import org.weft.storage.TensorOutput;
import org.weft.storage.WriteOptions;
import org.weft.storage.file.Existing;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

class SplitRddTest {
  private static final int ENTRIES = 1000;

  @TempDir Path folder;

  private final JavaSparkContext spark = LocalSpark.context();

  private InputPlan container(int partEntries) throws Exception {
    String uri = folder.resolve("x" + partEntries + ".weft").toString();
    WriteOptions options =
        WriteOptions.defaults()
            .withShape(TensorShape.of(ENTRIES, 3))
            .withContainer(ContainerOptions.defaults().withPartEntries(partEntries));
    CooBlock.Builder block = new CooBlock.Builder(2, ENTRIES);
    for (int e = 0; e < ENTRIES; e++) {
      block.add(new long[] {e, e % 3}, e + 0.5);
    }
    try (TensorOutput out =
        TensorFiles.create(FileAccess.local(), uri, Existing.REFUSE, 2, options)) {
      out.write(block.build());
      out.commit();
    }
    return TensorFiles.open(
        FileAccess.local(), uri, ReadOptions.defaults().withBlockEntries(7), 1 << 20);
  }

  /** What travels, in order: the origin of every block and its entries, and statistics. */
  private static List<String> parts(SplitRdd splits) {
    List<String> lines = new ArrayList<>();
    for (Object line : (Object[]) splits.toJavaRDD().map(SplitRddTest::line).rdd().collect()) {
      lines.add((String) line);
    }
    return lines;
  }

  private static String line(ParsedPart part) {
    OriginBlock block = part.block();
    if (block == null) {
      return "end of split " + java.util.Objects.requireNonNull(part.statistics()).blocks();
    }
    StringBuilder line = new StringBuilder("origin " + block.origin());
    for (int e = 0; e < block.block().size(); e++) {
      line.append(' ').append(block.block().coordinate(0, e)).append('=');
      line.append(block.block().value(e));
    }
    return line.toString();
  }

  @Test
  void smallSplitsShareTasksAndGiveTheSameBlocks() throws Exception {
    InputPlan plan = container(10);
    assertThat(plan.splits()).hasSize(100);
    SplitRdd joined = SplitRdd.joined(spark.sc(), FileAccess.local(), plan);
    SplitRdd alone = SplitRdd.of(spark.sc(), FileAccess.local(), plan);
    assertThat(alone.partitions()).hasSize(100);
    assertThat(joined.partitions()).hasSize(4 * spark.defaultParallelism());
    List<String> blocks =
        parts(alone).stream().filter(line -> !line.startsWith("end of split")).toList();
    assertThat(parts(joined)).isEqualTo(blocks).hasSize(200);
    assertThat(parts(alone)).hasSize(300);
  }

  @Test
  void fewSplitsKeepTheirTasks() throws Exception {
    InputPlan plan = container(200);
    SplitRdd joined = SplitRdd.joined(spark.sc(), FileAccess.local(), plan);
    assertThat(joined.partitions()).hasSize(plan.splits().size()).hasSize(5);
  }
}
