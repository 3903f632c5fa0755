package org.weft.compiler.llvm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.compiler.loop.Buffer;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.Expr.Op;
import org.weft.compiler.loop.FunctionBuilder;
import org.weft.compiler.loop.LoopFunction;
import org.weft.compiler.loop.LoopTraits;
import org.weft.compiler.loop.LoopVariable;
import org.weft.compiler.loop.ScalarType;
import org.weft.compiler.loop.Stmt;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.ElementType;
import org.weft.runtime.Slot;
import org.weft.runtime.TensorParameter.Role;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/** Each statement and expression by itself: out[...] = something of in[...]. */
class StatementExecutionTest {
  private static final int SIZE = 12;
  private static final LoopVariable I = LoopVariable.integer("i");
  private static final LoopVariable J = LoopVariable.integer("j");
  private static final LoopVariable J2 = LoopVariable.integer("j2");
  private static final LoopVariable K = LoopVariable.integer("k");

  /** The buffers of the function under test. */
  private record Arrays(Buffer in, Buffer out, Expr size) {}

  /** Runs on doubles, on one thread. */
  private static double[] run(double[] in, Function<Arrays, List<Stmt>> body) {
    return run(ValueType.DOUBLE, 1, in, body);
  }

  private static double[] run(
      ValueType type, int threads, double[] in, Function<Arrays, List<Stmt>> body) {
    FunctionBuilder f = new FunctionBuilder("k");
    TensorFormat format = TensorFormat.dense(1, type);
    int out = f.tensor("out", format, Role.OUTPUT_DENSE);
    int input = f.tensor("in", format, Role.INPUT);
    Expr size = f.number(Slot.modeSize(input, 0));
    Arrays arrays = new Arrays(f.vals(input), f.vals(out), size);
    LoopFunction function = f.build(body.apply(arrays).toArray(new Stmt[0]));
    try (KernelRun run = new KernelRun(function)) {
      run.dense("in", type, in, in.length);
      TensorStorage result = run.dense("out", type, new double[0], SIZE);
      run.run(threads);
      double[] values = new double[SIZE];
      for (int i = 0; i < SIZE; i++) {
        boolean real = type == ValueType.DOUBLE || type == ValueType.FLOAT;
        values[i] = real ? result.vals().getDouble(i) : result.vals().getLong(i);
      }
      return values;
    }
  }

  private static Stmt each(Buffer out, Expr value) {
    return loop(I, Expr.of(SIZE), LoopTraits.SERIAL, new Stmt.Store(out, Expr.of(I), value));
  }

  private static Stmt loop(LoopVariable v, Expr upper, LoopTraits traits, Stmt... body) {
    return FunctionBuilder.loop(v, Expr.of(0), upper, traits, body);
  }

  private static Expr load(Buffer buffer) {
    return new Expr.Load(buffer, Expr.of(I));
  }

  private static Expr op(Op op, Expr left, Expr right) {
    return new Expr.Binary(op, left, right);
  }

  private static double[] ramp() {
    double[] values = new double[SIZE];
    for (int i = 0; i < SIZE; i++) {
      values[i] = i - 5;
    }
    return values;
  }

  @ParameterizedTest
  @ValueSource(strings = {"DOUBLE", "FLOAT", "INT", "LONG"})
  void arithmetic(String name) {
    ValueType type = ValueType.valueOf(name);
    ScalarType scalar = ScalarType.of(type);
    Expr three = new Expr.Convert(Expr.of(3), scalar);
    double[] in = ramp();
    double[] out =
        run(
            type,
            1,
            in,
            a -> {
              Expr x = load(a.in());
              Expr magnitude = new Expr.MathCall(Expr.Function.ABS, List.of(x));
              Expr sum = op(Op.ADD, op(Op.MUL, x, three), op(Op.SUB, magnitude, three));
              Expr low = op(Op.MAX, op(Op.MIN, sum, three), new Expr.Negate(three));
              Expr positive = op(Op.LT, new Expr.Convert(Expr.of(0), scalar), x);
              Expr choice = new Expr.Select(positive, low, op(Op.DIV, x, three));
              return List.of(each(a.out(), choice));
            });
    for (int i = 0; i < SIZE; i++) {
      double x = in[i];
      double low = Math.max(Math.min(x * 3 + (Math.abs(x) - 3), 3), -3);
      double third = x / 3;
      if (type == ValueType.INT || type == ValueType.LONG) {
        third = (long) third;
      } else if (type == ValueType.FLOAT) {
        third = (float) third;
      }
      assertThat(out[i]).isEqualTo(x > 0 ? low : third);
    }
  }

