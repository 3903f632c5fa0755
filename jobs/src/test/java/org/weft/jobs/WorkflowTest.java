package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code conf/workflow-decompose.sh}, as a schedule runs it: again and again. */
class WorkflowTest {
  private static final Path SCRIPT = Path.of("..", "conf", "workflow-decompose.sh");

  @TempDir Path folder;

  private record Ended(int status, String said) {}

  /** Runs the script for {@code day} with input and results under {@code place}. */
  private Ended workflow(String place, String day) throws Exception {
    Path log = folder.resolve("log");
    ProcessBuilder script =
        new ProcessBuilder("bash", SCRIPT.toString(), day)
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    script.environment().put("WEFT", weft().toString());
    script.environment().put("INPUT", place + "/in");
    script.environment().put("RESULTS", place + "/out");
    int status = script.start().waitFor();
    return new Ended(status, Files.readString(log, StandardCharsets.UTF_8));
  }

  /** The command from the classes under test. */
  private Path weft() throws IOException {
    String command =
        WeftProcess.command(List.of("-Xmx512m", "-Dweft.master=local[1]")).stream()
            .map(word -> "'" + word + "'")
            .collect(Collectors.joining(" "));
    Path script = folder.resolve("weft");
    Files.writeString(
        script,
        "#!/usr/bin/env bash\n"
            + "echo \"$@\" >> '"
            + folder.resolve("calls")
            + "'\nexec "
            + command
            + " \"$@\"\n");
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
    return script;
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "file:", "file://"})
  void aSecondRunDoesNothing(String scheme) throws Exception {
    Path in = Files.createDirectory(folder.resolve("in"));
    Run.write(in, "events-2026-11-21.tns", "1 1 1 1\n2 2 2 2\n3 3 3 1\n1 2 3 1\n");
    String plain = in.resolve("events-2026-11-21.tns").toString();
    assertThat(Run.of("convert", plain, plain + ".gz").status()).isZero();
    Ended first = workflow(scheme + folder, "2026-11-21");
    assertThat(first.status()).as(first.said()).isZero();
    Path summary = folder.resolve("out/2026-11-21/summary.json");
    String written = Files.readString(summary);
    Files.delete(folder.resolve("calls"));
    Ended second = workflow(scheme + folder, "2026-11-21");
    assertThat(second.status()).as(second.said()).isZero();
    assertThat(second.said()).isEqualTo("2026-11-21 was done already\n");
    assertThat(Files.readAllLines(folder.resolve("calls"))).hasSize(1);
    assertThat(Files.readString(summary)).isEqualTo(written);
  }

  @Test
  void aDayWithoutDataIsStatus2AndLeavesNothing() throws Exception {
    Ended ended = workflow("file:" + folder, "2026-11-22");
    assertThat(ended.status()).isEqualTo(2);
    assertThat(ended.said()).contains("WEFT-105", "no usable tensor for 2026-11-22");
    assertThat(folder.resolve("out")).doesNotExist();
  }
}
