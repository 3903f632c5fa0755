package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.storage.npy.NpyFile;
import org.weft.storage.npy.NpzFile;
import org.weft.tensor.DenseMatrix;

/** {@code weft eval}: results, defaults, errors; Spark never starts. */
class EvalCommandTest extends FolderCase {
  private String a = "";
  private String b = "";
  private String x = "";

  @BeforeEach
  void files() {
    a =
        Run.write(
            folder,
            "a.mtx",
            "%%MatrixMarket matrix coordinate real general\n3 4 4\n1 1 2\n2 3 5\n3 4 1.5\n3 1 7\n");
    b = Run.write(folder, "b.tns", "1 1 1\n2 1 3\n4 2 0.5\n");
    x = Run.write(folder, "x.tns", "1 2\n3 1\n");
  }

  @Test
  void printsTheResult() {
    Run run = Run.of("eval", "C(i,k) = A(i,j) * B(j,k)", "--input", "A=" + a, "--input", "B=" + b);
    assertThat(run.err()).isEmpty();
    assertThat(run.out()).isEqualTo("1 1 2\n3 1 7\n3 2 0.75\n");
    assertThat(run.status()).isZero();
  }

  @Test
  void valuesHaveTheDigitsOfTheirType() {
    String t = Run.write(folder, "f.tns", "1 0.1\n2 33554432\n3 1e20\n4 -0.0\n");
    String out = folder.resolve("g.tns").toString();
    String[] line = {"eval", "y(i) = T(i)", "--input", "T=" + t, "--type", "float"};
    Run printed = Run.of(line);
    assertThat(printed.out()).isEqualTo("1 0.1\n2 33554432\n3 1.0E20\n4 -0\n");
    String[] written = Arrays.copyOf(line, line.length + 2);
    written[line.length] = "--output";
    written[line.length + 1] = out;
    Run.of(written).succeeds();
    assertThat(Run.read(out)).isEqualTo("1 0.1\n2 33554432\n3 1e20\n4 -0\n");
    line[5] = "double";
    assertThat(Run.of(line).out()).isEqualTo("1 0.1\n2 33554432\n3 1.0E20\n4 -0\n");
  }

  /** Of a result that no machine holds, in a format that stores every coordinate. */
  @ParameterizedTest
  @CsvSource({
    "C(i;j) = A(i;j), true",
    "C(i;j) = A(i;j) * x(j), true",
    "C(i;j) = exp(A(i;j)), false",
    "C(i;j) = 1 + A(i;j), false",
    "C(i;j)<A(i;j)> = exp(A(i;j)), true"
  })
  void theAdviceForAResultThatDoesNotFitIsTrue(String statement, boolean sparse) {
    String huge = Run.write(folder, "h.tns", "1 1 1\n9000000 9000000 2\n");
    String line = "eval|" + statement.replace(';', ',') + "|--input|A=" + huge;
    line += statement.contains("x(") ? "|--input|x=" + x + "|--size|j=9000000" : "";
    Run refused = Run.of((line + "|--format|C=Dense").split("\\|"));
    assertThat(refused.status()).isEqualTo(1);
    assertThat(refused.err()).contains("WEFT-400", sparse ? "--format C=DCSR" : "no format helps");
    if (sparse) {
      Run.of((line + "|--format|C=DCSR").split("\\|")).succeeds();
    } else {
      assertThat(refused.err()).doesNotContain("DCSR");
    }
  }

  /** An array is written in the order of its cells, however the result is stored. */
  @ParameterizedTest
  @ValueSource(
      strings = {"CSR", "CSC", "DCSC", "CSF@1,0", "COO@1,0", "ELL", "DIA", "BCSR(2,2)", "{H,D}"})
  void arraysAreWrittenOfResultsInAnyFormat(String format) {
    String out = folder.resolve("c.npy").toString();
    Run.line(
            "eval %s --input A=%s --format %s --output %s",
            "C(j,i) = A(i,j)", a, "C=" + format, out)
        .succeeds();
    assertThat(Run.line("eval %s --input C=%s", "D(i,j) = C(i,j)", out).out())
        .isEqualTo(
            "1 1 2\n1 2 0\n1 3 7\n2 1 0\n2 2 0\n2 3 0\n3 1 0\n3 2 5\n3 3 0\n4 1 0\n4 2 0\n"
                + "4 3 1.5\n");
  }