  @Test
  void elementaryFunctionsResolve() {
    double[] in = new double[SIZE];
    for (int i = 0; i < SIZE; i++) {
      in[i] = i + 0.5;
    }
    for (Expr.Function function :
        List.of(Expr.Function.EXP, Expr.Function.LOG, Expr.Function.SQRT)) {
      double[] out =
          run(in, a -> List.of(each(a.out(), new Expr.MathCall(function, List.of(load(a.in()))))));
      for (int i = 0; i < SIZE; i++) {
        double expected =
            switch (function) {
              case EXP -> Math.exp(in[i]);
              case LOG -> Math.log(in[i]);
              default -> Math.sqrt(in[i]);
            };
        assertThat(out[i])
            .isCloseTo(
                expected, org.assertj.core.api.Assertions.within(1e-14 * Math.abs(expected)));
      }
    }
  }

  @Test
  void comparisonsAndLogic() {
    double[] out =
        run(
            ValueType.LONG,
            1,
            ramp(),
            a -> {
              Expr x = load(a.in());
              Expr odd = op(Op.NE, op(Op.REM, x, Expr.of(2)), Expr.of(0));
              Expr inside = op(Op.AND, op(Op.LE, Expr.of(-2), x), op(Op.LT, x, Expr.of(4)));
              Expr either = op(Op.OR, new Expr.Not(inside), op(Op.EQ, x, Expr.of(1)));
              Expr both = op(Op.AND, odd, either);
              return List.of(each(a.out(), new Expr.Convert(both, ScalarType.I64)));
            });
    assertThat(out).containsExactly(1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0);
  }

  /** What is chosen is moved as bits: signs of zeros and NaN arrive. */
  @ParameterizedTest
  @ValueSource(strings = {"DOUBLE", "FLOAT", "INT", "LONG"})
  void unpredictableChoices(String name) {
    ValueType type = ValueType.valueOf(name);
    ScalarType scalar = ScalarType.of(type);
    boolean real = type == ValueType.DOUBLE || type == ValueType.FLOAT;
    double end = 99;
    double nan = real ? Double.NaN : 17;
    double[] in = {1, -0.0, nan, 3, 8, -5, 0, end, 7, 7, 7, 7};
    double[] out =
        run(
            type,
            1,
            in,
            a -> {
              Expr k = Expr.of(K);
              Expr x = new Expr.Load(a.in(), k);
              Expr second = new Expr.Load(a.in(), Expr.add(k, Expr.of(1)));
              Expr third = op(Op.EQ, op(Op.REM, k, Expr.of(3)), Expr.of(2));
              Expr odd = op(Op.EQ, op(Op.REM, k, Expr.of(2)), Expr.of(1));
              Expr both = op(Op.ADD, x, second);
              Expr one = new Expr.Select(odd, x, second, true);
              Expr last = new Expr.Convert(Expr.of((long) end), scalar);
              return List.of(
                  new Stmt.Declare(K, Expr.of(0)),
                  new Stmt.While(
                      op(Op.NE, x, last),
                      Stmt.Block.of(
                          new Stmt.Store(a.out(), k, new Expr.Select(third, both, one, true)),
                          new Stmt.Assign(K, Expr.add(k, Expr.of(1))))));
            });
    for (int k = 0; in[k] != end; k++) {
      double expected = k % 3 == 2 ? in[k] + in[k + 1] : k % 2 == 1 ? in[k] : in[k + 1];
      Double exact = real ? expected : (double) (long) expected;
      assertThat(out[k]).as("%s %d", name, k).isEqualTo(exact);
    }
  }

