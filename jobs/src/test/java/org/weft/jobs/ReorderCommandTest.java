package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReorderCommandTest extends FolderCase {
  private static final String TENSOR = "1 1 1 1\n1 3 2 2\n2 2 2 3\n4 1 3 4\n4 3 1 5\n";

  @ParameterizedTest
  @ValueSource(strings = {"random:7", "degree", "lexi", "bfs-mcs", "rcm", "partition:2"})
  void permutationsTakeTheTensorThereAndBack(String method) throws IOException {
    Run.write(folder, "in.tns", TENSOR);
    Run there =
        Run.line(
                "reorder %s %s --method %s --permutations %s",
                path("in.tns"), path("there.tns"), method, path("perms"))
            .succeeds();
    assertThat(there.out()).contains("bandwidth of modes 0 and 1", "rows fetched");
    assertThat(Files.readAllLines(folder.resolve("perms/mode0.perm"))).hasSize(4);
    Run.line(
            "reorder %s %s --apply %s --inverse",
            path("there.tns"), path("back.tns"), path("perms"))
        .succeeds();
    assertThat(values(path("back.tns"))).isEqualTo(values(path("in.tns")));
  }

  private static String values(String tns) throws IOException {
    StringBuilder values = new StringBuilder();
    for (String line : Files.readAllLines(Path.of(tns))) {
      if (!line.startsWith("#")) {
        values.append(line.replaceAll("\\.0$", "").replaceAll("\\s+", " ")).append('\n');
      }
    }
    return values.toString();
  }

  @Test
  void foldersOfPermutationsAreChecked() {
    Run.write(folder, "in.tns", TENSOR);
    Run.of("reorder", path("in.tns"), path("x.tns"), "--apply", path("nothing"))
        .fails(2, "expected a folder with mode0.perm");
    folder.resolve("short").toFile().mkdirs();
    Run.write(folder.resolve("short"), "mode0.perm", "1\n0\n");
    Run.of("reorder", path("in.tns"), path("x.tns"), "--apply", path("short"))
        .fails(2, "mode0.perm: expected at least one line for each of the 4");
    assertThat(folder.resolve("x.tns")).doesNotExist();
  }

  @Test
  void picturesHaveAPanelForEachPairOfModesAndVersion() throws IOException {
    Run.write(folder, "in.tns", TENSOR);
    Run.line("spy %s %s --method lexi --partitions 2 --size 64", path("in.tns"), path("x.png"))
        .succeeds();
    BufferedImage image = ImageIO.read(folder.resolve("x.png").toFile());
    assertThat(image.getWidth()).isGreaterThan(3 * 64);
    assertThat(image.getHeight()).isGreaterThan(2 * 64);
    Run.of("spy", path("in.tns"), path("x.svg")).succeeds();
    assertThat(Files.readString(folder.resolve("x.svg")))
        .contains("mode 1 (down) x mode 2 (across)");
  }
}
