package org.weft.compiler.llvm;

import static org.bytedeco.llvm.global.LLVM.*;

import java.util.ArrayList;
import java.util.List;
import org.bytedeco.javacpp.PointerPointer;
import org.bytedeco.llvm.LLVM.LLVMBasicBlockRef;
import org.bytedeco.llvm.LLVM.LLVMMetadataRef;
import org.bytedeco.llvm.LLVM.LLVMTypeRef;
import org.bytedeco.llvm.LLVM.LLVMValueRef;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.LoopTraits;
import org.weft.compiler.loop.LoopVariable;
import org.weft.compiler.loop.Stmt;
import org.weft.runtime.Slot;

/** Emits statements into a frame. */
final class StatementEmitter {
  /** LLVM's name for the first cache in a prefetch; the second is one less. */
  private static final int NEAREST = 3;

  /** A small loop that lies in two lines of code may take 1.4 times as long. */
  private static final int CACHE_LINE_BYTES = 64;

  /**
   * Lanes that share a sum along a fiber, as many whatever the CPU. In a register each, an SpMV
   * with 80 entries a row took 1.13 times as long (Zen 3, one process after the other).
   */
  private static final int FIBER_SUMS = 4;

  private final KernelEmitter kernel;
  private final Frame frame;
  private final Lanes lanes;
  private final ModuleContext module;
  private final IrBuilder code;
  private final ExpressionEmitter expressions;
  private final RuntimeCalls runtime;

  StatementEmitter(KernelEmitter kernel, Frame frame) {
    this(kernel, frame, Lanes.scalar(), false);
  }

  private StatementEmitter(KernelEmitter kernel, Frame frame, Lanes lanes, boolean reassociate) {
    this.kernel = kernel;
    this.frame = frame;
    this.lanes = lanes;
    this.module = frame.module;
    this.code = frame.code;
    this.expressions = new ExpressionEmitter(frame, lanes, reassociate);
    this.runtime = new RuntimeCalls(frame);
  }

  /** The same frame, {@code lanes} iterations at a time. */
  StatementEmitter inLanes(Lanes vector) {
    return new StatementEmitter(kernel, frame, vector, false);
  }

  Frame frame() {
    return frame;
  }

  void emit(Stmt stmt) {
    if (stmt instanceof Stmt.Block s) {
      s.statements().forEach(this::emit);
    } else if (stmt instanceof Stmt.Declare s) {
      declare(s);
    } else if (stmt instanceof Stmt.Assign s) {
      frame.assign(s.variable(), value(s.variable(), s.value()));
    } else if (stmt instanceof Stmt.Store s) {
      LLVMValueRef address = expressions.address(s.buffer(), s.position());
      store(s.buffer(), address, laneValue(s.position(), s.value()));
    } else if (stmt instanceof Stmt.Accumulate s) {
      accumulate(s);
    } else if (stmt instanceof Stmt.For s) {
      forLoop(s);
    } else if (stmt instanceof Stmt.Gather s) {
      GatherLoops.emit(kernel, this, s);
    } else if (stmt instanceof Stmt.While s) {
      whileLoop(s);
    } else if (stmt instanceof Stmt.If s) {
      ifElse(s);
    } else {
      memory(stmt);
    }
  }

