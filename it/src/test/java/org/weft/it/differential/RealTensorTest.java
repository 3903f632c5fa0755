package org.weft.it.differential;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Real tensors, every mode: MTTKRP, TTM and TTV within 1e-10 of the naive evaluator. The first mode
 * on Spark, the others in one process.
 */
final class RealTensorTest {
  private static final Map<String, Entries> PARSED = new HashMap<>();

  @ParameterizedTest(name = "{0} mode {1}")
  @CsvSource({"nations, 0", "kinship, 2"})
  void everyOperation(String name, int mode, @TempDir Path folder) {
    check(name, mode, folder);
  }

  /** Other modes, and up to seven million nonzeros; minutes. */
  @Tag("long")
  @ParameterizedTest(name = "{0} mode {1}")
  @CsvSource({
    "nations, 1",
    "nations, 2",
    "kinship, 0",
    "kinship, 1",
    "umls, 0",
    "umls, 1",
    "umls, 2",
    "bitcoin-otc, 0",
    "bitcoin-otc, 1",
    "bitcoin-otc, 2",
    "openflights-airline-src-dst-equip, 3",
    "icews14s, 0",
    "icews14s, 1",
    "icews14s, 2",
    "icews14s, 3",
    "openflights-airline-src-dst-equip, 0",
    "openflights-airline-src-dst-equip, 1",
    "openflights-airline-src-dst-equip, 2",
    "fb15k237, 0",
    "fb15k237, 1",
    "fb15k237, 2",
    "retrosheet-batter-pitcher-year-stat, 0",
    "retrosheet-batter-pitcher-year-stat, 1",
    "retrosheet-batter-pitcher-year-stat, 2",
    "retrosheet-batter-pitcher-year-stat, 3",
  })
  void everyOperationOnMoreTensors(String name, int mode, @TempDir Path folder) {
    check(name, mode, folder);
  }

  private static void check(String name, int mode, Path folder) {
    Path input = RealTensors.fileOrSkip(name);
    Entries tensor = PARSED.computeIfAbsent(name, key -> Entries.read(input));
    Operations operations = new Operations(tensor, input, folder, 0, mode == 0);
    operations.mttkrp(mode, 16, 42);
    operations.ttm(mode, 4, 43);
    operations.ttv(mode, 44);
  }
}
