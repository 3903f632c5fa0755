package org.weft.compiler.algebra;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.weft.compiler.lang.Diagnostics;
import org.weft.compiler.lang.Mask;
import org.weft.compiler.lang.Statement;
import org.weft.compiler.lang.Syntax;
import org.weft.tensor.TensorFormat;
import org.weft.text.Counts;

/**
 * Checks a parsed statement against the formats of its tensors and builds its algebra, with
 * implicit reductions placed and sums and products flat. A label missing from an operand broadcasts
 * it, and so does a label that only the result has.
 */
public final class AlgebraBuilder {
  private final Map<String, TensorFormat> formats;
  private final Map<String, Long> sizes;
  private final Diagnostics diagnostics;
  private final String result;
  private final boolean accumulates;
  private final ReductionPlacement placement;
  private final Map<IndexVar, Long> constantSizes = new HashMap<>();

  /** Every label of the statement, and every variable made for one. */
  private final Set<String> names = new HashSet<>();

  /** Labels that some access uses outside the reductions over them. */
  private final Set<String> free;

  private final Set<IndexVar> bound = new HashSet<>();

  /** One for each tensor and labels: what reads the same cell twice walks to it once. */
  private final Map<Cell, TensorExpr.Access> accesses = new HashMap<>();

  /** Explicit reductions, one for each value: what is written twice is computed once. */
  private final List<TensorExpr.Reduce> reductions = new ArrayList<>();

  private record Cell(TensorVar tensor, List<IndexVar> variables) {}

  private AlgebraBuilder(
      Statement statement,
      Map<String, TensorFormat> formats,
      Map<String, Long> sizes,
      Diagnostics diagnostics) {
    this.formats = formats;
    this.sizes = sizes;
    this.diagnostics = diagnostics;
    this.result = statement.target().tensor();
    this.accumulates = statement.assignment() != Statement.Assignment.ASSIGN;
    Set<String> kept = ReductionPlacement.labels(statement.target());
    this.placement = new ReductionPlacement(statement.value(), kept);
    this.free = new HashSet<>(kept);
    free.addAll(ReductionPlacement.labels(statement.value()));
    collectNames(statement.target());
    collectNames(statement.value());
  }

  /**
   * Builds the algebra of {@code statement}. Errors go to {@code diagnostics}; the result is only
   * meaningful when there are none.
   *
   * @param formats the format of every tensor, the result included
   * @param sizes labels whose size is constant
   */
  public static TensorAssignment build(
      Statement statement,
      Map<String, TensorFormat> formats,
      Map<String, Long> sizes,
      Diagnostics diagnostics) {
    return new AlgebraBuilder(statement, formats, sizes, diagnostics).statement(statement);
  }

  private void collectNames(Syntax syntax) {
    if (syntax instanceof Syntax.Access access) {
      access.labels().forEach(label -> names.add(label.name()));
    }
    syntax.children().forEach(this::collectNames);
  }

  private TensorAssignment statement(Statement statement) {
    TensorExpr.Access target = access(statement.target(), TensorVar.Kind.RESULT, Map.of());
    TensorExpr value = expression(statement.value(), Map.of());
    if (statement.assignment() == Statement.Assignment.SUBTRACT) {
      value = new TensorExpr.Negate(value);
    }
    TensorMask mask = statement.mask() == null ? null : mask(statement.mask(), target);
    requireOneReading(statement);
    if (accumulates && !target.tensor().format().isInsertable()) {
      diagnostics.error(
          statement.target().span(),
          "'"
              + statement.assignment().text()
              + "' needs a result that can be updated in place, but "
              + result
              + " is stored as "
              + target.tensor().format(),
          "make the result dense, or write the sum into another tensor");
    }
    diagnostics.throwIfErrors();
    boolean integers = StatementType.isInteger(StatementType.of(target, value));
    value = RewriteRule.rewrite(value, new Flatten(), new PullReduction(integers));
    if (mask == null && isSparseResult() && isWrittenZero(value)) {
      value = new TensorExpr.Zero();
    }
    if (mask != null) {
      value = new TensorExpr.Product(Operator.FIRST, List.of(value, mask.access()));
    }
    return new TensorAssignment(target, accumulates, value, mask, constantSizes);
  }

  /** Whether the whole value is the number 0: it fills a tensor with the value of absent cells. */
  private static boolean isWrittenZero(TensorExpr value) {
    return value instanceof TensorExpr.Negate negate
        ? isWrittenZero(negate.operand())
        : value instanceof TensorExpr.Literal literal && literal.value().doubleValue() == 0;
  }

