package org.weft.compiler.eval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.TensorCompiler;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.ElementType;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.memory.NativeArray;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/** Checked kernels on storage whose arrays contradict each other: errors instead of crashes. */
class CheckedKernelTest {
  private static final TensorFormat CSR = TensorFormat.parse("CSR", 2, ValueType.DOUBLE);
  private static final TensorFormat COO = TensorFormat.parse("COO", 2, ValueType.DOUBLE);
  private static final TensorFormat VECTOR = TensorFormat.dense(1, ValueType.DOUBLE);
  private static final TensorShape SHAPE = TensorShape.of(3, 4);
  private static final long[] POS = {0, 2, 2, 5};
  private static final long[] CRD = {0, 3, 0, 1, 2};

  private final MemoryScope scope = MemoryScope.root("checked", MemorySource.system());
  private final TensorCompiler compiler =
      TensorCompiler.create(CompilerOptions.forThisHost().withCheck(true));

  @BeforeEach
  void fresh() {
    assertThat(scope.isClosed()).isFalse();
  }

  @AfterEach
  void close() {
    compiler.close();
    scope.close();
  }

  private static NativeArray array(MemoryScope owner, ElementType type, long... content) {
    NativeArray array = owner.allocate(type, content.length);
    for (int i = 0; i < content.length; i++) {
      array.setLong(i, content[i]);
    }
    return array;
  }

  private TensorStorage csr(long[] pos, long[] crd, int values) {
    MemoryScope own = scope.child("matrix");
    NativeArray[] posArrays = {null, array(own, ElementType.I64, pos)};
    NativeArray[] crdArrays = {null, array(own, ElementType.I64, crd)};
    long[] positions = {3, crd.length};
    NativeArray vals = own.allocate(ElementType.F64, values);
    return TensorStorage.ofArrays(own, SHAPE, CSR, positions, posArrays, crdArrays, vals);
  }

  private TensorStorage coo(long[] rows, long[] columns) {
    MemoryScope own = scope.child("matrix");
    NativeArray[] posArrays = {array(own, ElementType.I64, 0, rows.length), null};
    NativeArray[] crdArrays = {
      array(own, ElementType.I64, rows), array(own, ElementType.I64, columns)
    };
    long[] positions = {rows.length, rows.length};
    NativeArray vals = own.allocate(ElementType.F64, rows.length);
    return TensorStorage.ofArrays(own, SHAPE, COO, positions, posArrays, crdArrays, vals);
  }

  private TensorStorage x() {
    return TensorStorage.dense(scope, TensorShape.of(4), ValueType.DOUBLE);
  }

  private TensorStorage spmv(TensorStorage a) {
    return new Evaluator(compiler, 2)
        .evaluate(
            scope,
            StatementInput.of("y(i) = A(i,j) * x(j)", Map.of("A", a, "x", x()), VECTOR)
                .withSizes(Map.of("i", 3L)));
  }

  private static long[] with(long[] array, int at, long value) {
    long[] changed = array.clone();
    changed[at] = value;
    return changed;
  }

  @Test
  void soundStorageRunsAsEver() {
    assertThat(spmv(csr(POS, CRD, 5)).storedEntries()).isEqualTo(3);
  }

  @ParameterizedTest(name = "pos[{0}] = {1}")
  @CsvSource({"3, 6", "1, 1000000000000", "2, 9223372036854775807"})
  void badPos(int at, long value) {
    reports(csr(with(POS, at, value), CRD, 5), "position 5 is outside the crd array of level 1");
  }

  @Test
  void negativePos() {
    reports(csr(with(POS, 0, -1), CRD, 5), "a position below 0 or past 2^48 is outside the crd");
  }

  @ParameterizedTest(name = "crd[2] = {0}")
  @CsvSource({"4", "1000000000", "-1"})
  void badCrd(long value) {
    reports(
        csr(POS, with(CRD, 2, value), 5),
        "the coordinate at position 2 of level 1 of tensor A ({D, CU}) is not below");
  }

  @Test
  void shortValues() {
    reports(csr(POS, CRD, 3), "position 3 is outside the values, below level 1, of tensor A");
  }

  @Test
  void shortPos() {
    reports(
        csr(new long[] {0, 2, 2}, CRD, 5),
        "position 3 is outside the pos array of level 1 of tensor A");
  }

  @Test
  void badRowOfCoo() {
    reports(
        coo(new long[] {0, 2, 3}, new long[] {0, 1, 2}),
        "the coordinate at position 2 of level 0 of tensor A ({CN, S}) is not below");
  }

  @Test
  void sparseResultsAreReleasedAfterAViolation() {
    TensorStorage good = csr(POS, CRD, 5);
    TensorStorage bad = csr(POS, with(CRD, 4, 9), 5);
    long before = scope.liveBytes();
    assertThatExceptionOfType(WeftException.class)
        .isThrownBy(
            () ->
                new Evaluator(compiler, 1)
                    .evaluate(
                        scope,
                        StatementInput.of(
                            "Y(i,j) = A(i,j) + B(i,j)", Map.of("A", good, "B", bad), CSR)))
        .withMessageContaining("position 4 of level 1 of tensor B")
        .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_INPUT));
    assertThat(scope.liveBytes()).isEqualTo(before);
  }

  private void reports(TensorStorage a, String message) {
    assertThatExceptionOfType(WeftException.class)
        .isThrownBy(() -> spmv(a))
        .withMessageContaining(message)
        .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_INPUT));
  }
}