  @Test
  void aMatrixOfIntegersSaysSo() {
    String whole =
        Run.write(
            folder,
            "whole.mtx",
            "%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 2 3\n2 1 4\n");
    String square = folder.resolve("square.mtx").toString();
    Run.line(
            "eval %s --input A=%s --type int --format C=CSR --output %s",
            "C(i,k) = A(i,j) * A(j,k)", whole, square)
        .succeeds();
    assertThat(Run.read(square))
        .isEqualTo("%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 1 12\n2 2 12\n");
    Run again = Run.of("eval", "s = C(i,k)", "--input", "C=" + square, "--type", "long");
    assertThat(again.out()).isEqualTo("24\n");
  }

  /** Diagonals are operands: what is not stored is absent, and not a 0 that meets an infinity. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "s = E(i,i) * B(i,i) | 12",
        "s = 2 * B(i,i) * E(i,i) | 24",
        "y(i) = E(i,i) * B(i,i) | 2 12",
        "y(j) = B(i,i) * E(i,j) | 2 12",
        "y(j) = B(j,j) * E(j,k) * E(k,k) | 2 36",
        "y(i) = E(i,i) * B(i,i) + B(i,i) | 2 16",
        "s = E(i,i) * B(i,i) + 0 * B(i,j) | 12",
        "y(i) = E(i,i) * B(i,i) + E(i,i) | 1 Infinity2 15",
        "D(i,j) = E(i,i) * B(i,j) * B(j,j) | 2 2 48",
        "D(i,j) = B(i,i) * E(j,j) * E(i,j) | 2 2 36",
      })
  void absentDiagonalsMeetNoInfinity(String expression, String expected) {
    String e = Run.write(folder, "e.tns", "1 1 inf\n2 2 3\n1 2 5\n");
    String few = Run.write(folder, "few.tns", "2 2 4\n2 1 1\n");
    String[] files = {"--input", "E=" + e, "--input", "B=" + few, "--allow-nonfinite"};
    for (String format : List.of("COO", "CSR", "CSC", "DCSR")) {
      List<String> line = new ArrayList<>(List.of("eval", expression));
      line.addAll(List.of(files));
      for (String name : List.of("E", "B")) {
        if (expression.contains(name + "(")) {
          line.addAll(List.of("--format", name + "=" + format));
        }
      }
      Run run = Run.of(line.toArray(String[]::new));
      String shown = run.out().lines().filter(l -> !l.endsWith(" 0")).reduce("", (l, m) -> l + m);
      assertThat(shown).as(format + run.err()).isEqualTo(expected);
    }
  }

  @Test
  void archivesGiveTheArrayOfTheOperandsName() throws Exception {
    Path archive = folder.resolve("f.npz");
    DenseMatrix u = DenseMatrix.of(new double[][] {{1, 2}, {3, 4}, {5, 6}, {7, 8}});
    DenseMatrix v = DenseMatrix.column(new double[] {1, 10, 100, 1000});
    try (OutputStream out = Files.newOutputStream(archive)) {
      NpzFile.write(out, Map.of("U", u, "v", v));
    }
    String[] matrix = {"--input", "A=" + a, "--input", "U=" + archive};
    assertThat(eval("C(i,k) = A(i,j) * U(j,k)", matrix).out())
        .isEqualTo("1 1 2\n1 2 4\n2 1 25\n2 2 30\n3 1 17.5\n3 2 26\n");
    String[] vector = {"--input", "A=" + a, "--input", "v=" + archive};
    assertThat(eval("y(i) = A(i,j) * v(j)", vector).out()).isEqualTo("1 2\n2 500\n3 1507\n");
    String[] other = {"--input", "A=" + a, "--input", "w=" + archive};
    Run unknown = eval("y(i) = A(i,j) * w(j)", other);
    assertThat(unknown.status()).isNotZero();
    assertThat(unknown.err()).contains("f.npz: expected an array 'w'").contains("U").contains("v");
    assertThat(eval("y(i) = A(i,j) * U(j)", matrix).err()).contains("expected a tensor with 1");
    Path single = folder.resolve("one.npz");
    try (OutputStream out = Files.newOutputStream(single)) {
      NpzFile.write(out, Map.of("arr_0", DenseMatrix.column(new double[] {1, 1, Double.NaN, 1})));
    }
    String[] only = {"--input", "A=" + a, "--input", "w=" + single};
    assertThat(eval("y(i) = A(i,j) * w(j)", only).err())
        .contains("found NaN in row 2")
        .contains("--allow-nonfinite");
  }

  @Test
  void inputsThatDoNotFitSayWhatWouldFit() throws Exception {
    Path text = Files.writeString(folder.resolve("commas.tns"), "1,1,2\n2,1,3\n");
    String[] commas = {"--input", "A=" + text};
    assertThat(eval("y(i) = A(i,j)", commas).err()).contains("blanks or tabs separate columns");
    Path entries = Files.writeString(folder.resolve("vector.tns"), "1 2\n6 3\n");
    String[] vector = {"--input", "A=" + entries};
    assertThat(eval("y(i) = A(i,j)", vector).err())
        .contains("expected a tensor with 2 modes")
        .contains("found 1 (6)");
    assertThat(eval("y = A", vector).err())
        .contains("a tensor has a label for each mode, such as A(i,j)");
  }

  private static Run eval(String statement, String[] inputs) {
    List<String> arguments = new ArrayList<>(List.of("eval", statement));
    arguments.addAll(List.of(inputs));
    return Run.of(arguments.toArray(String[]::new));
  }

  /**
   * Zeros of an array are cells like others. A file that lists entries is sparse however many it
   * has: one of them may come twice.
   */
  @Test
  void arraysAreStoredDense() {
    String array =
        Run.write(
            folder,
            "x.mtx",
            "%%MatrixMarket matrix array real general\n4 2\n1\n0\n3\n4\n5\n6\n0\n8\n");
    String listed =
        Run.write(
            folder,
            "l.mtx",
            "%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 1\n1 1 2\n1 2 3\n2 2 4\n");
    String[] given = {"--input", "A=" + a, "--input", "X=" + array};
    String[] explained = {"--input", "A=" + a, "--input", "X=" + array, "--explain"};
    assertThat(eval("Y(i,r) = A(i,k) * X(k,r)", given).out())
        .isEqualTo("1 1 2\n1 2 10\n2 1 15\n2 2 0\n3 1 13\n3 2 47\n");
    assertThat(eval("Y(i,r) = A(i,k) * X(k,r)", explained).out()).contains("X: ", "{D, D}");
    assertThat(eval("C(i,j) = L(i,j)", new String[] {"--input", "L=" + listed}).out())
        .isEqualTo("1 1 3\n1 2 3\n2 2 4\n");
  }