  /** while (2^k < x) k++, with a variable that changes in both arms of a branch. */
  @Test
  void whileAndIf() {
    LoopVariable power = LoopVariable.integer("power");
    double[] out =
        run(
            ValueType.LONG,
            1,
            new double[] {1, 2, 3, 4, 5, 8, 9, 100, 1000, 1024, 1025, 0},
            a -> {
              Stmt grow = new Stmt.Assign(power, op(Op.MUL, Expr.of(power), Expr.of(2)));
              Stmt stop = new Stmt.Assign(power, Expr.of(4096));
              Expr small = Expr.lessThan(Expr.of(power), Expr.of(1024));
              return List.of(
                  loop(
                      I,
                      a.size(),
                      LoopTraits.SERIAL,
                      new Stmt.Declare(power, Expr.of(1)),
                      new Stmt.While(
                          Expr.lessThan(Expr.of(power), load(a.in())),
                          new Stmt.If(small, grow, stop)),
                      new Stmt.Store(a.out(), Expr.of(I), Expr.of(power))));
            });
    assertThat(out).containsExactly(1, 2, 4, 4, 8, 8, 16, 128, 1024, 1024, 4096, 1);
  }

  /** Workspaces start from zeros each time, on the stack and off it, and sort. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void workspaces(boolean constantLength) {
    Buffer work = new Buffer("work", ElementType.I64, Buffer.Kind.WORKSPACE);
    Buffer marks = new Buffer("marks", ElementType.U8, Buffer.Kind.WORKSPACE);
    double[] in = {7, 3, 9, 0, 11, 5, 2, 8, 6, 4, 1, 10};
    double[] out =
        run(
            ValueType.LONG,
            1,
            in,
            a -> {
              List<Stmt> body = new ArrayList<>();
              body.add(new Stmt.AllocateWorkspace(work, constantLength ? Expr.of(SIZE) : a.size()));
              body.add(
                  loop(
                      J,
                      a.size(),
                      LoopTraits.SERIAL,
                      new Stmt.Accumulate(work, Expr.of(J), new Expr.Load(a.in(), Expr.of(J)))));
              body.add(new Stmt.AllocateWorkspace(marks, a.size()));
              body.add(
                  loop(
                      J2,
                      a.size(),
                      LoopTraits.SERIAL,
                      new Stmt.Store(marks, new Expr.Load(a.in(), Expr.of(J2)), Expr.of(1))));
              body.add(new Stmt.SortMarked(work, a.size(), marks, a.size()));
              body.add(new Stmt.Clear(work, Expr.of(0), Expr.of(1)));
              body.add(new Stmt.Clear(work, Expr.of(5), Expr.of(2)));
              body.add(
                  loop(
                      I,
                      a.size(),
                      LoopTraits.SERIAL,
                      new Stmt.Accumulate(a.out(), Expr.of(I), load(work))));
              body.add(new Stmt.FreeWorkspace(work));
              return List.of(loop(K, Expr.of(2), LoopTraits.SERIAL, body.toArray(new Stmt[0])));
            });
    assertThat(out).containsExactly(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22);
  }

  @Test
  void ranksEqualKeysAlike() {
    Buffer keys = new Buffer("keys", ElementType.U32, Buffer.Kind.WORKSPACE);
    Buffer ranks = new Buffer("ranks", ElementType.U32, Buffer.Kind.WORKSPACE);
    LoopVariable different = LoopVariable.integer("different");
    Expr most = Expr.of(Stmt.Rank.MOST);
    double[] in = {7, 3, 9, 3, Integer.MAX_VALUE, 0, 9, 3, 1, 0, 5, 2};
    double[] out =
        run(
            ValueType.LONG,
            1,
            in,
            a ->
                List.of(
                    new Stmt.AllocateWorkspace(keys, most),
                    new Stmt.AllocateWorkspace(ranks, most),
                    loop(
                        J,
                        a.size(),
                        LoopTraits.SERIAL,
                        new Stmt.Store(keys, Expr.of(J), new Expr.Load(a.in(), Expr.of(J)))),
                    new Stmt.Declare(different, Expr.of(7)),
                    new Stmt.Rank(keys, ranks, a.size(), different),
                    loop(
                        I,
                        a.size(),
                        LoopTraits.SERIAL,
                        new Stmt.Store(
                            a.out(), Expr.of(I), Expr.sub(load(ranks), Expr.of(different))))));
    assertThat(out).containsExactly(8, 4, 9, 4, 11, 0, 9, 4, 2, 0, 7, 3);
  }

  /** Tasks have workspaces of their own and see variables of the kernel. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4})
  void parallelTasksCaptureAndAllocate(int threads) {
    Buffer work = new Buffer("work", ElementType.F64, Buffer.Kind.WORKSPACE);
    LoopVariable offset = LoopVariable.integer("offset");
    double[] out =
        run(
            ValueType.DOUBLE,
            threads,
            ramp(),
            a ->
                List.of(
                    new Stmt.Declare(offset, Expr.of(100)),
                    loop(
                        I,
                        a.size(),
                        LoopTraits.PARALLEL,
                        new Stmt.AllocateWorkspace(work, a.size()),
                        new Stmt.Store(
                            work,
                            Expr.of(I),
                            new Expr.Convert(
                                op(Op.ADD, Expr.of(offset), Expr.of(I)), ScalarType.F64)),
                        new Stmt.Store(
                            a.out(), Expr.of(I), op(Op.ADD, load(work), load(a.in()))))));
    for (int i = 0; i < SIZE; i++) {
      assertThat(out[i]).isEqualTo(100 + i + i - 5);
    }
  }

  /** A sum that a vector loop carries in a variable. */
  @Test
  void vectorReduction() {
    LoopVariable sum = new LoopVariable("sum", ScalarType.F64);
    double[] in = new double[1003];
    java.util.Arrays.setAll(in, i -> i);
    double[] out =
        run(
            in,
            a ->
                List.of(
                    new Stmt.Declare(sum, new Expr.FloatLiteral(0, ScalarType.F64)),
                    loop(
                        I,
                        a.size(),
                        LoopTraits.VECTOR,
                        new Stmt.Assign(sum, op(Op.ADD, Expr.of(sum), load(a.in())))),
                    new Stmt.Store(a.out(), Expr.of(0), Expr.of(sum))));
    assertThat(out[0]).isEqualTo(1002 * 1003 / 2);
  }

