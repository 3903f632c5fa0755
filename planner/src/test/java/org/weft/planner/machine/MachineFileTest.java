package org.weft.planner.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.weft.error.WeftException;

class MachineFileTest {
  @Test
  void whatIsWrittenIsReadBack() {
    MachineParameters written =
        MachineParameters.defaults()
            .with(MachineConstant.STREAM, 1.0e10 / 3)
            .with(MachineConstant.LOOP, 7e-9);
    String text = MachineFile.text("a machine", written, EnumSet.of(MachineConstant.STREAM));
    assertThat(text)
        .startsWith("# a machine\nconstant\tvalue\tunit\tsource\nstream\t3.3333333333333335E9\t")
        .contains("measured: a dot product", "step\t0.02\ts\tan estimate\n");
    assertThat(MachineFile.parse("m.tsv", text.lines().toList())).isEqualTo(written);
  }

  @Test
  void constantsThatAreNotNamedAreThoseOfThisMachine() {
    assertThat(MachineFile.parse("m.tsv", List.of("# faster", "", "step\t0.5\ts")))
        .isEqualTo(MachineParameters.ofThisMachine().with(MachineConstant.STEP, 0.5))
        .isNotEqualTo(MachineParameters.ofThisMachine());
  }

  @ParameterizedTest
  @EnumSource(MachineConstant.class)
  void usualValuesArePlausible(MachineConstant constant) {
    assertThat(constant.allows(constant.usual())).isTrue();
    assertThat(constant.allows(constant.bounded(-1))).isTrue();
    assertThat(constant.allows(constant.bounded(1e300))).isTrue();
    assertThat(constant.allows(Double.NaN)).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "stream 1e10, 'm.tsv:1: expected a constant, its value and its unit'",
    "steam 1e10 bytes/s, 'expected a constant as ''weft bench --calibrate'' writes it, found steam'",
    "stream 1e10 GB/s, 'expected bytes/s, found GB/s'",
    "stream fast bytes/s, 'expected a stream of 1.00e+08 to 1.00e+12 bytes/s, found fast'",
    "stream NaN bytes/s, 'found NaN'",
    "stream 1 bytes/s, 'found 1'",
    "'# nothing', 'm.tsv: expected constants of a machine, found none'"
  })
  void whatNoMachineHasIsRefused(String line, String message) {
    List<String> lines = List.of(line.startsWith("#") ? line : line.replace(' ', '\t'));
    assertThatThrownBy(() -> MachineFile.parse("m.tsv", lines))
        .isInstanceOf(WeftException.class)
        .hasMessageContaining(message);
  }

  @Test
  void aConstantThatComesTwiceIsRefused() {
    assertThatThrownBy(() -> MachineFile.parse("m.tsv", List.of("step\t1\ts", "step\t2\ts")))
        .hasMessageContaining("m.tsv:2: expected each constant once, found step again");
  }
}
