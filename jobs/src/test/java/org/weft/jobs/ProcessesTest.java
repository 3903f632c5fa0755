package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What only a process of its own shows: signals, and a heap that is too small. */
final class ProcessesTest extends FolderCase {
  private static final int ENTRIES = 400_000;

  @TempDir static Path inputs;
  private Path outputs = Path.of("");
  private Path temporary = Path.of("");

  @BeforeAll
  static void generate() {
    Run.line(
            "generate 2000x2000x2000 %s --nonzeros %s",
            inputs.resolve("t.tns").toString(), Integer.toString(ENTRIES))
        .succeeds();
  }

  @BeforeEach
  void folders() throws IOException {
    outputs = Files.createDirectory(folder.resolve("out"));
    temporary = Files.createDirectory(folder.resolve("temporary"));
  }

  private WeftProcess start(List<String> options, String command) throws IOException {
    Stream<String> all =
        Stream.concat(options.stream(), Stream.of("-Djava.io.tmpdir=" + temporary));
    return WeftProcess.start(
        folder,
        all.toList(),
        command.replace("OUT/", outputs + "/").replace("IN/", inputs + "/").split(" "));
  }

  /** Whether bytes of an unfinished output are there. */
  private boolean isHalfWay() {
    try (Stream<Path> all = Files.walk(outputs)) {
      return all.anyMatch(path -> path.toFile().isFile() && path.toFile().length() > 0);
    } catch (UncheckedIOException | IOException e) { // a folder that went meanwhile
      return false;
    }
  }

  @ParameterizedTest
  @CsvSource("TERM, 143, cpd IN/t.tns --rank 4 --iterations 100000 --tolerance 0 --output OUT/f")
  void aSignalHalfWayLeavesNothing(String signal, int status, String command) throws Exception {
    try (WeftProcess weft = start(List.of("-Xmx512m"), command)) {
      weft.await(command.startsWith("cpd") ? () -> iterates(weft) : this::isHalfWay);
      weft.signal(signal);
      assertThat(weft.status()).as(weft.err()).isEqualTo(status);
      assertThat(weft.err().lines().filter(line -> line.startsWith("weft: ")))
          .containsExactly("weft: stopped by SIG" + signal + "; what was not finished is removed");
      assertThat(weft.err()).doesNotContain("\tat ", "Exception");
    }
    assertThat(Run.names(outputs)).isEmpty();
    assertThat(Run.names(temporary)).isEmpty();
  }

  /** The other cases of {@link #aSignalHalfWayLeavesNothing}. */
  @Tag("long")
  @ParameterizedTest
  @CsvSource({
    "INT, 130, convert IN/t.tns OUT/x.tns.bz2",
    "HUP, 129, convert IN/t.tns OUT/x.tns.bz2",
    "TERM, 143, convert IN/t.tns OUT/x.tns.bz2",
    "TERM, 143, convert IN/t.tns OUT/x.weft",
    "INT, 130, cpd IN/t.tns --rank 4 --iterations 100000 --tolerance 0 --output OUT/f",
    "TERM, 143, cpd IN/t.tns --rank 4 --iterations 100000 --tolerance 0 --output OUT/f --master"
        + " local[2]"
  })
  void aSignalHalfWayThroughOthersLeavesNothing(String signal, int status, String command)
      throws Exception {
    aSignalHalfWayLeavesNothing(signal, status, command);
  }

