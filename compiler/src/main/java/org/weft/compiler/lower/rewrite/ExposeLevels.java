package org.weft.compiler.lower.rewrite;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorAssignment;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.algebra.TensorMask;
import org.weft.compiler.algebra.TensorVar;
import org.weft.compiler.level.SplitLevel;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.LevelCoordinate;
import org.weft.tensor.LevelSpec;
import org.weft.tensor.TensorFormat;

/**
 * Rewrites a statement so that every tensor has one index variable for each of its levels: blocked,
 * ELL and DIA tensors become tensors of a higher order (Chou et al., section 3.1).
 *
 * <ul>
 *   <li>A variable {@code i} along which a tensor is blocked by {@code b} becomes {@code i/b} and
 *       {@code i%b} in the whole statement: {@code A(i/2,j/3,i%2,j%3)}. A level of another tensor
 *       that stores {@code i} is seen as two: {@link SplitLevel}. {@code sum_i} becomes {@code
 *       sum_{i/b} sum_{i%b}}.
 *   <li>A tensor whose root counts slots or diagonals gets a variable of its own for them, over
 *       which its values are summed: {@code sum_A.slot(A(A.slot,i,j))}. At most one slot has the
 *       cell, so the sum may stand outside the products and reductions around the access.
 * </ul>
 *
 * <p>Statements of ordinary tensors stay as they are.
 */
public final class ExposeLevels {
  private final TensorAssignment assignment;

  /** Block sizes of split variables. */
  private final Map<IndexVar, Long> splits = new LinkedHashMap<>();

  private ExposeLevels(TensorAssignment assignment) {
    this.assignment = assignment;
  }

  /**
   * The statement in terms of levels.
   *
   * @throws WeftException {@code CONVERSION_REQUIRED} naming a tensor that cannot be seen as needed
   */
  public static TensorAssignment of(TensorAssignment assignment) {
    List<TensorExpr.Access> accesses = new ArrayList<>(assignment.value().accesses());
    accesses.add(assignment.target());
    if (accesses.stream().allMatch(access -> access.tensor().format().isOrdinary())) {
      return assignment;
    }
    ExposeLevels pass = new ExposeLevels(assignment);
    accesses.forEach(pass::findBlocks);
    return pass.rewrite();
  }

  private void findBlocks(TensorExpr.Access access) {
    TensorFormat format = access.tensor().format();
    for (int level = 0; level < format.levelCount(); level++) {
      if (format.coordinate(level) instanceof LevelCoordinate.Block block) {
        IndexVar variable = access.variables().get(format.modeOf(level));
        Long other = splits.putIfAbsent(variable, block.size());
        if (other != null && other != block.size()) {
          throw required(
              access,
              "it has blocks of "
                  + block.size()
                  + " along "
                  + variable
                  + ", another tensor blocks of "
                  + other);
        }
      }
    }
  }

  private TensorAssignment rewrite() {
    TensorExpr.Access target = view(assignment.target(), new ArrayList<>());
    List<IndexVar> counted = new ArrayList<>();
    TensorExpr value = wrap(rewrite(assignment.value(), counted), counted);
    Map<IndexVar, Long> sizes = new HashMap<>(assignment.constantSizes());
    splits.forEach(
        (variable, block) -> {
          Long size = sizes.get(variable);
          if (size != null) {
            sizes.put(IndexVar.block(variable, block), (size + block - 1) / block);
          }
          boolean whole = size != null && size % block == 0;
          if (whole || isPadded(variable, target, value)) {
            sizes.put(IndexVar.within(variable, block), block);
          }
        });
    TensorMask mask = assignment.mask();
    return new TensorAssignment(
        target,
        assignment.accumulate(),
        value,
        mask == null
            ? null
            : new TensorMask(view(mask.access(), new ArrayList<>()), mask.strategy()),
        sizes);
  }

  /**
   * Whether the result and all operands with this label store whole blocks of it. Then cells past
   * its end may be computed: nothing reads them, as sums over a label count its coordinates. Not
   * those of a choice of what is stored.
   */
  private boolean isPadded(IndexVar label, TensorExpr.Access target, TensorExpr value) {
    boolean chosen =
        value instanceof TensorExpr.Apply apply && apply.function() == TensorExpr.Function.NONZERO;
    return !chosen
        && !assignment.accumulate()
        && assignment.mask() == null
        && assignment.target().variables().contains(label)
        && Stream.concat(Stream.of(target), value.accesses().stream())
            .allMatch(access -> isPadded(access, label));
  }

