package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.api.CpModel;
import org.weft.api.TensorModel;
import org.weft.api.Weft;
import org.weft.storage.file.FileAccess;
import org.weft.storage.npy.NpyFile;
import org.weft.tensor.DenseMatrix;

/** {@code weft predict} against sums written out in the test. */
class PredictCommandTest extends FolderCase {
  private static final FileAccess FILES = FileAccess.plain();

  @BeforeEach
  void writeTensor() {
    scattered(70, e -> 1 + e % 9);
    Run.write(folder, "names", "ant\nbee\ncat\ndog\neel\n");
    Run.write(folder, "q.tns", "5 1 7 2\n1 6 2 0.5\n5 1 7 3\n");
  }

  private Run run(String line) {
    return Run.of(line.replace("@", folder + "/").split(" "));
  }

  private void model(String command) {
    run(command + " @x.tns --rank 2 --output @m --labels 0=@names --names who,what,when")
        .succeeds();
  }

  @Test
  void programsAndCommandsReadEachOthersModels() {
    model("cpd");
    try (Weft weft = Weft.local()) {
      TensorModel read = weft.model(folder + "/m");
      assertThat(read.modes()).containsExactly("who", "what", "when");
      assertThat(read.predict(4, 0, 6)).isEqualTo(value(4, 0, 6));
      CpModel made = weft.tensor(folder + "/x.tns").cpd(2).run();
      made.save(folder + "/p");
      Run predicted = run("predict @p @q.tns").succeeds();
      assertThat(predicted.out().lines()).first().isEqualTo("5\t1\t7\t" + made.predict(4, 0, 6));
      run("report @p @p.html").succeeds();
      run("cpd @x.tns --rank 2 --init @p --output @n").succeeds();
    }
  }

  private double value(int... at) {
    double[] lambda = NpyFile.read(FILES, folder + "/m/lambda.npy").chunk(0);
    double sum = 0;
    for (int r = 0; r < lambda.length; r++) {
      double term = lambda[r];
      for (int mode = 0; mode < at.length; mode++) {
        DenseMatrix factor = NpyFile.read(FILES, folder + "/m/mode" + mode + ".npy");
        term *= factor.get(at[mode], r);
      }
      sum += term;
    }
    return sum;
  }

  @ParameterizedTest
  @ValueSource(strings = {"cpd", "complete", "cpapr"})
  void valuesAreThoseOfTheModel(String command) throws IOException {
    model(command);
    Run run = run("predict @m @q.tns").succeeds();
    List<String> lines = run.out().lines().toList();
    assertThat(lines).hasSize(3);
    assertThat(lines.get(0)).startsWith("eel\t1\t7\t");
    assertThat(lines.get(1)).startsWith("ant\t6\t2\t");
    double first = Double.parseDouble(lines.get(0).split("\t")[3]);
    double second = Double.parseDouble(lines.get(1).split("\t")[3]);
    assertThat(first).isCloseTo(value(4, 0, 6), within(1e-12 * Math.abs(first)));
    assertThat(second).isCloseTo(value(0, 5, 1), within(1e-12 * Math.abs(second)));
    double squares = Math.pow(first - 2, 2) + Math.pow(second - 0.5, 2) + Math.pow(first - 3, 2);
    assertThat(run.err()).contains(String.format("RMSE %.6g against", Math.sqrt(squares / 3)));
    run("predict @m @q.tns @p.tns").succeeds();
    String written = Run.read(folder + "/p.tns");
    assertThat(written).contains("5 1 7 " + first, "1 6 2 " + second);
  }

  private double coreValue(int... at) {
    double[] core = NpyFile.readArray(FILES, folder + "/t/core.npy", 2, 3, 2);
    double sum = 0;
    for (int term = 0; term < core.length; term++) {
      int[] columns = {term / 6, term / 2 % 3, term % 2};
      double product = core[term];
      for (int mode = 0; mode < at.length; mode++) {
        DenseMatrix factor = NpyFile.read(FILES, folder + "/t/mode" + mode + ".npy");
        product *= factor.get(at[mode], columns[mode]);
      }
      sum += product;
    }
    return sum;
  }

