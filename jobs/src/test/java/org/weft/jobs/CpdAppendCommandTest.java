package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.storage.file.FileAccess;
import org.weft.storage.npy.NpyFile;
import org.weft.tensor.DenseMatrix;

/** {@code weft cpd --append} from folder to folder. */
class CpdAppendCommandTest extends FolderCase {
  private static final int DAYS = 10;

  /** A tensor of two components, as a file of all days from one on. */
  private String days(String name, int from, int to) {
    Random random = new Random(3);
    double[] users = random.doubles(14).toArray();
    double[] items = random.doubles(12).toArray();
    double[] days = random.doubles(2L * DAYS).toArray();
    StringBuilder text = new StringBuilder();
    for (int day = from; day <= to; day++) {
      for (int user = 1; user <= 7; user++) {
        for (int item = 1; item <= 6; item++) {
          double value = 0;
          for (int r = 0; r < 2; r++) {
            value += users[2 * user - 1 - r] * items[2 * item - 1 - r] * days[2 * day - 1 - r];
          }
          text.append(user + " " + item + " " + day + " " + value + "\n");
        }
      }
    }
    return Run.write(folder, name, text.toString());
  }

  @BeforeEach
  void makeTheFirstModel() {
    days("past.tns", 1, 8);
    String line = "cpd DIR/past.tns --rank 2 --iterations 200 --tolerance 1e-10 --output DIR/past";
    weft(line).succeeds();
  }

  private double fit(String model) throws IOException {
    String summary = Run.read(folder + "/" + model + "/summary.json");
    return Double.parseDouble(summary.replaceAll("(?s).*\"fit\" : ([-0-9.eE]+),.*", "$1"));
  }

  @Test
  void daysAreAppendedOneAfterAnother() throws IOException {
    String parent = "past";
    for (int day = 9; day <= DAYS; day++) {
      days("day.tns", day, day);
      Run run =
          weft("cpd DIR/day.tns --append DIR/" + parent + " --forget 0.98 --output DIR/d" + day)
              .succeeds();
      assertThat(run.out()).contains("to the new cells; wrote");
      assertThat(fit("d" + day)).isGreaterThan(0.999);
      String summary = Run.read(folder + "/d" + day + "/summary.json");
      assertThat(summary)
          .contains("\"parent\" : {", "/" + parent + "\"", "\"forget\" : 0.98", "\"rank\" : 2");
      assertThat(summary.replaceAll("\\s", "")).contains("\"dims\":[7,6," + day + "]");
      parent = "d" + day;
    }
    String last = folder + "/" + parent + "/";
    assertThat(NpyFile.read(FileAccess.local(), last + "mode2.npy").rows()).isEqualTo(DAYS);
    assertThat(NpyFile.read(FileAccess.local(), last + "information.npy").rows()).isEqualTo(6);
    days("all.tns", 1, DAYS);
    weft("diagnose DIR/" + parent + " DIR/all.tns").succeeds();
  }

  /** A day of which all values are 0 becomes a slice of zeros. */
  @Test
  void aDayOfZerosIsAppended() throws IOException {
    Run.write(folder, "day.tns", "1 1 9 0\n7 6 9 0\n");

    weft("cpd DIR/day.tns --append DIR/past --output DIR/d9").succeeds();
    assertThat(fit("d9")).isEqualTo(1);
    DenseMatrix days = NpyFile.read(FileAccess.local(), folder + "/d9/mode2.npy");
    assertThat(days.rows()).isEqualTo(9);
    assertThat(days.get(8, 0)).isZero();
    assertThat(days.get(8, 1)).isZero();
  }

  /** The whole tensor may be given: what the model knows of it is left out. */
  @Test
  void aGrownTensorGivesTheModelOfItsNewSlices() throws IOException {
    days("new.tns", 9, DAYS);
    days("all.tns", 1, DAYS);
    weft("cpd DIR/new.tns --append DIR/past --output DIR/part --partitions 2").succeeds();
    Run all =
        weft("cpd DIR/all.tns --append DIR/past --output DIR/whole --partitions 2").succeeds();
    assertThat(all.err()).contains("84 entries of new slices; the model stands for 336 others");
    for (String file : new String[] {"mode0.npy", "mode2.npy", "lambda.npy", "information.npy"}) {
      assertThat(folder.resolve("whole/" + file))
          .hasSameBinaryContentAs(folder.resolve("part/" + file));
    }
  }

  @Test
  void labelsThatTheNewEntriesLackAreNamed() {
    String users = "a b c d e f g".replace(' ', '\n') + "\n";
    Run.write(folder, "users.map", users);
    String labelled = " --names user,item,day --labels user=DIR/users.map ";
    weft("cpd DIR/past.tns --rank 2 --iterations 2 --output DIR/known" + labelled).succeeds();
    days("new.tns", 9, 9);
    Run without = weft("cpd DIR/new.tns --append DIR/known --output DIR/out1").succeeds();
    assertThat(without.err())
        .contains("DIR/known has labels of user, and ".replace("DIR", "" + folder));
    Run with = weft("cpd DIR/new.tns --append DIR/known --output DIR/out2" + labelled).succeeds();
    assertThat(with.err()).doesNotContain("has labels of");
    assertThat(folder.resolve("out2/mode0.tsv")).exists();
  }

  @Test
  void modesOfOtherNamesAreRefused() {
    weft("cpd DIR/past.tns --names user,item,day --rank 2 --iterations 2 --output DIR/known")
        .succeeds();
    days("new.tns", 9, 9);
    String line = "cpd DIR/new.tns --append DIR/known --output DIR/out --names ";
    Run other = weft(line + "user,product,date");
    assertThat(other.status()).isEqualTo(2);
    assertThat(other.err().replace("" + folder, "DIR"))
        .startsWith(
            "weft: WEFT-103: DIR/new.tns: expected the modes of the model DIR/known, user, item,"
                + " day, found user, product, date");
    assertThat(other.err().strip().lines()).hasSize(1);
    assertThat(folder.resolve("out")).doesNotExist();
    weft(line + "user,item,day").succeeds();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "past.tns --append DIR/past | expected entries in slices after those of the model",
        "new.tns --append DIR/none | expected the folder of a decomposition, found no summary.json",
        "new.tns --append DIR/past --rank 3 | expected the rank of the model, 2, found 3",
        "new.tns --append DIR/past --forget 1.5 | expected --forget above 0 and at most 1",
        "new.tns --append DIR/past --init nvecs | expected --append without --starts, --init",
        "new.tns --append DIR/past --constrain 0=nonneg | expected --append without --starts",
        "new.tns --append DIR/past --reorder rcm | expected --append without --reorder",
        "new.tns --append DIR/past --nonnegative | expected a model made with --nonnegative",
        "flat.tns --append DIR/past | expected a model of 2 modes, as the tensor, found 3",
        "new.tns --append DIR/damaged | information.npy",
        "new.tns | expected --rank R, the number of components, found none",
      })
  void mistakesAreOneError(String more, String message) throws IOException {
    days("new.tns", 9, 9);
    Run.write(folder, "flat.tns", "1 2 3.5\n");
    if (more.contains("damaged")) {
      weft("cpd DIR/new.tns --append DIR/past --output DIR/damaged");
      days("new.tns", 10, 10);
      Files.delete(folder.resolve("damaged/information.npy"));
    }
    Run run = weft("cpd DIR/" + more + " --output DIR/out").fails(2, message);
    if (!message.contains("expected entries")) {
      assertThat(run.err()).as("what no entry decides").doesNotContain("read ");
    }
    assertThat(folder.resolve("out")).doesNotExist();
  }
}
