package org.weft.compiler.lower.panel;

import java.util.ArrayList;
import java.util.List;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.level.Code;
import org.weft.compiler.loop.Buffer;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.LoopTraits;
import org.weft.compiler.loop.LoopVariable;
import org.weft.compiler.loop.Stmt;
import org.weft.compiler.lower.operand.KernelTensors;

/**
 * Labels of a contraction that are counted as one, the last of them fastest, and where the elements
 * of two tensors lie for each count. Labels that are next to each other in both tensors are one
 * dimension.
 */
final class LabelGroup {
  /**
   * Neighbouring labels.
   *
   * @param strides in elements, one for each tensor
   */
  private record Dimension(Expr size, List<Expr> strides) {}

  private final String name;
  private final List<Dimension> dimensions;
  private final List<Boolean> unit;
  private final Expr size;
  private Expr run;
  private Expr runs = Expr.of(1);

  private LabelGroup(String name, List<Dimension> dimensions, List<Boolean> unit, Expr size) {
    this.name = name;
    this.dimensions = dimensions;
    this.unit = unit;
    this.size = size;
    this.run = size;
  }

  /**
   * @param labels in the order in which they are counted
   * @param accesses tensors; the elements of one without a label lie where they lay
   * @param head where sizes and strides are computed
   */
  static LabelGroup of(
      String name,
      List<IndexVar> labels,
      List<TensorExpr.Access> accesses,
      KernelTensors tensors,
      Code head) {
    List<Dimension> dimensions = new ArrayList<>();
    Expr all = Expr.of(1);
    int at = 0;
    while (at < labels.size()) {
      Expr size = tensors.size(labels.get(at));
      int last = at;
      while (last + 1 < labels.size() && adjoin(labels.get(last), labels.get(last + 1), accesses)) {
        last++;
        size = Expr.mul(size, tensors.size(labels.get(last)));
      }
      IndexVar end = labels.get(last);
      String hint = name + "_" + end.name();
      Expr named = head.name(hint + "_size", size);
      List<Expr> strides = new ArrayList<>();
      for (TensorExpr.Access access : accesses) {
        strides.add(stride(access, end, tensors, head));
      }
      dimensions.add(new Dimension(named, strides));
      all = Expr.mul(all, named);
      at = last + 1;
    }
    List<Boolean> unit =
        accesses.stream()
            .map(
                access ->
                    !labels.isEmpty()
                        && labels.get(labels.size() - 1).equals(Contraction.last(access)))
            .toList();
    return new LabelGroup(name, dimensions, unit, head.name(name + "_count", all));
  }

  private static boolean adjoin(IndexVar outer, IndexVar inner, List<TensorExpr.Access> accesses) {
    return accesses.stream()
        .allMatch(
            access -> {
              List<IndexVar> stored = Contraction.stored(access);
              int at = stored.indexOf(outer);
              return at < 0 ? !stored.contains(inner) : at + 1 == stored.indexOf(inner);
            });
  }

  /** How far apart the values of neighbouring coordinates of {@code label} are. */
  static Expr stride(TensorExpr.Access access, IndexVar label, KernelTensors tensors, Code head) {
    List<IndexVar> stored = Contraction.stored(access);
    if (!stored.contains(label)) {
      return Expr.of(0);
    }
    Expr stride = Expr.of(1);
    for (IndexVar below : stored.subList(stored.indexOf(label) + 1, stored.size())) {
      stride = Expr.mul(stride, tensors.size(below));
    }
    return head.name(access.tensor().name() + "_" + label.name() + "_stride", stride);
  }

  /** How many there are. */
  Expr size() {
    return size;
  }

  /**
   * Makes a run of every pass through the last dimension, unless it is shorter than {@code width}:
   * then all counts are one run.
   */
  void cutRuns(long width, Code head) {
    Expr last = dimensions.isEmpty() ? Expr.of(1) : dimensions.get(dimensions.size() - 1).size();
    Expr isLong = Expr.binary(Expr.Op.LE, Expr.of(width), last);
    run = head.name(name + "_run_length", new Expr.Select(isLong, last, size));
    Expr divisor = Expr.binary(Expr.Op.MAX, run, Expr.of(1));
    runs = head.name(name + "_runs", Expr.binary(Expr.Op.DIV, size, divisor));
  }

  /** Makes one run of all counts, whatever their places. */
  void keepTogether() {
    run = size;
  }

  /** Counts of a run. */
  Expr run() {
    return run;
  }