  @Test
  void valuesOfATuckerModelAreThoseOfItsCore() {
    run("tucker @x.tns --ranks 2,3,2 --output @t --labels 0=@names").succeeds();
    Run run = run("predict @t @q.tns").succeeds();
    String[] first = run.out().lines().findFirst().orElseThrow().split("\t");
    assertThat(first).startsWith("eel", "1", "7");
    assertThat(Double.parseDouble(first[3])).isCloseTo(coreValue(4, 0, 6), within(1e-9));
    Run best = run("predict @t --at 0=bee,2=3 --top 6 --mode 1").succeeds();
    assertThat(best.out().lines()).hasSize(6);
    for (String line : best.out().lines().toList()) {
      String[] cells = line.split("\t");
      double value = coreValue(1, Integer.parseInt(cells[1]) - 1, 2);
      assertThat(Double.parseDouble(cells[3])).isCloseTo(value, within(1e-9));
    }
  }

  /** Without labels no comma is a part of one. */
  @Test
  void aModeThatAModelDoesNotHaveIsNamed() {
    run("tucker @x.tns --ranks 2,3,2 --output @t").succeeds();
    for (String mode : List.of("9", "day")) {
      Run run =
          run("predict @t --at 0=1,1=1,2=1," + mode + "=1")
              .fails(2, "WEFT-100", "--at", "0 to 2", mode);
      assertThat(run.err()).doesNotContain("no labels");
    }
  }

  /** Labels with the signs that divide the parts of a cell. */
  @Test
  void cellsAreNamedByLabels() {
    Run.write(folder, "names", "Smith, John\na=b\nwhat\nwho=x\n,\n");
    model("cpd");
    List<String> line = List.of("predict", folder + "/m", "--at");
    String[] labels = {"Smith, John", "a=b", "what", "who=x", ","};
    for (int row = 0; row < labels.length; row++) {
      List<String> asked = new ArrayList<>(line);
      asked.add("who=" + labels[row] + ",when=7, what=1");
      asked.addAll(List.of("--at", "2=2,1=6,0=" + labels[row]));
      Run run = Run.of(asked.toArray(String[]::new)).succeeds();
      List<String> found = run.out().lines().toList();
      assertThat(found).hasSize(2);
      assertThat(found.get(0)).startsWith(labels[row] + "\t1\t7\t");
      assertThat(found.get(1)).startsWith(labels[row] + "\t6\t2\t");
      double value = Double.parseDouble(found.get(0).split("\t")[3]);
      assertThat(value).isCloseTo(value(row, 0, 6), within(1e-12 * Math.abs(value)));
    }
    assertThat(run("predict @m @cell.tns --at who=,,what=1,when=7").status()).isEqualTo(2);
  }

  @Test
  void theBestSlicesOfAModeAreFoundOnceForEachQuestion() {
    model("complete");
    Run run = run("predict @m @q.tns --top 2 --mode what").succeeds();
    int[] best =
        IntStream.range(0, 6)
            .boxed()
            .sorted(Comparator.comparingDouble(item -> -value(4, item, 6)))
            .mapToInt(item -> item)
            .toArray();
    List<String> lines = run.out().lines().toList();
    assertThat(lines).hasSize(4);
    for (int place = 0; place < 2; place++) {
      String[] cells = lines.get(place).split("\t");
      assertThat(Arrays.copyOf(cells, 3)).containsExactly("eel", "" + (best[place] + 1), "7");
      assertThat(Double.parseDouble(cells[3])).isCloseTo(value(4, best[place], 6), within(1e-9));
    }
    assertThat(lines.get(2)).startsWith("ant\t");
    run("predict @m @q.tns @best.tsv --top 2 --mode 1").succeeds();
    assertThat(Run.read(folder + "/best.tsv")).isEqualTo(run.out());
  }