  /** Fibers of 0 to 11 entries: no entry past the end of one is read or added. */
  @Test
  void fibersOfEveryLength() {
    LoopVariable sum = new LoopVariable("sum", ScalarType.F64);
    LoopVariable count = LoopVariable.integer("count");
    LoopVariable value = new LoopVariable("value", ScalarType.F64);
    Expr from = Expr.sub(Expr.of(SIZE), Expr.of(I));
    double[] out =
        run(
            ramp(),
            a ->
                List.of(
                    loop(
                        I,
                        a.size(),
                        LoopTraits.SERIAL,
                        new Stmt.Declare(sum, new Expr.FloatLiteral(0, ScalarType.F64)),
                        new Stmt.Declare(count, Expr.of(0)),
                        FunctionBuilder.loop(
                            K,
                            from,
                            Expr.of(SIZE),
                            LoopTraits.FIBER,
                            new Stmt.Declare(value, new Expr.Load(a.in(), Expr.of(K))),
                            new Stmt.Assign(sum, op(Op.ADD, Expr.of(sum), Expr.of(value))),
                            new Stmt.Assign(count, Expr.add(Expr.of(count), Expr.of(1)))),
                        new Stmt.Store(
                            a.out(),
                            Expr.of(I),
                            op(
                                Op.ADD,
                                op(
                                    Op.MUL,
                                    new Expr.FloatLiteral(100, ScalarType.F64),
                                    Expr.of(sum)),
                                new Expr.Convert(Expr.of(count), ScalarType.F64))))));
    for (int i = 0; i < SIZE; i++) {
      int expected = 0;
      for (int k = SIZE - i; k < SIZE; k++) {
        expected += k - 5;
      }
      assertThat(out[i]).isEqualTo(100.0 * expected + i);
    }
  }

  /** Rows of a triangle in blocks of 3 x 2: whole blocks are written out, others end early. */
  @Test
  void blocksThatEndEarly() {
    LoopVariable sum = new LoopVariable("sum", ScalarType.F64);
    double[] out =
        run(
            ramp(),
            a -> {
              Expr rows = Expr.sub(Expr.of(SIZE - 1), Expr.of(I));
              Expr row = Expr.add(Expr.of(I), Expr.of(K));
              Expr columns = Expr.sub(Expr.add(Expr.of(I), Expr.of(1)), Expr.of(K));
              Stmt inner =
                  loop(
                      J,
                      Expr.min(Expr.of(2), columns),
                      LoopTraits.VECTOR,
                      new Stmt.Assign(
                          sum,
                          op(
                              Op.ADD,
                              Expr.of(sum),
                              new Expr.Load(a.in(), Expr.add(Expr.of(K), Expr.of(J))))));
              Stmt outer =
                  loop(
                      K,
                      Expr.min(Expr.of(3), rows),
                      LoopTraits.SERIAL,
                      new Stmt.Declare(sum, new Expr.FloatLiteral(0, ScalarType.F64)),
                      inner,
                      new Stmt.Accumulate(a.out(), row, Expr.of(sum)));
              return List.of(loop(I, a.size(), LoopTraits.SERIAL, outer));
            });
    double[] expected = new double[SIZE];
    for (int i = 0; i < SIZE; i++) {
      for (int k = 0; k < Math.min(3, SIZE - 1 - i); k++) {
        for (int j = 0; j < Math.min(2, i + 1 - k); j++) {
          expected[i + k] += k + j - 5;
        }
      }
    }
    assertThat(out).containsExactly(expected);
  }

