package org.weft.compiler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.compiler.loop.Goldens;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

class ScheduleTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "sequential",
        "parallel",
        "parallel(i)",
        "order(i,k,j)",
        "order(r/16,i,j,r%16)",
        "split(i:position:1024)",
        "split(i:coordinate:64) parallel(i)",
        "order(i,k,j) split(i:position:1024) parallel(i) unroll(k,4) vector(k) workspace(j:dense)",
        "workspace(j:hashed) workspace(k:dense) prefetch(j:24)"
      })
  void textAndBack(String text) {
    Schedule schedule = Schedule.parse(text);
    assertThat(schedule).hasToString(text);
    assertThat(Schedule.parse(schedule.toString())).isEqualTo(schedule);
  }

  @Test
  void blanksAndSeparatorsAreFree() {
    assertThat(Schedule.parse("  order ( i , k )split(i , position , 8)\n"))
        .hasToString("order(i,k) split(i:position:8)");
    assertThat(Schedule.parse("")).isEqualTo(Schedule.sequential());
  }

  @Test
  void answersByVariable() {
    Schedule schedule = Schedule.parse("order(i,j) split(j:position:8) workspace(k:hashed)");
    assertThat(schedule.loopOrder()).containsExactly("i", "j");
    assertThat(schedule.parallelOutermost()).isFalse();
    assertThat(schedule.split("j").orElseThrow().factor()).isEqualTo(8);
    assertThat(schedule.split("i")).isEmpty();
    assertThat(schedule.workspace("k")).contains(Directive.WorkspaceKind.HASHED);
    assertThat(schedule.withLoopOrder("j", "i").loopOrder()).containsExactly("j", "i");
    assertThat(schedule.with(new Directive.ParallelOutermost()).parallelOutermost()).isTrue();
  }

  @Test
  void errorsShowTheWrongToken() throws IOException {
    StringBuilder text = new StringBuilder();
    for (String wrong :
        List.of(
            "ordre(i,j)",
            "order()",
            "order(r/,i)",
            "order(/16,i)",
            "order(i j)",
            "order(i,i)",
            "around(i,r%4,r%4) gemm(i)",
            "split(i)",
            "split(i:rows:4)",
            "split(i:position:0)",
            "split(i:position:99999999999999999999)",
            "unroll(k,0)",
            "unroll(k,100000)",
            "unroll(k,99999999999)",
            "prefetch(j:99999999999)",
            "vector",
            "parallel(3)",
            "workspace(j:sparse)",
            "parallel(i) order(i,j) order(j,i)",
            "vector(i) vector(i)",
            "sequential parallel",
            "order(i,j) %")) {
      assertThatExceptionOfType(WeftException.class)
          .as(wrong)
          .isThrownBy(() -> Schedule.parse(wrong))
          .satisfies(
              e -> {
                assertThat(e.code()).isEqualTo(ErrorCode.INVALID_SCHEDULE);
                text.append(e.getMessage()).append("\n\n");
              });
    }
    Goldens.check("schedule-errors.txt", text.toString());
  }
}
