package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code weft explain --analyze} of jobs: they run, and nothing of them stays. */
class AnalysisTest extends FolderCase {
  private String tensor;

  @BeforeEach
  void write() {
    StringBuilder entries = new StringBuilder();
    for (int entry = 0; entry < 60; entry++) {
      entries.append(
          "%d %d %d %d%n".formatted(1 + entry % 7, 1 + entry % 5, 1 + entry / 9, 1 + entry % 4));
    }
    tensor = Run.write(folder, "x.tns", entries.toString());
  }

  private Run analysed(String command, String... more) {
    List<String> words = new ArrayList<>(List.of("explain", "--analyze"));
    words.addAll(List.of(command.formatted(tensor).split(" ")));
    words.addAll(List.of(more));
    return Run.of(words.toArray(String[]::new));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "mttkrp %s --mode 1 --rank 3",
        "ttm %s --mode 0 --rank 2",
        "ttv %s --mode 2",
        "cpd %s --rank 2 --iterations 3",
        "cpd %s --rank 2 --iterations 3 --nonnegative",
        "tucker %s --ranks 2,2,2 --iterations 3",
        "complete %s --rank 2 --ridge 0.1",
        "cpapr %s --rank 2 --iterations 3",
        "gcp %s --rank 2 --loss poisson",
      })
  void jobsAreMeasuredAndKeepNothing(String command) {
    Run run = analysed(command);
    assertThat(run.status()).as(run.err()).isZero();
    assertThat(run.out()).contains("job  ", "predicted and measured milliseconds");
    for (String step : List.of("read", "pack", "compile", "kernel", "merge", "write")) {
      assertThat(run.out()).containsPattern("\n  " + step + " +<?[0-9.]+ +<?[0-9.]+\n");
    }
    assertThat(run.out()).containsPattern("\n  packed forms +[0-9.]+ [KMG]?i?B +[0-9.]+");
    assertThat(Run.names(folder)).containsExactly("x.tns");
  }

  /** What is there under the name of the output stays as it is. */
  @Test
  void outputsAreLeftAlone() {
    Path out = Path.of(Run.write(folder, "m.tns", "1 1 5\n"));
    Run run = analysed("mttkrp %s --mode 0 --rank 2 --output " + out);
    assertThat(run.status()).as(run.err()).isZero();
    assertThat(out).hasContent("1 1 5");
    assertThat(Run.names(folder)).containsExactlyInAnyOrder("m.tns", "x.tns");
  }

  @Test
  void whatWouldBeKeptOrIsNotThereIsRefused() {
    assertRefused("cpd %s --rank 2 --checkpoint c", "--checkpoint c: leave it out of explain");
    assertRefused("cpd %s --rank 2 --starts 2", "give --starts 1");
    assertRefused("stats %s", "explain --analyze works with eval, run, mttkrp");
    Run cluster = Run.of("explain", "--executors", "4", "--analyze", "cpd", tensor, "--rank", "2");
    assertThat(cluster.status()).isEqualTo(2);
    assertThat(cluster.err()).contains("leave --executors out");
    assertRefused("cpd %s --rank 2 --master local[2]", "expected --output PLACE");
  }

  private void assertRefused(String command, String message) {
    Run run = analysed(command);
    assertThat(run.status()).as(run.out()).isEqualTo(2);
    assertThat(run.err()).contains(message);
    assertThat(Run.names(folder)).containsExactly("x.tns");
  }
}
