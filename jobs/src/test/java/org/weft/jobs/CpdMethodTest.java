package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.api.Constraint;
import org.weft.api.CpModel;
import org.weft.api.CpdRun;
import org.weft.api.Weft;

/** {@code weft cpd --method}. */
class CpdMethodTest extends FolderCase {
  private String tensor = "";

  /** Few slices have most of the entries. */
  @BeforeEach
  void writeTensor() {
    Random random = new Random(1);
    StringBuilder text = new StringBuilder();
    for (int e = 0; e < 3000; e++) {
      for (int size : new int[] {200, 150, 100}) {
        text.append((int) Math.pow(size, random.nextDouble())).append(' ');
      }
      text.append(String.format(Locale.ROOT, "%.3f%n", 1 + random.nextDouble()));
    }
    tensor = Run.write(folder, "x.tns", text.toString());
  }

  private Run cpd(String more) {
    return weft(
        "cpd " + tensor + " --tolerance 0 " + (more.contains("--rank") ? "" : "--rank 2 ") + more);
  }

  private void assertDone(Run run) {
    assertThat(run.status()).as(run.err()).isZero();
  }

  @Test
  void halsIsWhatNonnegativeTakes() throws IOException {
    assertDone(cpd("--iterations 4 --nonnegative --output DIR/a"));
    assertDone(cpd("--iterations 4 --method hals --output DIR/b"));
    assertThat(folder.resolve("b/mode1.npy")).hasSameBinaryContentAs(folder.resolve("a/mode1.npy"));
    for (String model : new String[] {"a", "b"}) {
      assertThat(Run.read(folder + "/" + model + "/summary.json"))
          .contains("\"algorithm\" : \"hals\"", "\"nonnegative\" : true");
    }
  }

  @Test
  void arlsBeginsWithASampleAndEndsWithAllEntries() throws IOException {
    Run run = cpd("--iterations 6 --method arls --sample 0.2 --output DIR/a --checkpoint DIR/k");
    assertDone(run);
    assertThat(run.out()).contains("a sample of ", "iteration   6", "all entries", "iteration   2");
    assertThat(Run.read(folder + "/a/summary.json"))
        .contains("\"algorithm\" : \"arls\"", "\"iterations\" : 2", "\"sample_iterations\" : 6");
    assertDone(cpd("--iterations 6 --method arls --sample 0.2 --output DIR/b"));
    assertThat(folder.resolve("b/mode2.npy")).hasSameBinaryContentAs(folder.resolve("a/mode2.npy"));
    String resumed = "--iterations 6 --method arls --sample 0.2 --checkpoint DIR/k --resume";
    Run again = cpd(resumed + " --output DIR/c");
    assertDone(again);
    assertThat(again.out()).contains("resume after iteration 2").doesNotContain("a sample of");
    assertThat(folder.resolve("c/mode0.npy")).hasSameBinaryContentAs(folder.resolve("a/mode0.npy"));
    cpd(resumed.replace("0.2", "0.3") + " --output DIR/d").fails(2, "--sample");
  }

  @Test
  void programsFindWhatTheCommandFinds() throws IOException {
    assertDone(cpd("--iterations 6 --method arls --sample 0.2 --seed 1 --output DIR/a"));
    try (Weft weft = Weft.local()) {
      CpdRun run = weft.tensor(tensor.toString()).cpd(2).iterations(6).tolerance(0);
      CpModel model = run.method("arls").sample(0.2).run();
      model.save(folder + "/b");
      assertThat(model.fits()).hasSize(2);
      assertThat(run.polish(1).run().fits()).hasSize(1);
      assertThat(run.method("hals").run().fits()).hasSize(6);
      assertThatThrownBy(() -> run.method("newton")).hasMessageContaining("als, hals, arls");
      run.method("arls").constrain(0, Constraint.NONNEGATIVE);
      assertThatThrownBy(run::run).hasMessageContaining("found method arls with constraints");
    }
    assertThat(folder.resolve("b/mode0.npy")).hasSameBinaryContentAs(folder.resolve("a/mode0.npy"));
    assertThat(Run.read(folder + "/b/summary.json"))
        .contains("\"algorithm\" : \"arls\"", "\"sample_iterations\" : 6");
  }

  @Test
  void explainShowsBothPlansOfArls() {
    String line = " --rank 2 --iterations 6 --method arls --sample 0.2";
    Run text = Run.of(("explain cpd " + tensor + line).split(" "));
    assertDone(text);
    assertThat(text.out())
        .containsSubsequence("a sample:", "cpd, 6 iterations", "all entries:", "cpd, 2 iterations");
    Run json = Run.of(("explain --json cpd " + tensor + line).split(" "));
    assertDone(json);
    assertThat(json.out()).contains("\"a sample\"", "\"all entries\"", "\"iterations\" : 2");
    assertThat(Run.of(("explain cpd " + tensor + " --rank 2").split(" ")).out())
        .doesNotContain("all entries");
  }

  /** A tensor of few slices is decomposed at once, by as many iterations as were asked for. */
  @Test
  void arlsIsAlsWhereTheSampleWouldBeTheTensor() {
    Run run = cpd("--rank 13 --iterations 5 --method arls --polish 1 --output DIR/a");
    assertDone(run);
    assertThat(run.out()).contains("iteration   5").doesNotContain("a sample of");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--method arls --init nvecs | expected --method arls with --init random, as the sample is",
        "--method arls --constrain 0=nonneg | expected method als with constraints of modes, or",
        "--method hals --constrain 0=nonneg | constraints of modes or nonnegative factors",
        "--sample 0.2 | expected --method arls with --sample 0.2, found --method als",
        "--polish 3 | expected --method arls with --polish 3, found --method als",
        "--every 3it | expected --checkpoint DIR with --every 3it, found none",
        "--or-random | expected --init MODEL with --or-random, found --init random",
        "--method arls --sample 0 | expected a sample above 0 and at most 1, found 0.0",
        "--method arls --polish 0 | expected a polish of at least 1 iteration, found 0",
        "--method newton | newton",
      })
  void mistakesAreOneError(String more, String message) {
    cpd(more + " --output DIR/out").fails(2, "WEFT-100", message);
    assertThat(folder.resolve("out")).doesNotExist();
  }
}
