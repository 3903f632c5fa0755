package org.weft.spark.read;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.spark.Dependency;
import org.apache.spark.Partition;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import org.junit.jupiter.api.Test;
import org.weft.engine.entries.OriginBlock;
import org.weft.spark.LocalSpark;
import org.weft.spark.wire.Wire;
import org.weft.tensor.CooBlock;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;

/** Splits of many, few and no blocks: every block in one slice, and a slice for each split. */
final class SlicedSplitsTest {
  private static final long[] BLOCKS = {5, 1, 0, 3, 2};

  @Test
  void aSplitHasNoMoreSlicesThanBlocks() {
    SlicedSplits sliced = SlicedSplits.of(new Splits(LocalSpark.context().sc()), BLOCKS, 3);
    List<String> slices =
        Wire.collect(
            sliced.toJavaRDD(),
            parts -> {
              List<Long> origins = new ArrayList<>();
              parts.forEachRemaining(
                  part -> origins.add(Objects.requireNonNull(part.block()).origin()));
              return List.of(origins.toString()).iterator();
            });
    assertThat(slices)
        .containsExactly(
            "[0]", "[1, 2]", "[3, 4]", "[10]", "[]", "[30]", "[31]", "[32]", "[40]", "[41]");
  }

  /** Block b of split s has the origin 10 s + b. */
  private static final class Splits extends RDD<ParsedPart> {
    private static final long serialVersionUID = 1L;

    Splits(SparkContext context) {
      super(
          context,
          CollectionConverters.asScala(List.<Dependency<?>>of()).toSeq(),
          ClassTag$.MODULE$.apply(ParsedPart.class));
    }

    @Override
    public Partition[] getPartitions() {
      return NumberedPartition.array(BLOCKS.length);
    }

    @Override
    public Iterator<ParsedPart> compute(Partition split, TaskContext task) {
      List<ParsedPart> parts = new ArrayList<>();
      CooBlock none = new CooBlock.Builder(1, 0).build();
      for (int block = 0; block < BLOCKS[split.index()]; block++) {
        parts.add(ParsedPart.of(new OriginBlock(10L * split.index() + block, none)));
      }
      return CollectionConverters.asScala(parts.iterator());
    }
  }
}
