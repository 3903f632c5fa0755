package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names that no file can have here are one error in the same words everywhere. */
class FileNamesTest extends FolderCase {
  @BeforeEach
  void files() throws IOException {
    Files.writeString(folder.resolve("t.tns"), "1 1 1 1\n2 2 2 2\n2 1 2 3\n");
    Files.writeString(folder.resolve("s.csv"), "a,b\nx,y\n");
    Files.writeString(folder.resolve("plain.weft"), "1 1 1\n");
  }

  /** {@code @} is the folder and {@code ''} an empty name. */
  private Run run(String line) {
    String[] words = line.replace("@", folder + "/").split(" ");
    return Run.of(Arrays.stream(words).map(word -> word.replace("''", "")).toArray(String[]::new));
  }

  private void assertUsage(String line, String said) {
    run(line).fails(2, said);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "stats ''",
        "convert '' @x.tns",
        "convert @t.tns ''",
        "reorder @t.tns ''",
        "ingest '' @x.weft --mode a --mode b",
        "ingest @s.csv '' --mode a --mode b",
        "complete @t.tns --rank 1 --output @x --validate ''",
        "cpd @t.tns --rank 1 --output ''",
        "cpd @t.tns --rank 1 --output @x --checkpoint ''",
        "eval s=T(i,j,k) --input T=@t.tns --output ''",
        "eval s=T(i,j,k) --input T=@t.tns --output s=",
        "top ''"
      })
  void anEmptyNameIsSaidInTheSameWords(String line) {
    assertUsage(line, "weft: WEFT-100: expected a path or URI, found an empty one\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "eval y(i)=T(i,j,k) --input T=@t.tns --output @x.xyz",
        "convert @t.tns @x.xyz",
        "reorder @t.tns @x.xyz",
        "ingest @s.csv @x.csv --mode a --mode b",
        "ingest @s.csv @x --mode a --mode b"
      })
  void formatsThatAreOnlyReadAreNotNamedForAnOutput(String line) {
    assertUsage(line, " ends in ");
    assertThat(run(line).err()).contains(".weft").doesNotContain(".rb").doesNotContain(".hb");
  }

  /** What a shell hands over is the name, quotation marks and all, and nothing warns of it. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "a b", "it's", "q\"q", "\"", "\"q\"", "q\"=\"", "#", "50%20", "a:b", "a@2", "*", "[0]",
        "{a,b}", "a=b", "a,b", "a\\b", "a\nb", "?", "\u00fc", "$x"
      })
  void namesOfAnyCharactersAreTakenAsTheyAre(String name) throws IOException {
    Path file = folder.resolve(name + ".tns");
    Files.copy(folder.resolve("t.tns"), file);
    String given = file.toString();
    PrintStream err = System.err;
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
    try {
      Run eval = Run.of("eval", "s=T(i,j,k)", "--input", "T=" + given).succeeds();
      assertThat(eval.out()).isEqualTo("6\n");
      Run.of("convert", given, given + ".weft", "--names", "x\"y,b,c").succeeds();
      assertThat(Run.of("stats", given + ".weft").succeeds().out()).contains("x\"y, b, c");
    } finally {
      System.setErr(err);
    }
    assertThat(said.toString(StandardCharsets.UTF_8)).isEmpty();
  }

  @Test
  void onlyATildeBeforeASlashIsTheHome() {
    assertUsage("eval s=A(i,j) --input A=~/no.mtx", "write A=\"$HOME\"/no.mtx;");
    assertUsage("eval s=A(i,j) --input A=~no.mtx", "~no.mtx: expected a file, found nothing at");
  }

  @Test
  void aFileNamedAsAContainerIsSaidToBeAFile() {
    assertUsage("stats @plain.weft", "plain.weft: expected a tensor folder, found a file;");
    assertUsage("eval s=T(i) --input T=@plain.weft", "expected a tensor folder, found a file;");
  }

  @Test
  void theRangeOfZerosIsSaid() {
    assertUsage(
        "gcp @t.tns --rank 1 --loss gaussian --output @x --zeros 1000000",
        "expected --zeros auto, all or a number from 0 to 999999, found '1000000'");
  }
}
