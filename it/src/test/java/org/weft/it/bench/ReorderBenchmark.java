package org.weft.it.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.it.differential.RealTensors;

/**
 * What orders cost and give: {@code weft bench --orders} on the shapes of {@code weft generate},
 * among them shuffled banded matrices, and on real tensors. Prints the tables; figures and pictures
 * stay in {@code it/target/orders}.
 */
@Tag("bench")
final class ReorderBenchmark {
  private static final Path OUTPUT = Path.of("target/orders").toAbsolutePath();
  private static final List<String> REAL =
      List.of(
          "nations",
          "kinship",
          "umls",
          "fb15k237",
          "wn18rr",
          "icews14s",
          "openflights-airline-src-dst-equip",
          "bitcoin-otc");

  @Test
  void matrices(@TempDir Path folder) throws IOException {
    run(folder, "matrices", "banded,fem,power-law,uniform", "rcm,band,lexi");
  }

  @Test
  void generatedTensors(@TempDir Path folder) throws IOException {
    run(folder, "generated", "nell-2,nell-1,vast,uber,lbnl,half-slice", "degree,lexi,partition:4");
  }

  @Test
  void realTensors(@TempDir Path folder) throws IOException {
    String files =
        REAL.stream()
            .map(name -> RealTensors.fileOrSkip(name).toString())
            .collect(Collectors.joining(","));
    run(folder, "real", files, "degree,lexi,partition:4");
  }

  private static void run(Path folder, String name, String tensors, String orders)
      throws IOException {
    Files.createDirectories(OUTPUT);
    MeasuredRun run =
        MeasuredRun.of(
            folder,
            "bench",
            "--orders",
            orders,
            "--tensors",
            tensors,
            "--scale",
            0.2,
            "--partitions",
            4,
            "--report",
            OUTPUT.resolve(name + ".tsv"),
            "--plot",
            OUTPUT.resolve(name + ".svg"),
            "--overwrite");
    System.out.println(run.output().strip());
  }
}
