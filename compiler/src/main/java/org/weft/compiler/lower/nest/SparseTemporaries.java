package org.weft.compiler.lower.nest;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.Directive.WorkspaceKind;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.algebra.TensorVar;
import org.weft.compiler.level.Code;
import org.weft.compiler.level.Level;
import org.weft.compiler.level.LevelEmitters;
import org.weft.compiler.loop.Buffer;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.LoopVariable;
import org.weft.compiler.loop.Stmt;
import org.weft.compiler.lower.operand.Fold;
import org.weft.compiler.lower.operand.KernelTensors;
import org.weft.compiler.lower.operand.Scope;
import org.weft.compiler.lower.operand.TensorLayout;
import org.weft.compiler.lower.operand.Values;
import org.weft.compiler.lower.operand.Workspaces;
import org.weft.compiler.lower.schedule.Directives;
import org.weft.compiler.lower.sink.CellList;
import org.weft.compiler.lower.sink.DenseWorkspace;
import org.weft.compiler.lower.sink.EntryWorkspace;
import org.weft.compiler.lower.sink.RankedWorkspace;
import org.weft.compiler.lower.sink.SegmentEmitter;
import org.weft.compiler.lower.sink.Workspace;
import org.weft.compiler.lower.sink.WorkspaceSink;
import org.weft.memory.ElementType;
import org.weft.tensor.LevelSpec;
import org.weft.tensor.TensorFormat;

/**
 * Computes an expression that is sparse in its open variables into a temporary of their order,
 * whose cells come in any order: a {@link Workspace} collects them, then the temporary is the
 * sorted list of its cells, a COO tensor that loops walk like any other. Where the result is of an
 * unordered level, the cells of a row stay in the order in which they were first touched.
 *
 * <p>Which workspace: the one of the schedule; else a list, where no cell comes twice; else a dense
 * one where the cells that there could be are few, and a hashed one where they are many. When their
 * number is known only at run time, both are compiled and the kernel chooses. So it does in each
 * round between that and a ranked one, for rounds of few terms.
 */
final class SparseTemporaries {
  /** Most cells of a dense workspace that serves many rounds: 36 MB of sums and flags. */
  private static final long MOST_CELLS = 1L << 22;

  /** Most cells of a dense workspace that serves one round, and has to be zeroed for it. */
  private static final long MOST_CELLS_ONCE = 1L << 18;

  /**
   * First length of arrays that grow; past what {@link Stmt.AllocateWorkspace} puts on the stack.
   */
  private static final long FIRST = 2048;

  private enum Kind {
    LIST,
    DENSE,
    HASHED,
    AT_RUN_TIME
  }

  private final KernelTensors tensors;
  private final Values values;
  private final Directives directives;
  private final LoopNest nest;

  /** How many fills, each in two versions, are being emitted around this point. */
  private int versions;

  SparseTemporaries(KernelTensors tensors, Values values, Directives directives, LoopNest nest) {
    this.tensors = tensors;
    this.values = values;
    this.directives = directives;
    this.nest = nest;
  }

