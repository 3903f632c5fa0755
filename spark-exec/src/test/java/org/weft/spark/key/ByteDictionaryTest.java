package org.weft.spark.key;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ByteDictionaryTest {
  @Test
  void stringsAreNumberedAsTheyAppear() {
    Random random = new Random(5);
    ByteDictionary dictionary = new ByteDictionary();
    Map<List<Byte>, Integer> numbers = new HashMap<>();
    List<byte[]> strings = new ArrayList<>();
    for (int n = 0; n < 20_000; n++) {
      byte[] text = new byte[random.nextInt(n % 1000 == 0 ? 100_000 : 12)];
      for (int at = 0; at < text.length; at++) {
        text[at] = (byte) (random.nextInt(4) * 80);
      }
      List<Byte> boxed = new ArrayList<>();
      for (byte b : text) {
        boxed.add(b);
      }
      Integer known = numbers.putIfAbsent(boxed, strings.size());
      assertThat(dictionary.find(text, 0, text.length)).isEqualTo(known == null ? -1 : known);
      int number = dictionary.number(text, 0, text.length);
      assertThat(number).isEqualTo(known == null ? strings.size() : known);
      if (known == null) {
        strings.add(text);
      }
    }
    for (int n = 0; n < strings.size(); n++) {
      assertThat(dictionary.get(n)).isEqualTo(strings.get(n));
      int other = (n * 31) % strings.size();
      int order = Integer.signum(Arrays.compareUnsigned(strings.get(n), strings.get(other)));
      assertThat(Integer.signum(dictionary.compare(n, other))).isEqualTo(order);
      int prefix = Long.compareUnsigned(dictionary.prefix(n), dictionary.prefix(other));
      assertThat(prefix == 0 || prefix == order).isTrue();
    }
    ByteDictionary more = new ByteDictionary();
    more.number(strings.get(7), 0, strings.get(7).length);
    int[] there = more.addAll(dictionary);
    assertThat(there[7]).isZero();
    assertThat(more.get(there[123])).isEqualTo(strings.get(123));
  }
}
