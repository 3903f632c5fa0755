package org.weft.storage.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.ReadOptions;
import org.weft.storage.TensorFiles;

class FileAccessTest {
  private static FileAccess of(String user) {
    Configuration configuration = new Configuration(false);
    configuration.set("weft.test.user", user);
    return FileAccess.of(configuration);
  }

  private static FileAccess arrived(FileAccess sent) throws IOException, ClassNotFoundException {
    return arrived(bytes(sent));
  }

  private static byte[] bytes(FileAccess sent) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(sent);
    }
    return bytes.toByteArray();
  }

  private static FileAccess arrived(byte[] bytes) throws IOException, ClassNotFoundException {
    try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
      return (FileAccess) in.readObject();
    }
  }

  /** Executors have working directories of their own. */
  @Test
  void namesAreRelativeToTheFolderOfTheDriver() throws IOException, ClassNotFoundException {
    String here = new File("").getAbsolutePath();
    String there = "/" + "d".repeat(here.length() - 1);
    // A driver elsewhere, whose folder has a name as long as that of this process.
    String sent = new String(bytes(of("ada")), StandardCharsets.ISO_8859_1);
    assertThat(sent).contains(here);
    FileAccess files = arrived(sent.replace(here, there).getBytes(StandardCharsets.ISO_8859_1));
    assertThat(files.path("a/x.tns")).hasToString("file:" + there + "/a/x.tns");
    assertThat(files.path("file:x.tns")).hasToString("file:" + there + "/x.tns");
    assertThat(files.path("/a/../x.tns")).hasToString("file:/x.tns");
    assertThat(files.path("hdfs://host:1/x")).hasToString("hdfs://host:1/x");
    assertThat(arrived(of("ada")).path("x")).hasToString("file:" + here + "/x");
  }

  /** Half a character stands for what the language of the environment has no letters for. */
  @Test
  void aNameThatTheLanguageLacksIsSaidWithTheRemedy() {
    assertThatThrownBy(() -> of("ada").path("\ud800.tns"))
        .hasMessageContaining("unmappable characters; start Java with LC_ALL=C.UTF-8 in its");
    assertThatThrownBy(() -> of("ada").path("a\0.tns"))
        .hasMessageContaining("expected a path or Hadoop URI, found 'a\0.tns': ")
        .hasMessageNotContaining("LC_ALL");
  }

  /** As they are written: what they refer to is looked up where they are used. */
  @Test
  void allSettingsTravel() throws IOException, ClassNotFoundException {
    Configuration sent = new Configuration(false);
    sent.set("weft.test.path", "${weft.test.root}/x");
    sent.set("weft.test.root", "/a");
    sent.set("weft.test.empty", "");
    sent.set("weft.test.long", "\u4f8b".repeat(70_000));
    Configuration found = arrived(bytes(FileAccess.of(sent))).configuration();
    assertThat(found).containsExactlyInAnyOrderElementsOf(sent);
    assertThat(found.get("weft.test.path")).isEqualTo("/a/x");
    assertThat(found.getRaw("weft.test.path")).isEqualTo("${weft.test.root}/x");
  }

  @Test
  void defaultsAreCopies() {
    Configuration one = FileAccess.defaults();
    assertThat(one).containsExactlyInAnyOrderElementsOf(new Configuration());
    one.set("weft.test.user", "ada");
    assertThat(FileAccess.defaults().get("weft.test.user")).isNull();
  }

  @Test
  void tasksShareTheConfigurationOfTheirJobOnly() throws IOException, ClassNotFoundException {
    FileAccess first = arrived(of("ada"));
    assertThat(arrived(of("ada")).configuration()).isSameAs(first.configuration());
    assertThat(arrived(of("bob")).configuration().get("weft.test.user")).isEqualTo("bob");
    assertThat(arrived(of("ada")).configuration().get("weft.test.user")).isEqualTo("ada");
    assertThat(arrived(FileAccess.plain()).configuration().get("weft.test.user")).isNull();
  }

  /** HDFS itself says this with an unchecked exception, where it is first asked. */
  @ParameterizedTest
  @ValueSource(strings = {"hdfs://127.0.0.1:9/p/y: z.tns", "hdfs://127.0.0.1:9/a:b/y.tns"})
  void namesThatHdfsCannotHaveAreWrong(String name) {
    FileAccess files = FileAccess.local();
    assertThatThrownBy(() -> files.fileSystem(files.path(name)))
        .isInstanceOfSatisfying(
            WeftException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.USAGE);
              assertThat(e.getMessage())
                  .startsWith(name + ": expected a path that HDFS can have, found ':' in a name");
            });
  }

  @Test
  void hostsThatNobodyKnowsAreNamed() {
    String uri = "hdfs://namenode.invalid:8020/x.tns";
    assertThatThrownBy(() -> TensorFiles.open(FileAccess.local(), uri, ReadOptions.defaults()))
        .isInstanceOfSatisfying(
            WeftException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.STORAGE_UNAVAILABLE);
              assertThat(e.getMessage())
                  .startsWith(uri + ": cannot resolve host namenode.invalid; check the address");
            });
  }

  /** As Hadoop's calls have it, once a file system is there. */
  @Test
  void hostsThatCallsDoNotFindAreNamed() {
    UnknownHostException call =
        new UnknownHostException(
            "Invalid host name: local host is: (unknown); destination host is: \"nn2\":8020;"
                + " java.net.UnknownHostException; For more details see: http://x");
    assertThat(FileAccess.unavailable("hdfs://nn2:8020/x", call))
        .hasMessageContaining("cannot resolve host nn2;");
  }

  @ParameterizedTest
  @CsvSource({
    "'Could not obtain block: BP-1:blk_2 file=/x No live nodes contain current block', has one of its",
    "'File /x could only be written to 0 of the 1 minReplication nodes.', that takes a block"
  })
  void dataNodesThatAreGoneAreSaidToBe(String words, String expected) {
    assertThat(FileAccess.unavailable("hdfs://h/x", new IOException(words)))
        .hasMessageContaining("no DataNode")
        .hasMessageContaining(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "The DiskSpace quota of /q is exceeded: quota = 20971520 B = 20 MB",
        "The NameSpace quota (directories and files) of directory /q is exceeded: quota=2",
        "Quota by storage type : SSD on path : /q is exceeded. quota = 1 MB",
        "Disk quota exceeded"
      })
  void quotasThatAreUsedUpAreSaidToBe(String words) {
    assertThat(FileAccess.unavailable("hdfs://h/q/x", new IOException(words)))
        .hasMessageContaining("the quota is used up (" + words)
        .hasMessageContaining("remove files");
  }

  /** Names of Java's classes mean nothing to a reader. */
  @Test
  void failuresAreSaidWithoutNamesOfExceptions() {
    List<IOException> failures =
        List.of(
            new NoSuchFileException("/proc/x.npy"),
            new FileNotFoundException("/proc/x.npy"),
            new FileNotFoundException("/proc/x.npy (Is a directory)"),
            new FileSystemException("/proc/x.npy", null, "Invalid argument"),
            new IOException("Invalid argument"));
    for (IOException failure : failures) {
      assertThat(FileAccess.unavailable("/proc/x.npy", failure).getMessage())
          .contains("/proc/x.npy: ")
          .doesNotContain("Exception");
    }
  }

  @Test
  void aConnectorThatIsNotThereIsNamedOnce() {
    Configuration conf = new Configuration(false);
    conf.set("fs.s3a.impl", "org.example.NoSuchFileSystem");
    FileAccess files = FileAccess.of(conf);
    assertThatThrownBy(() -> files.fileSystem(files.path("s3a://bucket/x.tns")))
        .hasMessageContaining("found no org.example.NoSuchFileSystem; add Hadoop's hadoop-aws");
  }

  @Test
  void placesAreNotNamedTwice() {
    FileAccess files = FileAccess.local();
    assertThat(FileAccess.place("hdfs://h/x", files.path("hdfs://h/x"))).isEmpty();
    assertThat(FileAccess.place("/x", files.path("/x"))).isEqualTo(" at file:/x");
  }
}