  @Test
  void filesWithoutAShapeAgreeWithTheOthers() {
    Run run =
        Run.line("eval %s --input A=%s --input x=%s --zero-based", "y(i) = A(i,j) * x(j)", a, x);
    assertThat(run.out()).isEqualTo("0 0\n1 0\n2 1.5\n");
  }

  /** What files may have for a number is also a number on the command line. */
  @ParameterizedTest
  @CsvSource({
    "inf, Infinity",
    "-Infinity, -Infinity",
    "+INF, Infinity",
    "nan, NaN",
    "NaN, NaN",
    "1e3, 1000"
  })
  void numbersNeedNotBeFinite(String number, String expected) {
    String[] input = {"--input", "s=" + number};
    assertThat(eval("t = s", new String[] {"--input", "s=" + number, "--allow-nonfinite"}).out())
        .isEqualTo(expected + "\n");
    assertThat(eval("t = s", input).status()).isEqualTo(number.equals("1e3") ? 0 : 2);
  }

  /** What no file may have for a number, such as a literal of Java, is none here. */
  @ParameterizedTest
  @ValueSource(strings = {"1d", "2F", "0x1p3", "1e", "1_0", "1,5", "--1", "."})
  void numbersAreWrittenAsInFiles(String number) {
    eval("t = s", new String[] {"--input", "s=" + number})
        .fails(2, "expected a number or a .npy file with one, found '" + number + "'");
    String file = Run.write(folder, "number.tns", "1 " + number + "\n");
    assertThat(eval("y(i) = v(i)", new String[] {"--input", "v=" + file}).status()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " --reproducible"})
  void aNumberMayBeAnArrayWithoutModes(String how) throws IOException {
    String number = folder.resolve("s.npy").toString();
    String array = folder.resolve("v.npy").toString();
    try (OutputStream one = Files.newOutputStream(Path.of(number));
        OutputStream some = Files.newOutputStream(Path.of(array))) {
      NpyFile.writeArray(one, new double[] {2.5});
      NpyFile.writeVector(some, new double[] {2.5});
    }
    String line = "eval %s --input x=%s --input s=%s" + how;
    assertThat(Run.line(line, "t = s * x", "4", number).out()).isEqualTo("10\n");
    assertThat(Run.line(line, "x += s", "0.5", number).out()).isEqualTo("3\n");
    Run whole = Run.line(line + " --type int", "t = s * x", "4", number);
    assertThat(whole.err()).contains("WEFT-308", "--input s: expected an integer", "2.5");
    Run.line(line, "t = s * x", "4", array)
        .fails(2, array + ": expected a number, which is an array without modes, found an array");
  }

