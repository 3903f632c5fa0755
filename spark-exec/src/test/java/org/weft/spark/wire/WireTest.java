package org.weft.spark.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.storage.StorageLevel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.spark.LocalSpark;
import org.weft.tensor.CooBlock;
import scala.Tuple2;

class WireTest {
  static Stream<Object> values() {
    return Stream.of(
        "a text",
        7L,
        new long[] {1, -2},
        new double[] {0.5, -0.0},
        new int[] {3},
        new byte[] {4},
        new Tuple2<>(1, 2L),
        new Tuple2<>(new Tuple2<>(1, "x"), new double[] {-0.0}));
  }

  @ParameterizedTest
  @MethodSource("values")
  void plainValuesArriveAsTheyWere(Object value) {
    Object arrived = Wire.value(Wire.bytes(value));
    assertThat(arrived).usingRecursiveComparison().isEqualTo(value);
  }

  @Test
  void blocksArriveAsTheyWere() {
    CooBlock.Builder block = new CooBlock.Builder(2, 1);
    block.add(new long[] {3, 1L << 40}, 2.5);
    CooBlock arrived = Wire.value(Wire.bytes(block.build()));
    assertThat(arrived.size()).isEqualTo(1);
    assertThat(arrived.coordinate(1, 0)).isEqualTo(1L << 40);
    assertThat(arrived.value(0)).isEqualTo(2.5);
  }

  /** Sums of numbers have the same bits each time. */
  @ParameterizedTest
  @ValueSource(ints = {12, 40, 1_025}) // merged by the driver, in one stage before it, in two
  void partitionsAreMergedInTheirOrderWhicheverEndsFirst(int partitions) {
    List<Integer> all = IntStream.range(0, 2 * partitions).boxed().toList();
    JavaRDD<String> late =
        LocalSpark.context()
            .parallelize(all, partitions)
            .map(
                number -> {
                  Thread.sleep(number % 16 == 0 ? 20 : 0); // every eighth partition
                  return number + " ";
                });
    String expected = all.stream().map(number -> number + " ").collect(Collectors.joining());
    assertThat(Wire.reduce(late, String::concat)).isEqualTo(expected);
  }

  @Test
  void nothingCannotBeReduced() {
    JavaRDD<String> none = LocalSpark.context().parallelize(List.<String>of(), 3);
    assertThatThrownBy(() -> Wire.reduce(none, String::concat))
        .isInstanceOf(UnsupportedOperationException.class);
  }

  /** Also types that Spark's own Kryo knows: loading their classes takes time on each executor. */
  @Test
  void otherTypesAreRefused() {
    assertThatThrownBy(() -> Wire.bytes(StorageLevel.MEMORY_ONLY()))
        .hasMessageContaining("not registered");
  }
}
