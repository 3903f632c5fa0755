package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.jobs.output.Caution;

/** What is said before a job that is likely not meant. */
class CautionTest {
  @TempDir Path folder;

  private String entries = "1 1 1 1.5\n2 3 4 2.5\n3 2 1 1\n3 4 4 8\n";

  private Run job(String... words) {
    String input = Run.write(folder, "t.tns", entries);
    List<String> all = new ArrayList<>(List.of(words[0], input));
    all.addAll(List.of(words).subList(1, words.length));
    all.addAll(List.of("--output", folder.resolve(words[0] + ".npy").toString(), "--overwrite"));
    Run run = Run.of(all.toArray(String[]::new));
    assertThat(run.status()).as(run.err()).isZero();
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
  void durationsAreRead() {
    assertThat(Caution.duration(3700)).isEqualTo("1.0 hours");
    assertThat(Caution.duration(40 * 3600)).isEqualTo("40.0 hours");
    assertThat(Caution.duration(100 * 24 * 3600)).isEqualTo("100 days");
  }
}
