package org.weft.spark.resident;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * Rows that a packed tensor reads of an operand of mode 2, in formats that tell which these are.
 */
class ReadRowsTest {
  private static final int SIZE = 1003;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{CU:0, CU:1, CU:2}",
        "{CN:0, S:1, S:2}",
        "{CU:0, CN:1, S:2}@2,0,1",
        "{D:0, CU:1, CU:2}@1,2,0",
        "{D:2/16, CU:0, CU:1, CU:2%16}",
        "{D:2/16, CU:0, CN:1, S:2%16}",
        "{D:2/16, CU:0, CN:1, S:2%16}@1,0,2",
        "{D:2/10, CU:0, CU:1, CU:2%10}@1,0,2"
      })
  void exactRows(String text) {
    TensorFormat format = TensorFormat.parse(text, 3, ValueType.DOUBLE);
    Random random = new Random(5);
    int[] i = new int[60];
    int[] j = new int[60];
    int[] k = new int[60];
    double[] values = new double[60];
    BitSet rows = new BitSet();
    BitSet pairs = new BitSet();
    for (int e = 0; e < k.length; e++) {
      i[e] = random.nextInt(4);
      j[e] = random.nextInt(5);
      k[e] = e % 5 == 0 ? SIZE - 1 - random.nextInt(8) : random.nextInt(300);
      values[e] = 1;
      rows.set(k[e]);
      pairs.set(k[e] / 2);
    }
    CooBlock block = CooBlock.ofColumns(new Object[] {i, j, k}, values, values.length);
    try (MemoryScope scope = MemoryScope.root("test", MemorySource.system())) {
      TensorStorage packed =
          Packing.pack(scope, TensorShape.of(4, 5, SIZE), format, List.of(block));
      assertThat(ReadRows.of(packed, 2, 1, SIZE)).isEqualTo(rows);
      assertThat(ReadRows.of(packed, 2, 2, (SIZE + 1) / 2)).isEqualTo(pairs);
    }
  }
}
