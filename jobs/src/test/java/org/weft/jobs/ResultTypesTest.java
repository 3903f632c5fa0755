package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.storage.ReadOptions;
import org.weft.storage.TensorFiles;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.ValueType;

/**
 * The type of a result in every kind of file: that of the statement, in one process and on Spark.
 */
class ResultTypesTest extends FolderCase {
  private static final Pattern STORED = Pattern.compile("\"valueType\" : \"(\\w+)\"");
  private static final Pattern ELEMENTS = Pattern.compile("'descr': '([^']+)'");

  /**
   * Results of a program: dense, sparse, a vector, one without entries and one never computed. Each
   * two of tensor, type and format meet; with -Plong all three do.
   */
  @ParameterizedTest
  @CsvSource({
    "double, real, <f8, double, 0.1",
    "float, real, <f8, float, 0.1",
    "int, integer, <i8, int, -2147483648",
    "long, integer, <i8, long, 9007199254740993"
  })
  void filesOfAProgram(String type, String text, String array, String container, String value) {
    String a = Run.write(folder, "a.tns", "1 1 2\n2 3 " + value + "\n3 2 -1\n");
    List<String> files = new ArrayList<>();
    StringBuilder program = new StringBuilder("def main() {\n  IndexLabel [i, j] = [3];\n");
    String start = "  Tensor<" + type + "> ";
    program.append(start).append("A([i, j], {CSR});\n").append(start).append("Z([i, j], {COO});\n");
    program
        .append(start)
        .append("D([i, j], {Dense});\n")
        .append(start)
        .append("S([i, j], {CSR});\n");
    program
        .append(start)
        .append("R([i, j], {Dense});\n")
        .append(start)
        .append("v([j], {Dense});\n");
    program.append("  A[i, j] = read(\"" + a + "\");\n  R[i, j] = 3;\n");
    program.append("  S[i, j] = A[j, i];\n  D[i, j] = A[i, j] + R[i, j];\n  v[j] = A[i, j];\n");
    program.append("  Z[i, j] = A[i, j] * S[i, j];\n");
    int pair = ValueType.valueOf(type.toUpperCase(Locale.ROOT)).ordinal();
    for (String tensor : List.of("A", "D", "S", "R", "v", "Z")) {
      for (String extension : List.of(".tns", ".mtx", ".npy", ".weft", ".wtb")) {
        if (pair++ % 2 == 0 && !Boolean.getBoolean("weft.long")) {
          continue;
        }
        boolean fits = !extension.equals(".wtb") || !type.equals("long");
        if (fits && (!extension.equals(".mtx") || !tensor.equals("v"))) {
          files.add(tensor + extension);
          program.append("  write(" + tensor + ", \"%s/" + tensor + extension + "\");\n");
        }
      }
    }
    program.append("  var s = SUM(A[i, j]);\n  print(s);\n}\n");
    Map<String, String> here = run(program.toString(), files, "here");
    here.forEach(
        (file, written) ->
            assertThat(written)
                .as(file)
                .startsWith(
                    file.endsWith(".mtx")
                        ? "%%MatrixMarket matrix coordinate " + text + " general\n"
                        : file.endsWith(".npy")
                            ? array + "\n"
                            : file.endsWith(".weft") ? container + "\n" : ""));
    assertThat(run(program.toString(), files, "there", "--master", "local[2]")).isEqualTo(here);
  }

