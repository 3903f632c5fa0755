package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code weft completion}: what shells make of the script, and what the manual page says. */
class CompletionCommandTest extends FolderCase {
  private static final boolean LONG = Boolean.getBoolean("weft.long");

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

  /** What a person gets who types the line with a TAB behind it, in a terminal. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "weft rep|report ",
        "weft cpd --csf au|--csf auto",
        "weft cpd sal|cpd sales.tns",
        "weft report mod|report models.cpd",
        "weft cpd sales.tns --output mod|--output models.cpd",
        "weft cpd --rank 3 two|cpd --rank 3 two words.tns",
        "weft spy sales.tns --method lexi pic|--method lexi picture.svg"
      })
  void aTerminalCompletesFilesToo(String line, String expected) throws Exception {
    Path terminal = Path.of("/usr/bin/script");
    Assumptions.assumeTrue(Files.isExecutable(terminal), "no script in /usr/bin");
    Files.createFile(folder.resolve("sales.tns"));
    Files.createFile(folder.resolve("two words.tns"));
    Files.createFile(folder.resolve("picture.svg"));
    Files.createDirectories(folder.resolve("models.cpd"));
    for (String shell : List.of("bash", "zsh")) {
      // zsh takes seconds to load its completion, and runs bash's script.
      boolean often =
          shell.equals("bash") || LONG || line.contains("--csf") || line.contains("pic");
      if (!often || !Files.isExecutable(Path.of("/bin", shell))) {
        continue;
      }
      // The shell reads its own settings in a folder of the test, and weft only says its words.
      String settings =
          (shell.equals("zsh") ? "autoload -Uz compinit && compinit -u -D\n" : "")
              + script(shell)
              + "\nweft() { printf 'WORDS<%s>\\n' \"$*\"; }\nPS1='READY> '\n";
      Files.writeString(folder.resolve(".zshrc"), settings);
      Path out = folder.resolve("terminal");
      ProcessBuilder started =
          new ProcessBuilder(
                  terminal.toString(),
                  "-qec",
                  shell.equals("zsh") ? "zsh -i" : "bash --noprofile --rcfile .zshrc -i",
                  "/dev/null")
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .redirectOutput(out.toFile());
      started.environment().putAll(Map.of("ZDOTDIR", folder.toString(), "TERM", "xterm"));
      Process process = started.start();
      try (var keys = process.getOutputStream()) {
        await(out, "READY> ");
        keys.write((line + "\t").getBytes(StandardCharsets.UTF_8));
        keys.flush();
        Thread.sleep(300);
        keys.write("\n".getBytes(StandardCharsets.UTF_8));
        keys.flush();
        await(out, "WORDS<");
        keys.write("exit\n".getBytes(StandardCharsets.UTF_8));
      }
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      String said = Files.readString(out);
      assertThat(said.substring(said.indexOf("WORDS<")))
          .as("%s: %s", shell, said)
          .contains(expected.strip());
    }
  }

  private static void await(Path file, String text) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!Files.readString(file, StandardCharsets.ISO_8859_1).contains(text)
        && System.nanoTime() < end) {
      Thread.sleep(20);
    }
  }

  private static String script(String shell) {
    Run run = Run.of("completion", shell).succeeds();
    return run.out();
  }

  @Test
  void zshHasTheSameScriptWithItsOwnBeginning() {
    assertThat(script("zsh")).contains("ZSH_VERSION", "bashcompinit").isEqualTo(script("bash"));
  }

  @Test
  void theManualPageHasTheTextOfHelp() throws IOException {
    Run page = Run.of("completion", "man", "cpd").succeeds();
    assertThat(page.out())
        .startsWith(".TH \"WEFT-CPD\" 1")
        .contains("CP decomposition by alternating least squares", "\\-\\-rank")
        .contains("The number of components", ".SH \"OPTIONS\"")
        .doesNotContain("${DEFAULT-VALUE}");
    assertThat(Run.of("completion", "man").out()).contains(".SH \"COMMANDS\"", ".B report");
    assertThat(Run.of("completion", "man", "cdp").err()).contains("found 'cdp'");
    assertThat(Run.of("completion", "bash", "cpd").status()).isEqualTo(2);
    assertThat(Run.of("completion", "fish").status()).isEqualTo(2);
  }
}
