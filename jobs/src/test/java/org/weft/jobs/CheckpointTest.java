package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.decomposition.Checkpoints;
import org.weft.decomposition.cp.Cpd;
import org.weft.engine.CpdResult;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.engine.EngineTensor;
import org.weft.engine.ProgressListener;
import org.weft.engine.local.LocalBackend;
import org.weft.jobs.model.CheckpointFolder;
import org.weft.jobs.option.CommonOptions;
import org.weft.storage.ReadOptions;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.ValueType;

/** Runs that go on from a checkpoint end with the bits of runs that were not interrupted. */
class CheckpointTest extends FolderCase {
  private static final Map<String, String> ARGUMENTS = Map.of("--rank", "3");

  private String tensor = "";
  private final FileAccess files = CommonOptions.files();

  @BeforeEach
  void writeTensor() {
    StringBuilder text = new StringBuilder();
    for (int e = 0; e < 400; e++) {
      text.append(e % 11 + 1).append(' ').append(e * 7 % 13 + 1).append(' ');
      text.append(e * 5 % 17 + 1).append(' ').append(1 + e % 9 * 0.5).append('\n');
    }
    tensor = Run.write(folder, "x.tns", text.toString());
  }

  private CheckpointFolder checkpoints(String every) {
    return new CheckpointFolder(
        files,
        folder + "/kept",
        CheckpointFolder.Every.parse(every),
        ARGUMENTS,
        Map.of(),
        Map.of());
  }

  private int resumed(String every) throws IOException {
    CheckpointFolder found = checkpoints(every);
    assertThat(found.resume()).isTrue();
    return found.sweeps();
  }

  /** Ends the process, as far as a test can, after a sweep. */
  private record Killed(int sweep) implements ProgressListener {
    @Override
    public void iteration(int n, double fit, double deltaFit, double seconds) {
      if (n == sweep) {
        throw new IllegalStateException("killed");
      }
    }
  }

  private CpdResult decompose(Cpd job, Checkpoints run, ProgressListener listener, String reorder) {
    try (Engine engine = LocalBackend.engine(files, EngineOptions.defaults())) {
      EngineTensor x = engine.read(tensor, ReadOptions.defaults(), job.valueType());
      if (!reorder.equals("none")) {
        x = engine.orders().apply(x, engine.orders().find(x, reorder, 0), false);
      }
      return engine.cpd(x, job, run, listener);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "DOUBLE, false, none, 1it, 4",
    "DOUBLE, true, degree, 2it, 6",
    "FLOAT, false, lexi, 3it, 7",
  })
  void aKilledRunGoesOnWithTheSameBits(
      ValueType type, boolean nonnegative, String reorder, String every, int sweep)
      throws IOException {
    Cpd job = new Cpd(3, 9, 0, nonnegative, 5, type);
    CpdResult undisturbed = decompose(job, Checkpoints.NONE, ProgressListener.NONE, reorder);

    CheckpointFolder first = checkpoints(every);
    assertThatThrownBy(() -> decompose(job, first, new Killed(sweep), reorder))
        .hasMessageContaining("killed");
    CheckpointFolder again = checkpoints(every);
    assertThat(again.resume()).isTrue();
    int interval = Integer.parseInt(every.substring(0, 1));
    assertThat(again.sweeps()).isEqualTo((sweep - 1) / interval * interval);
    CpdResult resumed = decompose(job, again, ProgressListener.NONE, reorder);

    assertThat(resumed.fits()).isEqualTo(undisturbed.fits());
    assertThat(resumed.lambda()).isEqualTo(undisturbed.lambda());
    for (int mode = 0; mode < 3; mode++) {
      assertThat(bits(resumed.factors().get(mode)))
          .isEqualTo(bits(undisturbed.factors().get(mode)));
    }
    assertThat(resumed("1it")).isEqualTo(9);
  }

  private static List<Long> bits(DenseMatrix matrix) {
    List<Long> bits = new java.util.ArrayList<>();
    for (long row = 0; row < matrix.rows(); row++) {
      for (int r = 0; r < matrix.columns(); r++) {
        bits.add(Double.doubleToRawLongBits(matrix.get(row, r)));
      }
    }
    return bits;
  }

