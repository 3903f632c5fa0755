package org.weft.compiler.llvm;

import static org.bytedeco.llvm.global.LLVM.*;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.bytedeco.llvm.LLVM.LLVMBasicBlockRef;
import org.bytedeco.llvm.LLVM.LLVMTypeRef;
import org.bytedeco.llvm.LLVM.LLVMValueRef;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.loop.Buffer;
import org.weft.compiler.loop.LoopVariable;

/**
 * One LLVM function in the making: a kernel, or a task whose parent is the kernel. The entry block
 * collects stack slots and loads that happen once; code follows in other blocks; every way out goes
 * through the exit block, which releases what is still held.
 *
 * <p>A task sees the kernel's variables, buffers and arguments by value: the first use adds a word
 * to the context that the parallel call passes.
 */
final class Frame implements AutoCloseable {
  /** Key of the runtime's table among the arguments. */
  private static final int RUNTIME = -1;

  final ModuleContext module;
  final AliasScopes scopes;
  final LLVMValueRef function;
  final IrBuilder entry;
  final IrBuilder code;
  final LLVMBasicBlockRef exit;

  /** What is checked at every access of the kernel. */
  final BoundsGuards guards;

  private final @Nullable Frame parent;
  private @Nullable FailurePath failure;
  private final LLVMBasicBlockRef start;
  private final Map<LoopVariable, LLVMValueRef> values = new HashMap<>();
  private final Map<LoopVariable, LLVMValueRef> stackSlots = new HashMap<>();
  private final Map<String, BufferCell> cells = new HashMap<>();
  private final Map<Integer, LLVMValueRef> arguments = new HashMap<>();
  private final Map<String, LLVMValueRef> captured = new HashMap<>();
  private final List<Supplier<LLVMValueRef>> captures = new ArrayList<>();
  private final List<BufferCell> owned = new ArrayList<>();

  /** A kernel: its one parameter is the argument block. */
  Frame(ModuleContext module, AliasScopes scopes, BoundsGuards guards, LLVMValueRef function) {
    this(module, scopes, guards, function, null);
  }

  private Frame(
      ModuleContext module,
      AliasScopes scopes,
      BoundsGuards guards,
      LLVMValueRef function,
      @Nullable Frame parent) {
    this.guards = guards;
    this.module = module;
    this.scopes = scopes;
    this.function = function;
    this.parent = parent;
    this.entry = new IrBuilder(module, function);
    this.code = new IrBuilder(module, function);
    entry.at(entry.block("entry"));
    start = code.block("start");
    exit = code.block("exit");
    code.at(start);
  }

  /**
   * A task of this kernel: its parameters are the context and the iterations to run.
   *
   * @param in the module of {@code taskFunction}
   */
  Frame task(ModuleContext in, AliasScopes scopesThere, LLVMValueRef taskFunction) {
    return new Frame(in, scopesThere, guards, taskFunction, this);
  }

  /** The argument block. */
  LLVMValueRef argumentBlock() {
    Frame outer = parent;
    return outer == null
        ? LLVMGetParam(function, 0)
        : capture("<args>", module.pointer, outer::argumentBlock);
  }

  /** The number in a slot as it was at entry. */
  LLVMValueRef argument(int slot) {
    Frame outer = parent;
    return arguments.computeIfAbsent(
        slot,
        s ->
            outer == null
                ? loadSlot(s, module.i64)
                : capture("<args " + s + ">", module.i64, () -> outer.argument(s)));
  }

  /** The runtime's table of functions. */
  LLVMValueRef runtime() {
    Frame outer = parent;
    return arguments.computeIfAbsent(
        RUNTIME,
        s ->
            outer == null
                ? loadSlot(0, module.pointer)
                : capture("<runtime>", module.pointer, outer::runtime));
  }

  /** Where the function goes when something fails. */
  FailurePath failure() {
    FailurePath made = failure;
    if (made == null) {
      made = new FailurePath(this);
      failure = made;
    }
    return made;
  }

  /** A slot of a kernel's argument block, loaded at entry. */
  LLVMValueRef loadSlot(int slot, LLVMTypeRef type) {
    return scopes.markArgument(entry.load(type, entry.slot(argumentBlock(), slot), "arg" + slot));
  }

