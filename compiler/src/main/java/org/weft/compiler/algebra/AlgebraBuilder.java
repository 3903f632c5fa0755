package org.weft.compiler.algebra;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.weft.compiler.lang.Diagnostics;
import org.weft.compiler.lang.SourceSpan;
import org.weft.compiler.lang.Statement;
import org.weft.compiler.lang.Syntax;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.TensorFormat;

/**
 * Checks a parsed statement against the formats of its tensors and builds its algebra, with
 * implicit reductions placed and sums and products flat. A label missing from an operand broadcasts
 * it, and so does a label that only the result has.
 */
public final class AlgebraBuilder {
  private final Map<String, TensorFormat> formats;
  private final Map<String, Long> sizes;
  private final Diagnostics diagnostics;
  private final Map<IndexVar, Long> constantSizes = new HashMap<>();
  private final Set<String> names = new HashSet<>();

  /** Labels that some access uses outside an explicit sum over them. */
  private final Set<String> free = new HashSet<>();

  private final Set<IndexVar> explicit = new HashSet<>();
  private int accesses;

  private AlgebraBuilder(
      Map<String, TensorFormat> formats, Map<String, Long> sizes, Diagnostics diagnostics) {
    this.formats = formats;
    this.sizes = sizes;
    this.diagnostics = diagnostics;
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
    return new AlgebraBuilder(formats, sizes, diagnostics).statement(statement);
  }

  private TensorAssignment statement(Statement statement) {
    collectLabels(statement.target(), Set.of());
    collectLabels(statement.value(), Set.of());
    TensorExpr.Access target = access(statement.target(), TensorVar.Kind.RESULT, Map.of());
    String result = statement.target().tensor();
    TensorExpr value = expression(statement.value(), result, Map.of());
    diagnostics.throwIfErrors();
    if (statement.assignment() == Statement.Assignment.SUBTRACT) {
      value = new TensorExpr.Negate(value);
    }
    Set<IndexVar> implicit = new LinkedHashSet<>(value.freeVariables());
    implicit.removeAll(target.variables());
    for (IndexVar variable : implicit) {
      value = ReductionPlacement.place(value, variable);
    }
    value = RewriteRule.rewrite(value, new Flatten(), new PullReduction());
    boolean accumulate = statement.assignment() != Statement.Assignment.ASSIGN;
    if (accumulate && !target.tensor().format().isInsertable()) {
      diagnostics.error(
          statement.target().span(),
          "'+=' needs a result that can be updated in place, but "
              + result
              + " is stored as "
              + target.tensor().format(),
          "make the result dense, or write the sum into another tensor");
    }
    return new TensorAssignment(target, accumulate, value, constantSizes);
  }

  private void collectLabels(Syntax syntax, Set<String> bound) {
    if (syntax instanceof Syntax.Access access) {
      for (Syntax.Label label : access.labels()) {
        names.add(label.name());
        if (!bound.contains(label.name())) {
          free.add(label.name());
        }
      }
    } else if (syntax instanceof Syntax.Reduction reduction) {
      Set<String> inner = new HashSet<>(bound);
      inner.add(reduction.label().name());
      collectLabels(reduction.body(), inner);
    } else {
      syntax.children().forEach(child -> collectLabels(child, bound));
    }
  }

  private TensorExpr expression(Syntax syntax, String result, Map<String, IndexVar> scope) {
    if (syntax instanceof Syntax.Number number) {
      return new TensorExpr.Literal(number.value().doubleValue());
    } else if (syntax instanceof Syntax.Negation negation) {
      return new TensorExpr.Negate(expression(negation.operand(), result, scope));
    } else if (syntax instanceof Syntax.Operation operation) {
      TensorExpr left = expression(operation.left(), result, scope);
      TensorExpr right = expression(operation.right(), result, scope);
      return switch (operation.operator()) {
        case ADD -> new TensorExpr.Sum(List.of(left, right));
        case SUBTRACT -> new TensorExpr.Sum(List.of(left, new TensorExpr.Negate(right)));
        case MULTIPLY, ELEMENTWISE_MULTIPLY -> new TensorExpr.Product(List.of(left, right));
        case DIVIDE -> throw unsupported(syntax);
      };
    } else if (syntax instanceof Syntax.Call call) {
      return call(call, result, scope);
    } else if (syntax instanceof Syntax.Reduction reduction) {
      return reduction(reduction, result, scope);
    } else if (syntax instanceof Syntax.Access access) {
      if (access.tensor().equals(result)) {
        diagnostics.error(
            access.span(),
            "the result " + result + " is also an operand",
            "write the value into a tensor with another name, or use += to add to " + result);
      }
      return access(access, TensorVar.Kind.OPERAND, scope);
    }
    throw unsupported(syntax);
  }

  private static WeftException unsupported(Syntax syntax) {
    return new WeftException(
        ErrorCode.UNSUPPORTED_OPERATION, "no algebra for '" + syntax.span().text() + "'");
  }

  private TensorExpr call(Syntax.Call call, String result, Map<String, IndexVar> scope) {
    TensorExpr.Function function =
        TensorExpr.Function.valueOf(call.function().toUpperCase(Locale.ROOT));
    if (!function.preservesZero()) {
      diagnostics.warning(
          call.span(),
          call.function() + "(0) is not 0, so this sub-expression has a value at every coordinate",
          "every cell is computed: multiply by a sparse operand to keep its structure");
    }
    return new TensorExpr.Apply(
        function,
        call.arguments().stream().map(argument -> expression(argument, result, scope)).toList());
  }

  private TensorExpr reduction(
      Syntax.Reduction reduction, String result, Map<String, IndexVar> scope) {
    String label = reduction.label().name();
    IndexVar variable = new IndexVar(label);
    if (free.contains(label) || !explicit.add(variable)) {
      int copy = 1;
      while (!names.add(label + "_" + copy)) {
        copy++;
      }
      variable = new IndexVar(label + "_" + copy);
    }
    size(variable, label);
    Map<String, IndexVar> inner = new HashMap<>(scope);
    inner.put(label, variable);
    TensorExpr body = expression(reduction.body(), result, inner);
    if (!body.uses(variable)) {
      diagnostics.error(
          reduction.label().span(),
          "the label " + label + " of sum is not used in what is summed",
          "sum over a label of an operand, or multiply by the size");
    }
    return new TensorExpr.Reduce(variable, body);
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
              + format.order()
              + (format.order() == 1 ? " label" : " labels")
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
      IndexVar scoped = scope.get(label.name());
      IndexVar variable = scoped == null ? new IndexVar(label.name()) : scoped;
      if (variables.contains(variable)) {
        repeated(label.span(), label.name(), name);
      }
      variables.add(variable);
      size(variable, label.name());
    }
    return new TensorExpr.Access(
        accesses++, new TensorVar(name, format, kind), variables, access.span());
  }

  private void size(IndexVar variable, String label) {
    Long size = sizes.get(label);
    if (size != null) {
      constantSizes.put(variable, size);
    }
  }

  private void repeated(SourceSpan span, String label, String tensor) {
    diagnostics.error(
        span,
        "the label " + label + " is repeated in the access to " + tensor,
        "use distinct labels; multiply by an identity matrix I(i,j) to take a diagonal");
  }
}
