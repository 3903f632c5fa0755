package org.weft.compiler.llvm;

import static org.bytedeco.llvm.global.LLVM.*;

import org.bytedeco.javacpp.PointerPointer;
import org.bytedeco.llvm.LLVM.LLVMTypeRef;
import org.bytedeco.llvm.LLVM.LLVMValueRef;
import org.weft.compiler.loop.Buffer;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.ScalarType;
import org.weft.memory.ElementType;

/**
 * Emits expressions. With more than one lane, what depends on the lane variables becomes vectors,
 * the rest stays scalar and is copied to the lanes where the two meet.
 */
final class ExpressionEmitter {
  /** Products and sums may fuse: one rounding less, on every level that has FMA. */
  private static final int CONTRACT = LLVMFastMathAllowContract;

  private final Frame frame;
  private final ModuleContext module;
  private final IrBuilder code;
  private final Lanes lanes;
  private final int fastMath;

  ExpressionEmitter(Frame frame, Lanes lanes, boolean reassociate) {
    this.frame = frame;
    this.module = frame.module;
    this.code = frame.code;
    this.lanes = lanes;
    this.fastMath = reassociate ? CONTRACT | LLVMFastMathAllowReassoc : CONTRACT;
  }

  /** The value as a scalar, or as a vector when it depends on the lane. */
  LLVMValueRef emit(Expr expr) {
    return emit(expr, false);
  }

  /** The value in every lane. */
  LLVMValueRef emitLanes(Expr expr) {
    LLVMValueRef value = emit(expr);
    return lanes.count() == 1 || lanes.varies(expr) ? value : code.splat(value, lanes.count());
  }

  /** A position: integer arithmetic that does not overflow, except where that is checked. */
  LLVMValueRef emitPosition(Expr expr) {
    return emit(expr, !frame.guards.checked());
  }

  private LLVMValueRef emit(Expr expr, boolean position) {
    if (expr instanceof Expr.IntLiteral e) {
      return module.constant(e.value());
    } else if (expr instanceof Expr.FloatLiteral e) {
      return LLVMConstReal(module.type(e.type()), e.value());
    } else if (expr instanceof Expr.VariableRef e) {
      LLVMValueRef value = frame.read(e.variable());
      return !position && lanes.isConsecutive(e.variable()) ? laneNumbers(value) : value;
    } else if (expr instanceof Expr.Load e) {
      return load(e);
    } else if (expr instanceof Expr.Argument e) {
      return argument(e);
    } else if (expr instanceof Expr.Binary e) {
      return binary(e, position);
    } else if (expr instanceof Expr.Not e) {
      return LLVMBuildNot(code.raw, emit(e.operand()), "");
    } else if (expr instanceof Expr.Select e) {
      return select(e);
    } else if (expr instanceof Expr.Convert e) {
      return convert(e);
    } else if (expr instanceof Expr.MathCall e) {
      return call(e);
    } else if (expr instanceof Expr.ToLine e) {
      return BlockCopies.toLine(module, code, e.buffer(), unguarded(e.buffer(), e.position()));
    } else if (expr instanceof Expr.Tasks e) {
      return new RuntimeTable(module, code, frame.runtime()).tasks(emit(e.work(), true));
    } else if (expr instanceof Expr.Negate e) {
      LLVMValueRef value = emit(e.operand(), position);
      return e.type().isFloat()
          ? LLVMBuildFNeg(code.raw, value, "")
          : LLVMBuildNeg(code.raw, value, "");
    }
    throw new AssertionError(expr);
  }

  private LLVMValueRef argument(Expr.Argument e) {
    LLVMValueRef word = frame.argument(e.slot());
    return switch (e.type()) {
      case F64 -> LLVMBuildBitCast(code.raw, word, module.f64, "");
      case F32 -> {
        LLVMValueRef low = LLVMBuildTrunc(code.raw, word, module.i32, "");
        yield LLVMBuildBitCast(code.raw, low, module.f32, "");
      }
      case I32 -> LLVMBuildTrunc(code.raw, word, module.i32, "");
      case I64, BOOL -> word;
    };
  }

  /** Address of the (first lane's) element. */
  LLVMValueRef address(Buffer buffer, Expr position) {
    return address(buffer, emitPosition(position));
  }

  private LLVMValueRef address(Buffer buffer, LLVMValueRef position) {
    LLVMValueRef at = inArray(buffer, position);
    frame.guards.access(frame, buffer, at);
    return code.element(module.type(buffer.element()), frame.base(buffer), at);
  }

