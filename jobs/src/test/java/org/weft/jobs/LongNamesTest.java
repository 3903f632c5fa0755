package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Names of outputs may be as long as the file system stores them, and longer ones are refused. */
class LongNamesTest {
  private static final int LONGEST = 255;
  private static final boolean LONG = Boolean.getBoolean("weft.long");

  /** OUT is a name that is as long as a case says. */
  static final List<String> COMMANDS =
      List.of(
          "convert IN/t.tns OUT.tns",
          "convert IN/t.tns OUT.tns.gz",
          "convert IN/t.tns OUT.wtb",
          "convert IN/t.tns OUT.weft",
          "generate 4x5x6 OUT.tns --nonzeros 20",
          "generate 4x5x6 IN/g.tns --nonzeros 20 --overwrite --planted 2 --factors-out OUT.d",
          "reorder IN/t.tns OUT.tns",
          "reorder IN/t.tns --permutations OUT.d",
          "spy IN/t.tns OUT.svg",
          "spy IN/t.tns OUT.png",
          "eval Z(i,j,k)=A(i,j,k) --input A=IN/t.tns --output OUT.tns",
          "mttkrp IN/t.tns --mode 0 --rank 2 --output OUT.npy",
          "ttv IN/t.tns --mode 0 --output OUT.mtx",
          "cpd IN/t.tns --rank 2 --iterations 2 --output OUT.d",
          "cpd IN/t.tns --rank 2 --iterations 2 --output IN/c --overwrite --checkpoint OUT.d",
          "report IN/model OUT.html",
          "report IN/model IN/r.html --overwrite --json OUT.json",
          "compare IN/model IN/model --output OUT.json",
          "publish IN/model OUT.d",
          "predict IN/model IN/t.tns OUT.tns",
          "compile y(i)=A(i,j)*x(j) --name k -o OUT.so",
          "compile y(i)=A(i,j)*x(j) -o IN/k.so --header OUT.h --overwrite",
          "compile y(i)=A(i,j)*x(j) -o IN/k.so --python OUT.py --overwrite",
          "codesign IN/designs.conf --report OUT.tsv",
          "ingest IN/t.csv OUT.weft --mode a --mode b",
          "ingest IN/t.csv IN/x.weft --overwrite --mode a --mode b --value c --rejects OUT.csv");

  @TempDir static Path inputs;
  @TempDir Path outputs;

  static Stream<String> commands() {
    return COMMANDS.stream();
  }

  /** One table takes as long as all that is not about tables. */
  static Stream<String> written() {
    return COMMANDS.stream().filter(line -> LONG || !line.contains("--rejects"));
  }

  @BeforeAll
  static void prepare() {
    JoinedSpark.start();
    Run.write(inputs, "t.tns", "1 1 1 1.5\n2 3 4 2.5\n3 2 1 -1\n3 4 4 8\n");
    Run.write(inputs, "t.csv", "a,b,c\nx,1,1\ny,2,many\n");
    String design = "{ name = a, tile = [4, 4, 4], cycles = 4, clock-ghz = 1 }";
    Run.write(inputs, "designs.conf", "designs = [ " + design + " ]");
    Run.of("cpd", inputs + "/t.tns", "--rank", "2", "--output", inputs + "/model").succeeds();
  }

  @AfterAll
  static void stopSpark() {
    JoinedSpark.stop();
  }

  /** A name of so many bytes that ends in what follows OUT. */
  private String[] named(String line, String letter, int bytes) {
    return Stream.of(line.split(" "))
        .map(
            word -> {
              if (!word.startsWith("OUT")) {
                return word.replace("IN/", inputs + "/");
              }
              String end = word.substring("OUT".length());
              int each = letter.getBytes(StandardCharsets.UTF_8).length;
              int letters = (bytes - end.length()) / each;
              String name =
                  letter.repeat(letters) + "x".repeat(bytes - end.length() - each * letters);
              return outputs + "/" + name + end;
            })
        .toArray(String[]::new);
  }

  @ParameterizedTest
  @MethodSource("written")
  void allNamesThatTheFileSystemStoresAreWritten(String command) {
    boolean table = command.startsWith("ingest");
    for (String letter : table && !LONG ? List.of("\u4f8b") : List.of("n", "\u4f8b")) {
      int bytes = letter.equals("n") ? 251 : LONGEST;
      Run run = Run.of(named(command, letter, bytes));
      assertThat(run.status()).as(command + " with " + bytes + " bytes\n" + run.err()).isZero();
      List<String> names = Run.names(outputs);
      assertThat(names).noneMatch(name -> name.startsWith("."));
      if (letter.equals("n") || LONG) {
        Run again = Run.of(overwriting(named(command, letter, bytes)));
        assertThat(again.status()).as(command + " again\n" + again.err()).isZero();
        assertThat(Run.names(outputs)).isEqualTo(names);
      }
    }
  }

  private static String[] overwriting(String[] words) {
    List<String> all = List.of(words);
    return all.contains("--overwrite")
        ? words
        : Stream.concat(all.stream(), Stream.of("--overwrite")).toArray(String[]::new);
  }

  @ParameterizedTest
  @MethodSource("commands")
  void longerOnesAreRefusedBeforeAnyWork(String command) {
    for (String folders : List.of("", "no/such/")) {
      String[] words = named(command, "n", LONGEST + 1);
      for (int at = 0; at < words.length; at++) {
        words[at] = words[at].replace(outputs + "/", outputs + "/" + folders);
      }
      Run run = Run.of(words);
      assertThat(run.err())
          .contains("WEFT-100: ", "expected names of at most 255 bytes")
          .doesNotContain("weft-tmp", "iteration");
      assertThat(run.status()).isEqualTo(2);
      assertThat(Run.names(outputs)).isEmpty();
    }
  }
}
