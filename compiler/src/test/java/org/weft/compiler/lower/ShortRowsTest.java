package org.weft.compiler.lower;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.TensorCompiler;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.ValueType;

/** Sums of small matrices in workspaces, whose rows do or do not fill vector registers. */
class ShortRowsTest {
  private static final boolean LONG = Boolean.getBoolean("weft.long");
  private static final List<String> STATEMENTS =
      List.of(
          "N(i,r,s) = T(i,j,k) * A(j,r) * A(j,s) * B(k,r) * B(k,s)",
          "N(i,r,s) = T(i,j,k) * A(j,r) * B(k,s)",
          "N(i,r,s) = T(i,j,k) @(max,+) A(j,r) @(max,+) A(j,s) @(max,+) B(k,r) @(max,+) B(k,s)");

  @ParameterizedTest
  @EnumSource(
      value = ValueType.class,
      names = {"DOUBLE", "FLOAT"})
  void ofAnyWidth(ValueType type) {
    List<KernelCase> cases = new ArrayList<>();
    for (int number = 0; number < STATEMENTS.size(); number++) {
      for (int columns = 1; columns <= 18; columns++) {
        // Usually each width with one statement of each type, and with another one of the other.
        if (LONG || (number + columns + type.ordinal()) % STATEMENTS.size() == 0) {
          cases.add(sample(STATEMENTS.get(number), type, columns));
        }
      }
    }
    CompilerOptions options = CompilerOptions.forThisHost().withOptimisation(1);
    KernelCase.checkAll(options, cases, 2, 1);
  }

  /** The last eight lanes of a row of eleven are one masked load of the factor's row. */
  @ParameterizedTest
  @ValueSource(ints = {3, 7, 11, 13, 15})
  void rowsTakeWholeRegisters(int columns) {
    String ir = explained(columns, "x86-64-v4");
    assertThat(ir).contains("@llvm.masked.load").doesNotContain("<2 x double>", "<4 x double>");
  }

  @Test
  void rowsOfPowersOfTwoNeedNoMask() {
    assertThat(explained(16, "x86-64-v4")).doesNotContain("masked");
    assertThat(explained(10, "x86-64-v4")).doesNotContain("masked");
  }

  private static String explained(int columns, String cpu) {
    CompilerOptions options = CompilerOptions.forThisHost().withCpu(cpu);
    try (TensorCompiler compiler = TensorCompiler.create(options)) {
      KernelCase sample = sample(STATEMENTS.get(0), ValueType.DOUBLE, columns);
      return compiler.explain(sample.request("normal")).llvmIr();
    }
  }

  private static KernelCase sample(String statement, ValueType type, int columns) {
    String formats = "N=Dense:3 T=CSF:3 A=Dense:2 B=Dense:2 r=" + columns + " s=" + columns;
    KernelCase sample = KernelGoldenTest.sample(statement, formats);
    Map<String, TensorFormat> typed = new HashMap<>(sample.formats());
    typed.replaceAll((name, format) -> format.withValueType(type));
    Set<String> constants = sample.constants();
    return new KernelCase(statement, typed, sample.sizes(), constants, sample.schedule());
  }
}
