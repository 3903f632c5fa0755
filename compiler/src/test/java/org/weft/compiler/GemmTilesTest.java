package org.weft.compiler;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which tile of the result stays in registers. */
class GemmTilesTest {
  /** A tile of one vector is for runs that would leave much of two vectors empty. */
  @ParameterizedTest
  @CsvSource({
    "256, 8, 4, 4 x 12",
    "256, 8, 12, 4 x 12",
    "256, 8, 20, 8 x 6",
    "256, 8, 28, 8 x 6",
    "256, 8, 41, 8 x 6",
    "256, 8, 48, 8 x 6",
    "256, 4, 8, 8 x 12",
    "256, 4, 40, 16 x 6",
    "512, 8, 16, 16 x 12",
    "512, 8, 32, 32 x 6",
    "512, 8, 48, 24 x 8"
  })
  void suitsTheRun(int vectorBits, int bytes, long run, String tile) {
    GemmTiles tiles = GemmTiles.of(vectorBits, bytes, run, 1000);
    assertThat(tiles.wide() + " x " + tiles.high()).isEqualTo(tile);
  }
}
