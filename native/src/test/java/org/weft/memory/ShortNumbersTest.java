package org.weft.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ShortNumbersTest {
  private static final int[] COUNTS = {0, 1, 2, 7, 8191, 8192, 8193, 20_000};

  private static byte[] written(Object numbers, int count) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    ShortNumbers.write(out, numbers, count);
    out.writeByte(77); // what follows stays in its place
    return bytes.toByteArray();
  }

  private static void readInto(Object numbers, byte[] written) throws IOException {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(written));
    ShortNumbers.read(in, numbers);
    assertThat(in.readByte()).isEqualTo((byte) 77);
    assertThat(in.read()).isEqualTo(-1);
  }

  @Test
  void intsOfEveryWidth() throws Exception {
    Random random = new Random(1);
    for (int count : COUNTS) {
      for (int bits = 0; bits <= 32; bits++) {
        long mask = (1L << bits) - 1;
        int[] numbers = random.ints(count + 3).map(n -> (int) (n & mask)).toArray();
        if (count > 0) {
          numbers[count / 2] = (int) mask;
        }
        byte[] written = written(numbers, count);
        int[] back = new int[count];
        readInto(back, written);
        assertThat(back).isEqualTo(Arrays.copyOf(numbers, count));
        int width = count == 0 ? 0 : (bits + 7) / 8;
        assertThat(written).hasSize(2 + width * count);
      }
    }
  }

  @Test
  void longsOfEveryWidthAndSign() throws Exception {
    Random random = new Random(2);
    for (int count : COUNTS) {
      for (int bits = 0; bits <= 64; bits++) {
        int shift = 64 - bits;
        long[] any =
            random.longs(count + 1).map(n -> shift == 64 ? 0 : n >> shift).toArray(); // signed
        long[] positive = LongStream.of(any).map(n -> shift == 64 ? 0 : n >>> shift).toArray();
        for (long[] numbers : new long[][] {any, positive}) {
          byte[] written = written(numbers, count);
          long[] back = new long[count];
          readInto(back, written);
          assertThat(back).isEqualTo(Arrays.copyOf(numbers, count));
          assertThat(written.length).isLessThanOrEqualTo(2 + (bits + 7) / 8 * count);
        }
      }
    }
  }

  private static void comeBack(double[] numbers, int bytesOfEach) throws IOException {
    byte[] written = written(numbers, numbers.length);
    assertThat(written).hasSize(2 + bytesOfEach * numbers.length);
    double[] back = new double[numbers.length];
    readInto(back, written);
    for (int i = 0; i < numbers.length; i++) {
      assertThat(Double.doubleToRawLongBits(back[i]))
          .isEqualTo(Double.doubleToRawLongBits(numbers[i]));
    }
  }

  @Test
  void doublesKeepTheirBits() throws Exception {
    double nan = Double.longBitsToDouble(0x7ff8000000000123L);
    double signalling = Double.longBitsToDouble(0x7ff0000000000001L);
    comeBack(new double[] {}, 0);
    comeBack(new double[] {0, 0, 0}, 0);
    comeBack(new double[] {1, -1, 127, -128}, 1);
    comeBack(new double[] {1, 2, 300}, 2);
    comeBack(new double[] {-8_000_000, 1}, 3);
    comeBack(new double[] {Integer.MAX_VALUE, Integer.MIN_VALUE}, 4);
    comeBack(new double[] {Integer.MAX_VALUE + 1.0, 1}, 4); // a float
    comeBack(new double[] {Integer.MAX_VALUE + 2.0, 1}, 8);
    comeBack(new double[] {-0.0, 1}, 4);
    comeBack(new double[] {0.5, 1e30f, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY}, 4);
    comeBack(new double[] {1, Double.NaN}, 4);
    comeBack(new double[] {1, nan}, 8);
    comeBack(new double[] {1, signalling}, 8);
    comeBack(new double[] {0.1, 1}, 8);
    comeBack(new double[] {1e300, Long.MAX_VALUE, Long.MIN_VALUE}, 8);
    comeBack(new double[] {1, Double.MIN_VALUE}, 8);
    comeBack(new double[] {(double) Float.MIN_VALUE, 1.5}, 4);
  }

  @Test
  void manyDoublesOfEachKind() throws Exception {
    Random random = new Random(3);
    for (int count : new int[] {8192, 8193, 20_000}) {
      comeBack(random.doubles(count).toArray(), 8);
      comeBack(random.ints(count).mapToDouble(n -> n % 1000 / 8f + 0.5f).toArray(), 4);
      comeBack(random.ints(count).mapToDouble(n -> n >> 8).toArray(), 3);
    }
  }

  /** A mode may have one slice; its column takes no bytes, and no call for each of its numbers. */
  @Test
  void zerosAreNotWrittenOneByOne() throws Exception {
    int[] calls = {0};
    OutputStream counting =
        new OutputStream() {
          @Override
          public void write(int b) {
            calls[0]++;
          }

          @Override
          public void write(byte[] bytes, int from, int count) {
            calls[0]++;
          }
        };
    for (Object zeros : List.of(new int[50_000], new long[50_000], new double[50_000])) {
      ShortNumbers.write(new DataOutputStream(counting), zeros, 50_000);
    }
    assertThat(calls[0]).isLessThan(10);
  }

  @Test
  void whatIsCutShortOrUnknownIsAnError() throws Exception {
    byte[] written = written(new int[] {1, 2, 300}, 3);
    DataInputStream cut = new DataInputStream(new ByteArrayInputStream(written, 0, 4));
    assertThatThrownBy(() -> ShortNumbers.read(cut, new int[3])).isInstanceOf(EOFException.class);
    for (int how : new int[] {9, 15, 25, 33, 200, 255}) {
      DataInputStream odd =
          new DataInputStream(new ByteArrayInputStream(new byte[] {(byte) how, 0, 0, 0, 0}));
      assertThatThrownBy(() -> ShortNumbers.read(odd, new long[1]))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("found " + how);
    }
  }
}
