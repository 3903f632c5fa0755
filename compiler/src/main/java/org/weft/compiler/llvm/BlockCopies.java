package org.weft.compiler.llvm;

import static org.bytedeco.llvm.global.LLVM.*;

import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.bytedeco.javacpp.PointerPointer;
import org.bytedeco.llvm.LLVM.LLVMTypeRef;
import org.bytedeco.llvm.LLVM.LLVMValueRef;
import org.weft.compiler.loop.Buffer;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.Stmt;

/** Emits copies of whole registers: blocks that are transposed, and lines of memory. */
final class BlockCopies {
  /** Shuffles within this many bytes of a register take one cycle. */
  private static final int NEAR_BYTES = 16;

  private final Frame frame;
  private final ModuleContext module;
  private final IrBuilder code;
  private final ExpressionEmitter expressions;

  BlockCopies(Frame frame, ExpressionEmitter expressions) {
    this.frame = frame;
    this.module = frame.module;
    this.code = frame.code;
    this.expressions = expressions;
  }

  /** Elements of {@code buffer} between {@code address} and the next line of memory. */
  static LLVMValueRef toLine(
      ModuleContext module, IrBuilder code, Buffer buffer, LLVMValueRef address) {
    int bytes = buffer.element().bytes();
    LLVMValueRef at = LLVMBuildPtrToInt(code.raw, address, module.i64, "");
    LLVMValueRef within = module.constant(Stmt.StreamLine.BYTES - 1);
    LLVMValueRef rest = LLVMBuildAnd(code.raw, LLVMBuildNeg(code.raw, at, ""), within, "");
    return LLVMBuildUDiv(code.raw, rest, module.constant(bytes), "");
  }

  void stream(Stmt.StreamLine s) {
    int width = Stmt.StreamLine.BYTES / s.to().element().bytes();
    LLVMValueRef line = load(s.from(), s.position(), width);
    LLVMValueRef store = store(line, s.to(), s.place(), width);
    LLVMSetAlignment(store, Stmt.StreamLine.BYTES);
    module.attach(store, "nontemporal", module.node(module.number(module.i32, 1)));
  }

  /**
   * Transposes blocks of {@value #NEAR_BYTES} bytes by interleaving, which takes shuffles of
   * neighbours only, and then exchanges the blocks above the diagonal with those below it.
   */
  void turn(Stmt.Turn s) {
    int side = s.positions().size();
    int block = NEAR_BYTES / s.from().element().bytes();
    LLVMValueRef[] rows = new LLVMValueRef[side];
    for (int row = 0; row < side; row++) {
      rows[row] = load(s.from(), s.positions().get(row), side);
    }
    for (int step = 1; step < block; step *= 2) {
      rows = interleaved(rows, block);
    }
    for (int row = 0; row < block; row++) {
      LLVMValueRef low = rows[row];
      LLVMValueRef high = rows[row + block];
      LLVMValueRef first = shuffle(low, high, lane -> lane < block ? lane : lane + block);
      LLVMValueRef second = shuffle(low, high, lane -> lane < block ? lane + block : lane + side);
      store(first, s.to(), s.places().get(row), side);
      store(second, s.to(), s.places().get(row + block), side);
    }
  }

  /** Pairs of rows half a block apart, whose lanes take turns within each block. */
  private LLVMValueRef[] interleaved(LLVMValueRef[] rows, int block) {
    LLVMValueRef[] mixed = new LLVMValueRef[rows.length];
    int half = block / 2;
    for (int pair = 0; pair < rows.length / 2; pair++) {
      int upper = pair / half * block + pair % half;
      for (int part = 0; part < 2; part++) {
        int from = part * half;
        mixed[upper / block * block + 2 * (pair % half) + part] =
            shuffle(
                rows[upper],
                rows[upper + half],
                lane -> lane / block * block + from + lane % block / 2 + lane % 2 * rows.length);
      }
    }
    return mixed;
  }

  /** Lanes of two vectors, those of the second counted behind those of the first. */
  private LLVMValueRef shuffle(LLVMValueRef low, LLVMValueRef high, IntUnaryOperator lane) {
    LLVMValueRef[] lanes =
        IntStream.range(0, LLVMGetVectorSize(LLVMTypeOf(low)))
            .map(lane)
            .mapToObj(number -> LLVMConstInt(module.i32, number, 0))
            .toArray(LLVMValueRef[]::new);
    LLVMValueRef mask = LLVMConstVector(new PointerPointer<>(lanes), lanes.length);
    return LLVMBuildShuffleVector(code.raw, low, high, mask, "");
  }

  private LLVMValueRef load(Buffer buffer, Expr position, int width) {
    LLVMTypeRef type = ModuleContext.lanes(module.type(buffer.element()), width);
    LLVMValueRef value = code.load(type, expressions.addressOf(buffer, position, width), "");
    LLVMSetAlignment(value, buffer.element().bytes());
    return frame.scopes.mark(value, buffer, true);
  }

  private LLVMValueRef store(LLVMValueRef value, Buffer buffer, Expr position, int width) {
    LLVMValueRef store = code.store(value, expressions.addressOf(buffer, position, width));
    LLVMSetAlignment(store, buffer.element().bytes());
    return frame.scopes.mark(store, buffer, false);
  }
}
