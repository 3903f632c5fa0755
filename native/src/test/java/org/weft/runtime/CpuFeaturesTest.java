package org.weft.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.error.WeftException;

class CpuFeaturesTest {
  private static final String V2 = "cx16 lahf_lm popcnt pni ssse3 sse4_1 sse4_2 ";
  private static final String V3 = V2 + "avx avx2 bmi1 bmi2 f16c fma abm movbe xsave ";
  private static final String V4 = V3 + "avx512f avx512bw avx512cd avx512dq avx512vl ";

  private static Set<String> flags(String text) {
    return new HashSet<>(List.of(text.trim().split(" ")));
  }

  @Test
  void aLevelNeedsAllItsFlags() {
    assertThat(CpuFeatures.levelOf(flags(V2))).isEqualTo("x86-64-v2");
    assertThat(CpuFeatures.levelOf(flags(V3))).isEqualTo("x86-64-v3");
    assertThat(CpuFeatures.levelOf(flags(V4))).isEqualTo("x86-64-v4");
    assertThat(CpuFeatures.levelOf(flags(V3.replace("bmi2 ", "")))).isEqualTo("x86-64-v2");
    assertThat(CpuFeatures.levelOf(flags(V4.replace("fma ", "")))).isEqualTo("x86-64-v2");
    assertThatThrownBy(() -> CpuFeatures.levelOf(flags("sse sse2")))
        .isInstanceOf(WeftException.class);
  }

  /** Virtual machines hide them, and code for 128 bits would take twice as long. */
  @ParameterizedTest
  @ValueSource(strings = {"abm ", "movbe "})
  void instructionsThatNoKernelUsesAreNotAskedFor(String flag) {
    assertThat(CpuFeatures.levelOf(flags(V3.replace(flag, "")))).isEqualTo("x86-64-v3");
    assertThat(CpuFeatures.levelOf(flags(V4.replace(flag, "")))).isEqualTo("x86-64-v4");
  }

  @Test
  void wideRegistersAreMore() {
    assertThat(CpuFeatures.vectorRegisterBytes("x86-64-v2")).isEqualTo(256);
    assertThat(CpuFeatures.vectorRegisterBytes("x86-64-v3")).isEqualTo(512);
    assertThat(CpuFeatures.vectorRegisterBytes("x86-64-v4")).isEqualTo(2048);
    assertThat(CpuFeatures.vectorRegisterBytes()).isIn(256, 512, 2048);
  }

  @Test
  void thisHostRunsItsOwnLevel() {
    CpuFeatures.require(CpuFeatures.level());
    CpuFeatures.require("x86-64-v2");
  }
}