  /** A mode without a declared size is as large as any label that it has, wherever it has it. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "C(i,k) = E(i,j) * E(j,k)             | 1 3 2;1 4 15;2 4 5",
        "C(i,j) = E(i,j) + E(j,i)             | 1 2 2;1 3 3;2 1 2;2 3 1;3 1 3;3 2 1;3 4 5;4 3 5",
        "s = E(i,j) * E(j,k) * E(i,k)         | 6",
        "d(i) = E(i,i)                        | 1 0;2 0;3 0;4 0",
        "C(i,l) = E(i,j) * E(j,k) * E(k,l)    | 1 4 10",
        "y(i) = E(i,j) * v(j) + v(k) * E(i,k) | 1 46;2 2;3 0",
        "v(k) += E(k,j)                       | 1 5;2 11;3 6;6 1",
        "C(i,j)<E(j,i)> = v(i) * v(j)          | 3 2 10"
      })
  void sizesAreThoseOfAllLabelsOfAMode(String expression, String expected) {
    String e = Run.write(folder, "e.tns", "1 2 2\n1 3 3\n2 3 1\n3 4 5\n");
    String v = Run.write(folder, "v.tns", "2 10\n3 1\n6 1\n");
    List<String> inputs = new ArrayList<>(List.of("--input", "E=" + e));
    if (expression.contains("v(")) {
      inputs.addAll(List.of("--input", "v=" + v));
    }
    Run run = eval(expression, inputs.toArray(String[]::new));
    assertThat(run.out()).as(run.err()).isEqualTo(expected.replace(';', '\n') + "\n");
    inputs.addAll(List.of("--reorder", "E=random:3"));
    Run reordered = eval(expression, inputs.toArray(String[]::new));
    assertThat(reordered.out()).as(reordered.err()).isEqualTo(run.out());
  }

  /** Modes are up to 2^63-1 coordinates long; an order of them would be an array. */
  @Test
  void longModesNeedNoOrder() {
    String big = Run.write(folder, "big.tns", "1 1 2\n3000000000 2000000000 3\n");
    assertThat(eval("C(i,j) = A(i,j) + A(i,j)", new String[] {"--input", "A=" + big}).out())
        .isEqualTo("1 1 4\n3000000000 2000000000 6\n");
    assertThat(eval("C(j,i) = A(i,j)", new String[] {"--input", "A=" + big}).out())
        .isEqualTo("1 1 2\n2000000000 3000000000 3\n");
  }

