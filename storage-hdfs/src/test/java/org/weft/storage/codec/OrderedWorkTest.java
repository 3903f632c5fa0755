package org.weft.storage.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Results in the order of the work, and what ends it. */
class OrderedWorkTest {
  private final List<Integer> taken = new ArrayList<>();

  @Test
  void resultsComeInTheOrderOfTheWork() throws IOException {
    OrderedWork<Integer> work = new OrderedWork<>(3, taken::add);
    for (int i = 0; i < 200; i++) {
      int number = i;
      work.add(
          () -> {
            Thread.sleep((number * 7 + 3) % 5);
            return number;
          });
      assertThat(taken).hasSize(Math.max(0, i - 2));
    }
    work.finish();
    assertThat(taken).isEqualTo(IntStream.range(0, 200).boxed().toList());
    assertThat(work.isDone()).isTrue();
  }

  @Test
  void theFirstFailureIsThrownAsItIs() throws IOException {
    for (Exception failure : List.of(new FileNotFoundException("f"), new ArithmeticException())) {
      OrderedWork<Integer> work = new OrderedWork<>(5, taken::add);
      work.add(() -> 1);
      work.add(
          () -> {
            throw failure;
          });
      work.add(() -> 3);
      assertThatThrownBy(work::finish).isSameAs(failure);
      work.abandon();
      assertThat(work.isDone()).isTrue();
    }
    assertThat(taken).containsExactly(1, 1);
  }

  @Test
  void abandonedWorkHasEndedAndIsNotTaken() throws IOException {
    CountDownLatch ended = new CountDownLatch(4);
    OrderedWork<Integer> work = new OrderedWork<>(9, taken::add);
    for (int i = 0; i < 4; i++) {
      work.add(
          () -> {
            Thread.sleep(5);
            ended.countDown();
            return 1;
          });
    }
    work.abandon();
    assertThat(ended.getCount()).isZero();
    assertThat(taken).isEmpty();
  }
}
