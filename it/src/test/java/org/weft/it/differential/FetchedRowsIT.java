package org.weft.it.differential;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.it.cluster.ClusterExtension;
import org.weft.it.cluster.Submission;
import org.weft.it.cluster.TestCluster;
import org.weft.it.cluster.WeftJars;
import org.weft.jobs.wordnet.WordNet;
import org.weft.storage.TensorFiles;
import org.weft.storage.TensorOutput;
import org.weft.storage.WriteOptions;
import org.weft.storage.file.FileAccess;
import org.weft.storage.npy.NpyFile;
import org.weft.tensor.CooBlock;
import org.weft.tensor.DenseMatrix;

/**
 * MTTKRP on real tensors over two processes, HDFS to HDFS: with the partitioning order fewer rows
 * of the factors travel, as the job's report counts them, and the result is the same.
 */
@ExtendWith(ClusterExtension.class)
final class FetchedRowsIT {
  private static final Pattern FETCHED = Pattern.compile("operand rows fetched: ([\\d,]+)");
  private static final int PROCESSES = 2;
  private static final double MEASURABLY = 0.95;

  private final TestCluster cluster;
  @TempDir private Path folder;

  FetchedRowsIT(TestCluster cluster) {
    this.cluster = cluster;
  }

  @Tag("long")
  @Test
  void wordNet() throws IOException {
    CooBlock triples = WordNet.load().triples();
    Path file = folder.resolve("wordnet.tns.gz");
    WriteOptions options = WriteOptions.defaults();
    try (TensorOutput out =
        TensorFiles.create(FileAccess.local(), file.toString(), false, 3, options)) {
      out.write(triples);
      out.commit();
    }
    assertFewer("wordnet", file);
  }

  @Tag("long")
  @ParameterizedTest
  @ValueSource(strings = {"fb15k237", "wn18rr", "openflights-airline-src-dst-equip"})
  void relations(String name) throws IOException {
    assertFewer(name, RealTensors.fileOrSkip(name));
  }

  private void assertFewer(String name, Path file) throws IOException {
    org.apache.hadoop.fs.Path remote =
        new org.apache.hadoop.fs.Path(cluster.hdfsUri() + "/fetched/" + name + ".tns.gz");
    try (FileSystem hdfs = cluster.fileSystem()) {
      hdfs.copyFromLocalFile(new org.apache.hadoop.fs.Path(file.toUri()), remote);
      long plain = rowsFetched(hdfs, remote, "none");
      long ordered = rowsFetched(hdfs, remote, "partition");
      System.out.printf(
          "%s: %,d rows of factors fetched, %,d with the partitioning order (%.0f %%)%n",
          name, plain, ordered, 100.0 * ordered / plain);
      assertThat((double) ordered).as("of %,d rows", plain).isLessThan(MEASURABLY * plain);
      assertSame(download(hdfs, remote, "none"), download(hdfs, remote, "partition"));
    }
  }

  private static org.apache.hadoop.fs.Path output(org.apache.hadoop.fs.Path input, String order) {
    return input.suffix("." + order + ".npy");
  }

  private long rowsFetched(FileSystem hdfs, org.apache.hadoop.fs.Path input, String order)
      throws IOException {
    Submission done =
        cluster.submit(
            WeftJars.weft(
                "mttkrp",
                input,
                "--mode",
                0,
                "--rank",
                16,
                "--seed",
                1,
                "--partitions",
                PROCESSES,
                "--reorder",
                order,
                "--output",
                output(input, order)));
    assertThat(done.exitCode()).as(done.transcript()).isZero();
    Matcher found = FETCHED.matcher(done.standardOutput() + done.standardError());
    assertThat(found.find()).as(done.transcript()).isTrue();
    return Long.parseLong(found.group(1).replace(",", ""));
  }

  private DenseMatrix download(FileSystem hdfs, org.apache.hadoop.fs.Path input, String order)
      throws IOException {
    Path local = folder.resolve(order + ".npy");
    hdfs.copyToLocalFile(
        false, output(input, order), new org.apache.hadoop.fs.Path(local.toUri()), true);
    return NpyFile.read(FileAccess.local(), local.toString());
  }

  private static void assertSame(DenseMatrix expected, DenseMatrix found) {
    assertThat(found.rows()).isEqualTo(expected.rows());
    for (long i = 0; i < expected.rows(); i++) {
      for (int r = 0; r < expected.columns(); r++) {
        double value = expected.get(i, r);
        assertThat(found.get(i, r)).isCloseTo(value, within(1e-10 * Math.max(1, Math.abs(value))));
      }
    }
  }
}
