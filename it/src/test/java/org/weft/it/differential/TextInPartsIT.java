package org.weft.it.differential;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.weft.compiler.eval.LabelledStatement;
import org.weft.decomposition.rows.RandomRows;
import org.weft.decomposition.rows.RowSource;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.engine.EngineTensor;
import org.weft.engine.OutputTarget;
import org.weft.engine.ProgressListener;
import org.weft.engine.StatementJob;
import org.weft.engine.StatementResult;
import org.weft.engine.local.LocalBackend;
import org.weft.it.cluster.ClusterExtension;
import org.weft.it.cluster.ClusterSession;
import org.weft.it.cluster.TestCluster;
import org.weft.planner.job.FiberStatement;
import org.weft.planner.job.Job;
import org.weft.planner.job.RowStatement;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * Text on HDFS of which each task writes a part: the file has the bytes that one process writes,
 * whether its parts are long, short or empty, and nothing else is left.
 */
@ExtendWith(ClusterExtension.class)
final class TextInPartsIT {
  private static final TensorShape SHAPE = TensorShape.of(40_000, 1_000, 20);
  private static final int RANK = 8;
  private static final long BLOCK_BYTES = 4 << 20;
  private static final EngineOptions OPTIONS =
      EngineOptions.defaults().planning(p -> p.withPartitions(4).withReproducible(true));

  private final TestCluster cluster;
  @TempDir private Path folder;

  TextInPartsIT(TestCluster cluster) {
    this.cluster = cluster;
  }

  /** Forty slices of a thousand entries; ten of them have one fiber each along the last mode. */
  private static CooBlock entries() {
    CooBlock.Builder block = new CooBlock.Builder(3, 40_000);
    for (int slice = 0; slice < 40; slice++) {
      boolean few = slice >= 10 && slice < 20;
      for (int e = 0; e < 1_000; e++) {
        block.add(new long[] {slice * 1_000L, few ? 7 : e, e % 20}, 1.0 / (1 + slice * 1_000 + e));
      }
    }
    return block.build();
  }

  /** What an engine writes to a place. */
  private interface Work {
    void run(Engine engine, EngineTensor tensor, OutputTarget out);
  }

  @Test
  void entriesOfLongAndShortParts() throws IOException {
    Job ttm = Job.of(FiberStatement.ttm(2, RANK), ValueType.DOUBLE);
    RowSource matrix = new RandomRows(1, 20, RANK);
    long blocks =
        sameBytes(
            "ttm",
            (engine, tensor, out) ->
                engine.run(tensor, ttm, mode -> matrix, out, ProgressListener.NONE));
    assertThat(blocks).as("a block for each part").isEqualTo(4);
  }

  @Test
  void rowsOfWhichMostAreZero() throws IOException {
    Job mttkrp = Job.of(RowStatement.mttkrp(3, 0, RANK), ValueType.DOUBLE);
    List<RowSource> factors =
        List.of(
            new RandomRows(0, 40_000, RANK),
            new RandomRows(1, 1_000, RANK),
            new RandomRows(2, 20, RANK));
    long blocks =
        sameBytes(
            "mttkrp",
            (engine, tensor, out) ->
                engine.run(tensor, mttkrp, factors::get, out, ProgressListener.NONE));
    assertThat(blocks).as("a block for each part").isEqualTo(4);
  }

  @Test
  void shortAndEmptyParts() throws IOException {
    assertThat(sameBytes("few", statement("Y(i,k) = T(i,j,k)"))).isEqualTo(1);
    assertThat(sameBytes("none", statement("Y(i,k) = T(i,j,k) * 0 - T(i,j,k) * 0"))).isEqualTo(1);
  }

  private static Work statement(String text) {
    return (engine, tensor, out) -> {
      StatementJob job =
          new StatementJob(
              LabelledStatement.parse(text),
              Map.of("T", tensor),
              Map.of(),
              Optional.empty(),
              Map.of(),
              Map.of(),
              ValueType.DOUBLE,
              "i",
              Optional.empty());
      try (StatementResult result = engine.statements().evaluate(job, ProgressListener.NONE)) {
        result.write(out);
      }
    };
  }

  /**
   * Writes here and on the cluster.
   *
   * @return blocks of the file on HDFS
   */
  private long sameBytes(String name, Work work) throws IOException {
    Path expected = folder.resolve(name + ".tns");
    try (Engine engine = LocalBackend.engine(FileAccess.local(), OPTIONS)) {
      work.run(engine, tensor(engine), new OutputTarget(expected.toString(), false));
    }
    var target = new org.apache.hadoop.fs.Path(cluster.hdfsUri() + "/parts/" + name + "/y.tns");
    try (ClusterSession session = new ClusterSession(cluster, OPTIONS);
        FileSystem hdfs = cluster.fileSystem()) {
      work.run(session.engine(), tensor(session.engine()), new OutputTarget("" + target, false));
      FileStatus[] found = hdfs.listStatus(target.getParent());
      assertThat(found).hasSize(1);
      try (InputStream in = hdfs.open(target)) {
        assertThat(in.readAllBytes()).isEqualTo(Files.readAllBytes(expected));
      }
      assertThat(hdfs.getDefaultBlockSize(target)).isEqualTo(BLOCK_BYTES);
      return hdfs.getFileBlockLocations(found[0], 0, found[0].getLen()).length;
    }
  }

  private static EngineTensor tensor(Engine engine) {
    return engine.of("T", SHAPE, List.of(entries()), ValueType.DOUBLE);
  }
}
