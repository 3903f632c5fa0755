package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.weft.decomposition.cp.Cpd;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.engine.EngineTensor;
import org.weft.engine.local.LocalBackend;
import org.weft.jobs.output.Caution;
import org.weft.jobs.output.Console;
import org.weft.planner.JobPlan;
import org.weft.planner.job.Job;
import org.weft.storage.ReadOptions;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/** What is said before a job that is likely not meant. */
class CautionTest extends FolderCase {
  private static final TensorShape TENSOR = TensorShape.of(3, 4, 4);

  private String entries = "1 1 1 1.5\n2 3 4 2.5\n3 2 1 1\n3 4 4 8\n";

  private Run job(String... words) {
    String input = Run.write(folder, "t.tns", entries);
    List<String> all = new ArrayList<>(List.of(words[0], input));
    all.addAll(List.of(words).subList(1, words.length));
    all.addAll(List.of("--output", folder.resolve(words[0] + ".npy").toString(), "--overwrite"));
    Run run = Run.of(all.toArray(String[]::new)).succeeds();
    return run;
  }

  @Test
  void aRankAboveEveryModeIsWorthAWarning() {
    String warning = "warning: rank 5 is above the size of every mode (3 x 4 x 4)";
    assertThat(job("cpd", "--rank", "5", "--iterations", "2").err()).containsOnlyOnce(warning);
    assertThat(job("mttkrp", "--mode", "0", "--rank", "5").err()).containsOnlyOnce(warning);
    assertThat(job("cpapr", "--rank", "5", "--iterations", "2").err()).containsOnlyOnce(warning);
    assertThat(job("cpd", "--rank", "4", "--iterations", "2").err()).doesNotContain("warning");
    assertThat(job("mttkrp", "--mode", "0", "--rank", "4").err()).doesNotContain("warning");
  }

  @Test
  void soAreHours() {
    String hours = "warning: this job is predicted to take [0-9.,]+ (hours|days)";
    assertThat(job("cpd", "--rank", "2", "--iterations", "1000000000", "--tolerance", "0.5").err())
        .containsPattern(hours);
    assertThat(job("cpd", "--rank", "2", "--iterations", "100", "--tolerance", "0.5").err())
        .doesNotContain("warning");
    StringBuilder more = new StringBuilder();
    for (int entry = 0; entry < 1000; entry++) {
      more.append(1 + entry % 17).append(' ').append(1 + entry % 19).append(' ');
      more.append(1 + entry % 23).append(" 1\n");
    }
    entries = more.toString();
    assertThat(
            job("tucker", "--ranks", "5,5,5", "--iterations", "2000000000", "--tolerance", "0.5")
                .err())
        .containsPattern(hours);
    assertThat(job("tucker", "--ranks", "5,5,5", "--iterations", "2").err())
        .doesNotContain("warning");
  }

  @Test
  void hoursAreThoseOfAllStartsAndOfThePolish() {
    StringBuilder text = new StringBuilder();
    Random random = new Random(3);
    for (int entry = 0; entry < 4000; entry++) {
      for (int mode = 0; mode < 3; mode++) {
        text.append(1 + (int) (60 * Math.pow(random.nextDouble(), 3))).append(' ');
      }
      text.append("1\n");
    }
    entries = text.toString();
    String most = "2000000000";
    double once = days("--iterations", most);
    assertThat(days("--iterations", most, "--starts", "3"))
        .isCloseTo(3 * once, within(0.1 * 3 * once));
    assertThat(days("--method", "arls", "--iterations", "2", "--polish", most))
        .isCloseTo(once, within(0.1 * once));
  }

  /** A job whose plans are short, as those of a sample and a few iterations are. */
  @Test
  void onlyWhatIsPlannedTakesHours() {
    String input = Run.write(folder, "t.tns", entries);
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    Console console = new Console(new PrintStream(said), new PrintStream(said));
    try (Engine engine = LocalBackend.engine(FileAccess.local(), EngineOptions.defaults())) {
      EngineTensor tensor = engine.read(input, ReadOptions.defaults(), ValueType.DOUBLE);
      Job all = new Cpd(2, 1_000_000_000, 0, false, 1, ValueType.DOUBLE).job(TENSOR);
      Job few = new Cpd(2, 3, 0, false, 1, ValueType.DOUBLE).job(TENSOR);
      List<JobPlan> plans = List.of(engine.plan(tensor, few), engine.plan(tensor, few));
      Caution.sayHours(console, engine, tensor, all, 1, () -> plans);
      assertThat(said.toString(StandardCharsets.UTF_8)).isEmpty();
      List<JobPlan> hours = List.of(engine.plan(tensor, few), engine.plan(tensor, all));
      Caution.sayHours(console, engine, tensor, all, 1, () -> hours);
      assertThat(said.toString(StandardCharsets.UTF_8)).contains("predicted to take");
    }
  }

  private double days(String... more) {
    List<String> words = new ArrayList<>(List.of("cpd", "--rank", "1", "--tolerance", "0.5"));
    words.addAll(List.of(more));
    String said = job(words.toArray(String[]::new)).err();
    Matcher found = Pattern.compile("predicted to take ([0-9.,]+) (hours|days)").matcher(said);
    assertThat(found.find()).as(said).isTrue();
    double number = Double.parseDouble(found.group(1).replace(",", ""));
    return found.group(2).equals("days") ? number : number / 24;
  }

  @Test
  void durationsAreRead() {
    assertThat(Caution.duration(3700)).isEqualTo("1.0 hours");
    assertThat(Caution.duration(40 * 3600)).isEqualTo("40.0 hours");
    assertThat(Caution.duration(100 * 24 * 3600)).isEqualTo("100 days");
  }
}
