package org.weft.compiler.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.ElementType;
import org.weft.runtime.Slot;
import org.weft.runtime.TensorParameter.Role;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.ValueType;
import org.weft.tensor.Width;

class LoopCheckerTest {
  private static final LoopVariable N = LoopVariable.integer("n");
  private static final LoopVariable I = LoopVariable.integer("i");
  private static final LoopVariable J = LoopVariable.integer("j");
  private static final Buffer WORK = new Buffer("w", ElementType.F64, Buffer.Kind.WORKSPACE);
  private static final Buffer OUT = new Buffer("y_vals", ElementType.F64, Buffer.Kind.OUTPUT);
  private static final Buffer GROWS = new Buffer("z_vals", ElementType.F64, Buffer.Kind.GROWABLE);
  private static final Expr ZERO = new Expr.FloatLiteral(0, ScalarType.F64);
  private static final Stmt DECLARE_N = new Stmt.Declare(N, Expr.of(0));
  private static final Stmt ALLOCATE = new Stmt.AllocateWorkspace(WORK, Expr.of(4));

  /** Slot 3 is a mode size, 4 the values of dense y, 5 the count and 6 the values of sparse z. */
  private static LoopFunction function(Stmt... body) {
    FunctionBuilder f = new FunctionBuilder("k");
    int y = f.tensor("y", TensorFormat.dense(1, ValueType.DOUBLE), Role.OUTPUT_DENSE);
    int z = f.tensor("z", TensorFormat.csf(1, ValueType.DOUBLE), Role.OUTPUT_SPARSE);
    f.slot(Slot.modeSize(y, 0));
    f.vals(y);
    f.slot(Slot.positions(z, 0));
    f.vals(z);
    return f.build(body);
  }

  @Test
  void acceptsTheExamples() {
    assertThatCode(
            () -> {
              LoopChecker.check(ExampleKernels.spmv(true));
              LoopChecker.check(ExampleKernels.mttkrp(4, 16, true));
              LoopChecker.check(ExampleKernels.filter(Width.W16));
            })
        .doesNotThrowAnyException();
  }

  static Stream<Arguments> illegal() {
    return Stream.of(
            reject("'n' is not declared", new Stmt.Store(OUT, Expr.of(N), ZERO)),
            reject("variable is not declared", new Stmt.Assign(N, Expr.of(1))),
            reject("declared twice", DECLARE_N, DECLARE_N),
            reject("declared twice", loop(I, DECLARE_N), loop(J, DECLARE_N)),
            reject("is not declared here", loop(I, DECLARE_N), new Stmt.Assign(N, Expr.of(1))),
            reject("may not be assigned", loop(I, new Stmt.Assign(I, Expr.of(1)))),
            reject("may not be assigned", DECLARE_N, parallel(I, new Stmt.Assign(N, Expr.of(1)))),
            reject("parallel loops do not nest", parallel(I, parallel(J))),
            reject("may not grow", parallel(I, new Stmt.Grow(GROWS, Expr.of(1)))),
            reject("may not set counts", parallel(I, new Stmt.SetCount(1, 0, Expr.of(1)))),
            reject("may not return", parallel(I, new Stmt.Return())),
            reject("'w' is not declared", new Stmt.Clear(WORK, Expr.of(0), Expr.of(1))),
            reject("'w' is not declared", loop(I, ALLOCATE), new Stmt.FreeWorkspace(WORK)),
            reject("no POSITIONS slot", new Stmt.SetCount(0, 0, Expr.of(1))),
            reject("tensor 7 is outside", new Stmt.CheckWidth(Expr.of(1), Width.W8, 7, 0)),
            reject("not a number", new Stmt.Declare(N, new Expr.Argument(4))),
            reject("slot 99 is outside", new Stmt.Declare(N, new Expr.Argument(99))),
            reject(
                "read as F64",
                new Stmt.Store(OUT, Expr.of(0), new Expr.Argument(3, ScalarType.F64))))
        .map(Rejection::arguments);
  }

  @ParameterizedTest
  @MethodSource("illegal")
  void rejects(String rule, List<Stmt> body) {
    LoopFunction function = function(body.toArray(new Stmt[0]));
    assertThatThrownBy(() -> LoopChecker.check(function))
        .isInstanceOfSatisfying(
            WeftException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.COMPILER_FAILURE);
              assertThat(e).hasMessageContaining(rule).hasMessageContaining("kernel k");
            });
  }

  @Test
  void rejectsBuffersOfAnotherKindThanTheirSlot() {
    FunctionBuilder f = new FunctionBuilder("k");
    int y = f.tensor("y", TensorFormat.dense(1, ValueType.FLOAT), Role.OUTPUT_DENSE);
    f.slot(Slot.modeSize(y, 0));
    f.vals(y);
    LoopFunction good = f.build();
    assertThatThrownBy(() -> LoopChecker.check(rebind(good, OUT, 3)))
        .hasMessageContaining("MODE_SIZE, not an array");
    assertThatThrownBy(() -> LoopChecker.check(rebind(good, OUT, 4)))
        .hasMessageContaining("values of this tensor are F32");
    Buffer input = new Buffer("y_vals", ElementType.F32, Buffer.Kind.INPUT);
    assertThatThrownBy(() -> LoopChecker.check(rebind(good, input, 4)))
        .hasMessageContaining("must be OUTPUT");
  }

  private static LoopFunction rebind(LoopFunction function, Buffer buffer, int slot) {
    return new LoopFunction(
        function.signature(), List.of(new BufferBinding(buffer, slot)), Stmt.Block.EMPTY);
  }

  @Test
  void nodesCheckTheirTypes() {
    Expr one = Expr.of(1);
    Expr half = new Expr.FloatLiteral(0.5, ScalarType.F64);
    Buffer input = new Buffer("x", ElementType.F64, Buffer.Kind.INPUT);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Expr.Binary(Expr.Op.ADD, one, half))
        .withMessageContaining("insert a Convert");
    assertThatIllegalArgumentException().isThrownBy(() -> new Expr.Load(input, half));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Stmt.Store(input, one, half))
        .withMessageContaining("writable");
    assertThatIllegalArgumentException().isThrownBy(() -> new Stmt.Store(OUT, one, one));
    assertThatIllegalArgumentException().isThrownBy(() -> new Stmt.If(one, Stmt.Block.EMPTY));
    assertThatIllegalArgumentException().isThrownBy(() -> new Stmt.Grow(OUT, one));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new LoopTraits(true, false, 0, false, false, false, false));
    assertThatIllegalArgumentException().isThrownBy(() -> LoopVariable.integer("not a name"));
    assertThatIllegalArgumentException().isThrownBy(() -> new BufferBinding(WORK, 3));
  }

  private static Stmt loop(LoopVariable v, Stmt... body) {
    return FunctionBuilder.loop(v, Expr.of(0), Expr.of(9), LoopTraits.SERIAL, body);
  }

  private static Stmt parallel(LoopVariable v, Stmt... body) {
    return FunctionBuilder.loop(v, Expr.of(0), Expr.of(9), LoopTraits.PARALLEL, body);
  }

  private static Rejection reject(String rule, Stmt... body) {
    return new Rejection(rule, List.of(body));
  }

  private record Rejection(String rule, List<Stmt> body) {
    Arguments arguments() {
      return Arguments.of(rule, body);
    }
  }
}