  /** A query, or a day's new entries, of its own labels: coordinates differ, labels do not. */
  @Test
  void labelsAreMatchedWhateverTheirCoordinates() throws IOException {
    List<String> modes = List.of("who", "what");
    String[] sales = {"ann,kiwi,1", "bob,pear,4", "cid,plum,9", "bob,plum,2"};
    LabelledTensor.write(folder.resolve("sales.weft"), modes, sales);
    String[] query = {"cid,plum,9", "bob,pear,4", "dan,plum,1"};
    LabelledTensor.write(folder.resolve("query.weft"), modes, query);
    String[] other = {"ann,apple,1", "bob,pear,4", "cid,plum,9"};
    LabelledTensor.write(folder.resolve("other.weft"), modes, other);
    LabelledTensor.write(folder.resolve("turned.weft"), List.of("what", "who"), "plum,cid,9");
    run("cpd @sales.weft --rank 2 --output @s").succeeds();
    List<String> all = run("predict @s @sales.weft").out().lines().toList();
    Run asked = run("predict @s @query.weft");
    assertThat(asked.out().lines())
        .containsExactlyInAnyOrderElementsOf(
            all.stream().filter(l -> l.matches("(cid\tplum|bob\tpear)\t.*")).toList());
    assertThat(asked.err()).contains("with labels that the model lacks: 1\n");
    Run best = run("predict @s @query.weft --top 1 --mode what");
    assertThat(best.out().lines()).hasSize(2).anyMatch(l -> l.startsWith("cid\tplum\t"));
    String elsewhere =
        "expected the labels of the model "
            + folder
            + "/s, 'kiwi' at coordinate 1 of mode"
            + " what, found 'apple'";
    assertThat(run("diagnose @s @other.weft").err()).contains("WEFT-103", elsewhere);
    assertThat(run("report @s @r.html --tensor @other.weft").err()).contains("WEFT-103", elsewhere);
    assertThat(run("cpd @other.weft --append @s --output @t").err())
        .contains("WEFT-103", elsewhere);
    Run.write(folder, "new.tns", "1 4 2\n2 4 1\n");
    Run.write(folder, "fruit", "apple\npear\nplum\nfig\n");
    String update = "cpd @new.tns --append @s --names who,what --labels what=@fruit --output @t";
    assertThat(run(update).err())
        .contains("WEFT-103", "@new.tns".replace("@", folder + "/"), "found 'apple'");
    Run.write(folder, "fruit", "kiwi\npear\nplum\nfig\n");
    run(update).succeeds();
    for (String line :
        List.of(
            "predict @s @turned.weft",
            "diagnose @s @turned.weft",
            "report @s @r.html --tensor @turned.weft",
            "cpd @turned.weft --init @s --rank 2 --output @t",
            "cpd @turned.weft --append @s --output @t")) {
      assertThat(run(line + " --overwrite").err())
          .contains("WEFT-103", "turned.weft: expected the modes in the order of the model");
    }
    run("cpd @turned.weft --rank 2 --output @turned").succeeds();
    assertThat(run("compare @s @turned").err())
        .contains("WEFT-103", "turned: expected the modes in the order of the model");
    run("convert @sales.weft @plain.tns").succeeds();
    run("cpd @plain.tns --rank 2 --output @plain --names who,what").succeeds();
    assertThat(run("compare @s @plain").err())
        .contains("mode who: only " + folder + "/s has labels", "mode what: only ");
    assertThat(run("compare @s @s").err()).doesNotContain("labels");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "@m @far.tns | WEFT-103 | expected coordinates of at most 6 in mode 1 | found 9",
        "@m @two.tns | WEFT-103 | expected 3 modes | found 2",
        "@m @q.tns --top 2 | WEFT-100 | expected --mode MODE with --top 2 | found none",
        "@m @q.tns --top 1 --mode 7 | WEFT-100 | --mode 0 to 2 or who, what, when | found 7",
        "@none @q.tns | WEFT- | found no summary.json | none",
        "@m | WEFT-100 | expected either QUERY, a tensor, or --at | found neither",
        "@m @q.tns --at who=ant | WEFT-100 | expected either QUERY, a tensor, or --at | found both",
        "@m --at ant | WEFT-100 | expected --at as MODE=LABEL,..., such as who=... | found 'ant'",
        "@m --at who=ant,what=1 | WEFT-100 | expected every mode of the model | none of when",
        "@m --at who=ant,who=bee | WEFT-100 | expected each mode once | found who twice",
        "@m --at who=yak,what=1,when=1 | WEFT-100 | a label of mode who, such as 'ant' | found 'yak'",
        "@m --at who=ant,what=9,when=1 | WEFT-100 | from 1 to 6 of mode what | found '9'",
        "@m --at who=ant,what=a,when=1 | WEFT-100 | which has no labels | found 'a'",
        "@m --at whom=ant | WEFT-100 | --at 0 to 2 or who, what, when | no mode has this name",
        "@m @q.tns @q.tns | WEFT-104 | q.tns | the output exists",
      })
  void mistakesAreOneError(String line, String code, String message, String more) {
    model("cpd");
    Run.write(folder, "far.tns", "1 1 1 1\n1 9 1 1\n");
    Run.write(folder, "two.tns", "1 1 1\n");
    Run run = run("predict " + line).fails(2, code, message, more);
    assertThat(run.out()).isEmpty();
  }
}