  private void memory(Stmt stmt) {
    if (stmt instanceof Stmt.AllocateWorkspace s) {
      allocate(s);
    } else if (stmt instanceof Stmt.View s) {
      view(s);
    } else if (stmt instanceof Stmt.Prefetch s) {
      prefetch(s);
    } else if (stmt instanceof Stmt.Turn s) {
      new BlockCopies(frame, expressions).turn(s);
    } else if (stmt instanceof Stmt.StreamLine s) {
      new BlockCopies(frame, expressions).stream(s);
    } else if (stmt instanceof Stmt.Drain) {
      LLVMBuildFence(code.raw, LLVMAtomicOrderingSequentiallyConsistent, 0, "");
    } else if (stmt instanceof Stmt.Delay s) {
      delay(expressions.emitPosition(s.ticks()));
    } else if (stmt instanceof Stmt.Clear s) {
      LLVMValueRef from = expressions.emitPosition(s.from());
      LLVMValueRef to = expressions.emitPosition(s.to());
      frame.guards.range(frame, s.buffer(), from, to);
      runtime.clear(s.buffer(), from, to);
    } else if (stmt instanceof Stmt.FreeWorkspace s) {
      if (frame.holds(s.buffer()) && frame.cell(s.buffer()).ownsMemory()) {
        runtime.release(frame.cell(s.buffer()));
      }
    } else if (stmt instanceof Stmt.Grow s) {
      runtime.grow(frame.cell(s.buffer()), expressions.emitPosition(s.neededElements()));
    } else if (stmt instanceof Stmt.SetCount s) {
      Slot slot = new Slot(Slot.Kind.POSITIONS, s.tensor(), s.level());
      runtime.setSlot(kernel.slotNumber(slot), expressions.emit(s.count()));
    } else if (stmt instanceof Stmt.SortMarked s) {
      LLVMValueRef count = expressions.emitPosition(s.count());
      LLVMValueRef length = expressions.emitPosition(s.length());
      runtime.table().sortMarked(frame.base(s.buffer()), count, frame.base(s.marks()), length);
    } else if (stmt instanceof Stmt.SortPairs s) {
      LLVMValueRef count = expressions.emitPosition(s.count());
      runtime.sortPairs(frame.base(s.keys()), frame.base(s.values()), count);
    } else if (stmt instanceof Stmt.Rank s) {
      LLVMValueRef count = expressions.emitPosition(s.count());
      LLVMValueRef keys = frame.base(s.keys());
      frame.assign(s.different(), runtime.table().rank(keys, count, frame.base(s.ranks())));
    } else if (stmt instanceof Stmt.CheckWidth s) {
      LLVMValueRef most = module.constant(s.width().maximum());
      LLVMValueRef over = code.compare(LLVMIntUGT, expressions.emit(s.value()), most);
      runtime.failIf(over, RuntimeCalls.WIDTH_OVERFLOW, (long) s.tensor() << 32 | s.level());
    } else if (stmt instanceof Stmt.Require s) {
      LLVMValueRef misfits = expressions.emit(new Expr.Not(s.condition()));
      runtime.failIf(misfits, RuntimeCalls.MISFIT, (long) s.tensor() << 32 | s.level());
    } else if (stmt instanceof Stmt.Return) {
      code.jump(frame.exit);
      code.at(code.block("unreachable"));
    } else {
      throw new AssertionError(stmt);
    }
  }

  private void declare(Stmt.Declare s) {
    LLVMValueRef value = value(s.variable(), s.value());
    frame.declare(s.variable(), LLVMTypeOf(value));
    frame.assign(s.variable(), value);
  }

  private LLVMValueRef value(LoopVariable variable, Expr value) {
    if (lanes.isConsecutive(variable)) {
      return expressions.emitPosition(value);
    }
    return lanes.varies(variable) ? expressions.emitLanes(value) : expressions.emit(value);
  }

  private LLVMValueRef laneValue(Expr position, Expr value) {
    return lanes.varies(position) ? expressions.emitLanes(value) : expressions.emit(value);
  }

  private void accumulate(Stmt.Accumulate s) {
    LLVMValueRef value = laneValue(s.position(), s.value());
    LLVMValueRef address = expressions.address(s.buffer(), s.position());
    if (s.shared()) {
      LLVMTypeRef element = module.type(s.buffer().element());
      LLVMValueRef added = LLVMBuildTruncOrBitCast(code.raw, value, element, "");
      int order = LLVMAtomicOrderingMonotonic;
      LLVMBuildAtomicRMW(code.raw, LLVMAtomicRMWBinOpAdd, address, added, order, 0);
      return;
    }
    int width = lanes.varies(s.position()) ? lanes.count() : 1;
    LLVMValueRef old = expressions.load(s.buffer(), address, width);
    store(s.buffer(), address, expressions.sum(s.buffer().scalar(), old, value));
  }

  private void store(org.weft.compiler.loop.Buffer buffer, LLVMValueRef address, LLVMValueRef v) {
    LLVMTypeRef element = module.type(buffer.element());
    LLVMValueRef value = v;
    boolean vector = LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind;
    if (buffer.element().bytes() < 8 && buffer.scalar() == org.weft.compiler.loop.ScalarType.I64) {
      LLVMTypeRef narrow = ModuleContext.lanes(element, vector ? lanes.count() : 1);
      value = LLVMBuildTrunc(code.raw, v, narrow, "");
    }
    int alignment = buffer.element().bytes();
    LLVMValueRef store;
    if (vector && expressions.masks(buffer, lanes.count())) {
      store = code.maskedStore(value, address, alignment, lanes.active());
    } else {
      store = code.store(value, address);
      LLVMSetAlignment(store, alignment);
    }
    frame.scopes.mark(store, buffer, false);
  }

