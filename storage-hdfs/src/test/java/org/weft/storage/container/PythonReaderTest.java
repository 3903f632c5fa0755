package org.weft.storage.container;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.storage.ContainerOptions;
import org.weft.storage.Entries;
import org.weft.storage.Labels;
import org.weft.storage.TensorFiles;
import org.weft.storage.TensorOutput;
import org.weft.storage.WriteOptions;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/** FORMAT.md is enough to write a reader from: one in NumPy reads what Weft wrote. */
class PythonReaderTest {
  private static final String READER =
      Path.of("src/test/python/read_container.py").toAbsolutePath().toString();

  @TempDir Path folder;

  @BeforeEach
  void needsPython() throws Exception {
    boolean there;
    try {
      there =
          run(List.of("python3", "-c", "import numpy, shutil; assert shutil.which('zstd')"))
              .isEmpty();
    } catch (java.io.IOException e) {
      there = false;
    }
    if (!there) {
      System.out.println(
          "PythonReaderTest skipped: no python3 with numpy, or no zstd, on this machine");
    }
    Assumptions.assumeTrue(there, "no python3 with numpy, or no zstd, on this machine");
  }

  private List<String> run(List<String> command) throws Exception {
    Path output = folder.resolve("output.txt");
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    List<String> lines = java.nio.file.Files.readAllLines(output);
    if (process.exitValue() != 0) {
      lines.add("exit " + process.exitValue());
    }
    return lines;
  }

  @Test
  void aReaderOfFiftyLinesReadsEntriesLabelsAndPermutations() throws Exception {
    long[] shape = {40, 7, 70_000};
    Random random = new Random(20261121);
    CooBlock sorted = Tensors.sorted(shape, Tensors.random(shape, 3000, random));
    double[] irrational = new double[sorted.size()];
    for (int e = 0; e < irrational.length; e++) {
      irrational[e] = random.nextGaussian();
    }
    CooBlock noisy =
        CooBlock.ofColumns(
            new Object[] {sorted.intColumn(0), sorted.intColumn(1), sorted.intColumn(2)},
            irrational,
            sorted.size());
    for (CooBlock entries : List.of(sorted, noisy)) {
      for (boolean compressed : new boolean[] {true, false}) {
        String uri = folder.resolve("p" + compressed + ".weft").toString();
        WriteOptions options =
            WriteOptions.defaults()
                .withShape(TensorShape.of(shape))
                .withLabels(Map.of(1, Labels.of(List.of("a", "ü", "", "d", "e", "f", "g"))))
                .withContainer(
                    ContainerOptions.defaults()
                        .withPartEntries(900)
                        .withCompressed(compressed)
                        .withPermutations(Map.of(1, new int[] {1, 0, 2, 4, 3, 6, 5})));
        try (TensorOutput output = TensorFiles.create(Entries.ACCESS, uri, true, 3, options)) {
          output.write(entries);
          output.commit();
        }
        List<String> expected = new ArrayList<>(Tensors.describe(entries));
        List<String> read = run(List.of("python3", READER, uri));
        List<String> rest = read.subList(Math.min(read.size(), entries.size()), read.size());
        assertThat(rest)
            .containsExactly(
                "histogram mode0 40 " + entries.size(),
                "histogram mode1 7 " + entries.size(),
                "labels mode1 [\"a\", \"\\u00fc\", \"\", \"d\", \"e\", \"f\", \"g\"]",
                "permutation mode1 [1, 0, 2, 4, 3, 6, 5]",
                "histogram mode2 70000 " + entries.size());
        for (int e = 0; e < entries.size(); e++) {
          String[] words = read.get(e).split(" ");
          String[] wanted = expected.get(e).split(" ");
          assertThat(words).hasSize(4);
          for (int m = 0; m < 3; m++) {
            assertThat(words[m]).isEqualTo(wanted[m]);
          }
          assertThat(Double.parseDouble(words[3])).isEqualTo(Double.parseDouble(wanted[3]));
        }
      }
    }
  }
}