  /**
   * Emits code that computes {@code part}; returns the access to the temporary.
   *
   * @param open the variables of the temporary, in the order of its levels
   * @param order the order of the loops that compute it
   * @param sorted whether its cells have to ascend; only a temporary of one variable may do without
   */
  TensorExpr.Access compute(
      TensorExpr part,
      List<IndexVar> open,
      List<IndexVar> order,
      boolean sorted,
      Scope scope,
      Code code) {
    String name = code.fresh("w");
    Arrays arrays = new Arrays(name, scope);
    List<Buffer> crd = new ArrayList<>();
    for (int k = 0; k < open.size(); k++) {
      crd.add(arrays.growable(open.size() == 1 ? "crd" : "crd" + (k + 1), ElementType.I64));
    }
    Buffer vals = arrays.growable("vals", element());
    CellList list = new CellList(crd, vals, code.declare(name + "_count", Expr.of(0)), sorted);
    Fold fold = Fold.of(part);
    Kind kind = kind(part, open, scope);
    Code any = code.nested();
    Workspace first;
    Stmt loops;
    if (kind == Kind.AT_RUN_TIME) {
      Expr few = arrays.fewCells(open, mostCells(scope));
      Code dense = code.nested();
      Code hashed = code.nested();
      versions++;
      first = arrays.dense(list, fold, open, few);
      loops = fill(part, open, order, scope, first, dense);
      fill(part, open, order, scope, arrays.entries(list, fold, true), hashed);
      versions--;
      any.add(new Stmt.If(few, dense.block(), hashed.block()));
    } else {
      first =
          kind == Kind.DENSE
              ? arrays.dense(list, fold, open, null)
              : arrays.entries(list, fold, kind == Kind.HASHED);
      loops = fill(part, open, order, scope, first, any);
    }
    Optional<LoopVariable> terms =
        mayBeRanked(kind, list, open, scope)
            ? TermCount.of(loops, first.noted(), Stmt.Rank.MOST, name, code)
            : Optional.empty();
    if (terms.isPresent()) {
      Code ranked = code.nested();
      versions++;
      fill(part, open, order, scope, arrays.ranked(list, fold), ranked);
      versions--;
      Expr isShort = Expr.lessThan(Expr.of(terms.get()), Expr.of(Stmt.Rank.MOST + 1));
      Expr size = tensors.size(open.get(0));
      Expr isNarrow = Expr.lessThan(size, Expr.of(Stmt.Rank.KEYS_BELOW + 1));
      code.add(new Stmt.If(Expr.and(isShort, isNarrow), ranked.block(), any.block()));
    } else {
      code.addAll(any);
    }
    return access(part, name, open, list);
  }

  /** Returns the loops that put, without what is in front of and behind them. */
  private Stmt fill(
      TensorExpr part,
      List<IndexVar> open,
      List<IndexVar> order,
      Scope scope,
      Workspace workspace,
      Code code) {
    workspace.prepare(code);
    Code loops = code.nested();
    nest.emit(part, order, scope, new WorkspaceSink(open, Fold.of(part), workspace), loops);
    code.addAll(loops);
    workspace.drain(code);
    return loops.block();
  }

  /** Whether there are many rounds, in which terms of one coordinate come in any order. */
  private boolean mayBeRanked(Kind kind, CellList list, List<IndexVar> open, Scope scope) {
    return kind != Kind.LIST
        && list.sorted()
        && open.size() == 1
        && versions == 0
        && !scope.isOutermost()
        && directives.workspace(open.get(0)).isEmpty();
  }

  private Kind kind(TensorExpr part, List<IndexVar> open, Scope scope) {
    List<WorkspaceKind> wanted =
        open.stream().map(directives::workspace).flatMap(Optional::stream).toList();
    if (!wanted.isEmpty()) {
      return wanted.contains(WorkspaceKind.HASHED) ? Kind.HASHED : Kind.DENSE;
    }
    if (part.reducedVariables().isEmpty()) {
      return Kind.LIST;
    }
    long cells = 1;
    for (IndexVar variable : open) {
      Long size = tensors.constantSize(variable);
      if (size == null) {
        return versions == 0 ? Kind.AT_RUN_TIME : Kind.HASHED;
      }
      cells = Math.min(cells * Math.min(size, MOST_CELLS + 1), MOST_CELLS + 1);
    }
    return cells <= mostCells(scope) ? Kind.DENSE : Kind.HASHED;
  }

  private static long mostCells(Scope scope) {
    return scope.isOutermost() ? MOST_CELLS_ONCE : MOST_CELLS;
  }

  private ElementType element() {
    return KernelTensors.elementOf(values.type());
  }

  private TensorExpr.Access access(
      TensorExpr part, String name, List<IndexVar> open, CellList list) {
    List<LevelSpec> specs = new ArrayList<>();
    int[] modes = new int[open.size()];
    for (int k = 0; k < open.size(); k++) {
      LevelSpec spec = LevelSpec.of(k > 0 ? "S" : open.size() == 1 ? "CU" : "CN");
      specs.add(list.sorted() ? spec : spec.withModifiers("o"));
      modes[k] = k;
    }
    TensorFormat format = new TensorFormat(specs, modes, Temporaries.valueType(values.type()));
    TensorVar tensor = new TensorVar(name, format, TensorVar.Kind.TEMPORARY);
    List<Level> levels = new ArrayList<>();
    for (int k = 0; k < open.size(); k++) {
      levels.add(
          new Level(
              name + (k + 1),
              specs.get(k),
              k == open.size() - 1,
              k == 0
                  ? new SegmentEmitter(Expr.of(list.count()))
                  : LevelEmitters.of(specs.get(k).format()),
              null,
              list.crd().get(k),
              tensors.size(open.get(k)),
              -1,
              k));
    }
    tensors.add(new TensorLayout(tensor, levels, list.vals()));
    return new TensorExpr.Access(tensors.freshAccessId(), tensor, open, Temporaries.spanOf(part));
  }

