package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.storage.container.Container;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.ValueType;

/** Values of files, options and programs under each {@code --type}: kept, or refused by name. */
class TypedInputsTest extends FolderCase {
  private static final String DIGITS = "1 1 9007199254740993\n2 2 -9223372036854775807\n";

  private Run run(String... arguments) {
    return Run.of(arguments);
  }

  /** A copy of integers that a double rounds is likely not what was meant. */
  @Test
  void convertWarnsOfIntegersThatDoublesRound() {
    String tns = Run.write(folder, "w.tns", "1 1 9007199254740992\n1 2 3\n2 2 9007199254740993\n");
    String warning = "warning: " + tns + ": double does not hold every integer beyond 2^53";
    Run rounded = run("convert", tns, path("x.weft")).succeeds();
    assertThat(rounded.err()).containsOnlyOnce(warning);
    assertThat(rounded.err()).contains("rounds 9007199254740993; --type long keeps all digits");
    Run added = run("convert", tns, path("x.weft"), "--append");
    assertThat(added.err()).contains(warning, "x.weft was made for double");
    Run array = run("convert", tns, path("x.npy"), "--type", "long");
    assertThat(array.err()).doesNotContain("warning");
    assertThat(run("convert", path("x.npy"), path("y.tns")).err()).contains("warning: ");
    assertThat(run("convert", tns, path("d.tns"), "--type", "double").err())
        .doesNotContain("warning");
    for (String text :
        List.of("1 9007199254740992\n", "1 9007199254740993.5\n", "1 1e300\n2 2\n")) {
      String exact = Run.write(folder, "exact.tns", text);
      Run run = run("convert", exact, path("e.tns"), "--overwrite").succeeds();
      assertThat(run.err()).doesNotContain("warning");
    }
  }

