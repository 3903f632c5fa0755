package org.weft.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.engine.EngineTensor;
import org.weft.engine.local.LocalBackend;
import org.weft.planner.JobPlan;
import org.weft.planner.job.FiberStatement;
import org.weft.planner.job.Job;
import org.weft.planner.machine.Resources;
import org.weft.storage.ReadOptions;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/** What is predicted of reading a file that one task has to read. */
class UnsplittableInputTest {
  private static final int LINES = 100_000;

  @TempDir Path folder;

  private String write(String name) throws IOException {
    Path file = folder.resolve(name);
    String rest = " 1 1." + "0".repeat(200) + "\n";
    try (OutputStream plain = Files.newOutputStream(file);
        OutputStream out = name.endsWith(".gz") ? new GZIPOutputStream(plain) : plain) {
      for (int n = 0; n < LINES; n++) {
        out.write((n % 100 + 1 + rest).getBytes(StandardCharsets.UTF_8));
      }
    }
    return file.toString();
  }

  private static EngineTensor read(Engine engine, String uri) {
    EngineTensor tensor = engine.read(uri, ReadOptions.defaults(), ValueType.DOUBLE);
    assertThat(tensor.statistics().entries()).isEqualTo(LINES);
    return tensor;
  }

  private static JobPlan plan(Engine engine, EngineTensor tensor) {
    return engine.plan(tensor, Job.of(FiberStatement.ttv(0), ValueType.DOUBLE));
  }

  private static double readSeconds(JobPlan plan) {
    return plan.predicted().step("read").orElseThrow().seconds();
  }

  /** The plain file has three splits, which are read at the same time. */
  @Test
  void oneTaskReadsAGzipFile() throws IOException {
    EngineOptions options = EngineOptions.defaults().withCluster(new Resources(8, 2, 1, 4L << 30));
    try (Engine engine = LocalBackend.engine(FileAccess.local(), options)) {
      JobPlan plain = plan(engine, read(engine, write("x.tns")));
      JobPlan gzip = plan(engine, read(engine, write("x.tns.gz")));
      double seconds = readSeconds(plain);
      assertThat(readSeconds(gzip)).isBetween(2.9 * seconds, 3.1 * seconds);
      assertThat(engine.planner().explain(gzip))
          .contains("reading     one task: a file that ends in .gz cannot");
      assertThat(engine.planner().explain(plain)).doesNotContain("reading  ");
    }
  }

  /** As of the new entries of {@code cpd --append}, which come from the file as well. */
  @Test
  void whatIsChosenOfAGzipFileIsReadByOneTask() throws IOException {
    EngineOptions options = EngineOptions.defaults().withCluster(new Resources(8, 2, 1, 4L << 30));
    try (Engine engine = LocalBackend.engine(FileAccess.local(), options)) {
      EngineTensor whole = read(engine, write("x.tns.gz"));
      TensorShape shape = whole.statistics().shape();
      EngineTensor chosen = engine.select(whole, "chosen", shape, block -> block);
      assertThat(readSeconds(plan(engine, chosen)))
          .isEqualTo(readSeconds(plan(engine, whole)))
          .isPositive();
    }
  }
}