  /** The arrays of one temporary, allocated in front of the loops that it is in. */
  private final class Arrays {
    private final String name;
    private final Workspaces workspaces;
    private final Code front;

    Arrays(String name, Scope scope) {
      this.name = name;
      this.workspaces = scope.workspaces();
      this.front = scope.workspaces().allocations();
    }

    Buffer growable(String suffix, ElementType element) {
      return array(suffix, element, Expr.of(FIRST));
    }

    private Buffer array(String suffix, ElementType element, Expr length) {
      Buffer buffer = new Buffer(front.fresh(name + "_" + suffix), element, Buffer.Kind.WORKSPACE);
      workspaces.allocate(buffer, length);
      return buffer;
    }

    Workspace entries(CellList list, Fold fold, boolean table) {
      List<Buffer> keys = new ArrayList<>();
      for (int k = 0; k < list.crd().size(); k++) {
        keys.add(growable("keys" + (list.crd().size() == 1 ? "" : k + 1), ElementType.I64));
      }
      Buffer sums = growable("entries", element());
      Buffer order = growable("order", ElementType.I64);
      return new EntryWorkspace(list, fold, keys, sums, order, table ? table() : null);
    }

    private EntryWorkspace.Table table() {
      Buffer slots = growable("table", ElementType.I64);
      LoopVariable capacity = front.declare(name + "_capacity", Expr.of(FIRST));
      int bits = Long.numberOfTrailingZeros(FIRST);
      LoopVariable shift = front.declare(name + "_shift", Expr.of(Long.SIZE - bits));
      return new EntryWorkspace.Table(slots, capacity, shift);
    }

    /** A ranked workspace; {@code list} has room for its cells from the start. */
    Workspace ranked(CellList list, Fold fold) {
      return new RankedWorkspace(
          list,
          fold,
          ofTerms("term_keys", ElementType.U32),
          ofTerms("terms", element()),
          ofTerms("ranks", ElementType.U32),
          ofTerms("taken", ElementType.U8));
    }

    private Buffer ofTerms(String suffix, ElementType element) {
      return array(suffix, element, Expr.of(Stmt.Rank.MOST));
    }

    /** Whether the cells over {@code open} are at most {@code most}; computed without overflow. */
    Expr fewCells(List<IndexVar> open, long most) {
      Expr cells = null;
      for (IndexVar variable : open) {
        Expr size = Expr.min(tensors.size(variable), Expr.of(most + 1));
        cells = cells == null ? size : Expr.min(Expr.mul(cells, size), Expr.of(most + 1));
        cells = Expr.of(front.declare(name + "_cells", cells));
      }
      Expr few = Expr.lessThan(cells == null ? Expr.of(1) : cells, Expr.of(most + 1));
      return Expr.of(front.declare(name + "_few", few));
    }

    /** A dense workspace; without cells when {@code few} is given and does not hold. */
    Workspace dense(CellList list, Fold fold, List<IndexVar> open, @Nullable Expr few) {
      List<Expr> sizes = open.stream().map(tensors::size).toList();
      Expr cells = Expr.of(1);
      for (Expr size : sizes) {
        cells = Expr.mul(cells, size);
      }
      if (few != null) {
        cells = front.name(name + "_length", new Expr.Select(few, cells, Expr.of(0)));
      }
      Buffer sums = array("sums", element(), cells);
      Buffer touched = array("touched", ElementType.U8, cells);
      Buffer linear = open.size() == 1 ? list.crd().get(0) : growable("cells", ElementType.I64);
      return new DenseWorkspace(list, fold, sizes, sums, touched, linear);
    }
  }
}
