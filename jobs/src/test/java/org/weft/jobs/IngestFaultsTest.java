package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code weft ingest} on a file system that fails: nothing is left, nothing doubles. */
class IngestFaultsTest extends IngestCase {
  /** A file system on which files that begin so cannot be made, or written to the end. */
  public static final class Failing extends RawLocalFileSystem {
    static volatile String name = "";
    static volatile String halfWritten = "-";
    static volatile Consumer<String> made = file -> {};

    private static FSDataOutputStream halfWay(FSDataOutputStream out) throws IOException {
      return new FSDataOutputStream(
          new java.io.FilterOutputStream(out) {
            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
              out.write(bytes, offset, length / 2);
              throw new IOException("injected");
            }
          },
          null);
    }

    @Override
    public java.net.URI getUri() {
      return java.net.URI.create("failing:///");
    }

    @Override
    public String getScheme() {
      return "failing";
    }

    @Override
    public FSDataOutputStream createNonRecursive(
        org.apache.hadoop.fs.Path path,
        FsPermission permission,
        boolean overwrite,
        int bufferSize,
        short replication,
        long blockSize,
        Progressable progress)
        throws IOException {
      made.accept(path.getName());
      if (path.getName().startsWith(name)) {
        throw new IOException("injected");
      }
      FSDataOutputStream out =
          super.createNonRecursive(
              path, permission, overwrite, bufferSize, replication, blockSize, progress);
      boolean attempted = path.getName().matches(".*-0\\.\\d+-.*");
      return path.getName().startsWith(halfWritten) && !attempted ? halfWay(out) : out;
    }

    @Override
    public void initialize(java.net.URI uri, Configuration configuration) throws IOException {
      super.initialize(java.net.URI.create("file:///"), configuration);
    }
  }

  @Test
  void nothingIsLeftOfOneThatFails() {
    nothingIsLeft("entries");
  }

  @Tag("long")
  @Test
  void nothingIsLeftOfOneThatFailsSoonerOrLater() {
    nothingIsLeft("labels1", "part");
  }

  /** Of runs that cannot make files whose names begin so. */
  private void nothingIsLeft(String... names) {
    set("spark.hadoop.fs.failing.impl", Failing.class.getName());
    Run.write(folder, "s.csv", SALES);
    for (String name : names) {
      Failing.name = name;
      Run run =
          ingest(
              path("s.csv"),
              "failing:" + path("s.weft"),
              "--mode",
              "shop",
              "--mode",
              "article",
              "--rejects",
              "failing:" + path("r.csv"));
      assertThat(run.status()).as(name).isEqualTo(1);
      assertThat(run.err()).contains("WEFT-402", "injected");
      assertThat(Run.names(folder)).as(name).containsExactly("s.csv");
    }
  }

  @Tag("long")
  @Test
  void aTaskThatFailsHalfWayIsRunAgainAndNothingDoubles() {
    assumeTrue(isOnSpark(), "tasks of Spark have a second attempt");
    set("spark.hadoop.fs.failing.impl", Failing.class.getName());
    Failing.name = "-";
    Run.write(folder, "s.csv", SALES);
    String[] asked = {path("s.csv"), "", "--mode", "shop", "--mode", "article", "--rejects", ""};
    asked[1] = path("whole.weft");
    asked[7] = path("whole.csv");
    ingest(asked).succeeds();
    for (String name : List.of("labels1", "entries")) {
      Failing.halfWritten = name;
      asked[1] = "failing:" + path(name + ".weft");
      asked[7] = "failing:" + path(name + ".csv");
      ingest(asked).succeeds();
      assertThat(entries(name + ".weft")).as(name).isEqualTo(entries("whole.weft")).isNotEmpty();
      assertThat(Run.read(path(name + ".csv"))).isEqualTo(Run.read(path("whole.csv")));
      List<String> whole = Run.names(folder.resolve("whole.weft/data/1"));
      List<String> again = Run.names(folder.resolve(name + ".weft/data/1"));
      assertThat(again).as("of the first attempts nothing stays").hasSameSizeAs(whole);
      assertThat(again.stream().filter(file -> file.startsWith(name)))
          .isNotEmpty()
          .allMatch(file -> file.contains("-0.1-"));
    }
    Failing.halfWritten = "-";
  }

  @Tag("long")
  @Test
  void rejectsAppearOnlyWithTheirTensor() throws IOException {
    set("spark.hadoop.fs.failing.impl", Failing.class.getName());
    Failing.name = "-";
    Run.write(folder, "s.csv", SALES);
    Files.createDirectories(folder.resolve("s.weft"));
    String[] asked = {path("s.csv"), "failing:" + path("s.weft"), "--mode", "shop", "--mode"};
    List<String> all = new ArrayList<>(List.of(asked));
    all.addAll(List.of("article", "--rejects", "failing:" + path("r.csv")));
    // Somebody else's file is there when ours is about to be: rejects, then a manifest.
    Failing.made =
        file -> {
          if (file.startsWith("entries")) {
            Run.write(folder, "r.csv", "theirs");
          }
        };
    ingest(all.toArray(String[]::new)).fails(1, "r.csv", "WEFT-5");
    assertThat(Run.read(path("r.csv"))).isEqualTo("theirs");
    assertThat(Run.names(folder)).containsExactly("r.csv", "s.csv", "s.weft");
    assertThat(Run.names(folder.resolve("s.weft"))).isEmpty();
    Files.delete(folder.resolve("r.csv"));
    Failing.made =
        file -> {
          if (file.startsWith(".manifest")) {
            Run.write(folder.resolve("s.weft"), "manifest-1.json", "theirs");
          }
        };
    Run tensor = ingest(all.toArray(String[]::new));
    Failing.made = file -> {};
    assertThat(tensor.status()).as(tensor.err()).isEqualTo(1);
    assertThat(tensor.err()).contains("another process wrote version 1", "WEFT-5");
    assertThat(Run.names(folder)).containsExactly("s.csv", "s.weft");
    assertThat(Run.names(folder.resolve("s.weft"))).containsExactly("manifest-1.json");
  }
}