  /** Nothing can be done at the time; whoever starts next cleans up, also after Spark. */
  @Tag("long")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "cpd IN/t.tns --rank 4 --iterations 100000 --tolerance 0 --output OUT/f",
        "cpd IN/t.tns --rank 4 --iterations 100000 --tolerance 0 --output OUT/f --master local[1]"
      })
  void whatAKillLeavesIsGoneAfterTheNextStart(String command) throws Exception {
    try (WeftProcess weft = start(List.of("-Xmx512m"), command)) {
      weft.await(() -> iterates(weft));
      weft.signal("KILL");
      assertThat(weft.status()).as(weft.err()).isEqualTo(137);
    }
    if (command.contains("--master")) {
      assertThat(left()).isNotEmpty().allMatch(name -> name.startsWith("weft-run-"));
    }
    try (WeftProcess next = start(List.of(), "stats IN/t.tns")) {
      assertThat(next.status()).as(next.err()).isZero();
    }
    assertThat(left()).isEmpty();
  }

  /** What is in the temporary folder, but for a library that Spark's codec unpacks there. */
  private List<String> left() {
    return Run.names(temporary).stream().filter(name -> !name.startsWith("liblz4-")).toList();
  }

  /** A night that is cut off and repeated under its key: its rows are there once. */
  @Tag("long")
  @Test
  void anAppendThatIsKilledIsRepeatedUnderItsKey() throws Exception {
    Path rows = folder.resolve("rows.csv");
    Files.writeString(rows, "user,item\nann,pear\nbob,fig\n");
    String modes = " --format csv --mode user --mode item --append --quiet --batch ";
    String out = outputs.resolve("x.weft").toString();
    String[] night = ("ingest " + rows + " " + out + modes).split(" ");
    Run.of(with(night, "d1")).succeeds();
    Files.writeString(rows, "user,item\ncid,kiwi\nann,fig\n");
    Path claims = outputs.resolve("x.weft/data/2");
    String command = String.join(" ", with(night, "d2"));
    try (WeftProcess weft = start(List.of("-Xmx512m"), command)) {
      weft.await(() -> Files.exists(claims));
      weft.signal("KILL");
      assertThat(weft.status()).as(weft.err()).isEqualTo(137);
    }
    for (int attempt = 0; attempt < 2; attempt++) {
      Run.of(with(night, "d2")).succeeds();
    }
    Run sum = Run.of("eval", "s = T(i,j)", "--input", "T=" + out);
    assertThat(sum.out().strip()).as(sum.err()).isEqualTo("4");
    Run.of("convert", out, outputs.resolve("x.tns").toString()).succeeds();
    assertThat(Files.readString(outputs.resolve("x.tns")))
        .as("fig, pear, then kiwi; ann, bob, then cid")
        .isEqualTo("1 1 1\n1 2 1\n2 1 1\n3 3 1\n");
  }

  private static String[] with(String[] words, String last) {
    return Stream.concat(Stream.of(words), Stream.of(last)).toArray(String[]::new);
  }

  private static boolean iterates(WeftProcess weft) {
    try {
      return weft.out().contains("iteration   2");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Spark needs more for itself; without it the heap is full of entries, factors or labels. */
  @ParameterizedTest
  @ValueSource(strings = "cpd IN/t.tns --rank 2000 --output OUT/f")
  void aHeapThatIsTooSmallIsOneLine(String command) throws Exception {
    try (WeftProcess weft = start(List.of("-Xmx64m"), command)) {
      assertThat(weft.status()).as(weft.err()).isEqualTo(1);
      assertThat(weft.err().lines().filter(line -> line.startsWith("weft: ")))
          .as(weft.err())
          .hasSize(1)
          .allMatch(line -> line.startsWith("weft: WEFT-400: ") && line.contains("WEFT_JAVA_OPTS"));
      assertThat(weft.err()).doesNotContain("\tat ", "Exception in thread");
    }
    assertThat(Run.names(outputs)).isEmpty();
  }

  /** Results that a full disk does not take are a failure, whoever prints them. */
  @ParameterizedTest
  @ValueSource(strings = {"stats IN/t.tns", "--help"})
  void resultsThatCannotBeWrittenAreOneLine(String command) throws Exception {
    String[] arguments = command.replace("IN/", inputs + "/").split(" ");
    try (WeftProcess weft = WeftProcess.start(folder, Path.of("/dev/full"), List.of(), arguments)) {
      assertThat(weft.status()).as(weft.err()).isEqualTo(1);
      assertThat(weft.err().lines().filter(line -> line.startsWith("weft: ")))
          .as(weft.err())
          .hasSize(1)
          .allMatch(line -> line.startsWith("weft: WEFT-402: standard output: "));
    }
  }

  @Tag("long")
  @Test
  void aValueThatCannotBeWrittenIsOneLine() throws Exception {
    resultsThatCannotBeWrittenAreOneLine("eval s=T(i,j,k) --input T=IN/t.tns");
  }

  /** Who closes the pipe has read enough: {@code weft eval ... | head -1}. */
  @Test
  void aReaderMayStopEarly() throws Exception {
    String words = String.join(" ", WeftProcess.command(List.of()));
    Process shell =
        new ProcessBuilder(
                "bash",
                "-c",
                words.replace("$", "\\$")
                    + " eval 'x(i,j,k)=T(i,j,k)' --input T="
                    + inputs
                    + "/t.tns | head -1 >/dev/null; exit ${PIPESTATUS[0]}")
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("said").toFile())
            .start();
    assertThat(shell.waitFor()).as(Files.readString(folder.resolve("said"))).isZero();
  }

  /** The other cases of {@link #aHeapThatIsTooSmallIsOneLine}. */
  @Tag("long")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "cpd IN/t.tns --rank 4 --output OUT/f --master local[1]",
        "ingest IN/t.tns OUT/x.weft --format csv --columns a,b,c,d --mode a --mode b",
        "mttkrp IN/t.tns --mode 0 --rank 4000 --output OUT/m.npy"
      })
  void aHeapThatIsTooSmallForOthersIsOneLine(String command) throws Exception {
    aHeapThatIsTooSmallIsOneLine(command);
  }

  @Test
  void aTemporaryFolderThatIsMissingIsOneLine() throws Exception {
    temporary = folder.resolve("none");
    try (WeftProcess weft = start(List.of(), "cpd IN/t.tns --rank 2 --output OUT/f")) {
      assertThat(weft.status()).as(weft.err()).isEqualTo(1);
      assertThat(weft.err().lines().filter(line -> line.startsWith("weft: ")))
          .as(weft.err())
          .hasSize(1)
          .allMatch(line -> line.contains("WEFT-402: " + temporary + ": expected a folder for"));
      assertThat(weft.err()).doesNotContain("\tat ");
    }
    assertThat(Run.names(outputs)).isEmpty();
  }

  /** Sums of R x R fill the heap of a task, which Spark would end with a status of its own. */
  @Tag("long")
  @Test
  void aTaskThatFillsTheHeapIsOneLine() throws Exception {
    Run.write(folder, "s.tns", "1 1 1 2\n40 30 1 3\n7 2 20 1\n");
    String command =
        "cpd " + folder + "/s.tns --rank 5000 --iterations 1 --output OUT/f --master local[2]";
    try (WeftProcess weft = start(List.of("-Xmx512m"), command)) {
      assertThat(weft.status()).as(weft.err()).isEqualTo(1);
      assertThat(weft.err().lines().filter(line -> line.startsWith("weft: ")))
          .as(weft.err())
          .hasSize(1)
          .allMatch(line -> line.startsWith("weft: WEFT-400: OutOfMemoryError: "));
      assertThat(weft.err()).contains("WEFT_JAVA_OPTS").doesNotContain("\tat ", "Exception in");
    }
    assertThat(Run.names(outputs)).isEmpty();
    assertThat(left()).isEmpty();
  }

  /** Spark's own files, of rows that it sorts, meet a limit as they meet the end of a disk. */
  @Tag("long")
  @Test
  void filesOfSparkThatTheSystemRefusesAreOneLine() throws Exception {
    StringBuilder rows = new StringBuilder("user,item\n");
    for (int row = 0; row < 60_000; row++) {
      rows.append("user").append(row * 7919L % 60_000).append(",item").append(row).append('\n');
    }
    Path table = folder.resolve("rows.csv");
    Files.writeString(table, rows);
    String command = "ingest IN OUT --mode user --mode item --master local[1]";
    String[] arguments =
        command
            .replace("IN", table.toString())
            .replace("OUT", outputs.resolve("x.weft").toString())
            .split(" ");
    try (WeftProcess weft =
        WeftProcess.startWith(
            List.of("prlimit", "--fsize=200000"),
            folder,
            folder.resolve("stdout"),
            List.of("-Xmx512m", "-Djava.io.tmpdir=" + temporary),
            arguments)) {
      assertThat(weft.status()).as(weft.err()).isEqualTo(1);
      assertThat(weft.err().lines().filter(line -> !line.matches("\\[.*|.*incubator modules.*")))
          .hasSize(1)
          .allMatch(line -> line.startsWith("weft: WEFT-402: ") && line.contains("ulimit -f"));
    }
    assertThat(Run.names(outputs)).isEmpty();
  }
}
