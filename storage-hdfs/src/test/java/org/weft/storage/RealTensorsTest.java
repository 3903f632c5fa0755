package org.weft.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.tensor.TensorShape;

/** Real tensors have the shapes and counts that their description says. */
class RealTensorsTest {
  private static final Path DATA = find();

  /** The folder {@code shared/data} of the nearest ancestor that has one. */
  private static Path find() {
    Path at = Path.of("").toAbsolutePath();
    while (at.getParent() != null && !Files.isDirectory(at.resolve("shared/data"))) {
      at = at.getParent();
    }
    return at.resolve("shared/data");
  }

  @ParameterizedTest
  @CsvSource({
    "nations, 70 x 14 x 40, 2024",
    "kinship, 129 x 104 x 126, 10686",
    "bitcoin-otc, 5879 x 5883 x 272, 35592",
    "aminoacid, 5 x 201 x 61, 61305",
    "icews14s, 7127 x 230 x 7128 x 365, 90730"
  })
  void areRead(String name, String shape, long entries) throws Exception {
    Path file = DATA.resolve(name + ".tns.gz");
    Assumptions.assumeTrue(Files.exists(file), () -> "no " + file + " here");
    InputPlan plan = TensorFiles.open(Entries.ACCESS, file.toString(), ReadOptions.defaults());
    try (BlockReader reader = TensorFiles.read(Entries.ACCESS, plan, plan.splits().get(0))) {
      reader.forEachRemaining(block -> assertThat(block.size()).isPositive());
      TensorShape found = reader.summary().shape(plan.header());
      assertThat(found).hasToString(shape);
      assertThat(reader.summary().entries()).isEqualTo(entries);
    }
  }
}
