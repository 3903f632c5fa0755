package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every kind of input at an address where nothing answers: one line that names the address. */
class UnreachableInputsTest extends FolderCase {
  private static final String NOWHERE = "hdfs://localhost:1/x";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "stats AT.tns",
        "stats AT.weft",
        "eval y(i)=A(i) --input A=AT.npy",
        "run AT.ta",
        "workflow run AT.yaml",
        "ingest AT.csv OUT/x.weft --mode a --mode b",
        "gc AT.weft",
        "convert AT.tns OUT/x.weft",
        "cpd IN --rank 2 --output OUT/c --init AT",
        "cpd IN --output OUT/c --append AT",
        "top AT",
        "report AT OUT/x.html",
        "compare AT AT",
        "publish AT OUT/p",
        "predict AT IN",
        "diagnose AT IN"
      })
  void anInputThatCannotBeReachedIsOneLine(String command) {
    String tensor = Run.write(folder, "t.tns", "1 1 1 1.5\n2 3 4 2.5\n");
    String line =
        command.replace("AT", NOWHERE).replace("IN", tensor).replace("OUT", folder.toString());
    Run run = Run.of(line.split(" "));
    assertThat(run.status()).as(run.err()).isEqualTo(1);
    assertThat(run.err().lines().filter(text -> text.startsWith("weft: ")))
        .as(run.err())
        .singleElement()
        .asString()
        .startsWith("weft: WEFT-402: " + NOWHERE)
        .contains("nothing that answers");
  }
}