  /** As the page of the language says. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1.5 * v(i)                     | 1 4;2 6;",
        "v(i) / 2                       | 1 1;2 2;",
        "0.5 * v(i) + 0.5 * v(i)        | 1 3;2 4;",
        "sqrt(v(i)) * sqrt(v(i))        | 1 2;2 4;",
        "1.0 * v(i) / 2                 | 1 1;2 2;",
        "-1.5 * v(i)                    | 1 -4;2 -6;"
      })
  void aFractionMakesIntegersDoublesUntilTheResult(String expression, String lines) {
    String tns = Run.write(folder, "v.tns", "1 3\n2 4\n");
    for (String type : List.of("int", "long")) {
      Run run = run("eval", "y(i) = " + expression, "--input", "v=" + tns, "--type", type);
      assertThat(run.out().replace("\n", ";")).as(run.err()).isEqualTo(lines);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "int,3000000000",
    "int,1.5",
    "int,-2147483649",
    "long,1.5",
    "long,9223372036854775808",
    "float,1e300",
    "int,1e300"
  })
  void aValueThatTheTypeLacksIsRefusedWhereverItIsRead(String type, String value) {
    String named = "as the type " + type + " has, found";
    String tns = Run.write(folder, "x.tns", "1 5\n2 " + value + "\n");
    List<Run> runs = new ArrayList<>();
    runs.add(run("eval", "y(i) = x(i)", "--input", "x=" + tns, "--type", type));
    runs.add(
        run(
            "eval",
            "y(i) = x(i) + x(i)",
            "--input",
            "x=" + tns,
            "--type",
            type,
            "--master",
            "local[1]",
            "--dry-run"));
    String program =
        "def main() { IndexLabel [i] = [?]; Tensor<" + type + "> A([i], {CU}); A[i] = read(\"";
    String source = Run.write(folder, "p.ta", program + tns + "\"); print(A); }");
    runs.add(run("run", source));
    runs.add(run("convert", tns, path("x.weft"), "--type", type));
    String empty = Run.write(folder, "e.tns", "1 5\n");
    run("convert", empty, path("typed.weft"), "--type", type).succeeds();
    runs.add(run("convert", tns, path("typed.weft"), "--append"));
    for (Run run : runs) {
      assertThat(run.err())
          .contains("WEFT-308")
          .contains(tns + ":2: expected")
          .contains(named + " '" + value + "'");
      assertThat(run.status()).isEqualTo(2);
    }
    Run scalar =
        run(
            "eval",
            "y(i) = x(i) * b",
            "--type",
            type,
            "--input",
            "x=" + empty,
            "--input",
            "b=" + value);
    assertThat(scalar.err()).contains("WEFT-308").contains("--input b: expected").contains(named);
  }

  @ParameterizedTest
  @ValueSource(strings = {"tns", "mtx", "npy", "weft"})
  void longsGoThroughEveryFormatThatHoldsThem(String format) {
    String in = Run.write(folder, "in.tns", DIGITS);
    String made = path("made." + format);
    String[] eval = {"eval", "C(i,j) = A(i,j)", "--type", "long", "--input"};
    run(with(eval, "A=" + in, "--output", made)).succeeds();
    assertThat(run(with(eval, "A=" + made)).out().replaceAll("(?m)^\\d+ \\d+ 0\n", ""))
        .isEqualTo(DIGITS);
  }

  @ParameterizedTest
  @CsvSource({
    "int,3.7",
    "int,3000000000",
    "int,-2147483649",
    "long,1.5",
    "long,1e19",
    "float,1e300"
  })
  void aFillThatTheTypeLacksIsRefused(String type, String value) {
    Run run = run("run", Run.write(folder, "f.ta", fill(type, value)));
    assertThat(run.err())
        .contains("WEFT-308")
        .contains("f.ta:1:")
        .contains("as the type " + type + " has, found " + value);
    assertThat(run.status()).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource({
    "long,9007199254740993,9007199254740993",
    "long,-9223372036854775808,-9223372036854775808",
    "int,-2147483648,-2147483648",
    "int,2e3,2000",
    "int,7.0 / 2,3",
    "float,0.5,0.5"
  })
  void otherFillsKeepEveryDigit(String type, String value, String expected) {
    Run run = run("run", Run.write(folder, "f.ta", fill(type, value)));
    assertThat(run.out()).as(run.err()).isEqualTo("data = \n" + expected + "," + expected + ",\n");
  }

  private static String fill(String type, String value) {
    String declared = "def main() { IndexLabel [i] = [2]; Tensor<" + type + "> A([i], {Dense}); ";
    return declared + "A[i] = " + value + "; print(A); }";
  }

  @Test
  void emptyTensorsHaveNoExtremes() {
    String empty =
        Run.write(folder, "e.mtx", "%%MatrixMarket matrix coordinate real general\n3 4 0\n");
    assertThat(run("stats", empty).out()).contains("nonzeros    0").doesNotContain("Infinity");
    assertThat(run("stats", "--json", empty).out())
        .contains("\"nnz\" : 0")
        .doesNotContain("Infinity");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "cpapr --rank 1", "gcp --loss poisson --rank 1", "complete --rank 1",
        "tucker --ranks 1", "explain cpapr --rank 1", "explain gcp --loss poisson --rank 1",
        "explain complete --rank 1", "explain tucker --ranks 1"
      })
  void methodsSayHowManyModesTheyFoundBeforeTheyReadEntries(String method) {
    String vector = Run.write(folder, "v.tns", "1 1\n7 2\n2 3\n3 4\n4 5\n");
    Run run = run(with(method.split(" "), vector, "--output", path("m")));
    assertThat(run.err()).containsPattern("expected (a tensor of at least 2 modes|two ranks)");
    assertThat(run.err().lines()).as(run.err()).hasSize(1);
    assertThat(run.out()).isEmpty();
    assertThat(run.status()).isEqualTo(2);
  }

  @Test
  void aFormatOfDoublesRefusesOtherLongs() {
    String in = Run.write(folder, "in.tns", DIGITS);
    String[] eval = {"eval", "C(i,j) = A(i,j)", "--type", "long", "--input"};
    Run run = run(with(eval, "A=" + in, "--output", path("made.wtb")));
    assertThat(run.err()).contains("WEFT-308").contains("9007199254740993");
    assertThat(folder.resolve("made.wtb")).doesNotExist();
  }

  @Test
  void convertedTensorsKeepTheirType() {
    String in = Run.write(folder, "in.tns", DIGITS);
    run("convert", in, path("a.weft"), "--type", "long").succeeds();
    run("convert", path("a.weft"), path("b.weft")).succeeds();
    run("convert", path("b.weft"), path("c.tns")).succeeds();
    assertThat(folder.resolve("c.tns")).hasContent(DIGITS);
    assertThat(Container.open(FileAccess.local(), path("b.weft")).valueType())
        .isEqualTo(ValueType.LONG);
  }

  private static String[] with(String[] some, String... more) {
    String[] all = Arrays.copyOf(some, some.length + more.length);
    System.arraycopy(more, 0, all, some.length, more.length);
    return all;
  }
}