  /** A matrix with more rows than any array can have needs no format to be named. */
  @Test
  void hypersparseMatricesNeedNoFormat() {
    String h =
        Run.write(
            folder,
            "h.mtx",
            "%%MatrixMarket matrix coordinate real general\n"
                + "99999999999 99999999999 2\n99999999999 3 1.5\n4 99999999999 2.5\n");
    Run run = Run.of("eval", "s = H(i,j)", "--input", "H=" + h);
    assertThat(run.err()).isEmpty();
    assertThat(run.out()).isEqualTo("4\n");
  }

  @Test
  void everyFormatGivesTheSame() {
    for (String format : new String[] {"CSR", "CSC", "COO@1,0", "DCSC", "Dense"}) {
      Run.line(
              "eval %s --input A=%s --input B=%s --input alpha=2 --format A=%s --size i=4",
              "s = A(i,j) * B(i,j) + alpha * A(i,j)", a, b, format)
          .fails(2, "label i", "size 3", "size 4");
      Run right =
          Run.line(
              "eval %s --input A=%s --input D=%s --input alpha=2 --format A=%s",
              "s = A(i,j) * D(i,j) + alpha * A(i,j)", a, a, format);
      assertThat(right.out()).as(right.err()).isEqualTo("111.25\n");
    }
  }

  /** Whatever the order in which a dense result lies in memory. */
  @ParameterizedTest
  @ValueSource(strings = {"Dense", "Dense@1,0", "{D:0/2, D:1/2, D:0%2, D:1%2}"})
  void aDenseResultHasEveryCell(String format) {
    String[] operands = {"--input", "A=" + a, "--input", "B=" + b, "--format", "C=" + format};
    assertThat(eval("C(i,k) = A(i,j) * B(j,k)", operands).out())
        .isEqualTo("1 1 2\n1 2 0\n2 1 0\n2 2 0\n3 1 7\n3 2 0.75\n");
  }

  @Test
  void longsOfFilesKeepAllTheirDigits() throws Exception {
    String text = "1 9007199254740993\n2 -9223372036854775807\n3 9223372036854775806\n";
    Files.writeString(folder.resolve("long.tns"), text);
    String input = "A=" + folder.resolve("long.tns");
    for (String format : List.of("Dense", "{CU}", "{H}")) {
      String result = "y=" + format;
      Run run =
          Run.of("eval", "y(i) = A(i)", "--input", input, "--type", "long", "--format", result);
      assertThat(run.out()).as(run.err()).isEqualTo(text);
      Path out = folder.resolve("out" + format.length() + ".tns");
      assertThat(
              Run.line(
                      "eval %s --input %s --type long --format %s --output %s",
                      "y(i) = A(i)", input, result, out.toString())
                  .status())
          .isZero();
      assertThat(out).hasContent(text);
    }
  }

  @Test
  void longsPrintAllTheirDigits() {
    String[] operands = {
      "--type", "long", "--input", "x=" + x, "--input", "b=3037000499", "--input", "c=1000000007"
    };
    assertThat(eval("y(i) = x(i) * b * c", operands).out())
        .isEqualTo("1 6074001040518006986\n2 0\n3 3037000520259003493\n");
  }

  @Test
  void writesAFileAndAccumulates() {
    String c = folder.resolve("c.tns").toString();
    Run.of("eval", "C(j,i) = A(i,j)", "--input", "A=" + a, "--output", "C=" + c).succeeds();
    assertThat(Run.read(c)).isEqualTo("1 1 2\n1 3 7\n3 2 5\n4 3 1.5\n");
    Run.of("eval", "C(j,i) = A(i,j)", "--input", "A=" + a, "--output", "C=" + c)
        .fails(2, "the output exists");
    Run more = Run.of("eval", "C(j,i) += A(i,j)", "--input", "A=" + a, "--input", "C=" + c);
    assertThat(more.out()).as(more.err()).isEqualTo("1 1 4\n1 3 14\n3 2 10\n4 3 3\n");
  }

