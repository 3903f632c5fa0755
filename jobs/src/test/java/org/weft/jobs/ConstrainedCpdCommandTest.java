package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.storage.file.FileAccess;
import org.weft.storage.npy.NpyFile;

/** {@code weft cpd --constrain} from file to folder. */
class ConstrainedCpdCommandTest extends FolderCase {
  private String tensor = "";

  @BeforeEach
  void writeTensor() {
    tensor = scattered(200, new int[] {7, 9, 11}, new int[] {1, 5, 3}, e -> (e % 13 - 4) * 1e6);
  }

  private Run cpd(String more) {
    return weft("cpd " + tensor + " --rank 3 --names user,item,day " + more);
  }

  @Test
  void modesAreConstrainedByNumberAndByName() throws IOException {
    String how =
        "--constrain 0=simplex,day=smooth:0.1 --constrain item=nonneg-l1:0.01 --ridge 1e-6";
    cpd(how + " --output DIR/d --iterations 8 --tolerance 0 --checkpoint DIR/k").succeeds();
    assertThat(Run.read(folder + "/d/summary.json"))
        .contains("\"0\" : \"simplex\"", "\"1\" : \"nonneg-l1:0.01\"", "\"2\" : \"smooth:0.1\"")
        .contains("\"ridge\" : 1.0E-6");
    double[] shares = NpyFile.read(FileAccess.local(), folder + "/d/mode0.npy").chunk(0);
    assertThat(Arrays.stream(shares).min().orElseThrow()).isNotNegative();
    assertThat(Arrays.stream(shares).sum()).isBetween(7 - 1e-9, 7 + 1e-9);
    double[] items = NpyFile.read(FileAccess.local(), folder + "/d/mode1.npy").chunk(0);
    assertThat(Arrays.stream(items).min().orElseThrow()).isNotNegative();

    cpd(how + " --output DIR/e --iterations 8 --tolerance 0 --checkpoint DIR/k --resume")
        .succeeds();
    assertThat(folder.resolve("e/mode2.npy")).hasSameBinaryContentAs(folder.resolve("d/mode2.npy"));
    String resume = " --tolerance 0 --output DIR/f --checkpoint DIR/k --resume";
    cpd("--constrain 0=simplex" + resume)
        .fails(
            2, "which had --constrain 0=simplex,1=nonneg-l1:0.01,2=smooth:0.1, found 0=simplex;");
    Run none = cpd("--iterations 8" + resume);
    assertThat(none.err()).contains("which had --constrain 0=simplex,", ", found none;");
  }

  @Test
  void aWeightThatLeavesNoDigitsIsNamed() {
    cpd("--constrain day=smooth:1e300 --output DIR/out")
        .fails(2, "WEFT-301", "--constrain 2=smooth:1.0E300", "lower weights");
    assertThat(folder.resolve("out")).doesNotExist();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--constrain 0=round | expected one of nonneg, simplex, l1:W, nonneg-l1:W, smooth:W, found",
        "--constrain 0 | expected --constrain MODE=HOW such as 0=nonneg, found '0'",
        "--constrain =nonneg | expected --constrain MODE=HOW such as 0=nonneg, found '=nonneg'",
        "--constrain 3=nonneg | --constrain of a mode from 0 to 2",
        "--constrain 0=nonneg,user=l1:1 | expected one constraint of mode 0, found several",
        "--constrain 0=nonneg --nonnegative | expected --nonnegative, which is of all modes, or",
        "--constrain 0=simplex,1=simplex,2=simplex | expected a mode whose columns may have any"
            + " norm, found --constrain 0=simplex,1=simplex,2=simplex",
        "--ridge -1 | expected a ridge of at least 0, found -1.0",
      })
  void mistakesAreOneError(String more, String message) {
    cpd(more + " --output DIR/out").fails(2, "WEFT-100", message);
    assertThat(folder.resolve("out")).doesNotExist();
  }
}