  /** Address of {@code count} elements from {@code position} on. */
  LLVMValueRef addressOf(Buffer buffer, Expr position, long count) {
    LLVMValueRef at = inArray(buffer, emitPosition(position));
    LLVMValueRef end = LLVMBuildAdd(code.raw, at, module.constant(count), "");
    frame.guards.range(frame, buffer, at, end);
    return code.element(module.type(buffer.element()), frame.base(buffer), at);
  }

  /** Address of an element that is not accessed. */
  private LLVMValueRef unguarded(Buffer buffer, Expr position) {
    LLVMValueRef at = inArray(buffer, emitPosition(position));
    return code.element(module.type(buffer.element()), frame.base(buffer), at);
  }

  private LLVMValueRef inArray(Buffer buffer, LLVMValueRef position) {
    return buffer.kind() == Buffer.Kind.VIEW
        ? frame.cell(buffer).inArray(code, position)
        : position;
  }

  /** The first lane's number plus 0, 1, 2, ... */
  private LLVMValueRef laneNumbers(LLVMValueRef first) {
    if (lanes.count() == 1) {
      return first;
    }
    LLVMValueRef[] steps = new LLVMValueRef[lanes.count()];
    for (int i = 0; i < steps.length; i++) {
      steps[i] = module.constant(i);
    }
    LLVMValueRef ramp = LLVMConstVector(new PointerPointer<>(steps), steps.length);
    return LLVMBuildAdd(code.raw, code.splat(first, steps.length), ramp, "");
  }

  private LLVMValueRef load(Expr.Load e) {
    int width = lanes.varies(e.position()) ? lanes.count() : 1;
    LLVMValueRef at = emitPosition(e.position());
    LLVMValueRef value = load(e.buffer(), address(e.buffer(), at), width);
    frame.guards.coordinate(frame, e.buffer(), at, value);
    return value;
  }

  /** Loads one element, or {@code width} consecutive ones, widened to the register type. */
  LLVMValueRef load(Buffer buffer, LLVMValueRef address, int width) {
    ElementType element = buffer.element();
    LLVMTypeRef inMemory = ModuleContext.lanes(module.type(element), width);
    LLVMValueRef value;
    if (masks(buffer, width)) {
      value = code.maskedLoad(inMemory, address, element.bytes(), lanes.active());
      frame.scopes.mark(value, buffer, false);
    } else {
      value = code.load(inMemory, address, "");
      LLVMSetAlignment(value, element.bytes());
      frame.scopes.mark(value, buffer, true);
    }
    LLVMTypeRef inRegister = ModuleContext.lanes(module.type(buffer.scalar()), width);
    return switch (element) {
      case U8, U16, U32 -> LLVMBuildZExt(code.raw, value, inRegister, "");
      default -> value;
    };
  }

  /** Whether an access to {@code width} elements has to leave some of them alone. */
  boolean masks(Buffer buffer, int width) {
    return width > 1 && lanes.active() < lanes.count() && !frame.isOnStack(buffer);
  }

  private LLVMValueRef binary(Expr.Binary e, boolean position) {
    boolean vector = lanes.varies(e) && !position;
    LLVMValueRef l = vector ? emitLanes(e.left()) : emit(e.left(), position);
    LLVMValueRef r = vector ? emitLanes(e.right()) : emit(e.right(), position);
    if (e.op().isComparison()) {
      return compare(e.op(), e.left().type(), l, r);
    }
    LLVMValueRef result =
        e.type().isFloat() ? floating(e.op(), l, r) : integer(e.op(), l, r, position);
    if (e.type().isFloat() && LLVMIsAInstruction(result) != null) {
      LLVMSetFastMathFlags(result, fastMath);
    }
    return result;
  }

  private LLVMValueRef floating(Expr.Op op, LLVMValueRef l, LLVMValueRef r) {
    return switch (op) {
      case ADD -> LLVMBuildFAdd(code.raw, l, r, "");
      case SUB -> LLVMBuildFSub(code.raw, l, r, "");
      case MUL -> LLVMBuildFMul(code.raw, l, r, "");
      case DIV -> LLVMBuildFDiv(code.raw, l, r, "");
      case MIN -> code.intrinsic("llvm.minimum", LLVMTypeOf(l), l, r);
      case MAX -> code.intrinsic("llvm.maximum", LLVMTypeOf(l), l, r);
      default -> throw new AssertionError(op);
    };
  }

