package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code --dry-run} writes nothing and replaces nothing, whatever the command is. */
class DryRunTest extends FolderCase {
  /** By command, a line that would write OUT, which exists. */
  private static final Map<String, String> LINES =
      Map.ofEntries(
          Map.entry("eval", "'y(i,j,k)=T(i,j,k)' --input T=IN --output OUT.tns"),
          Map.entry("mttkrp", "IN --mode 0 --rank 2 --output OUT.npy"),
          Map.entry("ttm", "IN --mode 0 --rank 2 --output OUT.tns"),
          Map.entry("ttv", "IN --mode 0 --output OUT.tns"),
          Map.entry("cpd", "IN --rank 2 --output MODEL --factors-table OUT.parquet"),
          Map.entry("tucker", "IN --ranks 2,2,2 --output MODEL"),
          Map.entry("complete", "IN --rank 2 --output MODEL"),
          Map.entry("cpapr", "IN --rank 2 --output MODEL"),
          Map.entry("gcp", "IN --rank 2 --loss gaussian --output MODEL"),
          Map.entry("predict", "MODEL IN OUT.tns"),
          Map.entry("report", "MODEL OUT.html"),
          Map.entry("diagnose", "MODEL IN --ranks 1..2 --plot OUT.svg"),
          Map.entry("compare", "MODEL MODEL --output OUT.json"),
          Map.entry("publish", "MODEL OUT.new"),
          Map.entry("convert", "IN OUT.tns"),
          Map.entry("gc", "FOLDER --grace 0s"),
          Map.entry("generate", "4x4x4 OUT.tns"),
          Map.entry("reorder", "IN OUT.tns"),
          Map.entry("spy", "IN OUT.svg"),
          Map.entry("tune", "y(i)=T(i,j,k) --input T=IN --plot OUT.svg"),
          Map.entry("bench", "--kernels ttv --tensors IN --report OUT.tsv --plot OUT.svg"),
          Map.entry("ingest", "CSV OUT.weft --mode a --mode b"));

  /** Commands that write nothing, have no such option, or are tested where their files are. */
  private static final Set<String> OTHERS =
      Set.of(
          "demo",
          "compile",
          "resident",
          "run",
          "top",
          "stats",
          "workflow",
          "codesign",
          "explain",
          "completion",
          "help");

  @BeforeEach
  void files() {
    String tensor = Run.write(folder, "in.tns", "1 1 1 1\n1 2 2 2\n2 1 2 3\n2 2 1 4\n");
    Run.write(folder, "in.csv", "a,b\nx,y\n");
    Run.write(folder, ".old.tns.3f2c.weft-tmp", "left by a killed writer");
    for (String name : new String[] {"tns", "npy", "html", "svg", "json", "tsv"}) {
      Run.write(folder, "out." + name, "mine");
    }
    Run.of("cpd", tensor, "--rank", "2", "--output", folder.resolve("model").toString()).succeeds();
  }

  @Test
  void nothingIsWritten() throws IOException {
    Map<String, String> before = contents();
    for (Map.Entry<String, String> line : new TreeMap<>(LINES).entrySet()) {
      String words =
          line.getKey() + " " + line.getValue().replace("'", "") + " --dry-run --overwrite";
      Run run =
          Run.of(
              Stream.of(words.split(" "))
                  .filter(word -> !word.equals("--overwrite") || !line.getKey().equals("gc"))
                  .map(this::named)
                  .toArray(String[]::new));
      assertThat(contents()).as(words + "\n" + run.err()).isEqualTo(before);
      assertThat(run.status()).as(words + "\n" + run.err()).isZero();
    }
  }

  /** What is explained is not written, so that what stands in its place is no error. */
  @Test
  void whatIsExplainedMayBeThere() throws IOException {
    Map<String, String> before = contents();
    Set<String> explained = Set.copyOf(Commands.explained());
    for (Map.Entry<String, String> line : new TreeMap<>(LINES).entrySet()) {
      if (explained.contains(line.getKey())) {
        String words = "explain " + line.getKey() + " " + line.getValue().replace("'", "");
        Run run = Run.of(Stream.of(words.split(" ")).map(this::named).toArray(String[]::new));
        assertThat(run.status()).as(words + "\n" + run.err()).isZero();
        assertThat(contents()).as(words).isEqualTo(before);
      }
    }
    assertThat(explained).hasSizeGreaterThan(10);
    String eval = "eval y(i,j,k)=T(i,j,k) --input T=IN --output OUT.tns";
    String cluster = " --master local[2]";
    for (String words :
        new String[] {
          eval + " --explain", eval + " --explain" + cluster, "explain " + eval + cluster
        }) {
      Run run = Run.of(Stream.of(words.split(" ")).map(this::named).toArray(String[]::new));
      assertThat(run.status()).as(words + "\n" + run.err()).isZero();
      assertThat(contents()).as(words).isEqualTo(before);
    }
  }

  @Test
  void everyCommandIsTested() {
    Set<String> tested = new TreeSet<>(LINES.keySet());
    tested.addAll(OTHERS);
    assertThat(tested).containsExactlyInAnyOrderElementsOf(Commands.names());
  }

  private String named(String word) {
    return word.replace("IN", folder.resolve("in.tns").toString())
        .replace("CSV", folder.resolve("in.csv").toString())
        .replace("MODEL", folder.resolve("model").toString())
        .replace("OUT", folder.resolve("out").toString())
        .replace("FOLDER", folder.toString());
  }

  private Map<String, String> contents() throws IOException {
    Map<String, String> contents = new TreeMap<>();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        contents.put(file.toString(), Files.getLastModifiedTime(file) + " " + Files.size(file));
      }
    }
    return contents;
  }
}
