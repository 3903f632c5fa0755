package org.weft.compiler.lower.sink;

import java.util.List;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.level.Code;
import org.weft.compiler.loop.Buffer;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.LoopVariable;
import org.weft.compiler.loop.Stmt;
import org.weft.compiler.lower.operand.KernelTensors;
import org.weft.compiler.lower.operand.Scope;
import org.weft.compiler.lower.operand.TensorLayout;
import org.weft.compiler.lower.operand.Values;
import org.weft.tensor.LevelCoordinate;
import org.weft.tensor.TensorFormat;

/**
 * Lists values as they come, in a coordinate tensor with one mode for every level of another format
 * (coordinate remapping of Chou, Kjolstad and Amarasinghe, PLDI 2020): block numbers, offsets in
 * blocks and diagonals are computed from the coordinates.
 */
public final class EntryList implements AnyOrderSink {
  private final List<IndexVar> variables;
  private final TensorLayout list;
  private final List<IndexVar> labels;
  private final TensorFormat format;
  private final KernelTensors tensors;
  private final LoopVariable entries;

  /**
   * A list that is empty; {@code code} runs first.
   *
   * @param variables those of all loops
   * @param labels of the modes
   * @param format whose levels are listed
   */
  public EntryList(
      List<IndexVar> variables,
      TensorLayout list,
      List<IndexVar> labels,
      TensorFormat format,
      KernelTensors tensors,
      Code code) {
    this.variables = List.copyOf(variables);
    this.list = list;
    this.labels = List.copyOf(labels);
    this.format = format;
    this.tensors = tensors;
    this.entries = code.declare("entries", Expr.of(0));
    code.add(new Stmt.Grow(list.level(0).requirePos(), Expr.of(2)));
    code.add(new Stmt.Clear(list.level(0).requirePos(), Expr.of(0), Expr.of(1)));
    makeRoom(Expr.of(1), code);
  }

  private void makeRoom(Expr count, Code code) {
    for (int column = 0; column < list.order(); column++) {
      code.add(new Stmt.Grow(list.level(column).requireCrd(), count));
    }
    code.add(new Stmt.Grow(list.vals(), count));
  }

  /** Completes the list. */
  public void finish(Code code) {
    code.add(new Stmt.Store(list.level(0).requirePos(), Expr.of(1), Expr.of(entries)));
    for (int column = 0; column < list.order(); column++) {
      code.add(new Stmt.SetCount(list.level(column).tensor(), column, Expr.of(entries)));
    }
  }

  @Override
  public List<IndexVar> variables() {
    return variables;
  }

  @Override
  public void put(Expr value, Scope scope, Code code) {
    Expr count = Expr.of(entries);
    makeRoom(Expr.add(count, Expr.of(1)), code);
    for (int level = 0; level < list.order(); level++) {
      Buffer crd = list.level(level).requireCrd();
      code.add(new Stmt.Store(crd, count, coordinate(format.coordinate(level), scope)));
    }
    Buffer vals = list.vals();
    code.add(new Stmt.Store(vals, count, Values.convert(value, vals.scalar())));
    code.assign(entries, Expr.add(count, Expr.of(1)));
  }

  private Expr coordinate(LevelCoordinate stored, Scope scope) {
    if (stored instanceof LevelCoordinate.Diagonal) {
      Expr lowest = Expr.sub(tensors.size(label(0)), Expr.of(1));
      return Expr.add(Expr.sub(coordinate(label(1), scope), coordinate(label(0), scope)), lowest);
    }
    Expr whole = coordinate(label(stored.storedMode()), scope);
    if (stored instanceof LevelCoordinate.Block block) {
      return new Expr.Binary(Expr.Op.DIV, whole, Expr.of(block.size()));
    } else if (stored instanceof LevelCoordinate.Within within) {
      return new Expr.Binary(Expr.Op.REM, whole, Expr.of(within.size()));
    }
    return whole;
  }

  private IndexVar label(int storedMode) {
    return labels.get(format.modeOrder()[storedMode]);
  }

  /** The coordinate of a mode, which the loops may have in two parts. */
  private Expr coordinate(IndexVar label, Scope scope) {
    if (scope.isBound(label)) {
      return scope.coordinate(label);
    }
    IndexVar block =
        variables.stream()
            .filter(variable -> variable.isBlock() && variable.label().equals(label))
            .findFirst()
            .orElseThrow();
    Expr first = Expr.mul(scope.coordinate(block), Expr.of(block.blockSize()));
    return Expr.add(first, scope.coordinate(IndexVar.within(label, block.blockSize())));
  }
}