  @Test
  void explainsOnOneScreenWithoutComputing() {
    String c = folder.resolve("c.tns").toString();
    String[] command = {
      "eval",
      "C(i,j) = A(i,j) .* B(i,j)",
      "--input",
      "A=" + a,
      "--input",
      "B=" + a,
      "--format",
      "B=CSC",
      "--output",
      c
    };
    List<String> words = new ArrayList<>(List.of(command));
    words.add("--explain");
    Run run = Run.of(words.toArray(String[]::new));
    assertThat(run.out())
        .contains("A: ", "stored entries", "convert", "is the cheapest to", "bucket");
    assertThat(run.out().lines().count()).isLessThan(40);
    words.remove("--explain");
    words.addAll(0, List.of("explain", "--loops"));
    assertThat(Run.of(words.toArray(String[]::new)).out()).contains("merge lattices", "for (");
    assertThat(Run.names(folder)).doesNotContain("c.tns");
  }

  @Test
  void analyzesWhatItPlans() {
    Run run =
        Run.line(
                "explain --analyze eval %s --input A=%s --input B=%s",
                "C(i,k) = A(i,j) * B(j,k)", a, b)
            .succeeds();
    assertThat(run.out()).contains("kernel C(i,k)", "exchange", "; measured ", "result: ");
    Run.of("explain", "--analyze", "stats", a)
        .fails(2, "explain --analyze works with eval, run, mttkrp");
  }

  @Test
  void plansForAClusterThatIsNotThere() {
    String[] command = {
      "explain",
      "--executors",
      "1000",
      "--cores",
      "4",
      "--memory",
      "16g",
      "--network",
      "1.25",
      "eval",
      "C(i,k) = A(i,j) * B(j,k)",
      "--input",
      "A=" + a,
      "--input",
      "B=" + b
    };
    Run run = Run.of(command).succeeds();
    assertThat(run.out()).contains("chosen of", "along i", "exchanged", "a task");
    command[6] = "much";
    assertThat(Run.of(command).err()).contains("--memory much: expected a size");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "C(i,j) = A(i,j        | ^",
        "C(i,j) = A(i,j)       | the operand A has no file",
        "C(i,j) = B(i,j) *     | expected an operand"
      })
  void errorsNameWhatToDo(String expression, String message) {
    Run run = Run.of("eval", expression, "--input", "Z=" + a).fails(2, message);
    assertThat(run.out()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "y(i)=2 --size i=-1                | expected a size of the label i of at least 0, found -1",
        "A(i,i)=1 --size i=3 --input A=a   | --input A=a: the expression has no operand A; it has none",
        "A(i,i)=1 --size i=3 --format B=CSR | --format B=CSR: the expression has no tensor B; it has the result A",
        "y(i)=2 --size i=3 --size j=3      | --size j=3: the expression has no label j; its labels are",
        "y(i)=A(i,j)*A(j,k) --input A=a --size l=3 | the expression has no label l; its labels are i, j, k",
        "y(i)=2 --size i=3 --size i=4      | expected --size of i once, found 'i=3' and 'i=4'",
        "s=x --input x=3 --input x=4       | expected --input of x once, found 'x=3' and 'x=4'",
        "s=x --input =3                    | expected --input NAME=FILE, found '=3'",
        "s=x --input x=3 --format s=A --format s=B | expected --format of s once",
        "y(i)=2 --size i=3 --output z=z.tns | expected --output FILE or y=FILE, as the result is y",
      })
  void pairsThatCannotBeMeantAreErrors(String line, String message) {
    Run run = Run.of(("eval " + line.strip()).split(" +")).fails(2, "WEFT-100", message);
    assertThat(run.err()).doesNotContain("WEFT-999");
  }

  @Test
  void aFailedRunLeavesNothing() {
    String c = folder.resolve("c.mtx").toString();
    Run run =
        Run.line(
            "eval %s --input A=%s --input D=%s --size j=9 --output %s",
            "C(i,j) = A(i,j) + D(i,j)", a, b, c);
    assertThat(run.status()).isEqualTo(2);
    assertThat(Run.names(folder)).containsExactly("a.mtx", "b.tns", "x.tns");
  }
}