  /** How many runs there are. */
  Expr runs() {
    return runs;
  }

  /** Counts of a pass through the label before the last. */
  Expr passes() {
    return dimensions.size() < 2 ? Expr.of(1) : dimensions.get(dimensions.size() - 2).size();
  }

  /** Whether the elements of {@code tensor} lie next to each other along the last label. */
  boolean isUnit(int tensor) {
    return unit.get(tensor);
  }

  /** Where count {@code at} lies in {@code tensor}: divisions, so for few counts. */
  Expr offset(Expr at, int tensor, Code code) {
    Expr rest = at;
    Expr offset = Expr.of(0);
    for (int number = dimensions.size() - 1; number >= 0; number--) {
      Dimension dimension = dimensions.get(number);
      Expr digit = number == 0 ? rest : Expr.binary(Expr.Op.REM, rest, dimension.size());
      offset = Expr.add(offset, Expr.mul(digit, dimension.strides().get(tensor)));
      if (number > 0) {
        rest = code.name(name + "_rest", Expr.binary(Expr.Op.DIV, rest, dimension.size()));
      }
    }
    return offset;
  }

  /**
   * Fills {@code tables}, one for each tensor, with the offsets of {@code count} counts from {@code
   * from} on, and the last of them again up to {@code padded}.
   *
   * @param place where in the tables the first one goes
   */
  void fill(List<Buffer> tables, Expr place, Expr from, Expr count, Expr padded, Code code) {
    List<LoopVariable> digits = new ArrayList<>();
    Expr rest = from;
    for (int number = dimensions.size() - 1; number >= 0; number--) {
      Expr size = dimensions.get(number).size();
      Expr digit = number == 0 ? rest : Expr.binary(Expr.Op.REM, rest, size);
      digits.add(0, code.declare(name + "_digit", digit));
      if (number > 0) {
        rest = code.name(name + "_rest", Expr.binary(Expr.Op.DIV, rest, size));
      }
    }
    List<LoopVariable> offsets = new ArrayList<>();
    for (int tensor = 0; tensor < tables.size(); tensor++) {
      Expr offset = Expr.of(0);
      for (int number = 0; number < dimensions.size(); number++) {
        Expr stride = dimensions.get(number).strides().get(tensor);
        offset = Expr.add(offset, Expr.mul(Expr.of(digits.get(number)), stride));
      }
      offsets.add(code.declare(name + "_offset", offset));
    }
    LoopVariable at = LoopVariable.integer(code.fresh(name + "_at"));
    Code each = code.nested();
    for (int tensor = 0; tensor < tables.size(); tensor++) {
      Expr cell = Expr.add(place, Expr.of(at));
      each.add(new Stmt.Store(tables.get(tensor), cell, Expr.of(offsets.get(tensor))));
    }
    Code next = each.nested();
    advance(dimensions.size() - 1, digits, offsets, next);
    each.when(Expr.lessThan(Expr.add(Expr.of(at), Expr.of(1)), count), next);
    code.add(new Stmt.For(at, Expr.of(0), padded, each.block(), table(padded)));
  }

  /**
   * A loop over {@code count} entries of a table: written out for a panel, which may have so few
   * terms that its entries of tables matter, and else a plain loop.
   */
  static LoopTraits table(Expr count) {
    return count instanceof Expr.IntLiteral ? LoopTraits.SERIAL : LoopTraits.FEW;
  }

  private void advance(
      int number, List<LoopVariable> digits, List<LoopVariable> offsets, Code code) {
    if (number < 0) {
      return;
    }
    Dimension dimension = dimensions.get(number);
    for (int tensor = 0; tensor < offsets.size(); tensor++) {
      LoopVariable offset = offsets.get(tensor);
      code.assign(offset, Expr.add(Expr.of(offset), dimension.strides().get(tensor)));
    }
    LoopVariable digit = digits.get(number);
    code.assign(digit, Expr.add(Expr.of(digit), Expr.of(1)));
    if (number == 0) {
      return;
    }
    Code carry = code.nested();
    carry.assign(digit, Expr.of(0));
    for (int tensor = 0; tensor < offsets.size(); tensor++) {
      LoopVariable offset = offsets.get(tensor);
      Expr back = Expr.mul(dimension.size(), dimension.strides().get(tensor));
      carry.assign(offset, Expr.sub(Expr.of(offset), back));
    }
    advance(number - 1, digits, offsets, carry);
    code.when(Expr.equal(Expr.of(digit), dimension.size()), carry);
  }
}
