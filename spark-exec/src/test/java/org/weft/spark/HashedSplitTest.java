package org.weft.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.engine.EngineTensor;
import org.weft.engine.entries.HashedSplit;
import org.weft.engine.local.LocalBackend;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/** Parts of entries by hashes, in one process and on executors. */
class HashedSplitTest {
  private static final double[] SHARES = {0.5, 0.3, 0.2};

  static List<CooBlock> entries(EngineTensor tensor) {
    return tensor
        .entries()
        .collect(
            blocks ->
                new Iterator<CooBlock>() {
                  @Override
                  public boolean hasNext() {
                    return blocks.hasNext();
                  }

                  @Override
                  public CooBlock next() {
                    return blocks.next().block();
                  }
                });
  }

  private static Set<String> coordinates(EngineTensor tensor) {
    Set<String> all = new HashSet<>();
    for (CooBlock block : entries(tensor)) {
      for (int e = 0; e < block.size(); e++) {
        all.add(
            block.coordinate(0, e) + " " + block.coordinate(1, e) + " " + block.coordinate(2, e));
      }
    }
    return all;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void everyEntryIsInOnePartOfAboutItsShare(boolean onSpark) {
    CooBlock.Builder cells = new CooBlock.Builder(3, 1000);
    for (int cell = 0; cell < 3000; cell++) {
      cells.add(new long[] {cell % 50, cell / 50 % 30, cell / 1500}, 1 + cell);
    }
    TensorShape shape = TensorShape.of(50, 30, 2);
    EngineOptions options = EngineOptions.defaults();
    try (Engine engine =
        onSpark
            ? SparkEngine.create(LocalSpark.context(), options)
            : LocalBackend.engine(FileAccess.local(), options)) {
      EngineTensor all = engine.of("x", shape, List.of(cells.build()), ValueType.DOUBLE);
      Set<String> seen = new HashSet<>();
      EngineTensor[] parts = new EngineTensor[3];
      for (int part = 0; part < 3; part++) {
        parts[part] = engine.select(all, "p", shape, HashedSplit.part(SHARES, part, 9));
        Set<String> found = coordinates(parts[part]);
        assertThat(seen).doesNotContainAnyElementsOf(found);
        seen.addAll(found);
        assertThat((double) found.size())
            .isBetween(3000 * SHARES[part] - 150, 3000 * SHARES[part] + 150);
        assertThat(parts[part].statistics().shape()).isEqualTo(shape);
      }
      assertThat(seen).hasSize(3000);
      assertThat(HashedSplit.common(parts[1].entries(), parts[0].entries())).isEmpty();
      long[] both = HashedSplit.common(parts[1].entries(), all.entries()).orElseThrow();
      assertThat(coordinates(parts[1])).contains(Arrays.toString(both).replaceAll("[\\[\\],]", ""));
    }
  }
}
