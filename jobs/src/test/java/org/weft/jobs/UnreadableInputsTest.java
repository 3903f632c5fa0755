package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A file that is there and may not be read is not said to be missing, whatever reads it. */
class UnreadableInputsTest extends FolderCase {
  /** May be written only, also by the administrator, as whom builds in containers run. */
  private static final Path WRITE_ONLY = Path.of("/sys/bus/cpu/drivers_probe");

  @BeforeEach
  void files() throws IOException {
    assumeTrue(Files.exists(WRITE_ONLY), "this system has no " + WRITE_ONLY);
    Files.writeString(folder.resolve("t.tns"), "1 1 1 1\n2 2 2 2\n2 1 2 3\n");
    Run.of("cpd", folder + "/t.tns", "--rank", "1", "--output", folder + "/model").succeeds();
    Run.of("convert", folder + "/t.tns", folder + "/t.weft").succeeds();
    Files.writeString(
        folder.resolve("w.yaml"),
        "name: w\nsteps:\n  - id: s\n    run: stats @t.tns\n".replace("@", folder + "/"));
    Files.createDirectories(folder.resolve("w.state/runs/R/steps"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "x.tns: stats @x.tns",
        "x.mtx: eval y(i)=A(i,j) --input A=@x.mtx",
        "x.npy: eval y(i)=A(i,j) --input A=@x.npy",
        "x.csv: ingest @x.csv @y.weft --mode a",
        "x.ta: run @x.ta",
        "x.yaml: workflow explain @x.yaml",
        "pointer: top @pointer",
        "model/summary.json: top @model",
        "model/mode1.npy: top @model",
        "model/lambda.npy: report @model @y.html",
        "t.weft/manifest-1.json: stats @t.weft",
        "w.state/runs/R/run.json: workflow status @w.yaml",
        "labels: cpd @t.tns --rank 1 --output @y --labels 0=@labels",
        "designs: codesign @designs"
      })
  void isNotMissing(String line) throws IOException {
    String[] parts = line.split(": ", 2);
    Path input = folder.resolve(parts[0]);
    Files.deleteIfExists(input);
    Files.createSymbolicLink(input, WRITE_ONLY);
    Run.of(parts[1].replace("@", folder + "/").split(" "))
        .fails(1, "weft: WEFT-402: ", "access is denied", "ask its owner, or name another place");
    Files.delete(input);
    assertThat(folder.resolve("y.weft")).doesNotExist();
    assertThat(folder.resolve("y.html")).doesNotExist();
    assertThat(folder.resolve("y")).doesNotExist();
  }
}
