package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.jobs.FailingFileSystem.Fault;

/** Every command that writes, and every way in which its output can fail: one line, no remains. */
final class FailingOutputsTest extends FolderCase {
  /** OUT is the folder of outputs, IN a folder with inputs. */
  private static final List<String> COMMANDS =
      List.of(
          "convert IN/t.tns OUT/x.tns",
          "convert IN/t.tns OUT/x.tns.gz",
          "convert IN/t.tns OUT/x.wtb",
          "convert IN/t.tns OUT/x.weft",
          "convert IN/t.tns OUT/old.weft --append",
          "generate 4x5x6 OUT/x.tns --nonzeros 20",
          "generate 4x5x6 IN/g.tns --nonzeros 20 --overwrite --planted 2 --factors-out OUT/f",
          "reorder IN/t.tns OUT/x.tns",
          "reorder IN/t.tns --permutations OUT/p",
          "spy IN/t.tns OUT/x.svg",
          "codesign ../conf/accelerators.conf --expression C(i,j)=A(i,k)*B(k,j) --sizes i=8,j=8,k=8"
              + " --report IN/../out/r.tsv --plot OUT/r.svg",
          "bench --expression C(i,j)=A(i,k)*B(k,j) --sizes i=8,j=8,k=8 --rounds 1"
              + " --report IN/../out/r.json --plot OUT/r.svg",
          "eval Z(i,j)=A(i,j,k)*b(k) --input A=IN/t.tns --input b=IN/b.tns --output OUT/z.tns",
          "run IN/p.ta",
          "mttkrp IN/t.tns --mode 0 --rank 2 --output OUT/m.npy",
          "ttm IN/t.tns --mode 0 --rank 2 --output OUT/m.tns",
          "ttv IN/t.tns --mode 0 --output OUT/m.tns",
          "ttv IN/t.tns --mode 0 --output OUT/m.weft",
          "cpd IN/t.tns --rank 2 --iterations 2 --output OUT/c",
          "ingest IN/t.csv OUT/x.weft --mode a --mode b",
          "ingest IN/u.csv IN/x.weft --mode a --mode b --value c --rejects OUT/u.csv");

  private Path inputs = Path.of("");
  private Path outputs = Path.of("");

  @BeforeEach
  void prepare() throws IOException {
    System.setProperty("spark.hadoop.fs.faulty.impl", FailingFileSystem.class.getName());
    inputs = Files.createDirectory(folder.resolve("in"));
    outputs = Files.createDirectory(folder.resolve("out"));
    Run.write(inputs, "t.tns", "1 1 1 1.5\n2 3 4 2.5\n3 2 1 -1\n3 4 4 8\n");
    Run.write(inputs, "b.tns", "1 1\n2 2\n4 1\n");
    Run.write(inputs, "t.csv", "a,b\nx,1\ny,2\n");
    Run.write(inputs, "u.csv", "a,b,c\nx,1,1\ny,2,many\n");
    Run.write(
        inputs,
        "p.ta",
        "def main() {\n"
            + "  IndexLabel [i] = [3];\n"
            + "  IndexLabel [j] = [4];\n"
            + "  Tensor<double> A([i, j], {Dense});\n  A[i, j] = 1;\n"
            + "  write(A, \"faulty:"
            + outputs.resolve("a.tns")
            + "\");\n}\n");
  }

  @AfterEach
  void noFault() {
    FailingFileSystem.fault = Fault.NONE;
    System.clearProperty("spark.hadoop.fs.faulty.impl");
  }

  /** Every command meets one kind of failure, each another; the long profile has all pairs. */
  static Stream<Arguments> failures() {
    List<Fault> faults = new ArrayList<>(List.of(Fault.values()));
    faults.remove(Fault.NONE);
    List<Arguments> all = new ArrayList<>();
    boolean isLong = Boolean.getBoolean("weft.long");
    for (int n = 0; n < COMMANDS.size(); n++) {
      if (COMMANDS.get(n).contains("--rejects") && !isLong) {
        continue; // a second table, which takes as long as five commands
      }
      for (int k = 0; k < (isLong ? faults.size() : 1); k++) {
        all.add(arguments(COMMANDS.get(n), faults.get((n + k) % faults.size())));
      }
    }
    return all.stream();
  }

  /** Makes the tensor that {@code command} adds to, if it does. */
  private void prepare(String command) {
    if (command.contains("OUT/old.weft")) {
      done("convert IN/t.tns OUT/old.weft --overwrite");
    }
  }

  private void done(String command) {
    Run run = run(command);
    assertThat(run.status()).as(command + ": " + run.err()).isZero();
  }

  /** What is in the folder of outputs, however deep. */
  private List<String> present() throws IOException {
    try (Stream<Path> all = Files.walk(outputs)) {
      return all.map(path -> outputs.relativize(path).toString()).sorted().toList();
    }
  }

  private Run run(String command) {
    return Run.of(
        Arrays.stream(command.split(" "))
            .map(word -> word.replace("OUT/", "faulty:" + outputs + "/"))
            .map(word -> word.replace("IN/", inputs + "/"))
            .toArray(String[]::new));
  }

  @ParameterizedTest
  @MethodSource("failures")
  void anOutputThatFailsIsOneLineAndLeavesNothing(String command, Fault fault) throws IOException {
    prepare(command);
    List<String> before = present();
    FailingFileSystem.fault = fault;
    Run run = run(command);
    assertThat(run.status()).as(run.err()).isEqualTo(1);
    String code = fault == Fault.RENAME ? "WEFT-500" : "WEFT-402";
    assertThat(run.err().lines().filter(line -> line.startsWith("weft: WEFT-")))
        .as(run.err())
        .hasSize(1)
        .allMatch(line -> line.startsWith("weft: " + code + ": "));
    assertThat(run.err()).doesNotContain("\tat ", "Exception in thread", "weft-tmp");
    if (fault == Fault.PROBE) {
      assertThat(run.out() + run.err()).as("found before work").startsWith("weft: WEFT-402");
    }
    assertThat(present()).isEqualTo(before);
  }

  @Tag("long")
  @Test
  void theCommandsWorkWithoutAFault() {
    for (String command : COMMANDS) {
      prepare(command);
      boolean asIs = command.contains("--overwrite") || command.contains("--append");
      done(command + (asIs ? "" : " --overwrite"));
    }
  }
}