  @Test
  void aDamagedStateFallsBackOnTheOneBefore() throws IOException {
    Cpd job = new Cpd(3, 5, 0, false, 5, ValueType.DOUBLE);
    decompose(job, checkpoints("1it"), ProgressListener.NONE, "none");
    assertThat(Run.names(folder.resolve("kept"))).containsExactly("latest", "state0", "state1");
    Path newest = folder.resolve("kept/state0/factor1.npy");
    byte[] bytes = Files.readAllBytes(newest);
    bytes[bytes.length / 2] ^= 1;
    Files.write(newest, bytes);
    assertThat(resumed("1it")).isEqualTo(4);
    Files.delete(folder.resolve("kept/state1/factor0.npy"));
    assertThatThrownBy(() -> checkpoints("1it").resume())
        .hasMessageContaining(
            "state0: expected a whole checkpoint, found a wrong check sum of factor1.npy");
  }

  private Run cpd(String output, String more) {
    StringBuilder line = new StringBuilder("cpd " + tensor + " --output " + folder + "/" + output);
    for (String option : List.of("--rank 3", "--iterations 6", "--tolerance 0")) {
      line.append(more.contains(option.split(" ")[0] + " ") ? "" : " " + option);
    }
    line.append(more.isEmpty() ? "" : " " + more.replace("DIR", folder.toString()));
    return Run.of(line.toString().split(" "));
  }

  @Test
  void aFinishedRunIsResumedWithoutWork() {
    cpd("a", "--checkpoint DIR/kept --every 4it").succeeds();
    Run second = cpd("b", "--checkpoint DIR/kept --every 4it --resume").succeeds();
    assertThat(second.out()).contains("resume after iteration 6").doesNotContain("iteration   1");
    for (String file : List.of("mode0.npy", "mode1.npy", "mode2.npy", "lambda.npy")) {
      assertThat(folder.resolve("a").resolve(file))
          .hasSameBinaryContentAs(folder.resolve("b").resolve(file));
    }
    cpd("c", "--checkpoint DIR/kept").fails(2, "WEFT-100", "give --resume to go on");
    cpd("c", "--checkpoint DIR/kept --resume --seed 4").fails(2, "which had seed 0, found 4");
    assertThat(folder.resolve("c")).doesNotExist();
  }

  /** As an earlier version would have written the state, which had fewer arguments. */
  private void forget(String... names) throws IOException {
    Path state = folder.resolve("kept/start0/state0/state");
    DataInputStream in = new DataInputStream(Files.newInputStream(state));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    for (int number = 0; number < 3; number++) {
      out.writeInt(in.readInt());
    }
    int count = in.readInt();
    out.writeInt(count - names.length);
    for (int left = count; left > 0; left--) {
      String name = in.readUTF();
      String value = in.readUTF();
      if (!List.of(names).contains(name)) {
        out.writeUTF(name);
        out.writeUTF(value);
      }
    }
    byte[] rest = in.readAllBytes();
    out.write(rest, 0, rest.length - Long.BYTES);
    CRC32 sum = new CRC32();
    sum.update(bytes.toByteArray());
    out.writeLong(sum.getValue());
    Files.write(state, bytes.toByteArray());
  }

