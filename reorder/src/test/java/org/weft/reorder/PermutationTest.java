package org.weft.reorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.StringReader;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.error.WeftException;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

class PermutationTest {
  private static Permutation random(long size, long seed) {
    return new RandomOrder(seed).reorder(TensorShape.of(size), List.of()).get(0);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 2, 5, 1000})
  void groupLaws(long size) {
    Permutation id = Permutation.identity(size);
    Permutation a = random(size, 1);
    Permutation b = random(size, 2);
    Permutation c = random(size, 3);
    assertThat(id.isIdentity()).isTrue();
    assertThat(a.andThen(id)).isEqualTo(a).isEqualTo(id.andThen(a));
    assertThat(a.andThen(a.inverse())).isEqualTo(id);
    assertThat(a.inverse().andThen(a)).isEqualTo(id);
    assertThat(a.inverse().inverse()).isEqualTo(a);
    assertThat(a.andThen(b).andThen(c)).isEqualTo(a.andThen(b.andThen(c)));
    assertThat(a.andThen(b).inverse()).isEqualTo(b.inverse().andThen(a.inverse()));
    for (long i = 0; i < size; i++) {
      assertThat(a.andThen(b).apply(i)).isEqualTo(b.apply(a.apply(i)));
      assertThat(a.inverse().apply(a.apply(i))).isEqualTo(i);
    }
  }

  @Test
  void labelsAndOrderAreInverse() {
    assertThat(Permutation.of(2, 0, 1)).isEqualTo(Permutation.ofOrder(2, 0, 1).inverse());
    assertThat(Permutation.ofOrder(2, 0, 1).apply(2)).isZero();
    assertThat(Permutation.of(2, 0, 1))
        .isNotEqualTo(Permutation.of(2, 1, 0))
        .hasToString("Permutation[2, 0, 1]");
  }

  @Test
  void survivesEveryForm() throws Exception {
    Permutation p = random(500, 4);
    ByteArrayOutputStream data = new ByteArrayOutputStream();
    p.writeTo(new DataOutputStream(data));
    assertThat(
            Permutation.readFrom(new DataInputStream(new ByteArrayInputStream(data.toByteArray()))))
        .isEqualTo(p);
    ByteArrayOutputStream java = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(java)) {
      out.writeObject(p);
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(java.toByteArray()))) {
      assertThat(in.readObject()).isEqualTo(p);
    }
    StringWriter text = new StringWriter();
    p.writeText(text);
    assertThat(text.toString().lines().count()).isEqualTo(500);
    assertThat(Permutation.readText(new StringReader(text.toString()), "p.txt")).isEqualTo(p);
  }

  @Test
  void textMayHaveComments() throws Exception {
    assertThat(Permutation.readText(new StringReader("# rows\n1 # first\n\n 0\r\n"), "p.txt"))
        .isEqualTo(Permutation.of(1, 0));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0,x|p.txt:2: expected one coordinate, found 'x'",
        "0,0|found 0 a second time as the new coordinate of 1",
        "1,2|permutation of 0 to 1, found 2 as the new coordinate of 1",
        "-1,0|found -1 as the new coordinate of 0",
        "0,1 2|found '1 2'",
      })
  void refusesWhatIsNoPermutation(String lines, String message) {
    assertThatThrownBy(
            () -> Permutation.readText(new StringReader(lines.replace(',', '\n')), "p.txt"))
        .isInstanceOf(WeftException.class)
        .hasMessageContaining(message);
  }

  @Test
  void refusesOtherSizes() {
    assertThatThrownBy(() -> Permutation.identity(3).andThen(Permutation.identity(4)))
        .isInstanceOf(WeftException.class);
    assertThatThrownBy(() -> Permutation.identity(1L << 31)).isInstanceOf(WeftException.class);
  }

  @Test
  void relabelsBlocksAndBack() {
    CooBlock.Builder builder = new CooBlock.Builder(2, 4);
    builder.add(new long[] {0, 3}, 1.5);
    builder.add(new long[] {2, 0}, -2);
    CooBlock block = builder.build();
    List<Permutation> p = List.of(Permutation.of(1, 2, 0), Permutation.of(3, 2, 1, 0));
    CooBlock there = Permutation.relabel(block, p);
    assertThat(there.coordinate(0, 0)).isEqualTo(1);
    assertThat(there.coordinate(1, 0)).isZero();
    assertThat(there.value(1)).isEqualTo(-2);
    CooBlock back = Permutation.relabel(there, p.stream().map(Permutation::inverse).toList());
    for (int e = 0; e < 2; e++) {
      for (int m = 0; m < 2; m++) {
        assertThat(back.coordinate(m, e)).isEqualTo(block.coordinate(m, e));
      }
    }
  }

  @Test
  void addedCoordinatesKeepTheirPlace() {
    Permutation larger = Permutation.of(2, 0, 1).extendedTo(5);
    assertThat(larger).isEqualTo(Permutation.of(2, 0, 1, 3, 4));
    assertThat(larger.extendedTo(5)).isEqualTo(larger);
    assertThatThrownBy(() -> larger.extendedTo(4)).isInstanceOf(IllegalArgumentException.class);
  }
}