  /** Makes {@code value} the constant value of a loop variable. */
  void bind(LoopVariable variable, LLVMValueRef value) {
    values.put(variable, value);
  }

  /** Gives a mutable variable a stack slot, a vector one when it has several lanes. */
  void declare(LoopVariable variable, LLVMTypeRef type) {
    stackSlots.put(variable, LLVMBuildAlloca(entry.raw, type, variable.name()));
  }

  LLVMValueRef read(LoopVariable variable) {
    LLVMValueRef value = values.get(variable);
    if (value != null) {
      return value;
    }
    LLVMValueRef slot = stackSlots.get(variable);
    if (slot != null) {
      return code.load(LLVMGetAllocatedType(slot), slot, variable.name());
    }
    Frame outer = parent;
    if (outer == null) {
      throw new IllegalStateException("no value for variable " + variable.name());
    }
    return capture(variable.name(), module.type(variable.type()), () -> outer.read(variable));
  }

  void assign(LoopVariable variable, LLVMValueRef value) {
    LLVMValueRef slot = stackSlots.get(variable);
    if (slot == null) {
      throw new IllegalStateException("variable " + variable.name() + " is not assignable here");
    }
    code.store(value, slot);
  }

  /** Adds a buffer of this frame; one that owns memory is released at exit. */
  void add(BufferCell cell) {
    cells.put(cell.buffer.name(), cell);
    if (cell.ownsMemory()) {
      owned.add(cell);
    }
  }

  BufferCell cell(Buffer buffer) {
    BufferCell cell = cells.get(buffer.name());
    if (cell == null) {
      throw new IllegalStateException("buffer " + buffer.name() + " is not of this function");
    }
    return cell;
  }

  boolean holds(Buffer buffer) {
    return cells.containsKey(buffer.name());
  }

  /** Whether this frame's stack holds the buffer, with room for whole vectors. */
  boolean isOnStack(Buffer buffer) {
    BufferCell cell = cells.get(buffer.name());
    return cell != null && cell.isOnStack();
  }

  /** Elements of a buffer on this frame's stack, without the room behind them. */
  long stackLength(Buffer buffer) {
    return cell(buffer).stackLength();
  }

  /** The address of a buffer's first element. */
  LLVMValueRef base(Buffer buffer) {
    BufferCell cell = cells.get(buffer.name());
    if (cell != null) {
      return cell.base(code);
    }
    Frame outer = parent;
    if (outer == null) {
      throw new IllegalStateException("no address for buffer " + buffer.name());
    }
    return capture(buffer.name(), module.pointer, () -> outer.base(buffer));
  }

  /** The number of elements of a buffer of a checked kernel. */
  LLVMValueRef length(Buffer buffer) {
    BufferCell cell = cells.get(buffer.name());
    if (cell != null) {
      return cell.length(code);
    }
    Frame outer = parent;
    if (outer == null) {
      throw new IllegalStateException("no length for buffer " + buffer.name());
    }
    return capture("<length " + buffer.name() + ">", module.i64, () -> outer.length(buffer));
  }

  List<BufferCell> owned() {
    return owned;
  }

  /** A word of the context, loaded at the task's entry. */
  LLVMValueRef capture(String name, LLVMTypeRef type, Supplier<LLVMValueRef> outer) {
    LLVMValueRef known = captured.get(name);
    if (known != null) {
      return known;
    }
    LLVMValueRef address = entry.slot(LLVMGetParam(function, 0), captures.size());
    LLVMValueRef value = scopes.markArgument(entry.load(type, address, ""));
    captures.add(outer);
    captured.put(name, value);
    return value;
  }

  /**
   * Stores the captured words of a finished task to a context on this frame's stack, whose address
   * is returned.
   */
  LLVMValueRef contextOf(Frame task) {
    LLVMTypeRef type = LLVMArrayType2(module.i64, Math.max(1, task.captures.size()));
    LLVMValueRef context = LLVMBuildAlloca(entry.raw, type, "context");
    for (int i = 0; i < task.captures.size(); i++) {
      LLVMValueRef value = task.captures.get(i).get();
      scopes.markArgument(code.store(value, code.slot(context, i)));
    }
    return context;
  }

  /** Ends the entry block; the last act on a frame. */
  void finish() {
    entry.jump(start);
  }

  @Override
  public void close() {
    entry.close();
    code.close();
  }
}
