package org.weft.it.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.weft.storage.file.FileAccess;
import org.weft.storage.file.JoinedFiles;

/** Parts of a file on HDFS become one file, whatever the NameNode says of them. */
@ExtendWith(ClusterExtension.class)
final class JoinedFilesIT {
  private final TestCluster cluster;

  JoinedFilesIT(TestCluster cluster) {
    this.cluster = cluster;
  }

  @Test
  void partsAreJoined() throws IOException {
    try (FileSystem hdfs = cluster.fileSystem()) {
      join(hdfs, new Path(cluster.hdfsUri() + "/joined/plain"));
    }
  }

  /** Backups of a folder are taken at any time, and HDFS does not join what a snapshot has. */
  @Test
  void partsOfASnapshotAreJoined() throws IOException {
    try (DistributedFileSystem hdfs = (DistributedFileSystem) cluster.fileSystem()) {
      Path folder = new Path(cluster.hdfsUri() + "/joined/snapshot");
      hdfs.mkdirs(folder);
      hdfs.allowSnapshot(folder);
      List<String> parts = parts(hdfs, folder);
      hdfs.createSnapshot(folder, "nightly");
      try {
        join(hdfs, folder, parts);
      } finally {
        hdfs.deleteSnapshot(folder, "nightly");
        hdfs.disallowSnapshot(folder);
      }
    }
  }

  private static void join(FileSystem hdfs, Path folder) throws IOException {
    join(hdfs, folder, parts(hdfs, folder));
  }

  private static List<String> parts(FileSystem hdfs, Path folder) throws IOException {
    List<String> parts = new ArrayList<>();
    for (int part = 0; part < 3; part++) {
      Path file = new Path(folder, "y.part-" + part);
      try (OutputStream out = hdfs.create(file)) {
        out.write(("line of part " + part + "\n").getBytes(UTF_8));
      }
      parts.add(file.toString());
    }
    return parts;
  }

  private static void join(FileSystem hdfs, Path folder, List<String> parts) throws IOException {
    Path target = new Path(folder, "y.tns");
    FileAccess access = FileAccess.of(hdfs.getConf());
    assertThat(JoinedFiles.areOffered(access, target.toString())).isTrue();
    JoinedFiles.join(access, parts, target.toString());
    try (InputStream in = hdfs.open(target)) {
      assertThat(new String(in.readAllBytes(), UTF_8))
          .isEqualTo("line of part 0\nline of part 1\nline of part 2\n");
    }
    assertThat(Arrays.stream(hdfs.listStatus(folder)).map(status -> status.getPath().getName()))
        .containsExactly("y.tns");
  }
}
