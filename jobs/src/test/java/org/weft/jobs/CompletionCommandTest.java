package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code weft completion}: what shells make of the script, and what the manual page says. */
class CompletionCommandTest {
  @TempDir Path folder;

  /** The script completes a line whose cursor is at its end. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "weft rep|report",
        "weft cpd --ra|--rank",
        "weft cpd --mas|--master",
        "weft explain cp|cpd",
        "weft report --js|--json",
        "weft cpd --csf a|auto",
        "weft completion z|zsh"
      })
  void bashCompletes(String line, String expected) throws Exception {
    Path bash = Path.of("/bin/bash");
    Assumptions.assumeTrue(Files.isExecutable(bash), "no bash in /bin");
    Path script = Files.writeString(folder.resolve("weft.sh"), script("bash"));
    String words = "(" + line.replace(" ", " ") + ")";
    String probe =
        "source "
            + script
            + "; COMP_WORDS="
            + words
            + "; COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMP_LINE='"
            + line
            + "'; COMP_POINT=${#COMP_LINE}; _complete_weft;"
            + " printf '%s\\n' \"${COMPREPLY[@]}\"";
    Path out = folder.resolve("out");
    Process process =
        new ProcessBuilder(bash.toString(), "--norc", "-c", probe)
            .redirectOutput(out.toFile())
            .redirectError(folder.resolve("err").toFile())
            .start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(Files.readString(out).lines().map(String::strip)).contains(expected);
  }

  private static String script(String shell) {
    Run run = Run.of("completion", shell);
    assertThat(run.status()).as(run.err()).isZero();
    return run.out();
  }

  @Test
  void zshHasTheSameScriptWithItsOwnBeginning() {
    assertThat(script("zsh")).contains("ZSH_VERSION", "bashcompinit").isEqualTo(script("bash"));
  }

  @Test
  void theManualPageHasTheTextOfHelp() throws IOException {
    Run page = Run.of("completion", "man", "cpd");
    assertThat(page.status()).as(page.err()).isZero();
    assertThat(page.out())
        .startsWith(".TH \"WEFT-CPD\" 1")
        .contains("CP decomposition by alternating least squares", "\\-\\-rank")
        .contains("Number of components", ".SH \"OPTIONS\"")
        .doesNotContain("${DEFAULT-VALUE}");
    assertThat(Run.of("completion", "man").out()).contains(".SH \"COMMANDS\"", ".B report");
    assertThat(Run.of("completion", "man", "cdp").err()).contains("found 'cdp'");
    assertThat(Run.of("completion", "bash", "cpd").status()).isEqualTo(2);
    assertThat(Run.of("completion", "fish").status()).isEqualTo(2);
  }
}