  @Test
  void settingsThatAStateDoesNotHaveCountAsTheirDefaults() throws IOException {
    cpd("first", "--checkpoint DIR/kept --every 9it").succeeds();
    forget("--dimension-tree", "--constrain", "--ridge", "--init");
    String resume = "--iterations 9 --checkpoint DIR/kept --resume ";
    assertThat(cpd("other", resume + "--ridge 0.1").err())
        .contains("expected --ridge 0.0, as an earlier version of Weft wrote ")
        .contains("which had no --ridge, found 0.1; give --ridge 0.0, or --overwrite");
    assertThat(cpd("other", resume + "--dimension-tree on").err())
        .contains("which had no --dimension-tree, found 0+1,2")
        .contains("give --dimension-tree off, or --overwrite");
    Run on = cpd("on", resume).succeeds();
    assertThat(on.out()).contains("resume after iteration 6", "iteration   9");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "--nonnegative --type float",
        "--constrain 0=nonneg,1=l1:0.1 --ridge 0.01",
        "--reorder lexi --starts 2",
      })
  void aRunThatDidNotConvergeGoesOnWithMoreIterations(String more) {
    cpd("first", "--checkpoint DIR/kept --every 4it " + more).succeeds();
    Run on = cpd("on", "--iterations 9 --checkpoint DIR/kept --resume " + more).succeeds();
    assertThat(on.out()).contains("resume after iteration 6", "iteration   9");
    cpd("whole", "--iterations 9 " + more).succeeds();
    for (String file : List.of("mode0.npy", "mode1.npy", "mode2.npy", "lambda.npy")) {
      assertThat(folder.resolve("on").resolve(file))
          .hasSameBinaryContentAs(folder.resolve("whole").resolve(file));
    }
    cpd("less", "--iterations 7 --checkpoint DIR/kept --resume " + more)
        .fails(2, "which had --iterations 9, found 7; give the same or a larger number");
    Run other = cpd("less", "--iterations 12 --checkpoint DIR/kept --resume --seed 4 " + more);
    assertThat(other.err()).contains("which had seed 0, found 4; give the same, or --overwrite");
  }

  /** The sample is a function of its iterations, the polish goes on. */
  @Test
  void aSampledRunGoesOnWithMorePolish() {
    StringBuilder text = new StringBuilder();
    for (int e = 0; e < 4000; e++) {
      text.append(e * 31 % 97 + 1).append(' ').append(e * 7 % 89 + 1).append(' ');
      text.append(e * 5 % 83 + 1).append(' ').append(1 + e % 9 * 0.5).append('\n');
    }
    tensor = Run.write(folder, "large.tns", text.toString());
    String arls = "--method arls --sample 0.5 --checkpoint DIR/kept ";
    cpd("first", arls).succeeds();
    Run on = cpd("on", arls + "--polish 5 --resume").succeeds();
    assertThat(on.out()).contains("resume after iteration 2", "iteration   5");
    cpd("whole", "--method arls --sample 0.5 --polish 5").succeeds();
    assertThat(folder.resolve("on/mode1.npy"))
        .hasSameBinaryContentAs(folder.resolve("whole/mode1.npy"));
    Run other = cpd("other", arls + "--polish 5 --iterations 7 --resume");
    assertThat(other.err()).contains("which had --sample 0.5, 6 iterations, found 0.5, 7");
  }

  /** As after a kill on a file system that has no rename that replaces. */
  @Test
  void withoutTheFileThatNamesItTheStateWithTheMostIterationsIsTaken() throws IOException {
    cpd("a", "--checkpoint DIR/kept --every 4it").succeeds();
    Files.delete(folder.resolve("kept/start0/latest"));
    assertThat(cpd("b", "--checkpoint DIR/kept").err()).contains("give --resume to go on");
    Run again = cpd("b", "--checkpoint DIR/kept --every 4it --resume").succeeds();
    assertThat(again.out()).contains("resume after iteration 6").doesNotContain("iteration   1");
  }

  @Test
  void theBestOfSeveralStartsIsKept() {
    Run all = cpd("all", "--starts 3 --seed 4").succeeds();
    assertThat(all.out()).contains("start 3 of 3, seed 6");
    String summary = Run.read(folder + "/all/summary.json");
    assertThat(summary).contains("\"seed\" : 4", "\"seed\" : 5", "\"seed\" : 6");
    double best = 0;
    String winner = "";
    for (int seed = 4; seed <= 6; seed++) {
      cpd("s" + seed, "--seed " + seed).succeeds();
      double fit = fit("s" + seed);
      winner = fit > best ? "s" + seed : winner;
      best = Math.max(best, fit);
    }
    assertThat(fit("all")).isEqualTo(best);
    assertThat(folder.resolve("all/mode1.npy"))
        .hasSameBinaryContentAs(folder.resolve(winner).resolve("mode1.npy"));
  }

  private double fit(String output) {
    String summary = Run.read(folder + "/" + output + "/summary.json");
    return Double.parseDouble(summary.replaceFirst("(?s).*?\"fit\" : ([0-9.E-]+).*", "$1"));
  }

  @Test
  void aModelIsStartedFromAndGrows() throws IOException {
    cpd("old", "--iterations 40").succeeds();
    double before = fit("old");
    Files.writeString(
        Path.of(tensor), "12 14 3 0.25\n3 15 2 0.5\n", java.nio.file.StandardOpenOption.APPEND);
    cpd("warm", "--init DIR/old --iterations 1").succeeds();
    cpd("cold", "--iterations 1").succeeds();
    assertThat(fit("warm")).isGreaterThan(fit("cold")).isGreaterThan(before - 0.05);
    assertThat(Run.read(folder + "/warm/summary.json"))
        .contains("\"dims\" : [ 12, 15, 17 ]", "\"init\" : \"" + folder + "/old\"");
  }

  /**
   * A new label comes first, so that every other label has another coordinate than in the model.
   */
  @Test
  void aModelIsStartedFromByItsLabels() {
    StringBuilder old = new StringBuilder();
    StringBuilder grown = new StringBuilder("4 1 0.01\n");
    StringBuilder labels = new StringBuilder();
    for (int j = 0; j < 8; j++) {
      labels.append("b").append(j).append('\n');
      for (int i = 0; i < 9; i++) {
        double value = Math.sin(i) * Math.cos(j) + Math.sin(3 * i) * Math.sin(2 * j);
        value += 0.8 * Math.cos(2 * i) * Math.cos(3 * j);
        old.append(i + 1).append(' ').append(j + 1).append(' ').append(value).append('\n');
        grown.append(i + 1).append(' ').append(j + 2).append(' ').append(value).append('\n');
      }
    }
    String before = Run.write(folder, "before", labels.toString());
    String after = Run.write(folder, "after", "a\n" + labels);
    tensor = Run.write(folder, "old.tns", old.toString());
    String run = "--rank 2 --labels 1=";
    cpd("model", run + before + " --iterations 60").succeeds();
    tensor = Run.write(folder, "grown.tns", grown.toString());
    cpd("warm", run + after + " --init DIR/model --iterations 1").succeeds();
    assertThat(fit("warm")).isCloseTo(fit("model"), within(1e-3));
  }

  /** Of a matrix of rank 3 two components are not found in one iteration from anywhere. */
  @Test
  void singularVectorsAreANearStart() {
    StringBuilder text = new StringBuilder();
    for (int cell = 0; cell < 9 * 8; cell++) {
      int i = cell / 8;
      int j = cell % 8;
      double value = Math.sin(i) * Math.cos(j) + Math.sin(3 * i) * Math.sin(2 * j);
      value += 0.8 * Math.cos(2 * i) * Math.cos(3 * j);
      text.append(i + 1).append(' ').append(j + 1).append(' ').append(value).append('\n');
    }
    tensor = Run.write(folder, "matrix.tns", text.toString());
    cpd("vectors", "--init nvecs --rank 2 --iterations 1").succeeds();
    cpd("random", "--rank 2 --iterations 1").succeeds();
    assertThat(fit("vectors")).isGreaterThan(fit("random") + 1e-3);
    cpd("wide", "--init nvecs --rank 11 --nonnegative").succeeds();
    assertThat(Run.read(folder + "/wide/summary.json")).contains("\"init\" : \"nvecs\"");
  }

  @Test
  void aModelLargerThanTheTensorIsRefused() {
    cpd("model", "").succeeds();
    tensor = Run.write(folder, "small.tns", "1 1 1 1\n2 2 2 2\n");
    cpd("out", "--init DIR/model")
        .fails(2, "at most 2 rows in mode 0, the size of the tensor, found 11");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--starts 0 | expected --starts of at least 1, found 0",
        "--resume | expected --checkpoint DIR with --resume",
        "--checkpoint DIR/k --every 5 | such as 10it, 30s, 5m or 1h, found '5'",
        "--checkpoint DIR/k --every 0it | found '0it'",
        "--memory -5g | --memory -5g: expected a size",
        "--memory 0 | --memory 0: expected a size",
        "--init DIR | expected the folder of a decomposition, found no summary.json",
        "--init DIR/model --starts 2 | expected --starts 1 with --init",
        "--init DIR/model --rank 2 | expected a model of --rank 2, found one of rank 3",
      })
  void mistakesAreOneError(String more, String message) {
    cpd("model", "").succeeds();
    Run run = cpd("out", more);
    assertThat(run.status()).as(run.err()).isNotZero();
    assertThat(run.err()).contains(message);
    assertThat(folder.resolve("out")).doesNotExist();
  }
}
