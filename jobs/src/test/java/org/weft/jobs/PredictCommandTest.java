package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
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
class PredictCommandTest {
  @TempDir Path folder;

  @BeforeEach
  void writeTensor() {
    StringBuilder text = new StringBuilder();
    for (int e = 0; e < 70; e++) {
      text.append(e % 5 + 1).append(' ').append(e * 7 % 6 + 1).append(' ').append(e * 11 % 7 + 1);
      text.append(' ').append(1 + e % 9).append('\n');
    }
    Run.write(folder, "x.tns", text.toString());
    Run.write(folder, "names", "ant\nbee\ncat\ndog\neel\n");
    Run.write(folder, "q.tns", "5 1 7 2\n1 6 2 0.5\n5 1 7 3\n");
  }

  private Run run(String line) {
    return Run.of(line.replace("@", folder + "/").split(" "));
  }

  private void model(String command) {
    Run made =
        run(command + " @x.tns --rank 2 --output @m --labels 0=@names --names who,what,when");
    assertThat(made.status()).as(made.err()).isZero();
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
      Run predicted = run("predict @p @q.tns");
      assertThat(predicted.status()).as(predicted.err()).isZero();
      assertThat(predicted.out().lines()).first().isEqualTo("5\t1\t7\t" + made.predict(4, 0, 6));
      assertThat(run("report @p @p.html").status()).isZero();
      assertThat(run("cpd @x.tns --rank 2 --init @p --output @n").status()).isZero();
    }
  }

  private double value(int... at) {
    double[] lambda = NpyFile.read(FileAccess.local(), folder + "/m/lambda.npy").chunk(0);
    double sum = 0;
    for (int r = 0; r < lambda.length; r++) {
      double term = lambda[r];
      for (int mode = 0; mode < at.length; mode++) {
        DenseMatrix factor = NpyFile.read(FileAccess.local(), folder + "/m/mode" + mode + ".npy");
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
    Run run = run("predict @m @q.tns");
    assertThat(run.status()).as(run.err()).isZero();
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
    assertThat(run("predict @m @q.tns @p.tns").status()).isZero();
    String written = Run.read(folder + "/p.tns");
    assertThat(written).contains("5 1 7 " + first, "1 6 2 " + second);
  }

  @Test
  void theBestSlicesOfAModeAreFoundOnceForEachQuestion() {
    model("complete");
    Run run = run("predict @m @q.tns --top 2 --mode what");
    assertThat(run.status()).as(run.err()).isZero();
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
    assertThat(run("predict @m @q.tns @best.tsv --top 2 --mode 1").status()).isZero();
    assertThat(Run.read(folder + "/best.tsv")).isEqualTo(run.out());
  }

  /** A query, or a day's new entries, of its own labels: coordinates differ, labels do not. */
  @Test
  void labelsAreMatchedWhateverTheirCoordinates() {
    Run.write(folder, "sales.csv", "who,what,n\nann,kiwi,1\nbob,pear,4\ncid,plum,9\nbob,plum,2\n");
    Run.write(folder, "query.csv", "who,what,n\ncid,plum,9\nbob,pear,4\ndan,plum,1\n");
    Run.write(folder, "other.csv", "who,what,n\nann,apple,1\nbob,pear,4\ncid,plum,9\n");
    Run.write(folder, "turned.csv", "what,who,n\nplum,cid,9\n");
    for (String table : List.of("sales", "query", "other")) {
      assertThat(
              run("ingest @" + table + ".csv @" + table + ".weft --mode who --mode what --value n")
                  .status())
          .isZero();
    }
    assertThat(run("ingest @turned.csv @turned.weft --mode what --mode who --value n").status())
        .isZero();
    assertThat(run("cpd @sales.weft --rank 2 --output @s").status()).isZero();
    List<String> all = run("predict @s @sales.weft").out().lines().toList();
    Run query = run("predict @s @query.weft");
    assertThat(query.out().lines())
        .containsExactlyInAnyOrderElementsOf(
            all.stream().filter(l -> l.matches("(cid\tplum|bob\tpear)\t.*")).toList());
    assertThat(query.err()).contains("with labels that the model lacks: 1\n");
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
    assertThat(run("predict @s @turned.weft").err())
        .contains("WEFT-103", "in the order of the model");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "@m @far.tns | WEFT-103 | expected coordinates of at most 6 in mode 1 | found 9",
        "@m @two.tns | WEFT-103 | expected 3 modes | found 2",
        "@m @q.tns --top 2 | WEFT-100 | expected --top N of at least 1 and --mode MODE | both",
        "@m @q.tns --top 1 --mode 7 | WEFT-100 | --mode 0 to 2 or who, what, when | found 7",
        "@none @q.tns | WEFT- | found no summary.json | none",
        "@t @q.tns | WEFT-100 | expected a model with weights of components | tucker",
        "@m @q.tns @q.tns | WEFT-104 | q.tns | the output exists",
      })
  void mistakesAreOneError(String line, String code, String message, String more) {
    model("cpd");
    assertThat(run("tucker @x.tns --ranks 2,2,2 --output @t").status()).isZero();
    Run.write(folder, "far.tns", "1 1 1 1\n1 9 1 1\n");
    Run.write(folder, "two.tns", "1 1 1\n");
    Run run = run("predict " + line);
    assertThat(run.status()).as(run.err()).isEqualTo(2);
    assertThat(run.err()).contains(code, message, more);
    assertThat(run.out()).isEmpty();
  }
}
