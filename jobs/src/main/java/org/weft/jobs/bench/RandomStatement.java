package org.weft.jobs.bench;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.lang.Diagnostics;
import org.weft.compiler.lang.Parser;
import org.weft.compiler.lang.SourceText;
import org.weft.compiler.lang.Statement;
import org.weft.compiler.lang.Syntax;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.jobs.generate.SyntheticModel;
import org.weft.memory.MemoryScope;
import org.weft.tensor.CooBlock;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * A statement, and what it takes to make random operands for it: dense ones full of numbers, sparse
 * ones with entries that are spread evenly.
 *
 * @param name short name of the statement; empty if it has none
 * @param sizes of all labels
 * @param stored how the tensors that are named here are stored; the others are dense
 */
public record RandomStatement(
    String name, Statement statement, Map<String, Long> sizes, Map<String, Stored> stored) {

  /**
   * How a tensor is stored.
   *
   * @param format as in {@link TensorFormat#parse}
   * @param density share of the cells that an operand has entries in
   */
  public record Stored(String format, double density) {
    /**
     * A format with a density behind a colon, such as {@code CSR:1e-3}.
     *
     * @throws WeftException {@code USAGE} if the density is not above 0 and at most 1
     */
    static Stored parse(String tensor, String text) {
      int colon = text.lastIndexOf(':');
      double density = 1;
      if (colon >= 0) {
        try {
          density = Double.parseDouble(text.substring(colon + 1).strip());
        } catch (NumberFormatException e) {
          density = Double.NaN;
        }
      }
      if (!(density > 0 && density <= 1)) {
        throw usage(
            "expected --format NAME=FORMAT:DENSITY with a density above 0 and at most 1, found "
                + tensor
                + "="
                + text);
      }
      return new Stored(colon < 0 ? text : text.substring(0, colon), density);
    }
  }

  public RandomStatement {
    sizes = Map.copyOf(sizes);
    stored = Map.copyOf(stored);
  }

  /**
   * The statement of {@code text}.
   *
   * @param sizes of labels; each label needs one
   * @param formats by tensor, each with a density or without, which means full
   * @throws WeftException {@code USAGE} naming a label without a size, a size or a format of
   *     nothing; {@code INVALID_EXPRESSION}; {@code INVALID_FORMAT}
   */
  public static RandomStatement of(
      String name, String text, Map<String, Long> sizes, Map<String, String> formats) {
    Diagnostics diagnostics = new Diagnostics();
    Optional<Statement> parsed = Parser.statement(SourceText.expression(text), diagnostics);
    diagnostics.throwIfErrors();
    Statement statement = parsed.orElseThrow();
    if (statement.assignment() != Statement.Assignment.ASSIGN) {
      throw usage("expected a statement with =, found " + text);
    }
    Map<String, Stored> stored = new LinkedHashMap<>();
    formats.forEach((tensor, format) -> stored.put(tensor, Stored.parse(tensor, format)));
    RandomStatement made = new RandomStatement(name, statement, sizes, stored);
    made.check(text);
    return made;
  }

  private void check(String text) {
    Map<String, Syntax.Access> accesses = statement.operands();
    Set<String> labels = new LinkedHashSet<>();
    List<Syntax.Access> all = new ArrayList<>(accesses.values());
    all.add(statement.target());
    all.forEach(access -> access.labels().forEach(label -> labels.add(label.name())));
    for (String label : labels) {
      if (!sizes.containsKey(label)) {
        throw usage("expected a size of the label " + label + " of " + text + " in --sizes");
      }
    }
    sizes.forEach(
        (label, size) -> {
          if (!labels.contains(label)) {
            throw usage(
                "--sizes "
                    + label
                    + "="
                    + size
                    + ": the expression has no label "
                    + label
                    + "; its labels are "
                    + String.join(", ", labels));
          }
          if (size < 1) {
            throw usage(
                "expected --sizes of at least 1 of the labels "
                    + String.join(", ", labels)
                    + ", found "
                    + label
                    + "="
                    + size);
          }
        });
    stored.forEach(
        (tensor, how) -> {
          Syntax.Access access =
              tensor.equals(target()) ? statement.target() : accesses.get(tensor);
          if (access == null) {
            throw usage(
                "expected --format of "
                    + String.join(", ", accesses.keySet())
                    + " or the result "
                    + target()
                    + ", found "
                    + tensor);
          }
          requireFormat(tensor, how.format(), access.labels().size());
        });
  }

  private static void requireFormat(String tensor, String format, int order) {
    try {
      TensorFormat.parse(format, order, ValueType.DOUBLE);
    } catch (WeftException e) {
      throw new WeftException(
          e.code(), "--format " + tensor + "=" + format + ": " + e.getMessage(), e);
    }
  }

  /** The name of the result. */
  String target() {
    return statement.target().tensor();
  }

  /** What the result's stated format is; null if none is stated. */
  @Nullable TensorFormat resultFormat(ValueType type) {
    Stored how = stored.get(target());
    return how == null ? null : TensorFormat.parse(how.format(), resultShape().order(), type);
  }

  TensorShape resultShape() {
    return shape(statement.target());
  }

  private TensorShape shape(Syntax.Access access) {
    return TensorShape.of(
        access.labels().stream().mapToLong(label -> sizeOf(label.name())).toArray());
  }

  private long sizeOf(String label) {
    Long size = sizes.get(label);
    if (size == null) {
      throw new IllegalStateException("no size of " + label);
    }
    return size;
  }

  /** Density by operand. */
  Map<String, Double> densities() {
    Map<String, Double> densities = new LinkedHashMap<>();
    for (String tensor : statement.operands().keySet()) {
      Stored how = stored.get(tensor);
      densities.put(tensor, how == null ? 1 : how.density());
    }
    return densities;
  }

  /** Random operands in {@code scope}, the same ones for the same seed. */
  public Map<String, TensorStorage> operands(MemoryScope scope, ValueType type, long seed) {
    Map<String, TensorStorage> operands = new LinkedHashMap<>();
    long at = seed;
    for (Map.Entry<String, Syntax.Access> operand : statement.operands().entrySet()) {
      TensorShape shape = shape(operand.getValue());
      Stored how = stored.get(operand.getKey());
      operands.put(
          operand.getKey(),
          how == null ? dense(scope, shape, type, at) : sparse(scope, shape, how, type, at));
      at++;
    }
    return operands;
  }

  private static TensorStorage sparse(
      MemoryScope scope, TensorShape shape, Stored how, ValueType type, long seed) {
    long entries = Math.max(1, Math.round(how.density() * shape.cells()));
    TensorFormat format = TensorFormat.parse(how.format(), shape, entries, type);
    List<Double> uniform = Collections.nCopies(shape.order(), 0.0);
    SyntheticModel model = new SyntheticModel("operand", shape, entries, uniform);
    return Packing.pack(scope, shape, format, List.of(entries(model, seed)));
  }

  private static CooBlock entries(SyntheticModel model, long seed) {
    CooBlock.Builder block =
        new CooBlock.Builder(model.sizes().order(), Math.toIntExact(model.nonzeros()));
    model.generate(seed, block::add);
    return block.build();
  }

  private static TensorStorage dense(
      MemoryScope scope, TensorShape shape, ValueType type, long seed) {
    TensorStorage storage = TensorStorage.dense(scope, shape, type);
    int columns = Math.toIntExact(shape.order() == 0 ? 1 : shape.size(shape.order() - 1));
    DenseMatrix random = DenseMatrix.random((long) shape.cells() / columns, columns, seed);
    if (type == ValueType.FLOAT) {
      random.copyToFloats(storage.vals().address());
    } else {
      random.copyTo(storage.vals().address());
    }
    return storage;
  }

  /** The statement without white space. */
  public String text() {
    return statement.target().span().source().text().replaceAll("\\s+", "");
  }

  /** {@code i=1024,j=512}, and how operands are stored: {@code A=CSR:0.001}. */
  String operandsText() {
    List<String> parts = new ArrayList<>();
    new TreeMap<>(sizes).forEach((label, size) -> parts.add(label + "=" + size));
    new TreeMap<>(stored)
        .forEach((name, how) -> parts.add(name + "=" + how.format() + ":" + how.density()));
    return String.join(",", parts).replaceAll("\\s+", "");
  }

  private static WeftException usage(String message) {
    return new WeftException(ErrorCode.USAGE, message);
  }
}