  private TensorMask mask(Mask mask, TensorExpr.Access target) {
    String name = mask.tensor().tensor();
    if (name.equals(result)) {
      diagnostics.error(
          mask.tensor().span(),
          "the result " + result + " cannot be its own mask",
          "copy " + result + " into another tensor and use that as the mask");
    }
    TensorExpr.Access access = access(mask.tensor(), TensorVar.Kind.OPERAND, Map.of());
    for (Syntax.Label label : mask.tensor().labels()) {
      if (!target.variables().contains(new IndexVar(label.name()))) {
        diagnostics.error(
            label.span(),
            "the label " + label.name() + " of the mask " + name + " is not a label of " + result,
            "a mask has labels of the result only: " + target);
      }
    }
    return new TensorMask(access, mask.strategy());
  }

  /** The value of {@code syntax} with the reductions that are placed there around it. */
  private TensorExpr expression(Syntax syntax, Map<String, IndexVar> scope) {
    TensorExpr value = node(syntax, scope);
    for (ReductionPlacement.Placed placed : placement.at(syntax)) {
      IndexVar variable = variable(placed.label(), scope);
      value = SemiringAlgebra.reduce(placed.operator(), variable, value);
    }
    return value;
  }

  private TensorExpr node(Syntax syntax, Map<String, IndexVar> scope) {
    if (syntax instanceof Syntax.Number number) {
      return new TensorExpr.Literal(number.value());
    } else if (syntax instanceof Syntax.Negation negation) {
      return new TensorExpr.Negate(expression(negation.operand(), scope));
    } else if (syntax instanceof Syntax.Operation operation) {
      return operation(operation, scope);
    } else if (syntax instanceof Syntax.Semiring semiring) {
      return SemiringAlgebra.multiply(
          semiring.multiply(),
          expression(semiring.left(), scope),
          expression(semiring.right(), scope));
    } else if (syntax instanceof Syntax.Monoid monoid) {
      return SemiringAlgebra.elementwise(
          monoid.operator(),
          expression(monoid.left(), scope),
          expression(monoid.right(), scope),
          isSparseResult());
    } else if (syntax instanceof Syntax.Transpose transpose) {
      return transpose(transpose, scope);
    } else if (syntax instanceof Syntax.Call call) {
      return call(call, scope);
    } else if (syntax instanceof Syntax.Reduction reduction) {
      return reduction(reduction, scope);
    } else if (syntax instanceof Syntax.Sum sum) {
      Map<String, IndexVar> inner = new HashMap<>(scope);
      ReductionPlacement.labels(sum.body()).forEach(label -> inner.put(label, bind(label)));
      return expression(sum.body(), inner);
    } else if (syntax instanceof Syntax.Access access) {
      return operand(access, scope);
    }
    throw new IllegalArgumentException("a statement with missing operands was not rejected");
  }

  private TensorExpr operation(Syntax.Operation operation, Map<String, IndexVar> scope) {
    TensorExpr left = expression(operation.left(), scope);
    TensorExpr right = expression(operation.right(), scope);
    return switch (operation.operator()) {
      case ADD -> new TensorExpr.Sum(List.of(left, right));
      case SUBTRACT -> new TensorExpr.Sum(List.of(left, new TensorExpr.Negate(right)));
      case MULTIPLY, ELEMENTWISE_MULTIPLY -> new TensorExpr.Product(List.of(left, right));
      case DIVIDE -> new TensorExpr.Product(Operator.DIVIDE, List.of(left, everywhere(right)));
    };
  }

  /** A divisor is 0 where it is not stored. */
  private static TensorExpr everywhere(TensorExpr divisor) {
    return SemiringAlgebra.isFull(divisor)
        ? divisor
        : new TensorExpr.Sum(List.of(divisor, new TensorExpr.Literal(0L)));
  }

  private boolean isSparseResult() {
    TensorFormat format = formats.get(result);
    return format != null && !SemiringAlgebra.isFull(format);
  }

  private TensorExpr operand(Syntax.Access access, Map<String, IndexVar> scope) {
    if (access.tensor().equals(result)) {
      diagnostics.error(
          access.span(),
          "the result " + result + " is also an operand",
          accumulates
              ? "write the value into a tensor with another name, then add that to " + result
              : "write the value into a tensor with another name, or use += to add to " + result);
    }
    return access(access, TensorVar.Kind.OPERAND, scope);
  }

  /**
   * By its labels, {@code A(i,j) = transpose(B(i,j),{j,i})} is a copy; by its looks, the transpose.
   */
  private void requireOneReading(Statement statement) {
    Syntax.Access target = statement.target();
    if (statement.value() instanceof Syntax.Transpose transpose
        && transpose.operand() instanceof Syntax.Access operand) {
      List<String> wanted = names(target);
      List<String> list = transpose.labels().stream().map(Syntax.Label::name).toList();
      if (!list.equals(wanted) && Set.copyOf(list).equals(Set.copyOf(wanted))) {
        diagnostics.error(
            transpose.labels().get(0).span(),
            "expected {"
                + String.join(",", wanted)
                + "}, the labels of "
                + result
                + ", found {"
                + String.join(",", list)
                + "}",
            "labels say which mode is which: for the transpose write "
                + (result + "(" + String.join(",", list) + ") = ")
                + (operand.tensor() + "(" + String.join(",", names(operand)) + ")"));
      }
    }
  }

