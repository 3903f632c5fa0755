package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Outputs of one command have places of their own, which is found out before any work. */
class OutputPlacesTest extends FolderCase {
  @BeforeEach
  void files() throws IOException {
    Files.writeString(folder.resolve("t.csv"), "a\nx\n");
    run("ingest @t.csv @t.weft --mode a").succeeds();
    Files.createSymbolicLink(folder.resolve("link.html"), folder.resolve("x.html"));
    Files.createSymbolicLink(folder.resolve("here"), folder);
    Files.createSymbolicLink(folder.resolve("into"), Path.of("t.weft"));
    Files.createSymbolicLink(folder.resolve("data"), Path.of("t.weft", "data"));
    Files.createSymbolicLink(folder.resolve("away.html"), Path.of("t.weft", "away.html"));
    Files.writeString(folder.resolve("t.tns"), "1 1 1 1\n2 2 2 2\n2 1 2 3\n");
    Files.writeString(
        folder.resolve("p.ta"),
        """
        def main() {
          Tensor<double> A([2, 2], {CSR});
          A[i, j] = 1.0;
          write(A, "%s/into/x.tns");
        }
        """
            .formatted(folder));
    Files.writeString(
        folder.resolve("a.mtx"), "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 1\n");
  }

  private List<String> names() throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.map(Path::toString).sorted().toList();
    }
  }

  private Run run(String line) {
    return Run.of(line.replace("@", folder + "/").split(" "));
  }

  /** Wrong usage with these words, and nothing is written. */
  private void assertRefused(String line, String... words) throws IOException {
    List<String> before = names();
    run(line).fails(2, words);
    assertThat(names()).isEqualTo(before);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "cpd @t.tns --rank 1 --output @x --factors-table @x",
        "cpd @t.tns --rank 1 --output @x --factors-table @y/../x",
        "cpd @t.tns --rank 1 --output @x --reorder lexi --permutations @x",
        "cpd @t.tns --rank 1 --output @y --factors-table @x --reorder lexi --permutations @x",
        "reorder @t.tns @x.weft --permutations @x.weft",
        "generate 9x9x9 @x.weft --nonzeros 9 --planted 1 --factors-out @x.weft",
        "report @model @x.html --json @x.html",
        "report @model @x.html --json @link.html",
        "report @model @here/x.html --json @x.html",
        "reorder @t.tns @here/x.weft --permutations @here/here/x.weft"
      })
  void twoOutputsInOnePlaceAreRefused(String line) throws IOException {
    assertRefused(line, "expected another place for each output");
  }

  /** The outer one could not appear as a whole, or not be replaced when the command runs again. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "cpd @t.tns --rank 1 --output @x --factors-table @x/table",
        "cpd @t.tns --rank 1 --output @x/model --factors-table @x",
        "cpd @t.tns --rank 1 --output @x --reorder lexi --permutations @y/../x/p",
        "cpd @t.tns --rank 1 --output @x/model --reorder lexi --permutations @x",
        "mttkrp @t.tns --mode 0 --rank 1 --output @x/m.npy --reorder lexi --permutations @x",
        "reorder @t.tns @x.weft --permutations @x.weft/p",
        "reorder @t.tns @x/y.weft --permutations @x",
        "generate 9x9x9 @x.weft --nonzeros 9 --planted 1 --factors-out @x.weft/f",
        "generate 9x9x9 @f/x.weft --nonzeros 9 --planted 1 --factors-out @f",
        "ingest @t.csv @x.weft --mode a --rejects @x.weft/rejects.csv",
        "ingest @t.csv @t.weft --append --mode a --rejects @t.weft/rejects.csv",
        "report @model @x.html --json @x.html/x.json",
        "reorder @t.tns @x/y.weft --permutations @here/x"
      })
  void anOutputInsideOfAnotherIsRefused(String line) throws IOException {
    assertRefused(
        line, "expected a place for each output outside of the others", "inside of " + folder);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-o @k.so --header @k.so",
        "-o @k.so --python @here/k.so",
        "-o @x.html --header @link.html",
        "-o @k.so --header @k.so/k.h",
        "-o @k/k.so --header @k"
      })
  void filesOfOneLibraryAreRefusedSo(String places) throws IOException {
    assertRefused("compile y(i)=A(i,j)*x(j) --format A=CSR " + places, "expected ", "found ");
  }

  /** A tensor's folder holds its own files; the next version would not go with others. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "convert @t.tns @t.weft/inner.tns",
        "convert @t.tns @t.weft/data/inner.weft",
        "mttkrp @t.tns --mode 0 --rank 1 --output @t.weft/m.npy",
        "cpd @t.tns --rank 1 --output @t.weft/model",
        "report @model @t.weft/x.html",
        "spy @t.tns @t.weft/x.svg",
        "convert @t.tns @into/inner.tns",
        "cpd @t.tns --rank 1 --output @into/data/model",
        "convert @t.tns @data/inner.weft",
        "report @model @away.html",
        "spy @t.tns @here/into/x.svg",
        "run @p.ta"
      })
  void anOutputInsideOfATensorIsRefused(String line) throws IOException {
    assertRefused(line, "expected a place outside of the tensor t.weft");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "cpd @t.tns --rank 1 --output @x --checkpoint @x",
        "cpd @t.tns --rank 1 --output @x --checkpoint @x/states",
        "tucker @t.tns --ranks 1,1,1 --output @x --checkpoint @y/../x/",
        "complete @t.tns --rank 1 --output @x/start3 --checkpoint @x --split 0,0",
        "cpapr @t.tns --rank 1 --output @x --checkpoint @x",
        "gcp @t.tns --rank 1 --loss gaussian --starts 2 --output @x/start1 --checkpoint @x"
      })
  void statesInTheFolderOfTheModelAreRefused(String line) throws IOException {
    assertRefused(line, "--checkpoint " + folder, "expected a folder outside of --output");
  }

  @ParameterizedTest
  @ValueSource(strings = {"@x @y", "@x/model @x", "@xy @x", "@x @xy"})
  void modelAndStatesBesideEachOtherAreMade(String places) throws IOException {
    String[] at = places.split(" ");
    run("cpd @t.tns --rank 1 --output " + at[0] + " --checkpoint " + at[1]).succeeds();
  }
}
