package org.weft.spark;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** All cores of a cluster read a file, and no task reads almost nothing. Sizes in MiB. */
class SplitBytesTest {
  @ParameterizedTest
  @CsvSource({
    "2, 5, 64, 8", // one task
    "2, 20, 64, 8", // three tasks
    "2, 160, 64, 40", // four tasks
    "2, 160, 4, 4", // a task for each block, where the block is stored
    "64, 10240, 64, 64",
    "640, 10240, 64, 8"
  })
  void cutsFilesForAllCores(long cores, long file, long block, long expected) {
    assertThat(SparkBackend.splitBytes(cores, file << 20, block << 20)).isEqualTo(expected << 20);
  }
}