  private void allocate(Stmt.AllocateWorkspace s) {
    if (!s.onStack()) {
      if (!frame.holds(s.buffer())) {
        frame.add(BufferCell.allocated(frame, s.buffer(), s.few()));
      }
      runtime.allocate(frame.cell(s.buffer()), expressions.emitPosition(s.length()));
      return;
    }
    long length = ((Expr.IntLiteral) s.length()).value();
    long room = Stmt.AllocateWorkspace.padded(length, s.buffer().element());
    if (!frame.holds(s.buffer())) {
      LLVMTypeRef type = LLVMArrayType2(module.type(s.buffer().element()), room);
      LLVMValueRef address = LLVMBuildAlloca(frame.entry.raw, type, s.buffer().name());
      LLVMSetAlignment(address, 64);
      frame.add(BufferCell.fixed(module, s.buffer(), address, module.constant(length)));
    }
    LLVMValueRef bytes = module.constant(room * s.buffer().element().bytes());
    runtime.fillZero(s.buffer(), frame.base(s.buffer()), bytes);
  }

  private void prefetch(Stmt.Prefetch s) {
    LLVMValueRef first = expressions.emitPosition(s.position());
    int width = s.buffer().element().bytes();
    LLVMValueRef read = LLVMConstInt(module.i32, 0, 0);
    LLVMValueRef near = LLVMConstInt(module.i32, NEAREST - s.cache() + 1, 0);
    LLVMValueRef data = LLVMConstInt(module.i32, 1, 0);
    for (long at = 0; at < s.elements(); at += CACHE_LINE_BYTES / width) {
      LLVMValueRef position = LLVMBuildAdd(code.raw, first, module.constant(at), "");
      LLVMValueRef address =
          LLVMBuildGEP2(
              code.raw,
              module.type(s.buffer().element()),
              frame.base(s.buffer()),
              new PointerPointer<>(new LLVMValueRef[] {position}),
              1,
              "");
      code.intrinsic("llvm.prefetch", module.pointer, address, read, near, data);
    }
  }

  private void delay(LLVMValueRef ticks) {
    code.plain("llvm.x86.sse2.lfence");
    LLVMValueRef start = code.plain("llvm.readcyclecounter");
    LLVMBasicBlockRef wait = code.block("wait");
    LLVMBasicBlockRef after = code.block("waited");
    code.jump(wait);
    code.at(wait);
    LLVMValueRef now = code.plain("llvm.readcyclecounter");
    LLVMValueRef passed = LLVMBuildSub(code.raw, now, start, "passed");
    code.branch(code.compare(LLVMIntULT, passed, ticks), wait, after);
    code.at(after);
  }

  private void view(Stmt.View s) {
    LLVMValueRef origin = expressions.emitPosition(s.origin());
    LLVMValueRef length = frame.guards.checked() ? frame.length(s.shown()) : null;
    frame.add(BufferCell.view(module, s.view(), frame.base(s.shown()), origin, length));
  }

  private void forLoop(Stmt.For s) {
    if (s.traits().parallel()) {
      ParallelLoops.emit(kernel, this, s);
    } else if (!frame.guards.checked() && VectorLoops.fits(s, module.target)) {
      VectorLoops.emit(this, s);
    } else if (!frame.guards.checked() && FiberLoops.fits(s)) {
      FiberLoops.emit(this, s);
    } else if (!frame.guards.checked() && ClippedLoops.fits(s)) {
      ClippedLoops.emit(this, s);
    } else {
      LLVMValueRef lower = expressions.emitPosition(s.lower());
      LLVMValueRef upper = expressions.emitPosition(s.upper());
      counted(s, lower, upper);
    }
  }

  /** The value of a number. */
  LLVMValueRef position(Expr expr) {
    return expressions.emitPosition(expr);
  }