  private static boolean isPadded(TensorExpr.Access access, IndexVar label) {
    TensorFormat stored = access.tensor().stored();
    int number = -1;
    for (int level = 0; level < access.variables().size(); level++) {
      LevelSpec spec = access.tensor().format().level(level);
      number += spec.format() instanceof SplitLevel half && half.offset() ? 0 : 1;
      IndexVar variable = access.variableAt(level);
      if (!variable.label().equals(label)) {
        continue;
      }
      LevelCoordinate coordinate = stored.coordinate(number);
      boolean block = variable.isBlock() && coordinate instanceof LevelCoordinate.Block;
      boolean within = coordinate instanceof LevelCoordinate.Within && spec.properties().full();
      if (!block && !within) {
        return false;
      }
    }
    return true;
  }

  /**
   * {@code expr} with accesses in terms of levels.
   *
   * @param counted receives variables that are still to be summed over
   */
  private TensorExpr rewrite(TensorExpr expr, List<IndexVar> counted) {
    if (expr instanceof TensorExpr.Access access) {
      return view(access, counted);
    } else if (expr instanceof TensorExpr.Product
        || expr instanceof TensorExpr.Negate
        || expr instanceof TensorExpr.Apply apply
            && apply.function() == TensorExpr.Function.NONZERO) {
      return expr.mapChildren(child -> rewrite(child, counted));
    } else if (expr instanceof TensorExpr.Reduce reduce) {
      List<IndexVar> inside = new ArrayList<>();
      TensorExpr body = rewrite(reduce.body(), inside);
      List<IndexVar> all = new ArrayList<>(inside);
      all.addAll(parts(reduce.variable()));
      TensorExpr whole = body;
      for (int at = all.size() - 1; at >= 0; at--) {
        whole = new TensorExpr.Reduce(reduce.operator(), all.get(at), whole);
      }
      return whole;
    }
    return expr.mapChildren(
        child -> {
          List<IndexVar> inside = new ArrayList<>();
          return wrap(rewrite(child, inside), inside);
        });
  }

  private static TensorExpr wrap(TensorExpr expr, List<IndexVar> counted) {
    TensorExpr whole = expr;
    for (IndexVar variable : counted) {
      whole = new TensorExpr.Reduce(variable, whole);
    }
    return whole;
  }

  private List<IndexVar> parts(IndexVar variable) {
    Long size = splits.get(variable);
    return size == null
        ? List.of(variable)
        : List.of(IndexVar.block(variable, size), IndexVar.within(variable, size));
  }

  /** The access with one variable for each level. */
  private TensorExpr.Access view(TensorExpr.Access access, List<IndexVar> counted) {
    TensorFormat format = access.tensor().format();
    if (format.isOrdinary() && access.variables().stream().noneMatch(splits::containsKey)) {
      return access;
    }
    if (DiagonalIntersections.isDiagonal(access.tensor())) {
      throw required(access, "a repeated label cannot be blocked");
    }
    List<LevelSpec> levels = new ArrayList<>();
    List<IndexVar> variables = new ArrayList<>();
    for (int level = 0; level < format.levelCount(); level++) {
      LevelSpec spec = format.level(level);
      LevelCoordinate coordinate = format.coordinate(level);
      if (coordinate.isCounted()) {
        if (access.tensor().kind() == TensorVar.Kind.RESULT) {
          throw required(access, "a kernel cannot make slots or diagonals");
        }
        IndexVar slot = new IndexVar(access.tensor().name() + ".slot" + access.id());
        counted.add(slot);
        variables.add(slot);
        levels.add(spec);
        continue;
      }
      IndexVar variable = access.variables().get(format.modeOf(level));
      if (coordinate instanceof LevelCoordinate.Block block) {
        variables.add(IndexVar.block(variable, block.size()));
        levels.add(spec);
      } else if (coordinate instanceof LevelCoordinate.Within within) {
        variables.add(IndexVar.within(variable, within.size()));
        levels.add(spec);
      } else if (splits.containsKey(variable)) {
        variables.addAll(parts(variable));
        levels.addAll(halves(access, variable, spec));
      } else {
        variables.add(variable);
        levels.add(spec);
      }
    }
    TensorVar tensor =
        new TensorVar(
            access.tensor().name(),
            TensorFormat.ofLevels(levels, format.valueType()),
            access.tensor().kind(),
            access.tensor().stored());
    return new TensorExpr.Access(access.id(), tensor, variables, access.span());
  }

  private List<LevelSpec> halves(TensorExpr.Access access, IndexVar variable, LevelSpec spec) {
    long size = splits.getOrDefault(variable, 1L);
    if (!SplitLevel.supports(spec)) {
      throw required(
          access,
          "its level "
              + spec
              + " cannot be seen in the blocks of "
              + size
              + " that another tensor has along "
              + variable);
    }
    return List.of(
        new SplitLevel(spec, size, false).spec(), new SplitLevel(spec, size, true).spec());
  }

  private static WeftException required(TensorExpr.Access access, String why) {
    return new WeftException(
        ErrorCode.CONVERSION_REQUIRED,
        access
            + " cannot be used as it is stored, "
            + access.tensor().format()
            + ": "
            + why
            + "; convert it to COO or CSF first");
  }
}