  /** Lanes: the loop variable as a value, variables of the body, invariants, choices. */
  @Test
  void shortVectorLoops() {
    LoopVariable twice = new LoopVariable("twice", ScalarType.F64);
    double[] out =
        run(
            ramp(),
            a -> {
              Expr number = new Expr.Convert(Expr.of(I), ScalarType.F64);
              Expr first = new Expr.Load(a.in(), Expr.of(1));
              Expr even = op(Op.EQ, op(Op.REM, Expr.of(I), Expr.of(2)), Expr.of(0));
              return List.of(
                  FunctionBuilder.loop(
                      I,
                      Expr.of(1),
                      Expr.of(SIZE),
                      LoopTraits.VECTOR,
                      new Stmt.Declare(twice, op(Op.ADD, number, number)),
                      new Stmt.Assign(twice, op(Op.ADD, Expr.of(twice), first)),
                      new Stmt.Store(
                          a.out(),
                          Expr.of(I),
                          new Expr.Select(even, Expr.of(twice), load(a.in())))));
            });
    assertThat(out).containsExactly(0, -4, 0, -2, 4, 0, 8, 2, 12, 4, 16, 6);
  }

  /** A position held in a variable of the body, also used as a value. */
  @Test
  void shortVectorLoopsOverNamedPositions() {
    LoopVariable position = LoopVariable.integer("position");
    double[] out =
        run(
            ramp(),
            a -> {
              Expr at = new Expr.Convert(Expr.of(position), ScalarType.F64);
              Stmt store =
                  new Stmt.Store(
                      a.out(),
                      Expr.of(position),
                      op(Op.ADD, new Expr.Load(a.in(), Expr.of(position)), at));
              return List.of(
                  loop(
                      I,
                      Expr.of(7),
                      LoopTraits.VECTOR,
                      new Stmt.Declare(position, Expr.add(Expr.of(2), Expr.of(I))),
                      Stmt.Block.of(store)));
            });
    assertThat(out).containsExactly(0, 0, -1, 1, 3, 5, 7, 9, 11, 0, 0, 0);
  }

  @Test
  void returnLeavesEarly() {
    double[] out =
        run(
            ValueType.LONG,
            1,
            ramp(),
            a ->
                List.of(
                    loop(
                        I,
                        a.size(),
                        LoopTraits.SERIAL,
                        new Stmt.If(op(Op.EQ, Expr.of(I), Expr.of(3)), new Stmt.Return()),
                        new Stmt.Store(a.out(), Expr.of(I), Expr.of(1)))));
    assertThat(out).containsExactly(1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0);
  }

  /** Sizes past every machine, one that would overflow as bytes, and a negative one. */
  @ParameterizedTest
  @ValueSource(longs = {1L << 43, 1L << 61, -1})
  void noMemoryIsAStatus(long length) {
    Buffer work = new Buffer("work", ElementType.F64, Buffer.Kind.WORKSPACE);
    for (LoopTraits traits : List.of(LoopTraits.SERIAL, LoopTraits.PARALLEL)) {
      assertThatThrownBy(
              () ->
                  run(
                      ValueType.DOUBLE,
                      2,
                      new double[] {1, 2, 3, 4},
                      a ->
                          List.of(
                              loop(
                                  I,
                                  a.size(),
                                  traits,
                                  new Stmt.AllocateWorkspace(work, Expr.of(length))))))
          .isInstanceOfSatisfying(
              WeftException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.OUT_OF_MEMORY));
    }
  }
}
