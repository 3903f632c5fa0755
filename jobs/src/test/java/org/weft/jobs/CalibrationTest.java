package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.weft.planner.machine.MachineConstant;
import org.weft.planner.machine.MachineFile;
import org.weft.planner.machine.MachineParameters;

/** The cost model of a machine: fitted, written, read by commands. */
class CalibrationTest extends FolderCase {
  @Test
  void plansTakeTheMachineThatWasMeasured() throws IOException {
    String file = folder.resolve("machine.tsv").toString();
    Run.of("bench", "--calibrate", file, "--scale", "0.005").succeeds();
    assertThat(Run.names(folder)).containsExactly("machine.tsv");
    String text = Run.read(file);
    MachineParameters found = MachineFile.parse(file, text.lines().toList());
    for (MachineConstant constant : MachineConstant.values()) {
      if (constant != MachineConstant.SHARED) { // not measured where a third-level cache is small
        assertThat(text.contains("\n" + constant.key() + "\t")).as(constant.key()).isTrue();
        assertThat(text.lines().filter(line -> line.startsWith(constant.key() + "\t")))
            .allMatch(line -> line.contains("measured: ") != constant.benchmark().isEmpty());
      }
    }
    assertThat(found.flopsPerSecond()).isBetween(1e8, 1e13);
    assertThat(found.compileSeconds()).isBetween(1e-4, 100.0);

    String tensor = Run.write(folder, "x.tns", "1 1 1 2\n2 1 3 4\n2 2 1 1.5\n");
    String slow =
        Run.write(folder, "slow.tsv", text.replaceAll("(?m)^compile\t\\S+", "compile\t77"));
    assertThat(compileSeconds(tensor, slow)).isEqualTo(77);
    assertThat(compileSeconds(tensor, file)).isEqualTo(found.compileSeconds());
  }

  private static double compileSeconds(String tensor, String machine) throws IOException {
    Run run =
        Run.of("explain", "--json", "ttv", tensor, "--mode", "0", "--machine", machine).succeeds();
    for (JsonNode step : new ObjectMapper().readTree(run.out()).findValue("steps")) {
      if (step.get("step").asText().equals("compile")) {
        return step.get("seconds").asDouble();
      }
    }
    throw new AssertionError(run.out());
  }

  @Test
  void aFileThatIsNoMachineIsRefused() {
    String tensor = Run.write(folder, "x.tns", "1 1 1 2\n");
    String broken = Run.write(folder, "broken.tsv", "stream\t1e10\tGB/s\n");
    assertThat(Run.of("ttv", tensor, "--mode", "0", "--machine", broken, "--dry-run").err())
        .contains("WEFT-300: ", "broken.tsv:1: expected bytes/s, found GB/s");
    Run missing =
        Run.of("ttv", tensor, "--mode", "0", "--machine", folder + "/no.tsv", "--dry-run");
    assertThat(missing.err()).contains("WEFT-105: ", "'weft bench --calibrate' makes one");
    assertThat(missing.status()).isEqualTo(2);
    assertThat(Run.of("bench", "--calibrate", "x.txt").err()).contains("to name a .tsv file");
  }
}