  private static List<String> names(Syntax.Access access) {
    return access.labels().stream().map(Syntax.Label::name).toList();
  }

  /** Labels say which mode is which, so a transposition changes nothing but is checked. */
  private TensorExpr transpose(Syntax.Transpose transpose, Map<String, IndexVar> scope) {
    List<String> given = transpose.labels().stream().map(Syntax.Label::name).sorted().toList();
    List<String> found = ReductionPlacement.labels(transpose.operand()).stream().sorted().toList();
    if (!given.equals(found)) {
      diagnostics.error(
          transpose.labels().isEmpty() ? transpose.span() : transpose.labels().get(0).span(),
          "expected the labels " + found + " in another order, found " + given,
          "name every label of what is transposed once: transpose(A[i,j], {j,i})");
    }
    return expression(transpose.operand(), scope);
  }

  private TensorExpr call(Syntax.Call call, Map<String, IndexVar> scope) {
    TensorExpr.Function function =
        TensorExpr.Function.valueOf(call.function().toUpperCase(Locale.ROOT));
    if (!function.preservesZero()) {
      diagnostics.warning(
          call.span(),
          call.function() + "(0) is not 0, so this sub-expression has a value at every coordinate",
          "every cell is computed: multiply by a sparse operand to keep its structure");
    }
    return new TensorExpr.Apply(
        function, call.arguments().stream().map(argument -> expression(argument, scope)).toList());
  }

  private TensorExpr reduction(Syntax.Reduction reduction, Map<String, IndexVar> scope) {
    String label = reduction.label().name();
    IndexVar variable = bind(label);
    Map<String, IndexVar> inner = new HashMap<>(scope);
    inner.put(label, variable);
    TensorExpr body = expression(reduction.body(), inner);
    if (!body.uses(variable)) {
      diagnostics.error(
          reduction.label().span(),
          "the label " + label + " of sum is not used in what is summed",
          "sum over a label of an operand, or multiply by the size");
    }
    TensorExpr.Reduce found = new TensorExpr.Reduce(variable, body);
    return reductions.stream()
        .filter(known -> renamed(body, variable, known.variable()).equals(known.body()))
        .findFirst()
        .orElseGet(
            () -> {
              reductions.add(found);
              return found;
            });
  }

  private TensorExpr renamed(TensorExpr expr, IndexVar from, IndexVar to) {
    if (expr instanceof TensorExpr.Access access) {
      List<IndexVar> variables =
          access.variables().stream().map(v -> v.equals(from) ? to : v).toList();
      TensorExpr.Access known = accesses.get(new Cell(access.tensor(), variables));
      return known == null ? access : known;
    }
    return expr.mapChildren(child -> renamed(child, from, to));
  }

  /** A variable of its own for a label that a reduction binds. */
  private IndexVar bind(String label) {
    IndexVar variable = new IndexVar(label);
    if (free.contains(label) || !bound.add(variable)) {
      int copy = 1;
      while (!names.add(label + "_" + copy)) {
        copy++;
      }
      variable = new IndexVar(label + "_" + copy);
    }
    size(variable, label);
    return variable;
  }

  private static IndexVar variable(String label, Map<String, IndexVar> scope) {
    IndexVar scoped = scope.get(label);
    return scoped == null ? new IndexVar(label) : scoped;
  }

  private TensorExpr.Access access(
      Syntax.Access access, TensorVar.Kind kind, Map<String, IndexVar> scope) {
    String name = access.tensor();
    TensorFormat format = formats.get(name);
    if (format == null) {
      diagnostics.error(
          access.span(),
          "the tensor " + name + " has no format",
          "known tensors are " + new TreeSet<>(formats.keySet()) + "; bind " + name + " too");
      format = TensorFormat.dense(access.labels().size(), org.weft.tensor.ValueType.DOUBLE);
    } else if (format.order() != access.labels().size()) {
      diagnostics.error(
          access.span(),
          "expected "
              + Counts.plain(format.order(), "label")
              + " for "
              + name
              + ", which has format "
              + format
              + ", found "
              + access.labels().size(),
          "give one label per mode");
      format = TensorFormat.dense(access.labels().size(), format.valueType());
    }
    List<IndexVar> variables = new ArrayList<>();
    for (Syntax.Label label : access.labels()) {
      IndexVar variable = variable(label.name(), scope);
      variables.add(variable);
      size(variable, label.name());
    }
    TensorVar tensor = new TensorVar(name, format, kind);
    return accesses.computeIfAbsent(
        new Cell(tensor, List.copyOf(variables)),
        cell -> new TensorExpr.Access(accesses.size(), tensor, variables, access.span()));
  }

  private void size(IndexVar variable, String label) {
    Long size = sizes.get(label);
    if (size != null) {
      constantSizes.put(variable, size);
    }
  }
}
