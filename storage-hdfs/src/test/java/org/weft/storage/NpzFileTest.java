package org.weft.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.error.WeftException;
import org.weft.storage.npy.NpzFile;
import org.weft.tensor.DenseMatrix;

class NpzFileTest {
  @TempDir Path folder;

  private String write() throws Exception {
    Map<String, DenseMatrix> arrays = new LinkedHashMap<>();
    arrays.put("mode1", DenseMatrix.random(300, 5, 7));
    arrays.put("mode0", DenseMatrix.random(2, 3, 8));
    arrays.put("none", DenseMatrix.zeros(0, 4));
    Path file = folder.resolve("f.npz");
    try (OutputStream out = Files.newOutputStream(file)) {
      NpzFile.write(out, arrays);
    }
    return file.toString();
  }

  @Test
  void whatIsWrittenIsReadInOrder() throws Exception {
    Map<String, DenseMatrix> arrays = NpzFile.read(Entries.ACCESS, write());
    assertThat(arrays.keySet()).containsExactly("mode1", "mode0", "none");
    DenseMatrix expected = DenseMatrix.random(300, 5, 7);
    for (int i = 0; i < 300; i++) {
      for (int j = 0; j < 5; j++) {
        assertThat(arrays.get("mode1").get(i, j)).isEqualTo(expected.get(i, j));
      }
    }
    assertThat(arrays.get("none").columns()).isEqualTo(4);
  }

  @Test
  void numpyOpensWhatIsWrittenAndTheOtherWay() throws Exception {
    String ours = write();
    String theirs = folder.resolve("theirs.npz").toString();
    String packed = folder.resolve("packed.npz").toString();
    String script =
        "import sys\n"
            + "try:\n  import numpy as np\n"
            + "except ImportError: sys.exit(77)\n"
            + "f = np.load(sys.argv[1])\n"
            + "assert f.files == ['mode1', 'mode0', 'none'] and f['mode1'].shape == (300, 5)\n"
            + "assert f['mode1'].dtype == np.float64 and f['none'].shape == (0, 4)\n"
            + "np.savez(sys.argv[2], **f)\n"
            + "np.savez_compressed(sys.argv[3], **f)\n";
    Process python;
    try {
      python =
          new ProcessBuilder("python3", "-c", script, ours, theirs, packed)
              .redirectErrorStream(true)
              .start();
    } catch (java.io.IOException e) {
      Assumptions.abort("there is no python3: " + e.getMessage());
      return;
    }
    String said = new String(python.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(python.waitFor(60, TimeUnit.SECONDS)).isTrue();
    Assumptions.assumeTrue(python.exitValue() != 77, "python3 has no numpy");
    assertThat(python.exitValue()).as(said).isZero();
    DenseMatrix expected = DenseMatrix.random(300, 5, 7);
    for (String uri : new String[] {theirs, packed}) {
      DenseMatrix found = NpzFile.read(Entries.ACCESS, uri).get("mode1");
      assertThat(found.get(299, 4)).isEqualTo(expected.get(299, 4));
      assertThat(found.get(0, 1)).isEqualTo(expected.get(0, 1));
    }
  }

  @Test
  void damageIsReadOrRefused() throws Exception {
    byte[] good = Files.readAllBytes(Path.of(write()));
    Path file = folder.resolve("bad.npz");
    Random random = new Random(4);
    for (int round = 0; round < 300; round++) {
      byte[] bad = Fuzz.bytes(random, good);
      Files.write(
          file, round % 2 == 0 ? bad : java.util.Arrays.copyOf(bad, random.nextInt(bad.length)));
      try {
        NpzFile.read(Entries.ACCESS, file.toString());
      } catch (WeftException refused) {
        assertThat(refused).hasMessageContaining(file.toString());
      }
    }
    Files.writeString(file, "not a zip");
    assertThatThrownBy(() -> NpzFile.read(Entries.ACCESS, file.toString()))
        .hasMessageContaining("found none in it");
  }
}
