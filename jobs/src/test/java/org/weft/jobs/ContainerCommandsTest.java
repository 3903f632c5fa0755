package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Containers from the command line, without Spark. */
class ContainerCommandsTest extends FolderCase {
  private String entries(String container) {
    ok("convert", container, path("back.tns"), "--overwrite");
    return Run.read(path("back.tns"));
  }

  @Test
  void versionsAreMadeReadExpiredAndCollected() throws IOException {
    Run.write(folder, "a.tns", "1 1 2 1.5\n2 3 1 2\n");
    Run.write(folder, "b.tns", "2 3 1 4\n4 1 1 1\n");
    String x = path("x.weft");
    ok("convert", path("a.tns"), x);
    Run.of("convert", path("b.tns"), x).fails(2, "WEFT-104", "version 1");
    ok("convert", path("b.tns"), x, "--append");
    assertThat(entries(x)).isEqualTo("1 1 2 1.5\n2 3 1 6\n4 1 1 1\n");
    assertThat(entries(x + "/manifest-1.json")).isEqualTo("1 1 2 1.5\n2 3 1 2\n");
    ok("convert", path("b.tns"), x, "--overwrite", "--mode-order", "2,0,1", "--uncompressed");
    assertThat(entries(x)).isEqualTo("2 3 1 4\n4 1 1 1\n");
    Files.createDirectories(folder.resolve("x.weft/data/9"));
    Files.writeString(folder.resolve("x.weft/data/9/part-00000.bin"), "left behind");
    assertThat(ok("gc", x)).contains("removed 0 files");
    assertThat(ok("gc", x, "--grace", "0s", "--dry-run"))
        .contains("data of no version, 11 bytes", "would remove 1 file, 11 bytes");
    assertThat(ok("gc", x, "--grace", "0s", "--expire", "0s"))
        .contains("expired version", "removed 7 files");
    assertThat(entries(x)).isEqualTo("2 3 1 4\n4 1 1 1\n");
    assertThat(Run.names(folder.resolve("x.weft"))).containsExactly("data", "manifest-3.json");
    assertThat(Run.names(folder.resolve("x.weft/data"))).containsExactly("3");
  }

  @Test
  void wrongUseIsOneClearError() {
    Run.write(folder, "a.tns", "1 1 2 1.5\n");
    assertThat(Run.of("gc", path("none.weft")).err()).contains("WEFT-105");
    assertThat(Run.of("gc", folder.toString(), "--expire", "soon").err())
        .contains("expected --expire as a number with s, m, h or d");
    assertThat(Run.of("convert", path("a.tns"), path("b.tns"), "--append").err())
        .contains("expected a tensor folder .weft to add entries to");
    assertThat(Run.of("convert", path("a.tns"), path("n.weft"), "--append").err())
        .contains("WEFT-105", "found none; leave out --append to make it");
    assertThat(Run.of("convert", path("a.tns"), path("m.weft"), "--mode-order", "0,0,1").err())
        .contains("expected a mode order of the modes 0 to 2");
    assertThat(Run.names(folder)).containsExactly("a.tns");
  }

  @Test
  void aLostPartIsDamagedDataForEveryCommand() throws IOException {
    Run.write(folder, "a.tns", "1 1 2 1.5\n");
    String x = path("x.weft");
    ok("convert", path("a.tns"), x);
    Files.delete(folder.resolve("x.weft/data/1/part-00000.bin"));
    for (Run run : List.of(Run.of("convert", x, path("o.tns")), Run.of("stats", x))) {
      assertThat(run.status()).as(run.err()).isEqualTo(2);
      assertThat(run.err()).contains("WEFT-305", "part-00000.bin: expected a data file");
    }
    assertThat(Run.names(folder)).containsExactly("a.tns", "x.weft");
  }

  @Test
  void evaluationReadsAndWritesContainers() throws IOException {
    Run.write(folder, "a.tns", "1 1 2\n2 2 3\n");
    ok("convert", path("a.tns"), path("a.weft"));
    ok(
        "eval",
        "C(i,k) = A(i,j) * A(j,k)",
        "--input",
        "A=" + path("a.weft"),
        "--output",
        path("c.weft"));
    assertThat(entries(path("c.weft"))).isEqualTo("1 1 4\n2 2 9\n");
  }
}
