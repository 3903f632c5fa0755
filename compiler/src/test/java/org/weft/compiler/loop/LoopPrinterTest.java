package org.weft.compiler.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.weft.compiler.loop.Expr.Op;
import org.weft.tensor.Width;

class LoopPrinterTest {
  private static final Expr A = Expr.of(LoopVariable.integer("a"));
  private static final Expr B = Expr.of(LoopVariable.integer("b"));
  private static final Expr C = Expr.of(LoopVariable.integer("c"));

  @Test
  void printsSpmv() throws IOException {
    Goldens.check("spmv.loops", LoopPrinter.print(ExampleKernels.spmv(true)));
  }

  @Test
  void printsMttkrp() throws IOException {
    Goldens.check("mttkrp.loops", LoopPrinter.print(ExampleKernels.mttkrp(3, 16, false)));
  }

  @Test
  void printsAppendsAndChecks() throws IOException {
    Goldens.check("filter.loops", LoopPrinter.print(ExampleKernels.filter(Width.W8)));
  }

  @Test
  void parenthesesAppearWhereMeaningNeedsThem() {
    assertThat(print(op(Op.MUL, op(Op.ADD, A, B), C))).isEqualTo("(a + b) * c");
    assertThat(print(op(Op.ADD, op(Op.MUL, A, B), C))).isEqualTo("a * b + c");
    assertThat(print(op(Op.SUB, A, op(Op.SUB, B, C)))).isEqualTo("a - (b - c)");
    assertThat(print(op(Op.SUB, op(Op.SUB, A, B), C))).isEqualTo("a - b - c");
    assertThat(print(op(Op.DIV, A, op(Op.MUL, B, C)))).isEqualTo("a / (b * c)");
    assertThat(print(op(Op.MIN, A, op(Op.ADD, B, C)))).isEqualTo("min(a, b + c)");
    assertThat(print(op(Op.OR, op(Op.AND, op(Op.LT, A, B), op(Op.LE, B, C)), op(Op.EQ, A, C))))
        .isEqualTo("a < b && b <= c || a == c");
    assertThat(print(new Expr.Not(op(Op.LT, A, B)))).isEqualTo("!(a < b)");
    assertThat(print(new Expr.Negate(op(Op.ADD, A, B)))).isEqualTo("-(a + b)");
    assertThat(print(new Expr.Convert(op(Op.ADD, A, B), ScalarType.F64)))
        .isEqualTo("(double)(a + b)");
    assertThat(print(op(Op.ADD, new Expr.Select(op(Op.LT, A, B), A, B), C)))
        .isEqualTo("(a < b ? a : b) + c");
    assertThat(print(new Expr.Select(op(Op.LT, A, B), A, B, true)))
        .isEqualTo("unpredictable(a < b) ? a : b");
    assertThat(print(op(Op.MUL, A, Expr.of(-1)))).isEqualTo("a * (-1)");
    assertThat(
            print(
                new Expr.MathCall(
                    Expr.Function.SQRT, List.of(new Expr.FloatLiteral(2, ScalarType.F32)))))
        .isEqualTo("sqrt(2.0f)");
  }

  @Test
  void literalsFold() {
    assertThat(Expr.add(Expr.of(2), Expr.of(3))).isEqualTo(Expr.of(5));
    assertThat(Expr.mul(A, Expr.of(1))).isEqualTo(A);
    assertThat(Expr.mul(Expr.of(0), A)).isEqualTo(Expr.of(0));
    assertThat(Expr.add(Expr.of(0), A)).isEqualTo(A);
    assertThat(Expr.sub(A, Expr.of(0))).isEqualTo(A);
  }

  private static Expr op(Op op, Expr left, Expr right) {
    return new Expr.Binary(op, left, right);
  }

  private static String print(Expr expr) {
    return LoopPrinter.print(expr);
  }
}