  private LLVMValueRef integer(Expr.Op op, LLVMValueRef l, LLVMValueRef r, boolean position) {
    return switch (op) {
      case ADD -> position ? LLVMBuildNSWAdd(code.raw, l, r, "") : LLVMBuildAdd(code.raw, l, r, "");
      case SUB -> position ? LLVMBuildNSWSub(code.raw, l, r, "") : LLVMBuildSub(code.raw, l, r, "");
      case MUL -> position ? LLVMBuildNSWMul(code.raw, l, r, "") : LLVMBuildMul(code.raw, l, r, "");
      case DIV -> LLVMBuildSDiv(code.raw, l, r, "");
      case REM -> LLVMBuildSRem(code.raw, l, r, "");
      case SHR -> LLVMBuildLShr(code.raw, l, r, "");
      case MIN -> code.intrinsic("llvm.smin", LLVMTypeOf(l), l, r);
      case MAX -> code.intrinsic("llvm.smax", LLVMTypeOf(l), l, r);
      case AND -> LLVMBuildAnd(code.raw, l, r, "");
      case OR -> LLVMBuildOr(code.raw, l, r, "");
      default -> throw new AssertionError(op);
    };
  }

  private LLVMValueRef compare(Expr.Op op, ScalarType type, LLVMValueRef l, LLVMValueRef r) {
    if (type.isFloat()) {
      int predicate =
          switch (op) {
            case EQ -> LLVMRealOEQ;
            case NE -> LLVMRealUNE;
            case LT -> LLVMRealOLT;
            case LE -> LLVMRealOLE;
            default -> throw new AssertionError(op);
          };
      return LLVMBuildFCmp(code.raw, predicate, l, r, "");
    }
    int predicate =
        switch (op) {
          case EQ -> LLVMIntEQ;
          case NE -> LLVMIntNE;
          case LT -> LLVMIntSLT;
          case LE -> LLVMIntSLE;
          default -> throw new AssertionError(op);
        };
    return code.compare(predicate, l, r);
  }

  private LLVMValueRef select(Expr.Select e) {
    boolean vector = lanes.varies(e);
    LLVMValueRef condition = vector ? emitLanes(e.condition()) : emit(e.condition());
    LLVMValueRef yes = vector ? emitLanes(e.whenTrue()) : emit(e.whenTrue());
    LLVMValueRef no = vector ? emitLanes(e.whenFalse()) : emit(e.whenFalse());
    LLVMValueRef select = LLVMBuildSelect(code.raw, condition, yes, no, "");
    if (e.unpredictable() && LLVMIsASelectInst(select) != null) {
      module.attach(select, UnpredictableSelects.KIND, module.node());
    }
    return select;
  }

  private LLVMValueRef convert(Expr.Convert e) {
    ScalarType from = e.operand().type();
    ScalarType to = e.type();
    LLVMValueRef value = emit(e.operand());
    if (from == to) {
      return value;
    }
    int width = lanes.varies(e.operand()) ? lanes.count() : 1;
    LLVMTypeRef type = ModuleContext.lanes(module.type(to), width);
    if (from == ScalarType.BOOL) {
      return to.isFloat()
          ? LLVMBuildUIToFP(code.raw, value, type, "")
          : LLVMBuildZExt(code.raw, value, type, "");
    } else if (from.isFloat()) {
      return to.isFloat()
          ? LLVMBuildFPCast(code.raw, value, type, "")
          : code.toInteger(value, type);
    }
    return to.isFloat()
        ? LLVMBuildSIToFP(code.raw, value, type, "")
        : LLVMBuildIntCast2(code.raw, value, type, 1, "");
  }

  private LLVMValueRef call(Expr.MathCall e) {
    LLVMValueRef argument = emit(e.arguments().get(0));
    LLVMTypeRef type = LLVMTypeOf(argument);
    return switch (e.function()) {
      case SQRT -> code.intrinsic("llvm.sqrt", type, argument);
      case EXP -> code.intrinsic("llvm.exp", type, argument);
      case LOG -> code.intrinsic("llvm.log", type, argument);
      case ABS -> {
        if (e.type().isFloat()) {
          yield code.intrinsic("llvm.fabs", type, argument);
        }
        LLVMValueRef negative = LLVMBuildNeg(code.raw, argument, "");
        yield code.intrinsic("llvm.smax", type, argument, negative);
      }
    };
  }

  /** {@code old + value} with the same freedom as sums in expressions. */
  LLVMValueRef sum(ScalarType type, LLVMValueRef old, LLVMValueRef value) {
    if (!type.isFloat()) {
      return LLVMBuildAdd(code.raw, old, value, "");
    }
    LLVMValueRef sum = LLVMBuildFAdd(code.raw, old, value, "");
    if (LLVMIsAInstruction(sum) != null) {
      LLVMSetFastMathFlags(sum, fastMath);
    }
    return sum;
  }
}
