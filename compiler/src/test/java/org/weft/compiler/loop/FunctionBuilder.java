package org.weft.compiler.loop;

import java.util.ArrayList;
import java.util.List;
import org.weft.memory.ElementType;
import org.weft.runtime.KernelSignature;
import org.weft.runtime.Slot;
import org.weft.runtime.TensorParameter;
import org.weft.tensor.TensorFormat;

/** Collects tensors, slots and buffers of a hand-built function. */
public final class FunctionBuilder {
  private final String symbol;
  private final List<TensorParameter> tensors = new ArrayList<>();
  private final List<Slot> slots = new ArrayList<>();
  private final List<BufferBinding> bindings = new ArrayList<>();

  public FunctionBuilder(String symbol) {
    this.symbol = symbol;
    slots.add(Slot.runtime());
    slots.add(Slot.status());
    slots.add(Slot.statusDetail());
  }

  public int tensor(String name, TensorFormat format, TensorParameter.Role role) {
    tensors.add(new TensorParameter(name, format, role));
    return tensors.size() - 1;
  }

  public int slot(Slot slot) {
    slots.add(slot);
    return slots.size() - 1;
  }

  public Expr number(Slot slot) {
    return new Expr.Argument(slot(slot));
  }

  public Buffer pos(int tensor, int level) {
    ElementType type = tensors.get(tensor).format().levels().get(level).posWidth().elementType();
    return bind(tensor, "_pos" + level, type, Slot.pos(tensor, level));
  }

  public Buffer crd(int tensor, int level) {
    ElementType type = tensors.get(tensor).format().levels().get(level).crdWidth().elementType();
    return bind(tensor, "_crd" + level, type, Slot.crd(tensor, level));
  }

  public Buffer vals(int tensor) {
    ElementType type = tensors.get(tensor).format().valueType().elementType();
    return bind(tensor, "_vals", type, Slot.vals(tensor));
  }

  private Buffer bind(int tensor, String suffix, ElementType type, Slot slot) {
    Buffer.Kind kind =
        switch (tensors.get(tensor).role()) {
          case INPUT -> Buffer.Kind.INPUT;
          case OUTPUT_DENSE, OUTPUT_OVERWRITTEN -> Buffer.Kind.OUTPUT;
          case OUTPUT_SPARSE -> Buffer.Kind.GROWABLE;
        };
    Buffer buffer = new Buffer(tensors.get(tensor).name() + suffix, type, kind);
    bindings.add(new BufferBinding(buffer, slot(slot)));
    return buffer;
  }

  public LoopFunction build(Stmt... body) {
    return new LoopFunction(
        new KernelSignature(symbol, tensors, slots), bindings, Stmt.Block.of(body));
  }

  public static Expr at(Buffer buffer, Expr position) {
    return new Expr.Load(buffer, position);
  }

  public static Expr next(Expr position) {
    return Expr.add(position, Expr.of(1));
  }

  public static Stmt.For loop(
      LoopVariable v, Expr lower, Expr upper, LoopTraits traits, Stmt... body) {
    return new Stmt.For(v, lower, upper, Stmt.Block.of(body), traits);
  }
}
