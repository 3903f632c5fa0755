package org.weft.spark.resident;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.memory.ElementType;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.memory.NativeArray;
import org.weft.memory.NativeMemory;
import org.weft.spark.exchange.RowRuns;

class ArrivingRowsTest {
  private static final int ROWS = 300;
  private static final int COLUMNS = 3;
  private static final int ROW_BYTES = COLUMNS * Double.BYTES;

  private final MemoryScope scope = MemoryScope.root("test", MemorySource.system());
  private final NativeArray sent = numbers(1);
  private final NativeArray arrived = numbers(0);

  @AfterEach
  void free() {
    scope.close();
  }

  private NativeArray numbers(int factor) {
    NativeArray numbers = scope.allocate(ElementType.F64, ROWS * COLUMNS);
    for (int i = 0; i < ROWS * COLUMNS; i++) {
      numbers.setDouble(i, factor * (i + 1));
    }
    return numbers;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 24, 1000, 1 << 20})
  void rowsFindTheirPlacesHoweverTheyAreCut(int most) {
    Random random = new Random(most);
    for (boolean direct : new boolean[] {false, true}) {
      RowRuns rows = someOf(random);
      ArrivingRows taker = new ArrivingRows(rows, ROW_BYTES, arrived.address());
      send(answer(null, rows), taker, () -> 1 + random.nextInt(most), direct);
      taker.end();
      assertArrived(rows);
    }
  }

  @Test
  void theAnswerSaysWhichRowsCome() {
    Random random = new Random(3);
    RowRuns rows = someOf(random);
    ArrivingRows taker = new ArrivingRows(null, ROW_BYTES, arrived.address());
    send(answer(rows, rows), taker, () -> 1 + random.nextInt(50), true);
    taker.end();
    assertArrived(rows);
  }

  @Test
  void noRowsAreAnAnswer() {
    ArrivingRows taker = new ArrivingRows(null, ROW_BYTES, arrived.address());
    send(answer(new RowRuns(), new RowRuns()), taker, () -> 2, true);
    taker.end();
    assertArrived(new RowRuns());
  }

  @Test
  void aRefusalSaysWhy() {
    ArrivingRows taker = new ArrivingRows(new RowRuns(), ROW_BYTES, arrived.address());
    ByteBuf refusal = ArrivingRows.refusal(new FactorLost("factor0_7"));
    assertThatThrownBy(() -> send(refusal, taker, () -> 10, true))
        .hasMessageContaining("factor0_7");
  }

  @Test
  void tooFewAndTooManyBytesAreFound() {
    RowRuns rows = new RowRuns();
    rows.add(2, 3);
    RowRuns fewer = new RowRuns();
    fewer.add(2, 2);
    ArrivingRows few = new ArrivingRows(rows, ROW_BYTES, arrived.address());
    send(answer(null, fewer), few, () -> 11, true);
    assertThatThrownBy(few::end).hasMessageContaining("ends before its rows");
    ArrivingRows many = new ArrivingRows(fewer, ROW_BYTES, arrived.address());
    assertThatThrownBy(() -> send(answer(null, rows), many, () -> 1000, true))
        .hasMessageContaining("more bytes");
  }

  private static RowRuns someOf(Random random) {
    RowRuns rows = new RowRuns();
    for (int row = random.nextInt(9); row < ROWS; row += 1 + random.nextInt(9)) {
      int count = Math.min(ROWS - row, 1 + random.nextInt(9));
      rows.add(row, count);
      row += count;
    }
    return rows;
  }

  private ByteBuf answer(@Nullable RowRuns said, RowRuns rows) {
    int bytes = rows.rows() * ROW_BYTES;
    ByteBuf answer = ArrivingRows.answer(said, bytes);
    ByteBuffer into = answer.nioBuffer(answer.writerIndex(), bytes);
    rows.gather(ROW_BYTES, sent.address(), NativeMemory.address(into) + into.position());
    return answer.writerIndex(answer.writerIndex() + bytes);
  }

  private static void send(ByteBuf answer, ArrivingRows taker, IntSupplier sizes, boolean direct) {
    try {
      while (answer.isReadable()) {
        int size = Math.min(answer.readableBytes(), sizes.getAsInt());
        ByteBuffer piece = direct ? ByteBuffer.allocateDirect(size) : ByteBuffer.allocate(size);
        answer.readBytes(piece);
        taker.take(piece.flip());
      }
    } finally {
      answer.release();
    }
  }

  private void assertArrived(RowRuns rows) {
    boolean[] came = new boolean[ROWS];
    rows.forEach((first, count, before) -> Arrays.fill(came, first, first + count, true));
    for (int i = 0; i < ROWS * COLUMNS; i++) {
      assertThat(arrived.getDouble(i)).isEqualTo(came[i / COLUMNS] ? sent.getDouble(i) : 0);
      arrived.setDouble(i, 0);
    }
  }
}