  /** The loop as a loop, over bounds that are already values. */
  void counted(Stmt.For s, LLVMValueRef lower, LLVMValueRef upper) {
    LLVMBasicBlockRef before = code.current();
    LLVMBasicBlockRef head = code.block(s.variable().name());
    LLVMBasicBlockRef body = code.block(s.variable().name() + "_body");
    LLVMBasicBlockRef after = code.block(s.variable().name() + "_end");
    code.jump(head);
    code.at(head);
    LLVMValueRef counter = LLVMBuildPhi(code.raw, module.i64, s.variable().name());
    LLVMAddIncoming(counter, lower, before, 1);
    code.branch(code.compare(LLVMIntSLT, counter, upper), body, after);
    code.at(body);
    frame.bind(s.variable(), counter);
    boolean reassociate = s.traits().vector() || s.traits().fiber();
    StatementEmitter inside = reassociate ? new StatementEmitter(kernel, frame, lanes, true) : this;
    inside.emit(s.body());
    LLVMValueRef next = LLVMBuildNSWAdd(code.raw, counter, module.constant(1), "");
    LLVMAddIncoming(counter, next, code.current(), 1);
    LLVMBuildBr(code.raw, head);
    boolean aligned = !s.traits().few() && !hasLongLoops(s.body());
    module.attach(LLVMGetLastInstruction(code.current()), "llvm.loop", loopId(s.traits(), aligned));
    code.at(after);
  }

  /** Whether {@code stmt} has loops other than those along vectors. */
  private static boolean hasLongLoops(Stmt stmt) {
    return stmt instanceof Stmt.While
        || stmt instanceof Stmt.For loop && !loop.traits().vector()
        || stmt.children().stream().anyMatch(StatementEmitter::hasLongLoops);
  }

  private LLVMMetadataRef loopId(LoopTraits traits, boolean aligned) {
    List<LLVMMetadataRef> facts = new ArrayList<>();
    facts.add(module.node(module.text("llvm.loop.mustprogress")));
    if (aligned) {
      LLVMMetadataRef bytes = module.number(module.i32, CACHE_LINE_BYTES);
      facts.add(module.node(module.text("llvm.loop.align"), bytes));
    }
    if (traits.vector()) {
      facts.add(
          module.node(module.text("llvm.loop.vectorize.enable"), module.number(module.i1, 1)));
    }
    if (traits.scalar() || traits.few()) {
      facts.add(
          module.node(module.text("llvm.loop.vectorize.enable"), module.number(module.i1, 0)));
    }
    if (traits.fiber()) {
      LLVMMetadataRef sums = module.number(module.i32, FIBER_SUMS);
      facts.add(
          module.node(module.text("llvm.loop.vectorize.enable"), module.number(module.i1, 1)));
      facts.add(module.node(module.text("llvm.loop.vectorize.width"), sums));
      LLVMMetadataRef one = module.number(module.i32, 1);
      facts.add(module.node(module.text("llvm.loop.interleave.count"), one));
    }
    if (traits.unroll() == 1) {
      facts.add(module.node(module.text("llvm.loop.unroll.disable")));
    } else if (traits.unroll() > 1) {
      LLVMMetadataRef copies = module.number(module.i32, traits.unroll());
      facts.add(module.node(module.text("llvm.loop.unroll.count"), copies));
    } else if (!traits.vector()) {
      // Most fibers are shorter than the copies would be, and their sums are carried in order.
      facts.add(module.node(module.text("llvm.loop.unroll.runtime.disable")));
    }
    return module.selfNode(facts.toArray(new LLVMMetadataRef[0]));
  }

  private void whileLoop(Stmt.While s) {
    LLVMBasicBlockRef head = code.block("while");
    LLVMBasicBlockRef body = code.block("while_body");
    LLVMBasicBlockRef after = code.block("while_end");
    code.jump(head);
    code.at(head);
    code.branch(expressions.emit(s.condition()), body, after);
    code.at(body);
    emit(s.body());
    code.jump(head);
    module.attach(
        LLVMGetLastInstruction(code.current()), "llvm.loop", loopId(LoopTraits.SERIAL, false));
    code.at(after);
  }

  private void ifElse(Stmt.If s) {
    LLVMBasicBlockRef yes = code.block("then");
    LLVMBasicBlockRef no = code.block("else");
    LLVMBasicBlockRef after = code.block("endif");
    code.branch(expressions.emit(s.condition()), yes, no);
    code.at(yes);
    emit(s.then());
    code.jump(after);
    code.at(no);
    emit(s.otherwise());
    code.jump(after);
    code.at(after);
  }
}