  private Map<String, String> run(
      String program, List<String> files, String name, String... options) {
    Path out = folder.resolve(name);
    try {
      Files.createDirectory(out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    List<String> words = new ArrayList<>(List.of("run"));
    words.add(Run.write(folder, name + ".ta", program.replace("%s", out.toString())));
    words.addAll(List.of(options));
    Run run = Run.of(words.toArray(String[]::new)).succeeds();
    Map<String, String> found = new TreeMap<>(Map.of("printed", run.out()));
    files.forEach(file -> found.put(file, written(out.resolve(file))));
    return found;
  }

  @ParameterizedTest
  @CsvSource({"int, .mtx", "long, .weft", "float, .weft", "int, .npy"})
  void filesOfAStatement(String type, String extension) {
    String a = Run.write(folder, "a.tns", "1 1 2\n2 3 5\n3 2 -1\n");
    List<String> found = new ArrayList<>();
    for (String place : List.of("", "--master local[2]")) {
      Path out = folder.resolve("c" + found.size() + extension);
      List<String> words = new ArrayList<>(List.of("eval", "C(j,i) = A(i,j)", "--input", "A=" + a));
      words.addAll(List.of("--type", type, "--output", out.toString()));
      words.addAll(place.isEmpty() ? List.of() : List.of(place.split(" ")));
      Run.of(words.toArray(String[]::new)).succeeds();
      found.add(written(out));
    }
    assertThat(found.get(1)).isEqualTo(found.get(0));
    assertThat(found.get(0))
        .startsWith(
            switch (extension) {
              case ".mtx" -> "%%MatrixMarket matrix coordinate integer general\n";
              case ".npy" -> "<i8\n";
              default -> type + "\n";
            });
  }

  /** The other pairs of {@link #filesOfAStatement}. */
  @Tag("long")
  @ParameterizedTest
  @CsvSource({"long, .mtx", "int, .weft", "long, .npy"})
  void moreFilesOfAStatement(String type, String extension) {
    filesOfAStatement(type, extension);
  }

  /** Products that only float and double have: their rows and their entries. */
  @ParameterizedTest
  @CsvSource({
    "ttv --mode 0, .weft",
    "ttm --mode 0 --rank 2, .weft",
    "mttkrp --mode 0 --rank 2, .weft"
  })
  void containersOfProducts(String command, String extension) {
    String a = Run.write(folder, "a.tns", "1 1 1 2\n2 3 1 0.1\n3 2 2 -1\n");
    List<String> found = new ArrayList<>();
    for (String place : List.of("", " --master local[2]")) {
      Path out = folder.resolve("c" + found.size() + extension);
      Run.line(command.replaceFirst(" ", " %s ") + " --type float --output %s" + place, a, out)
          .succeeds();
      found.add(written(out));
    }
    assertThat(found.get(0)).startsWith("float\n");
    assertThat(found.get(1)).isEqualTo(found.get(0));
  }

  /** Coordinates of text start where the option says, in one process and on Spark. */
  @ParameterizedTest
  @CsvSource({
    "eval c(i)=A(i;j) --input A=%s --format c=CSF, 0 2|1 5|",
    "ttv %s --mode 1 --vector ones.npy, 0 2|1 5|"
  })
  void coordinatesFromZero(String command, String expected) {
    String a = Run.write(folder, "a.tns", "0 1 2\n1 0 5\n");
    String ones = folder.resolve("ones.npy").toString();
    Run.line("eval o(i)=1 --size i=2 --output %s", ones);
    for (String place : List.of("", " --master local[2]")) {
      Path out = folder.resolve("c.tns");
      String line = command.replace(';', ',').replace("ones.npy", ones);
      Run.line(line + " --zero-based --overwrite --output %s" + place, a, out).succeeds();
      assertThat(Run.read(out.toString()).replace('\n', '|')).as(place).isEqualTo(expected);
    }
  }

  /** In a program that reads files of several formats, it says so of FROSTT text. */
  @Test
  void coordinatesFromZeroBesideAMatrixMarketFile() {
    String a = Run.write(folder, "a.tns", "0 1 2\n1 0 5\n");
    String b =
        Run.write(folder, "b.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n2 1 4\n");
    Path out = folder.resolve("c.tns");
    String program =
        Run.write(
            folder,
            "sum.ta",
            """
            def main() {
              IndexLabel [i, j] = [?];
              Tensor<double> A([i, j], {CSR}); Tensor<double> B([i, j], {CSR}); Tensor<double> C([i, j], {CSR});
              A[i, j] = read("%s"); B[i, j] = read("%s"); C[i, j] = A[i, j] + B[i, j];
              write(C, "%s");
            }
            """
                .formatted(a, b, out));
    for (String place : List.of("", " --master local[2]")) {
      Run.line("run %s --zero-based --overwrite" + place, program).succeeds();
      assertThat(Run.read(out.toString()).replace('\n', '|')).as(place).isEqualTo("0 1 2|1 0 9|");
    }
  }

  /** Coordinates from 0 are those of FROSTT text alone, whatever else a command reads or writes. */
  @Test
  void coordinatesFromZeroBesideFilesOfOtherKinds() {
    Run.write(folder, "a.tns", "0 1 2\n1 0 5\n");
    Run.write(folder, "v.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n2 2 4\n");
    for (String line :
        List.of(
            "reorder DIR/a.tns DIR/r.weft --method identity --zero-based",
            "convert DIR/r.weft DIR/r.tns --zero-based",
            "cpd DIR/r.weft --rank 2 --output DIR/m",
            "predict DIR/m DIR/a.tns DIR/p.tns --zero-based",
            "complete DIR/a.tns --rank 1 --validate DIR/v.mtx --split 0,0 --output DIR/c"
                + " --zero-based")) {
      Run run = weft(line);
      assertThat(run.status()).as(line + run.err()).isZero();
    }
    assertThat(Run.read(folder.resolve("r.tns").toString())).endsWith("0 1 2\n1 0 5\n");
    assertThat(Run.read(folder.resolve("p.tns").toString()))
        .containsPattern("(?m)^0 1 \\S+\n1 0 \\S+$");
  }

  /** The type that a file states, if its kind does, and its entries as text, sorted. */
  private static String written(Path file) {
    String name = file.getFileName().toString();
    if (name.endsWith(".tns") || name.endsWith(".mtx")) {
      String text = Run.read(file.toString());
      int header = name.endsWith(".mtx") ? text.indexOf('\n', text.indexOf('\n') + 1) + 1 : 0;
      return text.substring(0, header) + sorted(text.substring(header).lines());
    }
    String type =
        name.endsWith(".weft")
            ? first(STORED, Run.read(file.resolve("manifest-1.json").toString()))
            : name.endsWith(".npy") ? first(ELEMENTS, start(file)) : "";
    boolean whole = List.of("int\n", "long\n", "<i8\n").contains(type);
    ReadOptions read = ReadOptions.defaults().withType(whole ? ValueType.LONG : ValueType.DOUBLE);
    FileAccess files = FileAccess.of(new Configuration());
    TensorFiles.AllEntries all =
        TensorFiles.readAll(files, TensorFiles.open(files, file.toString(), read));
    return type + sorted(all.blocks().stream().flatMap(ResultTypesTest::lines));
  }

  private static Stream<String> lines(CooBlock block) {
    return IntStream.range(0, block.size())
        .mapToObj(
            e -> {
              StringBuilder line = new StringBuilder();
              for (int mode = 0; mode < block.order(); mode++) {
                line.append(block.coordinate(mode, e)).append(' ');
              }
              return (block.hasLongValues()
                      ? line.append(block.longValue(e))
                      : line.append(block.value(e)))
                  .toString();
            });
  }

  private static String sorted(Stream<String> lines) {
    return lines.sorted().collect(Collectors.joining("\n"));
  }

  private static String start(Path file) {
    try {
      return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String first(Pattern pattern, String text) {
    Matcher found = pattern.matcher(text);
    assertThat(found.find()).as(text).isTrue();
    return found.group(1) + "\n";
  }
}
